"""Finds the amount that makes subtotal and tax add up to the total, where the network takes another one, or none.

The network judges each amount by its place and its neighbours; it cannot add. An amount that is printed and closes the
sum to the cent is hardly ever there by chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType
from docextract.documents.values import Conventions
from docextract.extraction.layout.digit_groups import continues_number
from docextract.extraction.layout.labels import LabelProbabilities, field_probability
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.spans import GIVEN_SUPPORT, Candidate, at_least, candidate_of
from docextract.extraction.layout.whole_words import whole_amount

SUBTOTAL, TAX, TOTAL = SUM_PARTS = ("subtotal", "total_tax", "total")
CHANGES = ("total_discount", "total_charge")  # subtracted from the subtotal and added to it, or included in it
CLOSING_PROBABILITY = 0.6  # of an amount that closes the sum
MIN_REPLACING_PROBABILITY = 0.2  # by the network, of an amount that replaces one that is likely
MAX_ROW_PROBABILITY = 0.5  # of an amount, that it belongs to a row
# Of the total. What rounds a total is less, and no tax is more: 27 % of the subtotal in Hungary.
MIN_TAX_SHARE, MAX_TAX_SHARE = Decimal("0.01"), Decimal("0.3")


@dataclass(frozen=True)
class _Page:
    """What the network says of a page. names: its fields, in the order of its labels."""

    document_type: DocumentType
    found: Mapping[str, Candidate]
    names: Sequence[str]
    pieces: Sequence[Piece]
    probabilities: LabelProbabilities
    conventions: Conventions


def close_sum(
    document_type: DocumentType, found: Mapping[str, Candidate], names: Sequence[str],
    pieces: Sequence[Piece], probabilities: LabelProbabilities, conventions: Conventions,
) -> dict[str, Candidate]:  # fmt: skip
    """Return the candidates with the amount that closes the sum: a missing one, or one in place of the most doubtful.

    names: the network's fields, in the order of its labels.
    """
    page = _Page(document_type, found, names, pieces, probabilities, conventions)
    given = {name: found[name] for name in SUM_PARTS if name in found and found[name].support >= GIVEN_SUPPORT}
    missing = [name for name in SUM_PARTS if name not in given]
    amounts = {field.name for field in document_type.fields() if field.kind.name == "currency"}
    if len(missing) > 1 or not set(SUM_PARTS) <= amounts & set(names):
        return dict(found)
    closed = _with_missing(missing[0], given, page) if missing else _without_doubtful(given, page)
    return {**found, **closed}


def _with_missing(missing: str, given: Mapping[str, Candidate], page: _Page) -> dict[str, Candidate]:
    """Return the missing amount, or both the subtotal and the tax if one was taken for the other; {} if none closes."""
    if found := _closing(missing, given, page):
        return {missing: found}
    if missing == TOTAL:
        return {}
    other = TAX if missing == SUBTOTAL else SUBTOTAL
    moved = replace(given[other], field=missing)
    found = _closing(other, {missing: moved, TOTAL: given[TOTAL]}, page)
    return {missing: moved, other: found} if found else {}


def _without_doubtful(given: Mapping[str, Candidate], page: _Page) -> dict[str, Candidate]:
    """Return a likely amount in place of the most doubtful one if the sum is wrong with it; else {}."""
    if _adds_up(page.document_type, page.found):
        return {}
    doubtful = min(given, key=lambda name: given[name].support)
    others = {name: one for name, one in given.items() if name != doubtful}
    found = _closing(doubtful, others, page, MIN_REPLACING_PROBABILITY)
    return {doubtful: found} if found else {}


def _closing(part: str, others: Mapping[str, Candidate], page: _Page, min_probability: float = 0.0) -> Candidate | None:
    """Return the likeliest amount of the page that closes the sum with two others; None if there is none."""
    field = next(field for field in page.document_type.fields() if field.name == part)
    number, labels = page.names.index(part), page.probabilities.labels
    taken = {index for one in others.values() for index in one.piece_indices}
    spans = _amounts(page.pieces, _of_rows(page.document_type, page.names, labels))
    amounts = (
        candidate_of(field, span, number, page.pieces, labels, page.conventions)
        for span in spans
        if taken.isdisjoint(span)
    )
    values = {name: one.value for name, one in others.items()}
    closing = [one for one in amounts if one and _closes({**values, part: one.value}, page.found)]
    best = max(closing, key=lambda one: one.probability, default=None)
    return at_least(best, CLOSING_PROBABILITY) if best and best.probability >= min_probability else None


def _adds_up(document_type: DocumentType, found: Mapping[str, Candidate]) -> bool:
    """Whether the type's own check of the total passes, which knows tips and taxes that are included."""
    values = {name: one.value for name, one in found.items() if one.support >= GIVEN_SUPPORT}
    checks = document_type.check(document_type.record(**values))
    return any(check.passed for check in checks if check.name.endswith(f"make_{TOTAL}"))


def _closes(values: Mapping[str, Decimal], found: Mapping[str, Candidate]) -> bool:
    """Whether the subtotal and the tax make the total, before or after a discount and a charge."""
    total = abs(values[TOTAL])
    if not MIN_TAX_SHARE * total <= abs(values[TAX]) <= MAX_TAX_SHARE * total:
        return False
    less, more = ([Decimal(0), *([abs(found[name].value)] if name in found else [])] for name in CHANGES)
    return any(values[TOTAL] == values[SUBTOTAL] + values[TAX] - a + b for a, b in product(less, more))


def _of_rows(document_type: DocumentType, names: Sequence[str], labels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where a piece belongs to a row of the items, [T]."""
    own = [field.name for field in document_type.fields() if field.group == "line_items"]
    columns = [names.index(name) for name in own if name in names]  # an older network knows fewer
    of_rows = sum((field_probability(column, labels) for column in columns), np.zeros(len(labels)))
    return np.asarray(of_rows > MAX_ROW_PROBABILITY)


def _amounts(pieces: Sequence[Piece], left_out: NDArray[np.bool_]) -> Iterator[Span]:
    """Yield the numbers of a page whole, also those of several groups of digits."""
    span: Span = ()
    for index, piece in enumerate(pieces):
        if span and not continues_number(pieces[span[-1]], piece):
            yield whole_amount(span, pieces)
            span = ()
        if span or (piece.text[0].isdigit() and not left_out[index]):
            span = (*span, index)
    if span:
        yield whole_amount(span, pieces)
