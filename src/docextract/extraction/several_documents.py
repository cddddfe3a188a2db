"""Tells pages that show several documents, such as two receipts on one scan, by the two parts beside a gap.

Taken for one document, such a page gives a mixed answer: the merchant of one receipt with the total of the other.
"""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.accents import letters_and_digits
from docextract.documents.amounts import find_amounts
from docextract.documents.dates import find_dates
from docextract.predictions import PagePrediction, TextLine

_MIN_LINES, _MAX_LINES = 5, 400  # of a document, and of a page that is divided; longer ones are single lists
_MIN_GAP_HEIGHTS = 1.5  # between two documents, in heights of their lines
_GAP_SLOPES = (0.0, -0.026, 0.026, -0.052, 0.052)  # of gaps between documents that lie askew, by up to 3 degrees
_MAX_UPRIGHT_GAPS, _MAX_LEVEL_GAPS = 2, 3  # the widest ones of a page, at which it is divided
_MIN_TYPE_CONFIDENCE = 0.8  # of each part
_MIN_CONFIDENCE = 0.5  # of values that are compared
_MIN_DIFFERENT_FIELDS = 2  # one alone may be misread
_MAX_MISSING_FIELDS = 1  # of those that a type requires; it may be misread
_MAX_SIMILARITY = 0.6  # of two names or numbers that are different; those that are misread are more similar
_MAX_SLIP_TIME = timedelta(minutes=30)  # between a receipt and the slip of its payment
_SELLERS = ("merchant_name", "vendor_name")
_NUMBER, _DATE, _TIME = "document_number", "document_date", "transaction_time"
_TOTAL, _ITEMS = "total", "line_items"

_Lines = tuple[TextLine, ...]


def find_divisions(lines: Sequence[TextLine]) -> list[tuple[_Lines, _Lines]]:
    """Return the parts into which gaps divide a page, if both have dates, as documents do.

    A gap reaches across the whole print. Only the widest ones are taken.
    """
    if not 2 * _MIN_LINES <= len(lines) <= _MAX_LINES:
        return []
    polygons = np.stack([line.polygon for line in lines]).astype(np.float64)
    min_gap = _MIN_GAP_HEIGHTS * float(np.median(np.linalg.norm(polygons[:, 3] - polygons[:, 0], axis=1)))
    x, y = polygons[..., 0], polygons[..., 1]
    sides = [*_sides_of_gaps(x, y, min_gap, _MAX_UPRIGHT_GAPS), *_sides_of_gaps(y, x, min_gap, _MAX_LEVEL_GAPS)]
    if not sides:
        return []
    dated = np.array([any(map(str.isdigit, line.text)) and bool(find_dates(line.text)) for line in lines])
    fitting = [side for side in sides if dated[side].any() and dated[~side].any()]
    return [(_chosen(lines, side), _chosen(lines, ~side)) for side in fitting]


def _sides_of_gaps(
    across: NDArray[np.float64], along: NDArray[np.float64], min_gap: float, limit: int
) -> list[NDArray[np.bool_]]:
    """Return which lines are in front of each gap, of the widest gap first.

    across, along: [L, 4], coordinates of the corners of lines at right angles to the gaps and along them, px.
    """
    widths: dict[bytes, float] = {}
    for slope in _GAP_SLOPES:
        places = across + slope * along
        starts, ends = places.min(axis=1), places.max(axis=1)
        order = np.argsort(starts)
        gaps = starts[order][1:] - np.maximum.accumulate(ends[order])[:-1]
        for last in np.flatnonzero(gaps > min_gap).tolist():
            if _MIN_LINES <= last + 1 <= len(order) - _MIN_LINES:
                side = starts <= starts[order[last]]
                widths[side.tobytes()] = max(widths.get(side.tobytes(), 0.0), float(gaps[last]))
    widest = sorted(widths, key=lambda side: -widths[side])[:limit]
    return [np.frombuffer(side, np.bool_) for side in widest]


def _chosen(lines: Sequence[TextLine], side: NDArray[np.bool_]) -> _Lines:
    return tuple(line for line, is_chosen in zip(lines, side.tolist(), strict=True) if is_chosen)


def are_different_documents(first: PagePrediction, second: PagePrediction) -> bool:
    """Whether two parts of a page are documents of their own, and not both of one document.

    They differ in two of the fields that both types require, of which one is the total; types that have none in common
    differ anyway. The order above the table of an invoice has a number and a date of its own.
    first, second: as if each part were a page.
    """
    if not (is_document(first) and is_document(second)) or _are_of_one_purchase(first, second):
        return False
    required = _required_fields(first) & _required_fields(second)
    compared = {name for name in required if _is_sure(name, first) and _is_sure(name, second)}
    if _ITEMS in first.groups and _ITEMS in second.groups:  # a slip has a number and time of its own
        compared |= {name for name in (_NUMBER, _TIME) if name in first.fields and name in second.fields}
    differing = {name for name in compared if _differ(first.fields[name].value, second.fields[name].value)}
    if _TOTAL in required and _TOTAL not in differing:
        return False
    return len(differing) >= min(_MIN_DIFFERENT_FIELDS, len(required))


def is_document(part: PagePrediction) -> bool:
    """Whether a part is surely of a type, and has the fields that it requires."""
    required = _required_fields(part)
    sure = sum(_is_sure(name, part) for name in required)
    is_complete = sure >= max(_MIN_DIFFERENT_FIELDS, len(required) - _MAX_MISSING_FIELDS)
    return is_complete and part.type_confidence >= _MIN_TYPE_CONFIDENCE


def _required_fields(part: PagePrediction) -> frozenset[str]:
    kind = document_types().get(part.type)
    return kind.required if kind else frozenset()


def _is_sure(name: str, part: PagePrediction) -> bool:
    return name in part.fields and part.fields[name].confidence >= _MIN_CONFIDENCE


def _are_of_one_purchase(first: PagePrediction, second: PagePrediction) -> bool:
    """Whether two parts have the same number, or the same date and time, or one is a slip of the other.

    The slip of a payment may have another name of the merchant, and another total because of the tip.
    """
    same = any(
        all(name in first.fields and name in second.fields for name in names)
        and all(first.fields[name].value == second.fields[name].value for name in names)
        for names in ((_NUMBER,), (_DATE, _TIME))
    )
    return same or _is_slip(first, second)


def _is_slip(first: PagePrediction, second: PagePrediction) -> bool:
    """Whether one of two parts, which lists no items or is of another type, belongs to the other, as slips do.

    They have one seller, or about one time, or the total of one is printed on the other.
    """
    parts = (first, second)
    if first.type == second.type and all(_ITEMS in part.groups for part in parts):
        return False
    sellers = [part.fields[name].value for part in parts for name in _SELLERS if name in part.fields]
    times = [moment for part in parts if (moment := _moment(part))]
    return (
        (len(sellers) == len(parts) and not _differ(*sellers))
        or (len(times) == len(parts) and abs(times[0] - times[1]) <= _MAX_SLIP_TIME)
        or _prints_total_of(first, second)
        or _prints_total_of(second, first)
    )


def _moment(part: PagePrediction) -> datetime | None:
    day, clock = (part.fields[name].value if name in part.fields else None for name in (_DATE, _TIME))
    return datetime.combine(day, clock) if isinstance(day, date) and isinstance(clock, time) else None


def _prints_total_of(part: PagePrediction, other: PagePrediction) -> bool:
    """Whether a part prints the total of the other one."""
    total = other.fields[_TOTAL].value if _TOTAL in other.fields else None
    return isinstance(total, Decimal) and any(abs(total) in find_amounts(line.text) for line in part.lines)


def _differ(one: Any, other: Any) -> bool:
    """Whether two values are different, and not one text of which a part is misread or left out."""
    if not (isinstance(one, str) and isinstance(other, str)):
        return bool(one != other)
    one, other = (letters_and_digits(text) for text in (one, other))
    if one in other or other in one:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() < _MAX_SIMILARITY
