"""Reads the dates of a document in the order that the due date shows, and doubts dates whose order nothing shows.

03/04/2025 is in March or in April. Where no date of a document proves the order, it is estimated from the page. An
invoice that is due before its date shows that the estimate is wrong, and so does a term of payment that is only right
in the other order.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from typing import get_args

from docextract.documents.base import DocumentType
from docextract.documents.dates import (
    YEAR_BEHIND,
    DateOrder,
    are_years_behind,
    find_unambiguous_dates,
    is_date_order_proven,
)
from docextract.documents.values import Conventions, FieldKind
from docextract.predictions import PagePrediction, PredictedValue

WRITTEN, DUE = "document_date", "due_date"
OTHER_ORDERS: Mapping[DateOrder, DateOrder] = {"DMY": "MDY", "MDY": "DMY"}
MAX_INFERRED_CONFIDENCE = 0.8  # of a date in the order that only the due date shows
MIN_DAYS_OF_TERM = 7  # except behind "net"; less are mostly of other matters
MAX_DAYS_BESIDE_TERM = 2  # of dates that nearly fit a term: due dates are moved from weekends
_TERM = re.compile(
    r"\b(?:net|netto)[ :]*(\d{1,3})\b(?![.,/%]\d)|"
    r"(?<![\d.,/-])(\d{1,3})\s?(?:[a-z]+\s)?(?:days?|tagen?|jours?|giorni|d[ií]as|dagen|dagar|dage|dager|dni|dn[íů]|"
    r"nap|päivää|pv|zile|g[üu]n)\b",
    re.IGNORECASE,
)
_PAYMENT = re.compile(
    r"\bnet(?:to)?\b|\bpay(?:s|able|ments?|ing)?\b|\bdue\b|\bterms\b|zahl(?:bar|ung|en)|\bziel\b|fällig|"
    r"\bpaie|\bpaye[rz]|règlement|échéance|\bpag(?:[oá]|a[rmn])|\bvencim|\bvence|\bscaden|betal|verval|"
    r"f[oö]rfal[dl]|\bmaks|zap[łl]a|\bp[łl]at|splat|fizet|\bvade|ödeme",
    re.IGNORECASE,
)


def with_dates_in_order(pages: Sequence[PagePrediction], kind: DocumentType) -> list[PagePrediction]:
    """Return the pages of a document with their dates in the order that the document shows.

    Where it shows none, the confidence of a date is at most the probability of the orders that give it. Dates are in
    the other order only if numeric dates are all ambiguous, and no date in words confirms those that were read.
    """
    texts = [line.text for page in pages for line in page.lines]
    if is_date_order_proven(texts):
        return list(pages)
    other = [_in_other_order(page, kind) for page in pages]
    if _is_order_confirmed(pages, other, texts):
        return list(pages)
    terms = _printed_terms(pages)
    fits, other_fits = (_days_to_pay(some) in terms for some in (pages, other))
    if fits and not other_fits:
        return list(pages)
    if other_fits and not fits and not _nearly_fit(pages, terms):
        return other
    if _are_in_order(pages) is False and _are_in_order(other):
        return other
    return [_with_doubted_dates(page, kind) for page in pages]


def _is_order_confirmed(pages: Sequence[PagePrediction], other: Sequence[PagePrediction], texts: Sequence[str]) -> bool:
    """Whether a date in words of the printed texts shows that dates were read in the right order.

    A date in words, or with its year in front, shows it if it is one of those that were read, and not also one of those
    in the other order: of 03/04/2025 and 04/03/2025 either may be April 3.
    """
    pairs = (zip(one.values(), another.values(), strict=True) for one, another in zip(pages, other, strict=True))
    changed = [(one.value, another.value) for one, another in chain(*pairs) if one.value != another.value]
    confirming = {read for read, _ in changed} - {day for _, day in changed}
    return any(not confirming.isdisjoint(find_unambiguous_dates(text)) for text in texts)


def _are_in_order(pages: Sequence[PagePrediction]) -> bool | None:
    """Whether the due date is not before the date; None if one of them is not on the pages, or no date."""
    days = _days_to_pay(pages)
    return None if days is None else days >= 0


def _days_to_pay(pages: Sequence[PagePrediction]) -> int | None:
    """Return the days from the date to the due date; None if one of them is not on the pages, or no date."""
    written, due = (
        max((page.fields[name] for page in pages if name in page.fields), key=lambda one: one.confidence, default=None)
        for name in (WRITTEN, DUE)
    )
    if written is None or due is None or not (isinstance(written.value, date) and isinstance(due.value, date)):
        return None
    return (due.value - written.value).days


def _nearly_fit(pages: Sequence[PagePrediction], terms: set[int]) -> bool:
    """Whether the dates are in order, and nearly a term apart."""
    days = _days_to_pay(pages)
    return days is not None and days >= 0 and any(abs(days - term) <= MAX_DAYS_BESIDE_TERM for term in terms)


def _printed_terms(pages: Sequence[PagePrediction]) -> set[int]:
    """Return the numbers of days, except zero, that lines about payment name: "Net 30", "payable within 14 days"."""
    lines = (line.text for page in pages for line in page.lines if _PAYMENT.search(line.text))
    found = [match for text in lines for match in _TERM.finditer(text)]
    behind_net = {int(match[1]) for match in found if match[1]} - {0}
    return behind_net | {days for match in found if match[2] and (days := int(match[2])) >= MIN_DAYS_OF_TERM}


def _with_doubted_dates(page: PagePrediction, kind: DocumentType) -> PagePrediction:
    """Return the page with confidences of dates that are at most the probability of the orders that give them."""
    if not page.conventions.date_order_probabilities:
        return page
    return _changed(page, kind, lambda value, own: _with_doubt(value, own, page.conventions))


def _with_doubt(value: PredictedValue, kind: FieldKind, conventions: Conventions) -> PredictedValue:
    orders = YEAR_BEHIND if are_years_behind([value.content]) else get_args(DateOrder)
    read = {order: kind.parse(value.content, replace(conventions, date_order=order)) for order in orders}
    shares = {day: 0.0 for day in read.values() if day is not None}
    for order, day in read.items():
        if day is not None:
            shares[day] += conventions.date_order_probabilities.get(order, 0.0)
    total = sum(shares.values())
    if len(shares) < 2 or value.value not in shares or not total:
        return value
    return replace(value, confidence=min(value.confidence, shares[value.value] / total))


def _in_other_order(page: PagePrediction, kind: DocumentType) -> PagePrediction:
    """Return the page with its ambiguous dates in the other order of day and month."""
    if page.conventions.date_order not in OTHER_ORDERS:
        return page
    other = replace(page, conventions=replace(page.conventions, date_order=OTHER_ORDERS[page.conventions.date_order]))
    return _changed(other, kind, lambda value, own: _read(value, own, page, other))


def _changed(
    page: PagePrediction, kind: DocumentType, change: Callable[[PredictedValue, FieldKind], PredictedValue]
) -> PagePrediction:
    """Return the page with its dates changed by a function of the value and its kind."""
    kinds = {field.name: field.kind for field in kind.fields()}

    def changed(values: Mapping[str, PredictedValue], prefix: str = "") -> dict[str, PredictedValue]:
        return {
            name: change(one, kinds[prefix + name]) if prefix + name in kinds and isinstance(one.value, date) else one
            for name, one in values.items()
        }

    groups = {group: tuple(changed(row, f"{group}.") for row in rows) for group, rows in page.groups.items()}
    return replace(page, fields=changed(page.fields), groups=groups)


def _read(value: PredictedValue, kind: FieldKind, page: PagePrediction, other: PagePrediction) -> PredictedValue:
    """Return a value as its text is read by the conventions of another page, if that is another date."""
    if kind.parse(value.content, page.conventions) != value.value:
        return value
    day = kind.parse(value.content, other.conventions)
    if day is None or day == value.value:
        return value
    return replace(value, value=day, confidence=min(value.confidence, MAX_INFERRED_CONFIDENCE))
