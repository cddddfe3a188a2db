"""Documents that were filled into HTML templates and printed by a browser: text, places and fields of each page.

`python -m training.synth.templates` writes them, one JSON line per document.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from docextract.documents import document_types
from docextract.documents.amounts import proven_decimal_mark
from docextract.documents.values import Conventions, DateOrder
from training.synth.misreading import number_occurrences, string_fields
from training.synth.sheet import Sheet, Text

HELD_OUT_TEMPLATES_ONE_IN = 5
FILLS = 16  # of each template held out, from the first on
THOUSANDS_TOLERANCE = Decimal("0.01")  # of an amount
MIN_SHARE_OF_TEXT = 0.45  # of the longest print of a text; a shorter one is only a part of it


@dataclass(frozen=True)
class FilledTemplate:
    """One document.

    template: the name of its layout, the unit by which training and test are split. number: of the document, from 0.
    language: ISO 639-1. country: ISO 3166-1, alpha-2, of cards alpha-3. currency: ISO 4217, None if none is printed.
    date_order: None where every order gives the printed dates.
    """

    template: str
    number: int
    type: str
    language: str
    country: str
    currency: str | None
    date_order: DateOrder | None
    sheets: tuple[Sheet, ...]

    @property
    def is_held_out(self) -> bool:
        """Whether its template is held out from training; it depends on the template's name alone."""
        return zlib.crc32(self.template.encode()) % HELD_OUT_TEMPLATES_ONE_IN == 0

    @cached_property
    def conventions(self) -> Conventions:
        """How its dates and amounts are printed."""
        texts = (text.text for sheet in self.sheets for text in sheet.texts())
        return Conventions(self.date_order or "DMY", self.currency, decimal_mark=proven_decimal_mark(texts))

    def rows(self, group: str) -> int:
        """The number of rows of a list."""
        fields = (text.field for sheet in self.sheets for text in sheet.texts() if text.field)
        return len({field.split(".")[1] for field in fields if field.startswith(f"{group}.")})


def held_out(documents: Iterable[FilledTemplate]) -> Iterator[FilledTemplate]:
    """Yield the first documents of each template that is held out from training."""
    return (one for one in documents if one.is_held_out and one.number < FILLS)


def printed_values(document: FilledTemplate) -> dict[str, list[Any]]:
    """Every valid reading of each single field that is printed; a text may be printed whole and in parts."""
    found: dict[str, list[Any]] = {}
    printed = _printed_texts(document)
    for field in document_types()[document.type].fields():
        if field.group is None and field.name in printed:
            texts = _whole_texts(printed[field.name]) if field.kind.name == "string" else printed[field.name]
            values = [field.kind.parse(" ".join(lines), document.conventions) for lines in texts]
            if known := [value for value in values if value is not None]:
                found[field.name] = known
    return found


def printed_rows(document: FilledTemplate, group: str) -> list[dict[str, Any]]:
    """The printed values of each row of a list, by leaf.

    A quantity with three digits behind its separator is of thousands if its product with the price is the amount.
    """
    kinds = {field.leaf: field.kind for field in document_types()[document.type].fields() if field.group == group}
    texts: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for text in (text for sheet in document.sheets for text in sheet.texts()):
        if text.field and text.field.startswith(f"{group}."):
            _, number, leaf = text.field.split(".")
            texts[int(number)][leaf].append(text.text.strip())
    parsed = (
        {leaf: kinds[leaf].parse(" ".join(lines), document.conventions) for leaf, lines in texts[number].items()}
        for number in sorted(texts)
    )
    return [_with_thousands({leaf: value for leaf, value in row.items() if value is not None}) for row in parsed]


def _with_thousands(row: dict[str, Any]) -> dict[str, Any]:
    quantity, price, amount = (row.get(leaf) for leaf in ("quantity", "unit_price", "amount"))
    if quantity and price and amount and abs(1000 * quantity * price - amount) < THOUSANDS_TOLERANCE:
        return {**row, "quantity": 1000 * quantity}
    return row


def _printed_texts(document: FilledTemplate) -> dict[str, list[tuple[str, ...]]]:
    """By field the lines of each place where it is printed, down each page."""
    strings = string_fields(document_types()[document.type])
    places: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for page, sheet in enumerate(document.sheets):
        for text, occurrence in number_occurrences(sheet.texts(), strings):
            if text.field:
                places[text.field, page, occurrence].append(text.text.strip())
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for (field, _, _), lines in places.items():
        found[field].append(tuple(lines))
    return found


def _whole_texts(places: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Places that have most of the text, and all places together: the text may go on in another column."""
    if len(set(places)) == 1:
        return [places[0]]
    together = tuple(dict.fromkeys(line for lines in places for line in lines))
    shortest = MIN_SHARE_OF_TEXT * len(" ".join(together))
    return [lines for lines in dict.fromkeys([together, *places]) if len(" ".join(lines)) >= shortest]


def dump_document(document: FilledTemplate) -> str:
    """Return one JSON line, without its line break."""
    head = {name: getattr(document, name) for name in _HEAD}
    pages = [
        {
            "size": [round(sheet.width_mm, 1), round(sheet.height_mm, 1)],
            "texts": [
                [one.text, one.field, *(round(side, 2) for side in (one.x_mm, one.y_mm, one.width_mm, one.height_mm))]
                for one in sheet.texts()
            ],
        }
        for sheet in document.sheets
    ]
    return json.dumps({**head, "pages": pages}, ensure_ascii=False)


def load_documents(files: Sequence[Path]) -> Iterator[FilledTemplate]:
    """Yield the documents of these files."""
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            sheets = tuple(
                Sheet(*page["size"], tuple(Text(text, *box, field, "sans") for text, field, *box in page["texts"]))
                for page in row["pages"]
            )
            yield FilledTemplate(*(row[name] for name in _HEAD), sheets)


_HEAD = ("template", "number", "type", "language", "country", "currency", "date_order")
