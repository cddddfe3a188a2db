"""Training pages for the layout transformer: sheets through the misreading model, and real pages as read.

Real pages are few: `variations` changes them each time they are shown.
"""

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Record
from docextract.documents.values import Conventions
from docextract.extraction.layout import spans
from docextract.extraction.layout.network import LayoutShape
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import OTHER_TYPE
from training.datasets import LabelledPage, value_of
from training.datasets.aligning import AllowedLabels, align
from training.datasets.reads import OcrResult
from training.synth.documents import generator_of, other
from training.synth.misreading import misread
from training.tasks.layout.targets import UNKNOWN, Example, Target
from training.tasks.layout.variations import RealPage, Varied

RARE = 3  # receipts; merchants with at most as many may be kept back from training


Parse = Callable[[str, Conventions], object]


def shape_of(names: Sequence[str], currencies: Sequence[str], **sizes: int | float) -> LayoutShape:
    """The network's shape for these document types."""
    kinds = [document_types()[name] for name in names]
    fields = sorted({field.name for kind in kinds for field in kind.fields()})
    return LayoutShape(tuple(fields), (*names, OTHER_TYPE), ("", *currencies), **sizes)  # type: ignore[arg-type]


def kept_back(labels: Sequence[LabelledPage]) -> frozenset[str]:
    """Keys of the pages to choose by and to calibrate on: of merchants that training does not see.

    Only rare merchants are kept back: a chain with forty receipts would make a poor judge of new ones.
    """
    counts = Counter(merchant(label) for label in labels)
    kept = {name for name, count in counts.items() if count <= RARE and zlib.crc32(name.encode()) % 3 == 0}
    return frozenset(label.key for label in labels if merchant(label) in kept)


def merchant(label: LabelledPage) -> str:
    """Letters and digits of its name; of a page that names none, its own key."""
    name = str(label.fields.get("merchant_name") or label.key).upper()
    return "".join(filter(str.isalnum, name))


def from_sheet(kind: DocumentType, shape: LayoutShape, seed: int) -> Example:
    """One synthetic page, reproducible from its seed alone."""
    dice, rng = Random(seed), np.random.default_rng(seed)
    record, sheet = generator_of(kind.name).draw(dice)
    strings = {field.name for field in kind.fields() if field.kind.name == "string"}
    marked = misread(sheet, rng, strings)
    truth = {id(one.line): one for one in marked}
    ordered, page = split_into_pieces([one.line for one in marked])
    labels, starts = spans.encode_labels([truth[id(line)] for line in ordered], page.pieces, shape.fields)
    own = {field.name for field in kind.fields() if field.group is not None}
    in_list = np.array([label > 0 and shape.fields[(label - 1) // 2] in own for label in labels], np.bool_)
    target = Target(
        allowed=np.eye(shape.labels, dtype=np.bool_)[labels],
        row_starts=np.where(in_list, starts, UNKNOWN).astype(np.int64),
        type=shape.types.index(kind.name),
        currency=_currency(shape, record.currency),
        date_order=_printed_order(kind, shape, record, page.pieces, labels),
    )
    return Example(page, target)


def from_letter(shape: LayoutShape, seed: int) -> Example:
    """A page that is none of our documents."""
    marked = misread(other.other_page(Random(seed)), np.random.default_rng(seed), ())
    _, page = split_into_pieces([one.line for one in marked])
    labels = np.zeros(len(page.pieces), np.int64)
    return Example(
        page,
        Target(np.eye(shape.labels, dtype=np.bool_)[labels], np.full(len(labels), UNKNOWN), shape.types.index(OTHER_TYPE)),
    )


def from_real(real: RealPage, shape: LayoutShape) -> Example:
    """A real page as it is."""
    kind, label = document_types()[real.label.type], real.label
    _, page = split_into_pieces(real.read.lines)
    allowed = align(label, kind, page.pieces, shape.fields, real.read.to_photo)
    target = Target(
        allowed.labels,
        np.full(len(page.pieces), UNKNOWN),
        shape.types.index(label.type),
        _currency(shape, label.currency) if label.currency else UNKNOWN,
        _order_of(kind, shape, label, allowed, page.pieces),
        tuple(allowed.one_of),
    )
    return Example(page, target)


def _currency(shape: LayoutShape, code: str | None) -> int:
    return shape.currencies.index(code or "") if (code or "") in shape.currencies else UNKNOWN


def _printed_order(
    kind: DocumentType, shape: LayoutShape, record: Record, pieces: Sequence[spans.Piece], labels: np.ndarray
) -> int:
    """Which order of day, month and year the print is in, where only one gives the true date."""
    for field in kind.fields():
        if field.kind.name != "date" or field.group is not None or field.name not in shape.fields:
            continue
        number = shape.fields.index(field.name)
        at = np.flatnonzero((labels == spans.begin_label(number)) | (labels == spans.inside_label(number)))
        value = getattr(record, field.name)
        if len(at) and value is not None:
            line = pieces[at[0]].line
            content = spans.join_pieces([pieces[one] for one in at if pieces[one].line == line])
            return _telling_order(field.kind.parse, content, value, shape)
    return UNKNOWN


def _telling_order(parse: Parse, content: str, value: object, shape: LayoutShape) -> int:
    """The order in which the print gives the true value; UNKNOWN where every order does, as in 25/12/2018."""
    right = [parse(content, Conventions(date_order=order)) == value for order in shape.date_orders]  # type: ignore[arg-type]
    return UNKNOWN if all(right) or not any(right) else right.index(True)


def _order_of(
    kind: DocumentType, shape: LayoutShape, label: LabelledPage, allowed: AllowedLabels, pieces: Sequence[spans.Piece]
) -> int:
    for field in kind.fields():
        wanted = label.fields.get(field.name)
        if field.kind.name != "date" or wanted is None or field.name not in shape.fields:
            continue
        number = shape.fields.index(field.name)
        at = np.flatnonzero(allowed.labels[:, spans.begin_label(number)] & ~allowed.labels[:, spans.NO_FIELD])
        if len(at):
            value = value_of(field.kind, wanted)
            line = pieces[at[0]].line
            run = [piece for piece in pieces[at[0] : at[0] + 7] if piece.line == line]
            return _telling_order(field.kind.parse, spans.join_pieces(run), value, shape)
    return UNKNOWN


def real_pages(labels: Sequence[LabelledPage], reads: Mapping[str, OcrResult]) -> list[RealPage]:
    """Labelled pages that have been read."""
    return [RealPage(label, reads[label.key]) for label in labels if label.key in reads]


@dataclass(frozen=True)
class Mix:
    """What training sees. The n-th page depends on the seed and n alone, whoever asks and in whatever order."""

    shape: LayoutShape
    synthetic: Mapping[str, float]  # synthetic pages by type; only the proportions count
    real: Varied
    real_share: float  # of all pages
    other_share: float  # of the synthetic ones: pages that are no known document
    seed: int

    def __call__(self, number: int) -> Example:
        """The n-th page."""
        rng = np.random.default_rng((self.seed, number))
        own = int(rng.integers(1 << 62))
        if len(self.real) and (not self.synthetic or rng.random() < self.real_share):
            return from_real(self.real(rng), self.shape)
        if rng.random() < self.other_share:
            return from_letter(self.shape, own)
        odds = np.array(list(self.synthetic.values()))
        kind = document_types()[str(rng.choice(list(self.synthetic), p=odds / odds.sum()))]
        return from_sheet(kind, self.shape, own)
