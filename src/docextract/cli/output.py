"""Outcomes → standard output: tables for people, JSON Lines and CSV for programs.

JSON and tables are written as answers come in; CSV at the end, when it is known which columns there are.
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
from docextract.documents import document_types as known_types

Answer = ValidationAnswer | ExtractionAnswer
Error = ClientError | OSError

# A spreadsheet takes a text that begins like this for a formula, and what is printed on a stranger's paper should not
# be one. Numbers and telephone numbers are left alone.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d\s().,/-]*$)")
_OBEYED = ("Cc", "Cf")  # escape sequences, and what turns the direction of writing
_LEVEL_STYLES = {"certain": "green", "high": "green", "medium": "yellow", "low": "red"}


class Writer(Protocol):
    """Takes one outcome after another."""

    def answer(self, name: str, answer: Answer) -> None:
        """The answer for a file, or for several that are one document."""

    def error(self, name: str, error: Error) -> None:
        """No answer. Standard error has it already."""

    def end(self) -> None:
        """There are no more."""


class JsonLines:
    """One object a line: the service's answer and `file`; or `file` and `error`."""

    def answer(self, name: str, answer: Answer) -> None:
        """As the service answers it."""
        self._write({"file": name, **answer.model_dump(mode="json", exclude_unset=True)})

    def error(self, name: str, error: Error) -> None:
        """The problem's members where there is a problem, else a `detail`."""
        problem = error.body if isinstance(error, ProblemError) else {}
        self._write({"file": name, "error": problem or {"detail": reason(error)}})

    def end(self) -> None:
        """Every line is written by now."""

    def _write(self, row: Mapping[str, Any]) -> None:
        print(json.dumps(row, ensure_ascii=False), flush=True)


class Csv:
    """One row for each document or, of a validation, for each image. Columns are those that any row has."""

    def __init__(self) -> None:
        self._rows: list[dict[str, str]] = []

    def answer(self, name: str, answer: Answer) -> None:
        """Kept until the end."""
        if isinstance(answer, ExtractionAnswer):
            self._rows += [{"file": name, **_document_row(document)} for document in answer.documents]
        else:
            self._rows += [{"file": name, **_image_row(image, answer)} for image in answer.images]

    def error(self, name: str, error: Error) -> None:
        """A row that says so, so that no file is missing."""
        self._rows.append({"file": name, "error": reason(error)})

    def end(self) -> None:
        """Write all rows. What documents share comes first, then their fields as the types name them."""
        columns = dict.fromkeys(column for row in self._rows for column in row if column != "error")
        order = {name: place for place, name in enumerate(_field_names())}
        ordered = sorted(columns, key=lambda column: order.get(column, -1))
        writer = csv.DictWriter(sys.stdout, [*ordered, "error"], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({column: _harmless(cell) for column, cell in row.items()} for row in self._rows)


def _field_names() -> Iterator[str]:
    """Of every type, in the order of its record; a field that two types share stands where the first has it."""
    names = [field.group or field.name for kind in known_types().values() for field in kind.fields()]
    return iter(dict.fromkeys(names))


def _document_row(document: DocumentAnswer) -> dict[str, str]:
    row = {
        "pages": " ".join(str(image + 1) for image in document.images),
        "type": document.type,
        "confidence": str(document.confidence),
        "needs_review": _word(document.needs_review),
        "failed_checks": " ".join(check.name for check in document.checks if not check.passed),
        "currency": next(_currencies(document.fields), ""),
    }
    return row | {name: _cell(field) for name, field in document.fields.items()}


def _image_row(image: ImageReport, answer: ValidationAnswer) -> dict[str, str]:
    advice = [guidance for guidance in answer.guidance if guidance.image == image.index]
    return {
        "page": str(image.index + 1),
        "accepted": _word(image.accepted),
        "score": str(image.score),
        "type": image.document.type or "",
        "failed": " ".join(_failed(image)),
        "guidance": " ".join(guidance.code for guidance in advice),
        "message": advice[0].message if advice else "",
    }


def _failed(image: ImageReport) -> list[str]:
    return [criterion.name for criterion in image.criteria if not criterion.passed]


def _currencies(fields: Mapping[str, FieldAnswer]) -> Iterator[str]:
    for field in fields.values():
        if isinstance(field.value, dict) and field.value.get("currency"):
            yield field.value["currency"]
        for row in field.items or ():
            yield from _currencies(row.fields or {})


def _cell(field: FieldAnswer) -> str:
    """Plain where it is one value; an amount without its currency, which has its own column; JSON for lists."""
    plain = _plain(field)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _plain(field: FieldAnswer) -> Any:
    if field.items is not None:
        return [{name: _plain(leaf) for name, leaf in (row.fields or {}).items()} for row in field.items]
    if isinstance(field.value, dict) and "amount" in field.value:
        return field.value["amount"]
    return field.value


def _harmless(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def _word(yes: bool) -> str:
    return "true" if yes else "false"


def reason(error: Error) -> str:
    """Why there is no answer, in one line."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    if not isinstance(error, ProblemError):
        return str(error)
    options = [
        f"{fault.pointer[1:]} {fault.detail}" for fault in error.errors if not fault.pointer.startswith("/images")
    ]
    return f"{' '.join([error.detail, *options])} ({error.code})"


class Tables:
    """For people: each document with its fields, each photo with its verdict. Colours only on a terminal."""

    def __init__(self) -> None:
        self._console = _console()

    def answer(self, name: str, answer: Answer) -> None:
        """At once."""
        if isinstance(answer, ExtractionAnswer):
            for document in answer.documents:
                self._document(name, document)
            for line in _advice(answer):
                self._line("  photo: ", line)
            self._console.print()
        else:
            for image in answer.images:
                self._verdict(name, image, answer)

    def error(self, name: str, error: Error) -> None:
        """Standard error has it, a few lines higher up."""

    def end(self) -> None:
        """Everything is written by now."""

    def _document(self, name: str, document: DocumentAnswer) -> None:
        pages = "" if document.images == [0] else f", page {', '.join(str(image + 1) for image in document.images)}"
        self._line(f"{name}{pages}: {document.type}", ", needs review" if document.needs_review else "", "bold")
        if document.fields:
            self._console.print(_fields_table(document.fields))
        for field_name, field in document.fields.items():
            if field.items:
                self._console.print(_rows_table(field_name, field.items))
        for check in document.checks:
            if not check.passed:
                self._line("  does not add up: ", f"{check.name} ({', '.join(check.fields)})")
        if document.missing_fields:
            self._line("  not found: ", ", ".join(document.missing_fields))

    def _verdict(self, name: str, image: ImageReport, answer: ValidationAnswer) -> None:
        word, style = ("accepted    ", "green") if image.accepted else ("not accepted", "red")
        page = f", page {image.index + 1}" if len(answer.images) > 1 else ""
        self._line(f"{word} {image.score:4.0%}  ", f"{name}{page}", style)
        if not image.accepted:
            self._line(" " * 19, ", ".join(_failed(image)))
        for guidance in answer.guidance:
            if guidance.image == image.index:
                self._line(" " * 19, guidance.message)

    def _line(self, head: str, rest: str, style: str = "") -> None:
        self._console.print(Text.assemble((visible(head), style), visible(rest)))


def document_types(kinds: Sequence[DocumentTypeAnswer], as_json: bool) -> None:
    """What can be read, one type a line."""
    if as_json:
        for kind in kinds:
            print(json.dumps(kind.model_dump(mode="json", exclude_unset=True), ensure_ascii=False))
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("type", "schema", "status", "always expected"):
        table.add_column(column)
    for kind in kinds:
        table.add_row(kind.name, kind.schema_version, kind.status.replace("_", " "), ", ".join(kind.required))
    _console().print(table)


def _console() -> Console:
    """A terminal has its own width; a pipe has none to keep to."""
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 160)


def _fields_table(fields: Mapping[str, FieldAnswer]) -> Any:
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    for name, field in fields.items():
        if field.items is None:
            review = ", review" if field.needs_review else ""
            sure = f"{field.confidence:4.0%} {field.level}{review}" if field.confidence is not None else ""
            table.add_row(name, Text(_shown(field)), Text(sure, style=_LEVEL_STYLES.get(field.level or "", "")))
    return table


def _rows_table(name: str, rows: list[FieldAnswer]) -> Any:
    leaves = list(dict.fromkeys(leaf for row in rows for leaf in row.fields or ()))
    table = Table(box=None, padding=(0, 1, 0, 2), title=f"  {name}", title_justify="left", title_style="")
    for leaf in leaves:
        table.add_column(leaf, header_style="dim")
    for row in rows:
        given = row.fields or {}
        table.add_row(*(Text(_shown(given[leaf])) if leaf in given else "" for leaf in leaves))
    return table


def _advice(answer: ExtractionAnswer) -> Iterator[str]:
    if answer.validation and not answer.validation.accepted:
        for guidance in answer.validation.guidance:
            page = f" (page {guidance.image + 1})" if len(answer.validation.images) > 1 else ""
            yield f"{guidance.message}{page}"


def _shown(field: FieldAnswer) -> str:
    """A value in one line."""
    value = field.value
    if isinstance(value, dict) and "amount" in value:
        value = f"{value['amount']} {value.get('currency') or ''}".strip()
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def visible(text: str) -> str:
    """The text without what a terminal would obey: file names and documents come from anywhere."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(char) in _OBEYED else char for char in text)
