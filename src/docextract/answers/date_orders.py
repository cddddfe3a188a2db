"""Reads the dates of a document in the other order, if only then it is due after it was written.

03/04/2025 is in March or in April. Where no date of a document proves the order, it is estimated from the page, and an
invoice that is due before its date shows that the estimate is wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain

from docextract.documents.base import DocumentType
from docextract.documents.dates import DateOrder, find_unambiguous_dates, is_date_order_proven
from docextract.documents.values import FieldKind
from docextract.predictions import PagePrediction, PredictedValue

WRITTEN, DUE = "document_date", "due_date"
OTHER_ORDERS: Mapping[DateOrder, DateOrder] = {"DMY": "MDY", "MDY": "DMY"}
MAX_INFERRED_CONFIDENCE = 0.8  # of a date in the order that only the due date shows


def with_dates_in_order(pages: Sequence[PagePrediction], kind: DocumentType) -> list[PagePrediction]:
    """Return the pages of a document, with other dates if these are in order and those that were read are not.

    Numeric dates must all be ambiguous, and no date in words may confirm those that were read.
    """
    if _are_in_order(pages) is not False:
        return list(pages)
    other = [_in_other_order(page, kind) for page in pages]
    if not _are_in_order(other) or _is_order_shown(pages, other):
        return list(pages)
    return other


def _is_order_shown(pages: Sequence[PagePrediction], other: Sequence[PagePrediction]) -> bool:
    """Whether the print shows that dates were read in the right order.

    A date in words, or with its year in front, shows it if it is one of those that were read, and not also one of those
    in the other order: of 03/04/2025 and 04/03/2025 either may be April 3.
    """
    texts = [line.text for page in pages for line in page.lines]
    if is_date_order_proven(texts):
        return True
    pairs = (zip(one.values(), another.values(), strict=True) for one, another in zip(pages, other, strict=True))
    changed = [(one.value, another.value) for one, another in chain(*pairs) if one.value != another.value]
    confirming = {read for read, _ in changed} - {day for _, day in changed}
    return any(not confirming.isdisjoint(find_unambiguous_dates(text)) for text in texts)


def _are_in_order(pages: Sequence[PagePrediction]) -> bool | None:
    """Whether the due date is not before the date; None if one of them is not on the pages, or no date."""
    written, due = (
        max((page.fields[name] for page in pages if name in page.fields), key=lambda one: one.confidence, default=None)
        for name in (WRITTEN, DUE)
    )
    if written is None or due is None or not (isinstance(written.value, date) and isinstance(due.value, date)):
        return None
    return written.value <= due.value


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
