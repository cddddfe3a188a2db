"""Write outcomes to standard output: tables for people, JSON lines and CSV for programs.

JSON and tables are written as answers arrive. CSV is written at the end, when all columns are known.
"""

import csv
import json
import re
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from docextract.answers.schema import (
    DocumentAnswer,
    DocumentTypeAnswer,
    ExtractionAnswer,
    FieldAnswer,
    ImageReport,
    ValidationAnswer,
)
from docextract.client import ClientError, ProblemError
from docextract.documents import document_types as known_document_types

OperationAnswer = ValidationAnswer | ExtractionAnswer
FileError = ClientError | OSError

# A spreadsheet executes text that begins with one of these as a formula, which untrusted documents must not cause.
# Numbers and telephone numbers are left unchanged.
_FORMULA_START = re.compile(r"[=@\t\r]|[+-](?![\d\s().,/-]*$)")
_CONTROL_CATEGORIES = ("Cc", "Cf")  # control characters of terminals, and characters that change the writing direction
# Columns of every row. A document type may have fields of these names, whose columns have a prefix.
_SHARED_COLUMNS = {"file", "pages", "type", "confidence", "needs_review", "review_reasons", "currency", "error"}
_VERDICT_WIDTH = len("not accepted 100%  ")
_LEVEL_STYLES = {"certain": "green", "high": "green", "medium": "yellow", "low": "red"}


class AnswerWriter(Protocol):
    """Interface of the writers; it receives one outcome after another."""

    def answer(self, name: str, answer: OperationAnswer) -> None:
        """Write the answer for a file, or for several files of one document."""

    def error(self, name: str, error: FileError) -> None:
        """Write an error; it is already on standard error."""

    def end(self) -> None:
        """Finish the output."""


class JsonLinesWriter:
    """Writes one JSON object per line: the service's answer and `file`, or `file` and `error`."""

    def answer(self, name: str, answer: OperationAnswer) -> None:
        """Write the service's answer."""
        self._write({"file": name, **answer.model_dump(mode="json", exclude_unset=True)})

    def error(self, name: str, error: FileError) -> None:
        """Write the problem's members if there is a problem, otherwise a `detail`."""
        problem = error.body if isinstance(error, ProblemError) else {}
        self._write({"file": name, "error": problem or {"detail": error_text(error)}})

    def end(self) -> None:
        """All lines are already written."""

    def _write(self, row: Mapping[str, Any]) -> None:
        print(json.dumps(row, ensure_ascii=False), flush=True)


class CsvWriter:
    """Writes one row for each document or, when validating, for each image; columns are those that occur in any row.

    A file without any has a row with its name: an e-invoice as XML has no image.
    """

    def __init__(self) -> None:
        self._rows: list[dict[str, str]] = []

    def answer(self, name: str, answer: OperationAnswer) -> None:
        """Keep the rows until the end."""
        if isinstance(answer, ExtractionAnswer):
            rows = [_document_row(document, answer) for document in answer.documents]
        else:
            rows = [_image_row(image, answer) for image in answer.images]
        self._rows += [{"file": name, **row} for row in rows or [{}]]

    def error(self, name: str, error: FileError) -> None:
        """Add a row with the error, so that every file has a row."""
        self._rows.append({"file": name, "error": error_text(error)})

    def end(self) -> None:
        """Write all rows: first the shared columns, then the fields in the order of the document types."""
        columns = dict.fromkeys(column for row in self._rows for column in row if column != "error")
        order = {_field_column(name): place for place, name in enumerate(_field_names())}
        ordered = sorted(columns, key=lambda column: order.get(column, -1))
        writer = csv.DictWriter(sys.stdout, [*ordered, "error"], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({column: _escape_formula(cell) for column, cell in row.items()} for row in self._rows)


def _field_names() -> Iterator[str]:
    """Field names of all types, in the order of their records; a shared field is in the place where it first occurs."""
    names = [
        field.group or field.name
        for document_type in known_document_types().values()
        for field in document_type.fields()
    ]
    return iter(dict.fromkeys(names))


def _document_row(document: DocumentAnswer, answer: ExtractionAnswer) -> dict[str, str]:
    row = {
        "pages": " ".join(map(str, _page_numbers(document, answer))),
        "type": document.type,
        "confidence": str(document.confidence),
        "needs_review": _bool_text(document.needs_review),
        "review_reasons": " ".join(document.review_reasons),
        "currency": next(_currencies(document.fields), ""),
    }
    return row | {_field_column(name): _cell_text(field) for name, field in document.fields.items()}


def _field_column(name: str) -> str:
    return f"fields.{name}" if name in _SHARED_COLUMNS else name


def _image_row(image: ImageReport, answer: ValidationAnswer) -> dict[str, str]:
    advice = [guidance for guidance in answer.guidance if guidance.image == image.index]
    return {
        "page": str(image.page),
        "source": image.source,
        "accepted": _bool_text(image.accepted),
        "score": str(image.score),
        "type": image.document.type or "",
        "failed": " ".join(_failed(image)),
        "guidance": " ".join(guidance.code for guidance in advice),
        "message": advice[0].message if advice else "",
    }


def _page_numbers(document: DocumentAnswer, answer: ExtractionAnswer) -> list[int]:
    return [_page_number(index, answer) for index in document.images]


def _page_number(image: int, answer: ExtractionAnswer) -> int:
    """Return the number of a page in its file; with several files, they are counted through."""
    return image + 1 if len(answer.uploads) > 1 else answer.images[image].page


def _failed(image: ImageReport) -> list[str]:
    return [criterion.name for criterion in image.criteria if not criterion.passed]


def _currencies(fields: Mapping[str, FieldAnswer]) -> Iterator[str]:
    for field in fields.values():
        if isinstance(field.value, dict) and field.value.get("currency"):
            yield field.value["currency"]
        for row in field.items or ():
            yield from _currencies(row.fields or {})


def _cell_text(field: FieldAnswer) -> str:
    """Text of a cell: a plain value, an amount without its currency (which has its own column), or a table as JSON."""
    plain = _plain_value(field)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _plain_value(field: FieldAnswer) -> Any:
    if field.items is not None:
        return [{name: _plain_value(leaf) for name, leaf in (row.fields or {}).items()} for row in field.items]
    if isinstance(field.value, dict) and "amount" in field.value:
        return field.value["amount"]
    return field.value


def _escape_formula(cell: str) -> str:
    return f"'{cell}" if _FORMULA_START.match(cell) else cell


def _bool_text(yes: bool) -> str:
    return "true" if yes else "false"


def error_text(error: FileError) -> str:
    """Return one line that says why there is no answer."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if not isinstance(error, ProblemError):
        return str(error)
    options = [
        f"{fault.pointer[1:]} {fault.detail}" for fault in error.errors if not fault.pointer.startswith("/images")
    ]
    pages = ", ".join(str(fault.page) for fault in error.errors if fault.page is not None)
    named = [f"page {pages}"] if pages else []
    return f"{' '.join([error.detail, *options])} ({', '.join([*named, error.code])})"


class TableWriter:
    """Prints tables for people: documents with their fields, photos with their verdict. Colours only on a terminal."""

    def __init__(self) -> None:
        self._console = _console()

    def answer(self, name: str, answer: OperationAnswer) -> None:
        """Print the answer."""
        if isinstance(answer, ExtractionAnswer):
            for document in answer.documents:
                self._document(name, document, answer)
            for line in _file_notes(answer):
                self._line("  ", line)
            for line in _photo_advice(answer):
                self._line("  photo: ", line)
            self._console.print()
        else:
            for image in answer.images:
                self._verdict(name, image, answer)
            if not answer.images:  # an e-invoice as XML
                self._line("no image".ljust(_VERDICT_WIDTH), name)

    def error(self, name: str, error: FileError) -> None:
        """Nothing: the error is already on standard error."""

    def end(self) -> None:
        """Everything is already printed."""

    def _document(self, name: str, document: DocumentAnswer, answer: ExtractionAnswer) -> None:
        pages = f", page {', '.join(map(str, _page_numbers(document, answer)))}" if len(answer.images) > 1 else ""
        self._line(f"{name}{pages}: {document.type}", ", needs review" if document.needs_review else "", "bold")
        if document.fields:
            self._console.print(_fields_table(document.fields))
        for field_name, field in document.fields.items():
            if field.items:
                self._console.print(_rows_table(field_name, field.items))
        for check in document.checks:
            if not check.passed:
                fields = f" ({', '.join(check.fields)})" if check.fields else ""
                self._line("  failed check: ", f"{check.name}{fields}{_explanation(check.name)}")
        if document.missing_fields:
            self._line("  not found: ", ", ".join(document.missing_fields))

    def _verdict(self, name: str, image: ImageReport, answer: ValidationAnswer) -> None:
        word, style = ("accepted    ", "green") if image.accepted else ("not accepted", "red")
        page = f", page {image.page}" if len(answer.images) > 1 else ""
        self._line(f"{word} {image.score:4.0%}  ", f"{name}{page}", style)
        if not image.accepted:
            self._line(" " * _VERDICT_WIDTH, ", ".join(_failed(image)))
        for guidance in answer.guidance:
            if guidance.image == image.index:
                self._line(" " * _VERDICT_WIDTH, guidance.message)

    def _line(self, head: str, rest: str, style: str = "") -> None:
        self._console.print(Text.assemble((without_control_characters(head), style), without_control_characters(rest)))


def print_document_types(types: Sequence[DocumentTypeAnswer], as_json: bool) -> None:
    """Print the document types, one per line."""
    if as_json:
        for document_type in types:
            print(json.dumps(document_type.model_dump(mode="json", exclude_unset=True), ensure_ascii=False))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("type", "schema", "status", "required fields"):
        table.add_column(column)
    for document_type in types:
        table.add_row(
            document_type.name,
            document_type.schema_version,
            document_type.status.replace("_", " "),
            ", ".join(document_type.required),
        )
    _console().print(table)


def _console() -> Console:
    """Console with the terminal's width, or 160 columns for a pipe."""
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 160)


def _fields_table(fields: Mapping[str, FieldAnswer]) -> Any:
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, field in fields.items():
        if field.items is None:
            review = ", review" if field.needs_review else ""
            sure = f"{field.confidence:4.0%} {field.level}{review}" if field.confidence is not None else ""
            table.add_row(name, Text(_value_text(field)), Text(sure, style=_LEVEL_STYLES.get(field.level or "", "")))
    return table


def _rows_table(name: str, rows: list[FieldAnswer]) -> Any:
    leaves = list(dict.fromkeys(leaf for row in rows for leaf in row.fields or ()))
    table = Table(box=None, padding=(0, 1, 0, 2), title=f"  {name}", title_justify="left", title_style="")
    for leaf in leaves:
        table.add_column(leaf, header_style="dim")
    for row in rows:
        given = row.fields or {}
        table.add_row(*(Text(_value_text(given[leaf])) if leaf in given else "" for leaf in leaves))
    return table


# Checks of the file itself; those of a document type are explained by the names of their fields.
_EXPLANATIONS = {
    "text_layer_matches_page": "the text in the file is not what the page shows; the page was recognised instead",
    "page_has_one_document": "a page shows several documents, and values may be of any; --group auto divides it",
    "embedded_invoice_matches_page": "the e-invoice in the file and its print differ in these fields",
    "embedded_invoice_is_valid": "the e-invoice in the file is damaged and was not used",
}


def _explanation(check: str) -> str:
    return f": {_EXPLANATIONS[check]}" if check in _EXPLANATIONS else ""


def _file_notes(answer: ExtractionAnswer) -> Iterator[str]:
    """Yield a line for each file of which not all pages were read, and one on where the text comes from."""
    for upload in answer.uploads:
        if len(upload.pages_read) < upload.pages:
            yield f"pages {', '.join(map(str, upload.pages_read))} of {upload.pages} were read"
    if any(image.text_source == "embedded" for image in answer.images):
        yield "text from the file, compared with its pages"


def _photo_advice(answer: ExtractionAnswer) -> Iterator[str]:
    if answer.verdict and not answer.verdict.accepted:
        for guidance in answer.verdict.guidance:
            page = f" (page {_page_number(guidance.image, answer)})" if len(answer.verdict.images) > 1 else ""
            yield f"{guidance.message}{page}"


def _value_text(field: FieldAnswer) -> str:
    """Value as one line of text."""
    value = field.value
    if isinstance(value, dict) and "amount" in value:
        value = f"{value['amount']} {value.get('currency') or ''}".strip()
    return without_control_characters(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def without_control_characters(text: str) -> str:
    """Replace characters that control a terminal: file names and document text are untrusted."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(char) in _CONTROL_CATEGORIES else char for char in text
    )
