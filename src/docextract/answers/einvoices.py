"""Comparison of an e-invoice with the print of its pages, and the document that both give together.

The print is understood less surely than the data: so a value of the data is searched in the text of the pages, not
compared with the predicted value alone. It differs if it is printed nowhere, or only where another field stands, and
another value was predicted for its field. By European law the data are the invoice, so their value is recommended; of
an address that agrees, the printed form, because data have only its parts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cached_property
from typing import Any

from docextract.answers.merging import ExtractedPage, LocatedValue, MergedDocument, MergedRow
from docextract.documents.accents import letters_and_digits
from docextract.documents.amounts import find_amounts
from docextract.documents.base import Check, DocumentType
from docextract.documents.dates import find_dates
from docextract.documents.einvoice import EInvoice
from docextract.documents.values import ADDRESS, INVOICE_KIND, Conventions, FieldKind
from docextract.predictions import PredictedValue, TextLine

PRINTED_CONFIDENCE = 0.999  # of a value that is printed as the data have it
UNPRINTED_CONFIDENCE = 0.99  # of a value that no print confirms or contradicts
DIFFERING_CONFIDENCE = 0.4
_MIN_WORD_SHARE = 0.75  # of the words of a name or an address that are printed; the rest is abbreviated
_MIN_WORD_LENGTH = 2
_MAX_LINE_STEP = 2.5  # line heights between two lines of an address
_MIN_PREFIX_LENGTH = 6  # letters and digits of a number that is printed without its last part
_FREE_TEXT_FIELDS = re.compile(r"(name|address|payment_term|description)$")
_CHECK = "embedded_invoice_matches_page"


@dataclass(frozen=True)
class PrintedLine:
    """A line of the pages, with what can be searched in it."""

    page: ExtractedPage
    line: TextLine

    @cached_property
    def letters_and_digits(self) -> str:
        """Its letters and digits, in lower case and without accents."""
        return letters_and_digits(self.line.text)

    @cached_property
    def amounts(self) -> frozenset[Decimal]:
        """All amounts on it."""
        return find_amounts(self.line.text)

    @cached_property
    def dates(self) -> frozenset[date]:
        """All dates on it."""
        return find_dates(self.line.text)


def merge_einvoice(
    merged: MergedDocument, einvoice: EInvoice, pages: Sequence[ExtractedPage], kind: DocumentType
) -> MergedDocument:
    """Return the document with the values of the data, each where it is printed, and the values that only print has."""
    kinds = {field.name: field.kind for field in kind.fields()}
    if _has_printed_signs(merged, einvoice):
        einvoice = _negated(einvoice)
    printed_lines = [PrintedLine(page, line) for page in pages for line in page.prediction.lines]
    fields = dict(merged.fields)
    for name, value in einvoice.values.items():
        if name in kinds and value != 0:  # data give every sum; nobody prints a discount of 0.00
            fields[name] = _merge_field(name, kinds[name], merged, printed_lines, einvoice)
    groups = dict(merged.groups)
    for group, rows in einvoice.groups.items():
        is_compared = bool(merged.groups.get(group))
        groups[group] = [_merge_row(group, row, kinds, printed_lines, einvoice, is_compared) for row in rows]
    differing = _differing_fields(fields, merged, einvoice, printed_lines)
    conventions = _conventions(merged, einvoice)
    compared = tuple(name for name, one in fields.items() if one.source == "embedded_xml" and one.page is not None)
    check = (Check(_CHECK, not differing, differing or compared),) if pages else ()
    return replace(merged, fields=fields, groups=groups, conventions=conventions, checks=(*merged.checks, *check))


def _conventions(merged: MergedDocument, einvoice: EInvoice) -> Conventions:
    """Return the conventions with the currency of the data, if they name one."""
    code = einvoice.currency
    if not code:
        return merged.conventions
    confidence = PRINTED_CONFIDENCE if code == merged.conventions.currency else UNPRINTED_CONFIDENCE
    return replace(merged.conventions, currency=code, currency_confidence=confidence)


def _has_printed_signs(merged: MergedDocument, einvoice: EInvoice) -> bool:
    """Whether the print of a credit note has a minus in front of the sums of the data."""
    pairs = [
        (value, merged.fields[name].value.value) for name, value in einvoice.values.items() if name in merged.fields
    ]
    sums = [(value, printed) for value, printed in pairs if isinstance(value, Decimal) and value > 0]
    negative = sum(bool(printed == -value) for value, printed in sums)
    return negative > sum(bool(printed == value) for value, printed in sums)


def _negated(einvoice: EInvoice) -> EInvoice:
    """The data with the signs of the print: those of sums and of the amounts of rows, not of discounts and prices."""
    values = {name: _negative(name, value) for name, value in einvoice.values.items()}
    others = {name: tuple(_negative(name, value) for value in some) for name, some in einvoice.others.items()}
    groups = {
        group: tuple({leaf: -value if leaf == "amount" else value for leaf, value in row.items()} for row in rows)
        for group, rows in einvoice.groups.items()
    }
    return replace(einvoice, values=values, others=others, groups=groups)


def _negative(name: str, value: Any) -> Any:
    return -value if isinstance(value, Decimal) and name != "total_discount" else value


def _differing_fields(
    fields: Mapping[str, LocatedValue], merged: MergedDocument, einvoice: EInvoice, lines: Sequence[PrintedLine]
) -> tuple[str, ...]:
    differing = [name for name, one in fields.items() if one.source == "embedded_xml" and not one.agree]
    predicted = merged.conventions.currency
    code = einvoice.currency
    is_printed = any((code or "").lower() in one.letters_and_digits for one in lines)
    if predicted and code and predicted != code and not is_printed:
        differing.append("currency")
    return tuple(differing)


def _merge_field(
    name: str,
    kind: FieldKind,
    merged: MergedDocument,
    lines: Sequence[PrintedLine],
    einvoice: EInvoice,
) -> LocatedValue:
    printed = merged.fields.get(name)
    conventions = Conventions(currency=einvoice.currency)
    values = (einvoice.values[name], *einvoice.others.get(name, ()))
    if printed is not None:
        if (
            kind == ADDRESS
            and _share_of_words(str(values[0]), letters_and_digits(str(printed.value.value))) >= _MIN_WORD_SHARE
        ):
            own = _located(values[0], kind, conventions, printed.page, printed.value.polygons, PRINTED_CONFIDENCE)
            used = replace(printed, value=replace(printed.value, confidence=PRINTED_CONFIDENCE), source="printed")
            return replace(used, sources={"embedded_xml": own, "printed": printed})
        for value in values:
            if same_value(value, printed.value.value):
                own = _located(value, kind, conventions, printed.page, printed.value.polygons, PRINTED_CONFIDENCE)
                return replace(own, sources={"embedded_xml": own, "printed": printed})
    if kind == ADDRESS and (address := _find_address(str(values[0]), lines)):
        own = _located(values[0], kind, conventions, address.page, address.value.polygons, PRINTED_CONFIDENCE)
        return replace(address, sources={"embedded_xml": own, "printed": address})
    for value in values:
        # Another field may stand there: the date of the invoice where the data have the same due date.
        places = (
            one
            for one in find_printed(value, name, kind, lines)
            if not printed or not _is_taken(one, value, name, merged)
        )
        if place := next(places, None):
            return _located(value, kind, conventions, place.page, (place.line.polygon,), PRINTED_CONFIDENCE)
    if printed is None or _is_elsewhere(printed.value.value, name, einvoice):
        return _located(values[0], kind, conventions, None, (), UNPRINTED_CONFIDENCE)
    own = replace(_located(values[0], kind, conventions, None, (), DIFFERING_CONFIDENCE), agree=False)
    return replace(own, sources={"embedded_xml": own, "printed": printed})


def _is_elsewhere(printed: Any, name: str, einvoice: EInvoice) -> bool:
    """Whether the data have the printed value for another field: then the print was misunderstood."""
    return any(
        other != name and any(same_value(value, printed) for value in (first, *einvoice.others.get(other, ())))
        for other, first in einvoice.values.items()
    )


def _merge_row(
    group: str,
    row: Mapping[str, Any],
    kinds: Mapping[str, FieldKind],
    lines: Sequence[PrintedLine],
    einvoice: EInvoice,
    is_compared: bool,
) -> MergedRow:
    """is_compared: rows of the group are printed; amounts of the data that are not among the print differ from it."""
    conventions = Conventions(currency=einvoice.currency)
    merged: MergedRow = {}
    for leaf, value in row.items():
        kind = kinds.get(f"{group}.{leaf}")
        if kind is not None:
            place = next(find_printed(value, leaf, kind, lines), None)
            page, polygons = (place.page, (place.line.polygon,)) if place else (None, ())
            confidence = PRINTED_CONFIDENCE if place else UNPRINTED_CONFIDENCE
            own = _located(value, kind, conventions, page, polygons, confidence)
            differs = is_compared and place is None and kind.name == "currency"
            merged[leaf] = replace(own, agree=not differs)
    return merged


def _located(
    value: Any,
    kind: FieldKind,
    conventions: Conventions,
    page: ExtractedPage | None,
    polygons: Sequence[Any],
    confidence: float,
) -> LocatedValue:
    content = _content(value, kind, conventions)
    return LocatedValue(PredictedValue(content, value, confidence, tuple(polygons)), page, "embedded_xml")


def _content(value: Any, kind: FieldKind, conventions: Conventions) -> str:
    """Return the value as the data write it."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    return str(kind.to_json(value, conventions))


def same_value(value: Any, printed: Any) -> bool:
    """Whether a printed value is that of the data; numbers may be printed without their last part."""
    if isinstance(value, str):
        own, other = letters_and_digits(value), letters_and_digits(str(printed))
        return own == other or (len(other) >= _MIN_PREFIX_LENGTH and own.startswith(other))
    if isinstance(value, Decimal) and isinstance(printed, Decimal):
        return abs(value) == abs(printed)  # credit notes print their amounts with and without a sign
    return bool(value == printed)


def find_printed(value: Any, name: str, kind: FieldKind, lines: Sequence[PrintedLine]) -> Iterator[PrintedLine]:
    """Yield the lines on which a value is printed; of a name or an address over several lines, the first."""
    if kind == INVOICE_KIND:
        return  # a title in any language
    if isinstance(value, Decimal):
        yield from (one for one in lines if abs(value) in one.amounts)
    elif isinstance(value, date):
        yield from (one for one in lines if value in one.dates)
    elif _FREE_TEXT_FIELDS.search(name):
        yield from _find_words(str(value), lines)
    else:
        wanted = letters_and_digits(str(value))
        yield from (one for one in lines if wanted and wanted in one.letters_and_digits)


def _find_address(address: str, lines: Sequence[PrintedLine]) -> LocatedValue | None:
    """Return an address as it is printed: lines below each other that have no words but its own."""
    parts = [one for one in lines if _is_part(one.line.text, address)]
    blocks: list[list[PrintedLine]] = []
    for line in parts:
        block = next((block for block in blocks if _is_below(block[-1], line)), None)
        if block is None:
            blocks.append([line])
        else:
            block.append(line)
    shares = [_share_of_words(address, "".join(one.letters_and_digits for one in block)) for block in blocks]
    if not shares or max(shares) < _MIN_WORD_SHARE:
        return None
    block = blocks[shares.index(max(shares))]
    text = ", ".join(one.line.text.strip(" ,;") for one in block)
    polygons = tuple(one.line.polygon for one in block)
    return LocatedValue(PredictedValue(text, text, PRINTED_CONFIDENCE, polygons), block[0].page)


def _is_part(text: str, address: str) -> bool:
    words, own = _words(text), set(_words(address))
    return bool(words) and all(word in own for word in words)


def _is_below(upper: PrintedLine, lower: PrintedLine) -> bool:
    """Whether a line is the next one of the same column."""
    (left, top), (right, bottom) = upper.line.polygon.min(axis=0), upper.line.polygon.max(axis=0)
    (own_left, own_top), (own_right, _) = lower.line.polygon.min(axis=0), lower.line.polygon.max(axis=0)
    down = (own_top - top) / max(bottom - top, 1.0)
    return bool(
        upper.page is lower.page and 0.5 < down < _MAX_LINE_STEP and min(right, own_right) > max(left, own_left)
    )


def _find_words(value: str, lines: Sequence[PrintedLine]) -> Iterator[PrintedLine]:
    if _share_of_words(value, " ".join(one.letters_and_digits for one in lines)) >= _MIN_WORD_SHARE:
        longest = max(_words(value), key=len)
        yield from (one for one in lines if longest in one.letters_and_digits)


def _share_of_words(value: str, text: str) -> float:
    """Return the share of the words of a value that a text of letters and digits contains, 0..1."""
    words = _words(value)
    return sum(word in text for word in words) / len(words) if words else 0.0


def _words(value: str) -> list[str]:
    words = map(letters_and_digits, re.split(r"[\s,;/()-]+", value))
    return [word for word in words if len(word) >= _MIN_WORD_LENGTH]


def _is_taken(place: PrintedLine, value: Any, name: str, merged: MergedDocument) -> bool:
    """Whether an amount or a date stands there for another field, which was predicted with this value."""
    if isinstance(value, str):
        return False
    middle = place.line.polygon.mean(axis=0)
    return any(
        other != name
        and located.page is place.page
        and same_value(value, located.value.value)
        and any(_contains_height(polygon, middle) for polygon in located.value.polygons)
        for other, located in merged.fields.items()
    )


def _contains_height(polygon: Any, middle: Any) -> bool:
    return bool(polygon[:, 1].min() <= middle[1] <= polygon[:, 1].max())
