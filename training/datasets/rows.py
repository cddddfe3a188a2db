"""Shared by all formats of labelled data: checks a row and converts its values to labels.

A label is text: ISO 8601 for dates and times, plain decimals for amounts; a list of rows for lists. Other forms are
refused: their meaning would be guessed.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, time
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from docextract.documents import document_types
from docextract.documents.base import Field
from docextract.documents.values import label_text
from training.datasets.page import LabelledPage, LabelledPages, Unusable, value_of

Item = TypeVar("Item")

MIN_COORDINATE, MAX_COORDINATE = -0.5, 1.5  # of an outline, relative to the page: corners may lie a little outside
MAX_NAME_LENGTH = 400  # characters of a path in a reason

_DECIMAL = re.compile(r"-?\d+(\.\d+)?"), "1234.50"
_FORMS = {  # by kind: the only form of a label, and an example
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), "2024-04-19"),
    "time": (re.compile(r"\d\d:\d\d(:\d\d)?"), "14:05"),
    "currency": _DECIMAL,
    "number": _DECIMAL,
    "integer": (re.compile(r"\d+"), "1234"),
}
_TEXT = re.compile(".*", re.DOTALL), "text"
_CURRENCY = re.compile("[A-Z]{3}")
_PLACE_IN_ROW = re.compile(r"(\w+)\.\d+\.(\w+)")  # line_items.0.amount


def collect_pages(
    file: Path, numbered: Iterable[tuple[int, Item]], page: Callable[[int, Item], LabelledPage]
) -> LabelledPages:
    """Parse every row; one that `page` refuses with ValueError becomes unusable with the error's message.

    So does one whose picture cannot be looked at (OSError), or that is nested too deeply (RecursionError).
    """
    found = LabelledPages([], [])
    for number, item in numbered:
        try:
            found.pages.append(page(number, item))
        except ValueError as error:
            found.unusable.append(Unusable(number, str(error), file))
        except OSError as error:
            found.unusable.append(Unusable(number, f"{_shortened(str(error.filename))}: {error.strerror}", file))
        except RecursionError:
            found.unusable.append(Unusable(number, "nested too deeply", file))
    return found


def _shortened(name: str) -> str:
    """The beginning of a name that is too long to be reported, such as a picture as a data URL."""
    return name if len(name) <= MAX_NAME_LENGTH else f"{name[:MAX_NAME_LENGTH]}…"


def numbered_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The non-empty lines of a file, numbered from 1. Raises ValueError if the file is not UTF-8."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not written in UTF-8: {error}") from None
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def parse_object(line: str) -> dict[str, Any]:
    """A line of JSON that holds an object. Raises ValueError for anything else."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("no JSON object")
    return row


def page_number(row: Mapping[str, Any]) -> int | None:
    """The "page" of a row, if it has one. Raises ValueError if that is not a number from 1."""
    number = row.get("page")
    if number is not None and (type(number) is not int or number < 1):
        raise ValueError('"page" is not a number from 1')
    return number


def validate_page(page: LabelledPage) -> LabelledPage:
    """The page, if it is valid; null for a list becomes a list without rows. The picture is not opened.

    Raises ValueError with the reason if it is not valid.
    """
    if not page.image.is_file():
        raise ValueError(f"{_shortened(str(page.image))} does not exist")
    if page.type not in document_types():
        raise ValueError(f"type {page.type!r} is not known; known are {', '.join(document_types())}")
    if not page.fields:
        raise ValueError("no field has a label")
    known = {field.name: field for field in document_types()[page.type].fields()}
    lists = {field.group for field in known.values()}
    without_rows: dict[str, Any] = {name: [] for name in lists & page.fields.keys() if page.fields[name] is None}
    page = replace(page, fields={**page.fields, **without_rows})
    for name, value in page.fields.items():
        if isinstance(value, list) and name not in lists:
            raise ValueError(f"{page.type} has no list {name!r}")
        if name in lists and not isinstance(value, list):
            raise ValueError(f"{name} is a list, but its label is none")
    alternatives = [(name, text) for name, texts in page.alternatives.items() for text in texts]
    for name, value in [*iter_labels(page.fields), *alternatives]:
        if name not in known:
            raise ValueError(f"{page.type} has no field {name!r}")
        if value is not None:
            validate_label(known[name], value)
    for name, outlines in page.places.items():
        if _PLACE_IN_ROW.sub(r"\1.\2", name) not in known:
            raise ValueError(f'"places": {page.type} has no field {name!r}')
        for coordinate in chain.from_iterable(chain.from_iterable(outlines)):
            if not MIN_COORDINATE <= coordinate <= MAX_COORDINATE:  # nor NaN
                raise ValueError(f'"places": {coordinate:g} of {name} is not relative to the page, 0 to 1')
    if page.currency and not _CURRENCY.fullmatch(page.currency):
        raise ValueError(f'"currency" {page.currency!r} is no ISO 4217 code, such as EUR')
    return page


def validate_label(field: Field, label: Any) -> None:
    """Raise ValueError if a label has another form than its field's kind demands."""
    form, example = _FORMS.get(field.kind.name, _TEXT)
    if not isinstance(label, str) or not form.fullmatch(label) or value_of(field.kind, label) is None:
        raise ValueError(f"{field.name}: {label!r} is not a {field.kind.name} written as {example}")


def iter_labels(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The labels with their full names: ("total", "9.00"), ("line_items.description", "…").

    Raises ValueError for a row that is not an object.
    """
    for name, value in fields.items():
        if not isinstance(value, list):
            yield name, value
            continue
        for row in value:
            if not isinstance(row, dict):
                raise ValueError(f"{name}: a row is no object")
            yield from ((f"{name}.{leaf}", inner) for leaf, inner in row.items())


def to_label(value: Any) -> Any:
    """A typed value, or a list of rows of such values, as a label. Raises TypeError for other values."""
    if isinstance(value, tuple):
        return [{leaf: to_label(inner) for leaf, inner in row} for row in value]
    if value is None or isinstance(value, str | date | time | Decimal | int):
        return None if value is None else label_text(value)
    raise TypeError(f"{value!r} has no form as a label")
