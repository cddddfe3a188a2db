"""Training pages for the layout transformer: synthetic sheets with typical OCR errors, and real pages with OCR results.

There are few real pages: `variations` changes them each time they are used.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Record
from docextract.documents.values import Conventions
from docextract.extraction.layout.labels import NO_FIELD, begin_label, inside_label
from docextract.extraction.layout.network import LayoutShape
from docextract.extraction.layout.pieces import Piece, join_pieces, split_into_pieces
from docextract.predictions import OTHER_TYPE, TextLine
from training.datasets import LabelledPage, value_of
from training.datasets.aligning import AllowedLabels, align
from training.datasets.reads import OcrResult
from training.datasets.row_aligning import align_labelled_rows
from training.datasets.shop_names import NO_SHOP_NAMES, ShopNames
from training.synth.documents import generator_of, other
from training.synth.labelled_lines import encode_labels
from training.synth.misreading import misread, string_fields
from training.tasks.layout.targets import UNKNOWN, PageTarget, TrainingPage
from training.tasks.layout.template_variations import TemplatePages
from training.tasks.layout.variations import RealPage, RealPageVariations, shift_lines

# Fields that generated pages print without marking them, so that such numbers may have them.
UNMARKED_FIELDS = {"receipt": ("taxes.rate", "taxes.net_amount", "taxes.amount")}

Parse = Callable[[str, Conventions], object]


def shape_for_types(names: Sequence[str], currencies: Sequence[str], **sizes: int | float) -> LayoutShape:
    """Shape of a network for these document types. names: of the types."""
    kinds = [document_types()[name] for name in names]
    fields = sorted({field.name for kind in kinds for field in kind.fields()})
    return LayoutShape(tuple(fields), (*names, OTHER_TYPE), ("", *currencies), **sizes)  # type: ignore[arg-type]


def page_from_sheet(
    kind: DocumentType, shape: LayoutShape, seed: int, shop_names: ShopNames = NO_SHOP_NAMES
) -> TrainingPage:
    """One synthetic page, which depends on its seed and the names alone. shop_names: for receipts."""
    random, rng = Random(seed), np.random.default_rng(seed)
    generator = generator_of(kind.name)
    record = generator.sample(random)
    if name := getattr(record, "merchant_name", None):
        record = record.model_copy(update={"merchant_name": shop_names.draw(name, random)})
    sheet = generator.typeset(record, random)
    strings = string_fields(kind)
    marked = misread(sheet, rng, strings)
    labelled_lines = {id(one.line): one for one in marked}
    ordered, page = split_into_pieces([one.line for one in marked])
    labels, starts = encode_labels([labelled_lines[id(line)] for line in ordered], page.pieces, shape.fields)
    own = {field.name for field in kind.fields() if field.group is not None}
    in_list = np.array([label > 0 and shape.fields[(label - 1) // 2] in own for label in labels], np.bool_)
    allowed = np.eye(shape.labels, dtype=np.bool_)[labels]
    unmarked = np.array([label == NO_FIELD for label in labels]) & _are_numbers(page.pieces)
    for number, name in enumerate(shape.fields):
        if name in UNMARKED_FIELDS.get(kind.name, ()):
            allowed[np.ix_(unmarked, [begin_label(number), inside_label(number)])] = True
    target = PageTarget(
        allowed=allowed,
        row_starts=np.where(in_list, starts, UNKNOWN).astype(np.int64),
        type=shape.types.index(kind.name),
        currency=_currency(shape, record.currency),
        date_order=_printed_date_order(kind, shape, record, page.pieces, labels),
    )
    return TrainingPage(page, target)


def _are_numbers(pieces: Sequence[Piece]) -> NDArray[np.bool_]:
    return np.array([any(char.isdigit() for char in piece.text) for piece in pieces], np.bool_)


def page_of_other_type(shape: LayoutShape, seed: int) -> TrainingPage:
    """One synthetic page that is of no document type."""
    marked = misread(other.other_page(Random(seed)), np.random.default_rng(seed), ())
    _, page = split_into_pieces([one.line for one in marked])
    labels = np.zeros(len(page.pieces), np.int64)
    return TrainingPage(
        page,
        PageTarget(
            np.eye(shape.labels, dtype=np.bool_)[labels], np.full(len(labels), UNKNOWN), shape.types.index(OTHER_TYPE)
        ),
    )


def page_without_labels(lines: Sequence[TextLine], shape: LayoutShape) -> TrainingPage:
    """A page on which only the labels of a teacher are learned."""
    _, page = split_into_pieces(lines)
    anything = np.ones((len(page.pieces), shape.labels), np.bool_)
    return TrainingPage(page, PageTarget(anything, np.full(len(page.pieces), UNKNOWN), UNKNOWN, is_taught=True))


def page_from_label(real: RealPage, shape: LayoutShape) -> TrainingPage:
    """A real page with the targets that follow from its labels."""
    kind, label = document_types()[real.label.type], real.label
    _, page = split_into_pieces(real.read.lines)
    allowed = align(label, kind, page.pieces, shape.fields, real.read.to_photo)
    starts = align_labelled_rows(label, kind, page.pieces, shape.fields, allowed, real.read.to_photo)
    target = PageTarget(
        allowed.labels,
        starts,
        shape.types.index(label.type),
        _currency(shape, label.currency) if label.currency else UNKNOWN,
        _labelled_date_order(kind, shape, label, allowed, page.pieces),
        tuple(allowed.one_of),
        is_taught=True,
    )
    return TrainingPage(page, target)


def _currency(shape: LayoutShape, code: str | None) -> int:
    return shape.currencies.index(code or "") if (code or "") in shape.currencies else UNKNOWN


def _printed_date_order(
    kind: DocumentType, shape: LayoutShape, record: Record, pieces: Sequence[Piece], labels: np.ndarray
) -> int:
    """The order of day, month and year in which a date is printed; UNKNOWN if several orders give the true date."""
    for field in kind.fields():
        if field.kind.name != "date" or field.group is not None or field.name not in shape.fields:
            continue
        number = shape.fields.index(field.name)
        at = np.flatnonzero((labels == begin_label(number)) | (labels == inside_label(number)))
        value = getattr(record, field.name)
        if len(at) and value is not None:
            line = pieces[at[0]].line
            content = join_pieces([pieces[one] for one in at if pieces[one].line == line])
            return _only_order(field.kind.parse, content, value, shape)
    return UNKNOWN


def _only_order(parse: Parse, content: str, value: object, shape: LayoutShape) -> int:
    """The first order in which the text gives the true value; UNKNOWN if all orders do, or none."""
    correct = [parse(content, Conventions(date_order=order)) == value for order in shape.date_orders]  # type: ignore[arg-type]
    return UNKNOWN if all(correct) or not any(correct) else correct.index(True)


def _labelled_date_order(
    kind: DocumentType, shape: LayoutShape, label: LabelledPage, allowed: AllowedLabels, pieces: Sequence[Piece]
) -> int:
    for field in kind.fields():
        date = label.fields.get(field.name)
        if field.kind.name != "date" or date is None or field.name not in shape.fields:
            continue
        number = shape.fields.index(field.name)
        at = np.flatnonzero(allowed.labels[:, begin_label(number)] & ~allowed.labels[:, NO_FIELD])
        if len(at):
            value = value_of(field.kind, date)
            line = pieces[at[0]].line
            run = [piece for piece in pieces[at[0] : at[0] + 7] if piece.line == line]
            return _only_order(field.kind.parse, join_pieces(run), value, shape)
    return UNKNOWN


def real_pages(labels: Sequence[LabelledPage], reads: Mapping[str, OcrResult]) -> list[RealPage]:
    """Labelled pages that have OCR results. reads: OCR results by the key of the page."""
    return [RealPage(label, reads[label.key]) for label in labels if label.key in reads]


@dataclass(frozen=True)
class PageMix:
    """The pages of a training run. Page n depends on the seed and n alone, in whatever order pages are made."""

    shape: LayoutShape
    synthetic: Mapping[str, float]  # proportions of the types of synthetic pages
    real: RealPageVariations
    real_share: float  # of all pages
    other_share: float  # of the synthetic pages: pages of no document type
    seed: int
    templates: TemplatePages | None = None
    template_share: float = 0.0  # of the other pages
    shop_names: ShopNames = NO_SHOP_NAMES  # for receipts of the generator
    unlabelled: Sequence[OcrResult] = ()
    unlabelled_share: float = 0.0  # of the pages that are not real

    def __call__(self, number: int) -> TrainingPage:
        """Page n."""
        rng = np.random.default_rng((self.seed, number))
        page_seed = int(rng.integers(1 << 62))
        if len(self.real) and (not self.synthetic or rng.random() < self.real_share):
            return page_from_label(self.real(rng), self.shape)
        if self.unlabelled and rng.random() < self.unlabelled_share:
            read = self.unlabelled[int(rng.integers(len(self.unlabelled)))]
            return page_without_labels(shift_lines(read.lines, rng), self.shape)
        if self.templates and len(self.templates) and rng.random() < self.template_share:
            return self.templates(self.shape, page_seed)
        if rng.random() < self.other_share:
            return page_of_other_type(self.shape, page_seed)
        proportions = np.array(list(self.synthetic.values()))
        kind = document_types()[str(rng.choice(list(self.synthetic), p=proportions / proportions.sum()))]
        return page_from_sheet(kind, self.shape, page_seed, self.shop_names)
