"""Reads the dates of a document in the other order, if only then it is due after it was written.

03/04/2025 is in March or in April. Where no date of a document proves the order, it is estimated from the page, and an
invoice that is due before its date shows that the estimate is wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from docextract.documents.base import DocumentType
from docextract.documents.dates import DateOrder, is_date_order_proven
from docextract.documents.values import FieldKind
from docextract.predictions import PagePrediction, PredictedValue

WRITTEN, DUE = "document_date", "due_date"
OTHER_ORDERS: Mapping[DateOrder, DateOrder] = {"DMY": "MDY", "MDY": "DMY"}
MAX_INFERRED_CONFIDENCE = 0.8  # of a date in the order that only the due date shows


def with_dates_in_order(pages: Sequence[PagePrediction], kind: DocumentType) -> list[PagePrediction]:
    """Return the pages of a document, with other dates if these are in order and those that were read are not.

    Numeric dates must all be ambiguous.
    """
    other = [_in_other_order(page, kind) for page in pages]
    if _are_in_order(pages) is not False or not _are_in_order(other):
        return list(pages)
    is_proven = is_date_order_proven(line.text for page in pages for line in page.lines)
    return list(pages) if is_proven else other


def _are_in_order(pages: Sequence[PagePrediction]) -> bool | None:
    """Whether the due date is not before the date; None if one of them is not on the pages."""
    written, due = (
        max((page.fields[name] for page in pages if name in page.fields), key=lambda one: one.confidence, default=None)
        for name in (WRITTEN, DUE)
    )
    return None if written is None or due is None else bool(written.value <= due.value)


def _in_other_order(page: PagePrediction, kind: DocumentType) -> PagePrediction:
    """Return the page with its ambiguous dates in the other order of day and month."""
    if page.conventions.date_order not in OTHER_ORDERS:
        return page
    kinds = {field.name: field.kind for field in kind.fields()}
    other = replace(page, conventions=replace(page.conventions, date_order=OTHER_ORDERS[page.conventions.date_order]))

    def read(values: Mapping[str, PredictedValue], prefix: str = "") -> dict[str, PredictedValue]:
        return {name: _read(one, kinds.get(prefix + name), page, other) for name, one in values.items()}

    groups = {group: tuple(read(row, f"{group}.") for row in rows) for group, rows in page.groups.items()}
    return replace(other, fields=read(page.fields), groups=groups)


def _read(value: PredictedValue, kind: FieldKind | None, page: PagePrediction, other: PagePrediction) -> PredictedValue:
    """Return a value as its text is read by the conventions of another page, if that is another date."""
    if kind is None or not isinstance(value.value, date) or kind.parse(value.content, page.conventions) != value.value:
        return value
    day = kind.parse(value.content, other.conventions)
    if day is None or day == value.value:
        return value
    return replace(value, value=day, confidence=min(value.confidence, MAX_INFERRED_CONFIDENCE))
