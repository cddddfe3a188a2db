"""Measure the promoted models on collections of real documents and write docs/real-documents.md.

    python -m training.evaluation.real_documents --invoices DIR --ids DIR --other DIR [--details wrong.json]
    python -m training.evaluation.real_documents --invoices DIR --ids DIR --types runs/types/types.json

A collection is a folder with labels.jsonl, one row per document: "image" (a picture or a PDF), "type", "template" (the
layout: the unit of the intervals), "fields" (null: not on the document), "also" (other valid readings). Labels have the
forms of docs/adding-a-document.md. "items" are the first rows of the table, "items_count" is the number of all. Rows of
type `other` measure refusal; they have "kind" and "hard" instead of fields. The pages of a PDF are one document.

Where the head that tells document types has learned from a collection, the served model says nothing about new papers:
then --types gives the cross-validated results that training.tasks.layout.type_head has written, in place of --other.
"""

import argparse
import hashlib
import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pypdfium2

from docextract.documents import document_types
from docextract.documents.einvoice import EInvoiceError, parse_einvoice
from docextract.files import whole_file
from docextract.images.pdf import embedded_invoice
from docextract.predictions import OTHER_TYPE
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training.datasets import LabelledPage
from training.datasets.rows import iter_labels, numbered_lines, validate_label
from training.evaluation.acceptance import STATED_ERRORS, Acceptance
from training.evaluation.bootstrap import interval
from training.evaluation.evaluate import ExtractCall, make_extract_call, plain_value, provenance, typed_label
from training.evaluation.row_results import LINE_ITEMS, RowResult, compare_rows, predicted_rows, row_table
from training.metrics import exact_form, loose_form

PAGE = Path("docs") / "real-documents.md"
SUREST_SHARE = 0.8
SUBTOTAL = "subtotal"
LINE_WIDTH = 130  # of the Markdown page
# Sources of training.commands.calibrate.
ACCEPTANCE_ROWS = {"collection": "invoices and cards", "real": "receipts: kept-back SROIE, half of SRD"}
# Names of fields in collections that were labelled before the fields of all types were named alike.
_NAMES = {"invoice_id": "document_number", "invoice_date": "document_date", "invoice_total": "total"}


@dataclass(frozen=True)
class RealDocument:
    """One row of a collection."""

    path: Path
    type: str
    template: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    alternatives: Mapping[str, Sequence[str]] = field(default_factory=dict)
    hard: bool = False


@dataclass(frozen=True)
class FieldResult:
    """One labelled field of one document.

    expected: the labelled value; None where the field is not on the document.
    predicted: the value in the answer, or None.
    """

    template: str
    name: str
    expected: Any
    predicted: Any
    alternatives: tuple[Any, ...] = ()
    confidence: float | None = None

    def is_right(self, normalise: Callable[[Any], Any]) -> bool:
        """Whether the prediction equals a valid reading after normalisation."""
        accepted = [normalise(value) for value in (self.expected, *self.alternatives)]
        return self.predicted is not None and normalise(self.predicted) in accepted


def without_spaces(value: Any) -> Any:
    """Upper case, without white space."""
    return "".join(value.upper().split()) if isinstance(value, str) else value


def read_collection(folder: Path) -> list[RealDocument]:
    """Return the documents of a collection.

    Raises FileNotFoundError where labels.jsonl or a file is missing, ValueError where a label has another form.
    """
    documents = []
    file = folder / "labels.jsonl"
    for number, line in numbered_lines(file):
        row = json.loads(line)
        path = folder / row["image"]
        if not path.is_file():
            raise FileNotFoundError(f"{file} names {path}, which does not exist")
        template = row.get("template") or row.get("kind") or row["image"]
        fields, also = (_with_our_names(row.get(name, {})) for name in ("fields", "also"))
        if subtotals := _subtotals_of_einvoice(path, fields.get(SUBTOTAL)):
            also[SUBTOTAL] = [*also.get(SUBTOTAL, ()), *subtotals]
        documents.append(RealDocument(path, row["type"], template, fields, also, bool(row.get("hard", False))))
        try:
            _validate_labels(documents[-1])
        except ValueError as error:
            raise ValueError(f"{file}:{number}: {error}") from None
    return documents


def _validate_labels(document: RealDocument) -> None:
    """Raise ValueError for a label of a known field that has another form."""
    typed = document_types().get(document.type)
    known = {field.name: field for field in typed.fields()} if typed else {}
    rows = iter_labels({LINE_ITEMS: document.fields.get("items") or []})
    also = [(name, one) for name, readings in document.alternatives.items() for one in readings]
    for name, label in [*document.fields.items(), *rows, *also]:
        if name in known and label is not None:
            validate_label(known[name], label)


def _subtotals_of_einvoice(path: Path, label: str | None) -> list[str]:
    """The subtotals in the e-invoice of a PDF, before and after discounts on all items, if the label is one of them.

    Labels may be the sum after discounts. The API's `subtotal` is the one before.
    """
    if label is None or path.suffix.lower() != ".pdf":
        return []
    with closing(pypdfium2.PdfDocument(path)) as pdf:
        xml = embedded_invoice(pdf)
    try:
        invoice = parse_einvoice(xml) if xml else None
    except EInvoiceError:
        return []
    if invoice is None or SUBTOTAL not in invoice.values:
        return []
    subtotals = [str(one) for one in (invoice.values[SUBTOTAL], *invoice.others[SUBTOTAL])]
    return subtotals if label in subtotals else []


def _with_our_names(labels: Mapping[str, Any]) -> dict[str, Any]:
    return {_NAMES.get(name, name): label for name, label in labels.items()}


def field_results(document: RealDocument, answer: Mapping[str, Any]) -> Iterator[FieldResult]:
    """Compare the labelled fields that the document type has, its currency, and its number of table rows."""
    kinds = {one.name: one.kind for one in document_types()[document.type].fields() if one.group is None}
    predicted = answer.get("fields", {})
    for name, label in document.fields.items():
        if name in kinds:
            found = predicted.get(name, {})
            also = tuple(typed_label(kinds[name], text) for text in document.alternatives.get(name, ()))
            expected = typed_label(kinds[name], label)
            yield FieldResult(
                document.template, name, expected, plain_value(found.get("value")), also, found.get("confidence")
            )
    if document.fields.get("currency"):
        yield FieldResult(document.template, "currency", document.fields["currency"], _currency(predicted))
    if document.fields.get("items_count"):
        rows = len(predicted.get("line_items", {}).get("items", [])) or None
        yield FieldResult(document.template, "number of rows", document.fields["items_count"], rows)


def row_results(document: RealDocument, answer: Mapping[str, Any]) -> Iterator[RowResult]:
    """Compare the labelled rows of line items, the first ones of the document."""
    kinds = {one.name: one.kind for one in document_types()[document.type].fields()}
    expected = [
        {
            leaf: typed_label(kinds[name], text)
            for leaf, text in row.items()
            if text is not None and (name := f"{LINE_ITEMS}.{leaf}") in kinds
        }
        for row in document.fields.get("items") or ()
    ]
    yield from compare_rows(document.template, expected, predicted_rows(answer.get("fields", {})))


def _currency(predicted: Mapping[str, Any]) -> str | None:
    amounts = [one.get("value") for one in predicted.values() if isinstance(one.get("value"), dict)]
    return next((amount["currency"] for amount in amounts if amount.get("currency")), None)


@dataclass(frozen=True)
class Result:
    """One document: its results, and the document type in the answer ("" where it was refused with an error)."""

    document: RealDocument
    predicted_type: str
    fields: tuple[FieldResult, ...] = ()
    rows: tuple[RowResult, ...] = ()


def without_attachments(documents: Sequence[RealDocument], folder: Path) -> list[RealDocument]:
    """The documents, PDFs as copies in the folder without their attachments, so that no e-invoice is in them.

    A copy that is there stays: each one that is written has another identifier, and would count as a changed file.
    """
    copies = []
    for document in documents:
        copy = document
        if document.path.suffix.lower() == ".pdf":
            digest = hashlib.sha256(document.path.read_bytes()).hexdigest()[:16]
            copy = replace(document, path=folder / f"{digest}-{document.path.name}")
            if not copy.path.exists():
                _copy_without_attachments(document.path, copy.path)
        copies.append(copy)
    return copies


def _copy_without_attachments(path: Path, copy: Path) -> None:
    with closing(pypdfium2.PdfDocument(path)) as pdf, whole_file(copy) as unfinished:
        while pdf.count_attachments():
            pdf.del_attachment(0)
        pdf.save(unfinished)


def page_count(path: Path) -> int:
    """Return the number of pages of a picture or a PDF."""
    if path.suffix.lower() != ".pdf":
        return 1
    with closing(pypdfium2.PdfDocument(path)) as pdf:
        return len(pdf)


def labelled_first_page(document: RealDocument) -> LabelledPage:
    """The first page of a document with the labels of its single fields, as somebody would have reviewed it."""
    names = {one.name for one in document_types()[document.type].fields() if one.group is None}
    labels = {name: text for name, text in document.fields.items() if name in names}
    also = {name: tuple(texts) for name, texts in document.alternatives.items() if name in names}
    return LabelledPage(
        document.path, document.type, labels, key=document.path.name, alternatives=also, group=document.template
    )


def measure(documents: Sequence[RealDocument], ask: ExtractCall) -> list[Result]:
    """ExtractCall for each document and compare. A document that gets an error has none of its fields right."""
    results = []
    for document in documents:
        answer = (ask(document.path).get("documents") or [{}])[0]
        if document.type == OTHER_TYPE:
            results.append(Result(document, answer.get("type", "")))
            continue
        fields, rows = tuple(field_results(document, answer)), tuple(row_results(document, answer))
        results.append(Result(document, answer.get("type", ""), fields, rows))
    return results


def field_table(results: Sequence[FieldResult]) -> Iterator[str]:
    """Rows of a Markdown table: one per field, then all of them with a 95 % interval."""
    yield "| field | n | exact | without spaces | letters and digits | not given | wrong | absent, but given |"
    yield "|---|---|---|---|---|---|---|---|"
    names = list(dict.fromkeys(one.name for one in results))
    for name in (*names, None):
        chosen = [one for one in results if name in (None, one.name)]
        present = [one for one in chosen if one.expected is not None]
        absent = [one for one in chosen if one.expected is None]
        if not present:
            continue
        shares = [np.mean([one.is_right(how) for one in present]) for how in (exact_form, without_spaces, loose_form)]
        missing = np.mean([one.predicted is None for one in present])
        wrong = np.mean([one.predicted is not None and not one.is_right(loose_form) for one in present])
        invented = f"{sum(one.predicted is not None for one in absent)} of {len(absent)}"
        cells = [f"{share:.1%}" for share in (*shares, missing, wrong)]
        if name is None:
            low, high = interval([one.template for one in present], [one.is_right(exact_form) for one in present])
            cells[0] += f" ({low:.1%} to {high:.1%})"
        yield f"| {f'`{name}`' if name else '**all**'} | {len(present)} | {' | '.join(cells)} | {invented} |"


def confidence_line(results: Sequence[FieldResult]) -> str:
    """Mean confidence against the share that is right, and how many of the surest 80 % are right."""
    given = [one for one in results if one.predicted is not None and one.confidence is not None]
    given.sort(key=lambda one: -(one.confidence or 0.0))
    right = [one.expected is not None and one.is_right(loose_form) for one in given]
    surest = right[: max(1, round(SUREST_SHARE * len(right)))]
    mean = np.mean([one.confidence or 0.0 for one in given])
    return (
        f"Of {len(given)} values with a confidence {np.mean(right):.1%} are right in letters and digits; their mean "
        f"confidence is {mean:.1%}. Of the surest 80 % {np.mean(surest):.1%} are right."
    )


def refusal_table(results: Sequence[Result]) -> Iterator[str]:
    """Rows of a Markdown table: which share of the pages of other kinds is called `other`."""
    yield "| pages | n | called `other` | 95 % interval over kinds |"
    yield "|---|---|---|---|"
    for title, chosen in (
        ("all kinds", results),
        ("hard kinds", [one for one in results if one.document.hard]),
    ):
        if chosen:
            refused = [one.predicted_type == OTHER_TYPE for one in chosen]
            low, high = interval([one.document.template for one in chosen], refused)
            yield f"| {title} | {len(chosen)} | {np.mean(refused):.1%} | {low:.1%} to {high:.1%} |"


def types_section(results: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """Lines of a Markdown section on the types of pages. results: cross-validated, of tasks.layout.type_head."""
    yield "## Types of pages"
    yield ""
    yield from textwrap.wrap(
        "The head that tells the types has learned from these pages. So it was fitted and judged in eight parts, and "
        "no template or kind of paper is in two of them. A document is refused if all its pages are called `other`; "
        "intervals are over templates and kinds. *Filled layouts* are generated pages.",
        width=LINE_WIDTH,
    )
    yield ""
    yield "| type | pages | right | called `other` | documents | refused | 95 % interval |"
    yield "|---|---|---|---|---|---|---|"
    for name, row in results.items():
        shares = f"{row['pages']:.0f} | {row['right']:.1%} | {row['other']:.1%}"
        refused = f"{row['documents']:.0f} | {row['refused']:.1%} | {row['low']:.1%} to {row['high']:.1%}"
        yield f"| {name} | {shares} | {refused} |"


def confidences_section(left_out: Mapping[str, Any]) -> Iterator[str]:
    """Lines of a Markdown section on confidences. left_out: cross-validated, of training.commands.calibrate."""
    own = left_out["collection"]
    yield "## Confidences of templates that the calibration has not seen"
    yield ""
    yield from textwrap.wrap(
        "Confidences and thresholds were fitted on these documents too, so the lines above are of the fit. Here they "
        "were fitted in five parts, and no template is in two of them; values that come from e-invoices are not "
        f"counted. Of {own['values']:.0f} values {own['right']:.1%} are right in letters and digits; their "
        f"mean confidence is {own['mean_confidence']:.1%}. Of the surest 80 % {own['right_of_most_confident']:.1%} are "
        "right.",
        width=LINE_WIDTH,
    )
    rows = {
        title: accepted
        for source, title in ACCEPTANCE_ROWS.items()
        if (accepted := left_out.get(source, {}).get("accepted"))
    }
    if not rows:
        return
    yield ""
    yield from textwrap.wrap(
        "Values that are accepted without review at a stated error (`DOCEXTRACT_TARGET_ERROR`), and those of them that "
        "are wrong. The confidence from which on they are accepted was found on the other four parts, for each type "
        "with enough values, and for all others together.",
        width=LINE_WIDTH,
    )
    yield ""
    yield "| values | n | " + " | ".join(f"at {error:.0%}: accepted | wrong" for error in STATED_ERRORS) + " |"
    yield "|---" * (2 + 2 * len(STATED_ERRORS)) + "|"
    for title, by_error in rows.items():
        found = [Acceptance(**by_error[str(error)]) for error in STATED_ERRORS]
        figures = [f"{one.share:.1%} | {one.error:.1%} ({one.wrong})" for one in found]
        yield f"| {title} | {found[0].values} | {' | '.join(figures)} |"


def page(
    sections: Mapping[str, Sequence[Result]],
    versions: str,
    types: Mapping[str, Mapping[str, float]] | None = None,
    left_out: Mapping[str, Any] | None = None,
) -> str:
    """The Markdown page. sections: title of a collection and its results. types, left_out: see their sections."""
    about = provenance()
    lines = [
        "# Real documents",
        "",
        "*Written by `python -m training.evaluation.real_documents`; do not edit. "
        f"{about['date']}, commit {about['commit']}, {about['machine']}. {versions}*",
        "",
        *textwrap.wrap(
            "Documents that nobody here made, as pictures and PDFs. No network was trained on their fields, but "
            "developers may look at them: on documents of other sources expect less. *Exact*: the typed value is "
            "equal; strings are compared in upper case with single spaces. A printed value that is not given counts "
            "as an error. Labels join the lines of an address with commas, answers with spaces: compare addresses by "
            "letters and digits. Intervals are bootstrapped over templates; of fewer than five they are 0 to 100 %.",
            width=LINE_WIDTH,
        ),
    ]
    for title, results in sections.items():
        with_fields = [one for one in results if one.document.type != OTHER_TYPE]
        fields = [one for result in with_fields for one in result.fields]
        lines += ["", f"## {title}", ""]
        if fields:
            templates = len({one.document.template for one in with_fields})
            typed = np.mean([one.predicted_type == one.document.type for one in with_fields])
            lines += [f"{len(with_fields)} documents of {templates} templates; type right on {typed:.1%}.", ""]
            lines += [*field_table(fields), "", confidence_line(fields)]
            if rows := [row for result in with_fields for row in result.rows]:
                lines += ["", "The first rows of each document are labelled:", "", *row_table(rows)]
        else:
            lines += refusal_table(results)
    if left_out:
        lines += ["", *confidences_section(left_out)]
    if types:
        lines += ["", *types_section(types)]
    return "\n".join(lines) + "\n"


def wrong_values(results: Sequence[Result]) -> dict[str, dict[str, str]]:
    """Every wrong or missing value by document and field, to look at. It quotes the documents: do not publish it."""
    return {
        f"{result.document.path.name}/{one.name}": {"expected": str(one.expected), "predicted": str(one.predicted)}
        for result in results
        for one in result.fields
        if one.predicted != one.expected and not (one.expected is not None and one.is_right(loose_form))
    } | {
        result.document.path.name: {"expected": result.document.type, "predicted": result.predicted_type}
        for result in results
        if result.predicted_type != result.document.type
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("invoices", "ids", "other"):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR")
    parser.add_argument("--types", type=Path, help="cross-validated results of training.tasks.layout.type_head")
    parser.add_argument("--confidences", type=Path, help="left-out results, written by training.commands.calibrate")
    parser.add_argument("--without-data", action="store_true", help="remove the e-invoices from PDFs; use --out too")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--details", type=Path, help="write every wrong value as JSON; it quotes the documents")
    options = parser.parse_args(arguments)
    titles = {"invoices": "Invoices", "ids": "Passports and cards (specimens)", "other": "Pages of other kinds"}
    settings = Settings()
    models = LocalModels(settings.models_folder, "cpu")
    versions = ", ".join(f"{name} {version.version}" for name, version in models.served.items())
    found = {}
    with local.client(models, settings) as client, TemporaryDirectory() as copies:
        ask = make_extract_call(client, group="request")
        for name, title in titles.items():
            if folder := getattr(options, name):
                documents = [one for one in read_collection(folder) if name == "other" or one.type != OTHER_TYPE]
                if options.without_data:
                    documents = without_attachments(documents, Path(copies))
                found[title] = measure(documents, ask)
    types = json.loads(options.types.read_text())["cross-validated"] if options.types else None
    left_out = json.loads(options.confidences.read_text()) if options.confidences else None
    options.out.write_text(page(found, versions, types, left_out), encoding="utf-8")
    if options.details:
        wrong = {title: wrong_values(results) for title, results in found.items()}
        options.details.write_text(json.dumps(wrong, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
