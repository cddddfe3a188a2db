"""Fit confidences and acceptance thresholds on pages that the network has not learned from.

    python -m training.commands.calibrate runs/extraction/weights --sroie DATA/sroie --reads runs/reads/sroie.jsonl \\
        --labelled runs/calibrate/synthetic runs/calibrate/kept_back --srd DATA/srd_photos

The sources differ. Real receipts are held-out merchants of SROIE (see merchants.held_out_keys) and the development half
of SRD: few, but real. Of simulated photos of synthetic documents every field is known, also rows of lists and absent
fields. Synthetic sheets, with seeds that training does not reach, are many, but they are read too well: they add
fields that the other sources hardly have. Labelled folders are read with the service's own steps, and the OCR results
are cached next to them.

Prints the quality of the confidences on pages that were left out of the fit, and writes calibration.json next to the
weights.

An imported checkpoint is calibrated on labelled pages, cropped to the document as in the service:

    python -m training.commands.calibrate runs/cord --labelled DATA/receipts
"""

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal, Protocol

import numpy as np
import torch

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Record
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import CALIBRATION_INPUTS, UNCALIBRATED, Calibration
from docextract.extraction.layout.candidates import CURRENCY_OF_PAGE, Candidate, Candidates
from docextract.images.decoding import decode_upload
from docextract.images.geometry import Page
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import Refusal
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE
from docextract.registry.version import find_loader, load_model
from training.datasets import filled_templates, group_of, labelled, reads, srd, sroie
from training.datasets.filled_templates import FilledTemplate, printed_values
from training.datasets.page import LabelledPage, value_of
from training.evaluation import acceptance, confidence_curves
from training.evaluation.acceptance import JudgedValue
from training.evaluation.confidence_curves import FieldConfidence
from training.evaluation.real_documents import RealDocument, read_collection
from training.metrics import Comparison, align_rows
from training.synth.documents import generators
from training.synth.misreading import misread, read_without_errors, string_fields
from training.tasks.layout import pages
from training.tasks.layout.type_head import PageReader
from training.tasks.layout.variations import RealPage

Source = Literal["real", "collection", "template", "photograph", "sheet"]
# There are few real receipts, each as a scan and one or two photos. There are thousands of sheets, and they raise the
# confidences: with a weight of 0.15, values on synthetic photos left out of the fit were right 2.5 percentage points
# less often than their confidence said, with 0.025 one point (400 sheets of each type; more sheets weigh more).
# Filled layouts that training has not seen have errors like those on real documents, but are easier: with 1.0 the
# surest 80 % of the values on real documents of other templates were right 1.0 point less often than with 0 or 0.2.
SOURCE_WEIGHTS: Mapping[Source, float] = {
    "real": 2.0, "collection": 2.0, "template": 0.2, "photograph": 1.0, "sheet": 0.025,
}  # fmt: skip
SYNTHETIC = "synthetic"  # tag of simulated photos of synthetic documents
FIRST_SHEET_SEED = 1 << 62  # training uses seeds below

# Of the values on real receipts and on real documents of templates left out of the fit, by how they were told apart
# (AUROC): 0.835 and 0.837 with the first four inputs, 0.851 and 0.870 with the next two, 0.868 and 0.875 with all but
# the last; the largest share of values of which at most 1 % are wrong: 34 and 26 %, 42 and 66 %, 64 and 67 % (566 and
# 638 values, 2026-11-25, a candidate after 2.12.0). With the last one, 39.5 instead of 36.6 % of 697 values on real
# invoices and cards are accepted at 1 %, 63.4 instead of 60.4 % at 2 % (2026-11-26, the networks of 2.15.0). Tried
# before and left out: "misread" in place of "doubted" and "reading", a likely piece beside the value, the probability
# of the document type, numbers of lines and characters.
FITTED_INPUTS = ("support", "whole", "doubted", "reading", "margin", "page_doubt", "checked", "labelled")
FIELD_RIDGE = 3.0  # penalty on the distance of a field's slopes to the common ones; in examples
BIAS_RIDGE = 1.0
RIDGE = 1e-3
MAX_INVENTED_SHARE = 0.02  # at most this share of absent fields may get a value, unless the threshold would be higher
# What is more likely than not to be printed is given; its confidence says how likely. Thresholds up to 0.95, found on
# synthetic pages, held back half of the customers' names on real invoices, nearly all of them right (2026-11-23).
MIN_ACCEPTANCE, MAX_ACCEPTANCE = 0.3, 0.5
FOLDS = 5
# Divisions into folds, over which the confidence of a left-out value is averaged. With one, the share of values on real
# invoices and cards that is accepted at 1 % varied from 38 to 52 % with the division (six of them, 2026-11-26).
REPEATS = 5
READS = "reads.jsonl"  # cache of OCR results next to labelled pages


@dataclass(frozen=True)
class CalibrationExample:
    """The candidate of one field of one page, if any, and the truth. expected: None if the field is not on the page."""

    type: str  # of the document
    field: str  # a field of a list with the list's name: "line_items.quantity"
    candidate: Candidate | None
    expected: Any
    source: Source = "real"
    page: str = ""  # examples of one page or one merchant are left out together
    alternatives: tuple[Any, ...] = ()  # further values that are right

    @property
    def right(self) -> bool:
        """Whether the candidate's value is right in letters and digits."""
        if self.candidate is None or self.expected is None:
            return False
        return Comparison(self.field, self.expected, self.candidate.value, alternatives=self.alternatives).loose


def real_examples(extractor: Extractor, real: Iterable[RealPage]) -> Iterator[CalibrationExample]:
    """Examples of pages with OCR results; only fields that are labelled."""
    for page in real:
        kind = document_types()[page.label.type]
        yield from _labelled_examples(page.label, kind, extractor.candidates(kind, [page.read.lines])[0])


def collection_examples(
    extractor: Extractor, documents: Iterable[RealDocument], reader: PageReader
) -> Iterator[CalibrationExample]:
    """Examples of real documents; of several pages the likeliest value counts. Rows of lists are left out.

    Documents of one template are left out of a fit together.
    """
    for document in documents:
        kind = document_types()[document.type]
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


class PixelModel(Protocol):
    """A model that reads pixels: an imported checkpoint."""

    def candidates(self, pages: Sequence[Page]) -> list[Candidates]:
        """Return the candidates of each page, in input order."""


def pixel_examples(model: PixelModel, labels: Iterable[LabelledPage]) -> Iterator[CalibrationExample]:
    """Examples of a model that reads pixels; pictures that cannot be opened are left out."""
    for label in labels:
        file = decode_upload(label.image.read_bytes(), DecodingLimits())
        if not isinstance(file, Refusal):
            (found,) = model.candidates([file.pages[0].pixels])
            yield from _labelled_examples(label, document_types()[label.type], found)


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


def fit_calibration(examples: Sequence[CalibrationExample], inputs: Sequence[str] = FITTED_INPUTS) -> Calibration:
    """Fit a logistic model per field. A penalty keeps the model of a field with few examples near a common one."""
    accept = {"*": UNCALIBRATED.accept["*"]}
    for name, own in _by_field(examples).items():
        if "." not in name:  # rows have no threshold
            accept[name] = _acceptance(own)
    accepted = [example for example in examples if _is_accepted(example, accept)]
    weights = _logistic(accepted, inputs) if accepted else {"*": [0.0, *(float(name == "support") for name in inputs)]}
    return Calibration(weights, accept, tuple(inputs))


def _by_field(examples: Iterable[CalibrationExample]) -> dict[str, list[CalibrationExample]]:
    by_field: dict[str, list[CalibrationExample]] = defaultdict(list)
    for example in examples:
        by_field[example.field].append(example)
    return by_field


def _is_accepted(example: CalibrationExample, accept: Mapping[str, float]) -> bool:
    return example.candidate is not None and example.candidate.support >= accept.get(example.field, 0.0)


def _logistic(examples: Sequence[CalibrationExample], inputs: Sequence[str]) -> dict[str, list[float]]:
    """Weighted logistic regression by field, bias first; "*" is the common model.

    N examples, F fields, K inputs. Inputs are normalised during the fit so that one penalty suits all.
    """
    fields = sorted({example.field for example in examples})
    x = torch.tensor(
        [[CALIBRATION_INPUTS[name](t.candidate) for name in inputs] for t in examples if t.candidate],
        dtype=torch.float64,
    )
    y = torch.tensor([float(t.right) for t in examples], dtype=torch.float64)  # [N]
    share = torch.tensor([SOURCE_WEIGHTS[t.source] for t in examples], dtype=torch.float64)
    field = torch.tensor([fields.index(t.field) for t in examples])
    middle = (x * share[:, None]).sum(0) / share.sum()  # [K]
    spread = (((x - middle) ** 2 * share[:, None]).sum(0) / share.sum()).sqrt() + 1e-6
    scaled = (x - middle) / spread  # [N, K]
    common = torch.zeros(1 + len(inputs), dtype=torch.float64, requires_grad=True)
    own = torch.zeros(len(fields), 1 + len(inputs), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([common, own], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        weights = common + own[field]  # [N, 1 + K]
        z = weights[:, 0] + (weights[:, 1:] * scaled).sum(1)
        error = torch.nn.functional.binary_cross_entropy_with_logits(z, y, share, reduction="sum")
        ridge = FIELD_RIDGE * (own[:, 1:] ** 2).sum() + BIAS_RIDGE * (own[:, 0] ** 2).sum()
        total: torch.Tensor = error + ridge + RIDGE * (common[1:] ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    fitted = torch.cat([common[None], common + own]).detach()  # [1 + F, 1 + K]
    slopes = fitted[:, 1:] / spread
    bias = fitted[:, 0] - slopes @ middle
    rows = torch.cat([bias[:, None], slopes], dim=1).tolist()
    return {name: [round(value, 5) for value in row] for name, row in zip(["*", *fields], rows, strict=True)}


def _acceptance(examples: Sequence[CalibrationExample]) -> float:
    """The lowest support that keeps the share of values for absent fields at most MAX_INVENTED_SHARE, within bounds."""
    absent = sorted((t.candidate.support if t.candidate else 0.0 for t in examples if t.expected is None), reverse=True)
    if len(absent) < 50:
        return MIN_ACCEPTANCE
    highest = absent[int(MAX_INVENTED_SHARE * len(absent))] + 1e-3
    return round(float(np.clip(highest, MIN_ACCEPTANCE, MAX_ACCEPTANCE)), 4)


def cross_validate(
    examples: Sequence[CalibrationExample], inputs: Sequence[str] = FITTED_INPUTS
) -> Iterator[tuple[CalibrationExample, FieldConfidence]]:
    """Every field of the pages that were read, with the confidence of fits without this page and its merchant.

    The confidence is the mean of one fit for each division into folds; whether a value is given, the first one decides.
    """
    repeats = [_fits_by_fold(examples, inputs, repeat) for repeat in range(REPEATS)]
    for example in (one for one in examples if one.source != "sheet"):
        fits = [fits[fold_of(example, repeat)] for repeat, fits in enumerate(repeats)]
        accepted = _is_accepted(example, fits[0].accept)
        if not accepted and example.expected is None:
            continue
        sure = [fit.confidence(example.candidate) for fit in fits] if accepted and example.candidate else [0.0]
        yield example, FieldConfidence(example.field, sum(sure) / len(sure), accepted and example.right, accepted)


def _fits_by_fold(examples: Sequence[CalibrationExample], inputs: Sequence[str], repeat: int) -> list[Calibration]:
    """Return for each fold the fit to all others."""
    return [fit_calibration([one for one in examples if fold_of(one, repeat) != fold], inputs) for fold in range(FOLDS)]


def fold_of(example: CalibrationExample, repeat: int = 0) -> int:
    """Return the fold of an example: those of one page or merchant are in one. repeat: number of the division."""
    return zlib.crc32(example.page.encode() + b"\0" * repeat) % FOLDS


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[])
    parser.add_argument("--sheets", type=int, default=1200, help="sheets of each document type")
    parser.add_argument(
        "--labelled", type=Path, nargs="*", default=[], help="labelled pages: synthetic photos, your own"
    )
    parser.add_argument(
        "--collection", type=Path, nargs="*", default=[], help="real documents, see training.evaluation.real_documents"
    )
    parser.add_argument(
        "--templates", type=Path, nargs="*", default=[], help="filled templates; those held out from training are used"
    )
    parser.add_argument(
        "--cache", type=Path, help="folder that keeps the lines of --collection, which take long to read"
    )
    parser.add_argument("--left-out", type=Path, help="write the confidences of pages that were left out of the fit")
    parser.add_argument("--srd", type=Path, metavar="ROOT", help="SRD; its development half is used")
    parser.add_argument(
        "--models", type=Path, default=Path("models"), help="models that find the page in labelled photos"
    )
    options = parser.parse_args()
    model = load_model(find_loader("extraction", options.weights), options.weights, "cpu")
    try:
        examples = list(
            _layout_examples(model, options) if isinstance(model, Extractor) else _imported_examples(model, options)
        )
    except ProblemError as problem:
        parser.error(str(problem))
    if not examples:
        parser.error(f"there are no pages to fit {options.weights} to")
    judged = list(cross_validate(examples))
    counted = _counted_values(judged)
    calibration = replace(fit_calibration(examples), error_bounds=acceptance.error_bounds(counted))
    (options.weights / "calibration.json").write_text(json.dumps(asdict(calibration), indent=1) + "\n")
    _print_found(examples, calibration)
    _print_left_out(judged)
    for name, bounds in calibration.error_bounds.items():
        for start, error in bounds:
            print(f"{name}: from confidence {start:6} on at most {error:.1%} are wrong")
    accepted = {error: acceptance.cross_fitted(counted, error) for error in acceptance.STATED_ERRORS}
    for error, by_source in accepted.items():
        for source, own in by_source.items():
            print(f"at {error:.0%}: {source}: {own.share:.1%} of {own.values} accepted, {own.error:.1%} of them wrong")
    if options.left_out:
        rows = {
            source: confidence_curves.confidence_summary([one for of, one in judged if of.source == source])
            | {"accepted": {str(error): asdict(some[source]) for error, some in accepted.items() if source in some}}
            for source in dict.fromkeys(of.source for of, _ in judged)
        }
        options.left_out.write_text(json.dumps(rows, indent=1) + "\n")


def _counted_values(judged: Iterable[tuple[CalibrationExample, FieldConfidence]]) -> list[JudgedValue]:
    """The values that were given on real documents if there are enough, else on all."""
    given = [
        JudgedValue(of.source, of.type, fold_of(of), one.confidence, one.right) for of, one in judged if one.predicted
    ]
    real = [one for one in given if one.source in ("real", "collection")]
    return real if len(real) >= acceptance.MIN_REAL_VALUES else given


def _imported_examples(model: Any, options: argparse.Namespace) -> Iterator[CalibrationExample]:
    known = [label for label in labelled.load(*options.labelled).pages if label.type in model.types]
    yield from pixel_examples(model, known)


def _layout_examples(extractor: Extractor, options: argparse.Namespace) -> Iterator[CalibrationExample]:
    if options.sroie:
        labels = sroie.load(options.sroie, sroie.HELD_OUT)
        yield from real_examples(
            extractor, (page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache)))
        )
    for data in options.labelled:
        cache = (data if data.is_dir() else data.parent) / READS
        yield from _photo_examples(extractor, labelled.load(data).pages, cache, options.models)
    reader = PageReader(options.cache)
    for folder in options.collection:
        documents = [one for one in read_collection(folder) if one.type in extractor.types and one.type != OTHER_TYPE]
        yield from collection_examples(extractor, documents, reader)
    fills = filled_templates.held_out(filled_templates.load_documents(options.templates))
    yield from template_examples(extractor, (one for one in fills if one.type in extractor.types))
    if options.srd:
        with (
            TemporaryDirectory() as temporary
        ):  # reading takes a minute; nothing is written into the folder of SRD's photos
            cache = Path(temporary) / READS
            yield from _photo_examples(extractor, srd.load(options.srd, "development"), cache, options.models)
    for name in extractor.types:
        if name in document_types():
            yield from sheet_examples(extractor, document_types()[name], options.sheets)


def _photo_examples(
    extractor: Extractor, labels: Sequence[LabelledPage], cache: Path, models: Path
) -> Iterator[CalibrationExample]:
    """Examples of photos read as the service reads them, of document types that the extractor knows."""
    known = [label for label in labels if label.type in extractor.types]
    read = reads.read_as_served(cache, known, models, extractor.reader)
    yield from real_examples(extractor, (RealPage(*both) for both in zip(known, read, strict=True)))


def _print_found(examples: Sequence[CalibrationExample], calibration: Calibration) -> None:
    print(f"{'':42}{'on':>7}{'right':>8}{'absent':>8}{'invented':>10}")
    for name, own in sorted(_by_field(examples).items()):
        accepted = [example for example in own if _is_accepted(example, calibration.accept)]
        absent = sum(example.expected is None for example in own)
        present = len(own) - absent
        right = sum(example.right for example in accepted) / max(1, present)
        print(f"{name:42}{present:7}{right:8.3f}", end="")
        # In rows, only values that were predicted are known to be absent.
        invented = sum(example.expected is None for example in accepted) / max(1, absent)
        print("" if "." in name else f"{absent:8}{invented:10.3f}")


def _print_left_out(judged: Sequence[tuple[CalibrationExample, FieldConfidence]]) -> None:
    """A row for each source, and one for each of its fields with at least MIN_VALUES values."""
    print(f"\n{'left out of the fit':42}{'values':>7}{'right':>8}{'conf.':>8}{'error':>8}{'chance':>8}{'top 80%':>8}")
    for source in dict.fromkeys(of.source for of, _ in judged):
        own = [one for of, one in judged if of.source == source]
        rows: dict[str, list[FieldConfidence]] = {source: own} | {
            name: [one for one in own if one.field == name] for name in sorted({j.field for j in own})
        }
        for name, some in rows.items():
            row = confidence_curves.confidence_summary(some)
            if row["values"] >= confidence_curves.MIN_VALUES:
                figures = (
                    row[key] for key in ("right", "mean_confidence", "error", "by_chance", "right_of_most_confident")
                )
                print(f"{name:42}{row['values']:7}" + "".join(f"{figure:8.3f}" for figure in figures))


if __name__ == "__main__":
    main()
