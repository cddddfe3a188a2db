"""Tells pages that show several documents, such as two receipts on one scan, by the two parts beside a gap.

Taken for one document, such a page gives a mixed answer: the merchant of one receipt with the total of the other.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.amounts import find_amounts
from docextract.documents.dates import find_dates
from docextract.predictions import PagePrediction, TextLine

_MIN_LINES = 5  # of a document
_MIN_GAP_HEIGHTS = 1.5  # between two documents, in heights of their lines
_GAP_SLOPES = (0.0, -0.026, 0.026, -0.052, 0.052)  # of gaps between documents that lie askew, by up to 3 degrees
_MAX_GUTTERS, _MAX_BANDS = 2, 3  # the widest ones of a page, at which it is divided
_MIN_TYPE_CONFIDENCE = 0.8  # of each part
_MIN_CONFIDENCE = 0.5  # of values that are compared
_MIN_DIFFERENT_FIELDS = 2  # one alone may be misread
_MAX_MISSING_FIELDS = 1  # of those that a type requires; it may be misread
_MAX_SIMILARITY = 0.6  # of two names or numbers that are different; those that are misread are more similar
_NUMBER, _DATE, _TIME = "document_number", "document_date", "transaction_time"
_TOTAL, _ITEMS = "total", "line_items"

_Lines = tuple[TextLine, ...]


def find_divisions(lines: Sequence[TextLine]) -> list[tuple[_Lines, _Lines]]:
    """Return the parts into which gaps divide a page, if both may be documents: they have dates, and dates or amounts.

    A gap reaches across the whole print. Only the widest ones are taken.
    """
    if len(lines) < 2 * _MIN_LINES:
        return []
    polygons = np.stack([line.polygon for line in lines]).astype(np.float64)
    min_gap = _MIN_GAP_HEIGHTS * float(np.median(np.linalg.norm(polygons[:, 3] - polygons[:, 0], axis=1)))
    x, y = polygons[..., 0], polygons[..., 1]
    sides = [*_sides_of_gaps(x, y, min_gap, _MAX_GUTTERS), *_sides_of_gaps(y, x, min_gap, _MAX_BANDS)]
    if not sides:
        return []
    dated = np.array([any(map(str.isdigit, line.text)) and bool(find_dates(line.text)) for line in lines])
    priced = np.array([bool(find_amounts(line.text)) for line in lines])

    def may_be_document(side: NDArray[np.bool_]) -> bool:
        return bool(dated[side].any() and (dated[side].sum() > 1 or priced[side].any()))

    fitting = [side for side in sides if may_be_document(side) and may_be_document(~side)]
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
    if not (_is_document(first) and _is_document(second)) or _are_of_one_purchase(first, second):
        return False
    required = _required_fields(first) & _required_fields(second)
    compared = {name for name in required if _is_sure(name, first) and _is_sure(name, second)}
    if _ITEMS in first.groups and _ITEMS in second.groups:  # a slip has a number and time of its own
        compared |= {name for name in (_NUMBER, _TIME) if name in first.fields and name in second.fields}
    differing = {name for name in compared if _differ(first.fields[name].value, second.fields[name].value)}
    if _TOTAL in required and _TOTAL not in differing:
        return False
    return len(differing) >= min(_MIN_DIFFERENT_FIELDS, len(required))


def _is_document(part: PagePrediction) -> bool:
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
    """Whether two parts have the same number, or the same date and time, as a receipt and the slip of its payment.

    The slip may have another name of the merchant, and another total because of the tip.
    """
    return any(
        all(name in first.fields and name in second.fields for name in names)
        and all(first.fields[name].value == second.fields[name].value for name in names)
        for names in ((_NUMBER,), (_DATE, _TIME))
    )


def _differ(one: Any, other: Any) -> bool:
    """Whether two values are different, and not one text of which a part is misread or left out."""
    if not (isinstance(one, str) and isinstance(other, str)):
        return bool(one != other)
    one, other = (_letters_and_digits(text) for text in (one, other))
    if one in other or other in one:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() < _MAX_SIMILARITY


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
