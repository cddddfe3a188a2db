"""Examples for the calibration: what the network found for a field of a document, and the truth.

The sources differ. Real receipts are held-out merchants of SROIE (see merchants.held_out_keys) and the development half
of SRD: few, but real. Of simulated photos of synthetic documents every field is known, also rows of lists and absent
fields. Synthetic sheets, with seeds that training does not reach, are many, but they are read too well: they add
fields that the other sources hardly have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal, Protocol

import anyio
import numpy as np

from docextract.documents import document_types
from docextract.documents.base import MRZ, DocumentType, Record
from docextract.documents.values import Conventions
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.candidates import CURRENCY_OF_PAGE, Candidate, Candidates
from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.models import ExtractionTask
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE, Assessment, PagePrediction, PredictedZone
from training.datasets import group_of, reads
from training.datasets.filled_templates import FilledTemplate, printed_values
from training.datasets.page import LabelledPage, value_of
from training.evaluation.real_documents import RealDocument
from training.metrics import Comparison, align_rows
from training.synth.documents import generators
from training.synth.misreading import misread, read_without_errors, string_fields
from training.tasks.layout.type_head import PageReader
from training.tasks.layout.variations import RealPage

Source = Literal["real", "collection", "template", "photograph", "sheet"]
SYNTHETIC = "synthetic"  # tag of simulated photos of synthetic documents
FIRST_SHEET_SEED = 1 << 62  # training uses seeds below


@dataclass(frozen=True)
class CalibrationExample:
    """The candidate of one field of one document, if any, and the truth. expected: None if the field is not on it."""

    type: str  # of the document
    field: str  # a field of a list with the list's name: "line_items.quantity"
    candidate: Candidate | None  # of several pages the likeliest
    expected: Any
    source: Source = "real"
    page: str = ""  # examples of one page or one merchant are left out together
    alternatives: tuple[Any, ...] = ()  # further values that are right
    by_page: tuple[Candidate, ...] = ()  # of a document of several pages: the candidates of all
    zone: PredictedZone | None = None  # the machine-readable zone of the document

    @property
    def right(self) -> bool:
        """Whether the candidate's value is right in letters and digits."""
        return self.candidate is not None and self.is_right(self.candidate.value)

    def is_right(self, value: Any) -> bool:
        """Whether a value of the field is right in letters and digits."""
        if self.expected is None:
            return False
        return Comparison(self.field, self.expected, value, alternatives=self.alternatives).loose


def real_examples(extractor: Extractor, real: Iterable[RealPage]) -> Iterator[CalibrationExample]:
    """Examples of pages with OCR results; only fields that are labelled."""
    for page in real:
        kind = document_types()[page.label.type]
        yield from _labelled_examples(page.label, kind, extractor.candidates(kind, [page.read.lines])[0])


def collection_examples(
    extractor: Extractor, documents: Iterable[RealDocument], reader: PageReader
) -> Iterator[CalibrationExample]:
    """Examples of real documents. Rows of lists are left out.

    Documents of one template are left out of a fit together.
    """
    for document in documents:
        kind = document_types()[document.type]
        zone = reader.zone(document.path) if MRZ in kind.record.non_fields else None
        found = extractor.candidates(kind, reader.lines(document.path))
        pages = [page.fields for page in found]
        currency = next((page.currency for page in found if page.currency), None)
        expected_currency = document.fields.get("currency")
        yield from _currency_examples(kind, currency, expected_currency, "collection", document.template)
        for field in kind.fields():
            if field.group is None and field.name in document.fields:
                yield CalibrationExample(
                    kind.name,
                    field.name,
                    _likeliest(pages, field.name),
                    value_of(field.kind, document.fields[field.name]),
                    "collection",
                    document.template,
                    tuple(value_of(field.kind, text) for text in document.alternatives.get(field.name, ())),
                    tuple(page[field.name] for page in pages if field.name in page),
                    zone,
                )


def template_examples(extractor: Extractor, documents: Iterable[FilledTemplate]) -> Iterator[CalibrationExample]:
    """Examples of filled templates that training has not seen, every second one with typical OCR errors.

    Documents of one template are left out of a fit together. Rows of lists are left out, and so are fields that no
    template of the type marks, such as the time of day: they may be printed.
    """
    filled = [(document, printed_values(document)) for document in documents]
    marked_fields = {(document.type, name) for document, truth in filled for name in truth}
    for document, truth in filled:
        kind = document_types()[document.type]
        strings = string_fields(kind)
        rng = np.random.default_rng(document.number)
        pages = [
            [marked.line for marked in misread(sheet, rng, strings)]
            if document.number % 2
            else read_without_errors(sheet)
            for sheet in document.sheets
        ]
        found = [page.fields for page in extractor.candidates(kind, pages)]
        for field in kind.fields():
            if field.group is None and (document.type, field.name) in marked_fields:
                expected, *others = truth.get(field.name, [None])
                candidate = _likeliest(found, field.name)
                yield CalibrationExample(
                    kind.name, field.name, candidate, expected, "template", document.template, tuple(others)
                )


def _likeliest(pages: Sequence[Mapping[str, Candidate]], field: str) -> Candidate | None:
    """Of several pages the likeliest value counts."""
    some = [page[field] for page in pages if field in page]
    return max(some, key=lambda candidate: candidate.support, default=None)


class AssessingModel(Protocol):
    """Finds documents on photos: the served quality model."""

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return one assessment per glimpse, in input order."""


class PixelModel(Protocol):
    """A model that reads pixels: an imported checkpoint."""

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """Return the candidates of each page, in input order."""


def pixel_examples(
    model: PixelModel, labels: Iterable[LabelledPage], served: AssessingModel
) -> Iterator[CalibrationExample]:
    """Examples of a model that reads pixels; pictures that cannot be opened are left out.

    served: finds the document of a picture, which is cut out as the service does.
    """
    for label in labels:
        try:
            page = anyio.run(reads.extract_labelled, label, label.image.read_bytes(), _WithoutExtraction(served)).page
        except ProblemError as problem:
            print(f"{label.image}: {problem.detail}")
            continue
        (found,) = model.candidates([page])
        yield from _labelled_examples(label, document_types()[label.type], found)


@dataclass(frozen=True)
class _WithoutExtraction:
    """Models that find the document, and nothing on it."""

    served: AssessingModel

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        return await self.served.assess(glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        return [PagePrediction(OTHER_TYPE, 0.0, Conventions()) for _ in tasks]


def _labelled_examples(label: LabelledPage, kind: DocumentType, found: Candidates) -> Iterator[CalibrationExample]:
    kinds = {field.name: field.kind for field in kind.fields()}
    truth = {
        name: [{leaf: value_of(kinds[f"{name}.{leaf}"], text) for leaf, text in row.items()} for row in label_value]
        if isinstance(label_value, list) else label_value and value_of(kinds[name], label_value)
        for name, label_value in label.fields.items()
    }  # fmt: skip
    source: Source = "photograph" if SYNTHETIC in label.tags else "real"
    alternatives = {
        name: tuple(value_of(kinds[name], text) for text in texts) for name, texts in label.alternatives.items()
    }
    yield from _currency_examples(kind, found.currency, label.currency, source, group_of(label))
    for example in _examples(kind, truth, found, source, group_of(label)):
        yield replace(example, alternatives=alternatives.get(example.field, ()))


def sheet_examples(extractor: Extractor, kind: DocumentType, count: int) -> Iterator[CalibrationExample]:
    """Examples of every single field of `count` synthetic sheets, whether it is printed or not."""
    if kind.name not in generators():
        return
    strings = string_fields(kind)
    for number in range(count):
        python_rng, rng = Random(FIRST_SHEET_SEED + number), np.random.default_rng(FIRST_SHEET_SEED + number)
        record, sheet = generators()[kind.name].draw(python_rng)
        marked = misread(sheet, rng, strings)
        legible = {mark[2] for line in marked for mark in line.marks}
        (found,) = extractor.candidates(kind, [[line.line for line in marked]])
        page = f"{kind.name} {number}"
        yield from _currency_examples(kind, found.currency, record.currency, "sheet", page)
        yield from _examples(kind, _printed(record, kind, legible), found, "sheet", page)


def _currency_examples(
    kind: DocumentType, candidate: Candidate | None, expected: str | None, source: Source, page: str
) -> Iterator[CalibrationExample]:
    """The currency of a page, where one was found and the true one is known."""
    if candidate and expected:
        yield CalibrationExample(kind.name, CURRENCY_OF_PAGE, candidate, expected, source, page)


def _printed(record: Record, kind: DocumentType, legible: set[str]) -> dict[str, Any]:
    """The values that can be read on a sheet, by field; rows of lists as lists. legible: "total",
    "line_items.2.description".
    """
    truth: dict[str, Any] = {}
    for field in kind.fields():
        if field.group is None:
            truth[field.name] = getattr(record, field.name, None) if field.name in legible else None
            continue
        rows = truth.setdefault(field.group, [{} for _ in getattr(record, field.group)])
        for number, (row, item) in enumerate(zip(rows, getattr(record, field.group), strict=True)):
            shown = f"{field.group}.{number}.{field.leaf}" in legible
            row[field.leaf] = getattr(item, field.leaf) if shown else None
    return truth


def _examples(
    kind: DocumentType, truth: Mapping[str, Any], found: Candidates, source: Source, page: str
) -> Iterator[CalibrationExample]:
    for field in kind.fields():
        if field.group is None and field.name in truth:
            candidate = found.fields.get(field.name)
            yield CalibrationExample(kind.name, field.name, candidate, truth[field.name], source, page)
    for group, rows in found.groups.items():
        if group in truth:
            expected = truth[group] or []
            partners = align_rows(expected, [{leaf: one.value for leaf, one in row.items()} for row in rows])
            for number, row in enumerate(rows):
                own = expected[partners.index(number)] if number in partners else dict.fromkeys(row)
                for leaf in row.keys() & own.keys():
                    yield CalibrationExample(kind.name, row[leaf].field, row[leaf], own[leaf], source, page)
