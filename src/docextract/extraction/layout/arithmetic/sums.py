"""Finds the amount that makes subtotal and tax add up to the total, where the network takes another one, or none.

The network judges each amount by its place and its neighbours; it cannot add. An amount that is printed and closes the
sum to the cent is hardly ever there by chance.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from itertools import product, takewhile

import numpy as np
from numpy.typing import NDArray

from docextract.documents.amounts import CURRENCY_SIGNS
from docextract.documents.base import SUM_PARTS, DocumentType, total_adds_up
from docextract.documents.currencies import is_currency
from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.digit_groups import continues_number
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.values.whole_words import whole_amount

SUBTOTAL, TAX, TOTAL = SUM_PARTS
# Subtracted from the subtotal, or added to it, or included in it.
CHARGE = "total_charge"
SUBTRACTED, ADDED = "total_discount", (CHARGE, "tip")
CLOSING_PROBABILITY = 0.6  # of an amount that closes the sum
MIN_REPLACING_PROBABILITY = 0.2  # by the network, of an amount that replaces one that is likely
MAX_ROW_PROBABILITY = 0.5  # of an amount, that it belongs to a row
# Of the total. What rounds a total is less, and no tax is more: 27 % of the subtotal in Hungary.
MIN_TAX_SHARE, MAX_TAX_SHARE = Decimal("0.01"), Decimal("0.3")


def close_sum(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates with the amount that closes the sum: a missing one, or in place of the most doubtful."""
    given = {name: found[name] for name in SUM_PARTS if name in found and found[name].is_likely}
    missing = [name for name in SUM_PARTS if name not in given]
    amounts = {field.name for field in page.single_fields() if field.kind.name == "currency"}
    if len(missing) > 1 or not set(SUM_PARTS) <= amounts:
        return dict(found)
    if charge := _labelled_charge(given, found, amounts, page):
        others = {name: one for name, one in found.items() if set(one.piece_indices).isdisjoint(charge.piece_indices)}
        return {**others, CHARGE: charge}
    changes = {name: found[name] for name in (SUBTRACTED, *ADDED) if name in found}
    if missing == [TAX] and _is_untaxed(found, page.document_type):
        return dict(found)
    if missing:
        return {**found, **_with_missing(missing[0], given, changes, page)}
    return dict(found) if _adds_up(found, page.document_type) else {**found, **_without_doubtful(given, changes, page)}


def leave_out_amount_without_tax(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates without a tax whose label says that it is none: "Be PVM A 8,77", "Exempt 0.10".

    After `close_sum`, which may take it for the subtotal. A letter behind the label is the class of the tax. A tax of
    0.00 stays: it is the tax of what is exempt.
    """
    if TAX not in found or found[TAX].value == 0:
        return dict(found)
    *front, last = page.text(words_in_front(found[TAX], page)).split() or [""]
    label = " ".join(front if front and len(last) == 1 else [*front, last])
    if not is_caption(label, "amount_without_tax"):
        return dict(found)
    return {name: one for name, one in found.items() if name != TAX}


def _labelled_charge(
    given: Mapping[str, Candidate], found: Mapping[str, Candidate], amounts: Set[str], page: PageLabels
) -> Candidate | None:
    """Return a charge behind its label, "Freight 40.00", with which the sums are right and without which they are not.

    amounts: the names of the single amounts that the network knows.
    """
    known = found.get(CHARGE)
    if CHARGE not in amounts or not {SUBTOTAL, TOTAL} <= given.keys() or (known and known.is_likely):
        return None
    if _adds_up(found, page.document_type):
        return None
    taken = {index for one in given.values() for index in one.piece_indices}
    for one in likely_amounts(CHARGE, page, taken, 0.0):
        charge = at_least(one, CLOSING_PROBABILITY)
        if _adds_up({**found, CHARGE: charge}, page.document_type) and _has_label_of_charge(one, page):
            return charge
    return None


def _has_label_of_charge(amount: Candidate, page: PageLabels) -> bool:
    """Whether the words in front of an amount are a label of charges, without remarks: "Freight (ex GST)"."""
    words = list(takewhile(lambda index: page.pieces[index].text != "(", words_in_front(amount, page)))
    return bool(words) and is_caption(page.text(_without_currency(words, page)), "charge_label")


def words_in_front(amount: Candidate, page: PageLabels) -> Sequence[int]:
    """Return the pieces in front of an amount, on its line or the line on its left, without a currency behind them."""
    line = page.lines.of(amount.piece_indices[0])
    front = _without_currency(line[: line.index(amount.piece_indices[0])], page)
    return front or _without_currency(page.lines.left_of(line) or (), page)


def _without_currency(words: Sequence[int], page: PageLabels) -> Sequence[int]:
    """Return pieces without currencies at their end."""
    end = len(words)
    while end and ((text := page.pieces[words[end - 1]].text) in CURRENCY_SIGNS or is_currency(text)):
        end -= 1
    return words[:end]


def _with_missing(
    missing: str, given: Mapping[str, Candidate], changes: Mapping[str, Candidate], page: PageLabels
) -> dict[str, Candidate]:
    """Return the missing amount, or two amounts of which one was taken for the other; {} if none closes."""
    if found := _closing(missing, given, changes, page):
        return {missing: found}
    if missing == TOTAL:
        return {}
    if missing == SUBTOTAL and (larger := _with_larger_total(given[TOTAL], given[TAX], changes, page)):
        return larger
    other = TAX if missing == SUBTOTAL else SUBTOTAL
    moved = replace(given[other], field=missing)
    if found := _closing(other, {missing: moved, TOTAL: given[TOTAL]}, changes, page):
        return {missing: moved, other: found}
    return _with_other_subtotal(given[SUBTOTAL], given[TOTAL], changes, page) if missing == TAX else {}


def _with_larger_total(
    total: Candidate, tax: Candidate, changes: Mapping[str, Candidate], page: PageLabels
) -> dict[str, Candidate]:
    """Return what was taken for the total as the subtotal of a likely total, as in a table of taxes with its sums."""
    subtotal = replace(total, field=SUBTOTAL)
    larger = _closing(TOTAL, {SUBTOTAL: subtotal, TAX: tax}, changes, page, MIN_REPLACING_PROBABILITY)
    return {SUBTOTAL: subtotal, TOTAL: larger} if larger else {}


def _with_other_subtotal(
    subtotal: Candidate, total: Candidate, changes: Mapping[str, Candidate], page: PageLabels
) -> dict[str, Candidate]:
    """Return a tax with a likely subtotal that it makes the total with, such as the one behind discounts.

    A tip makes the total with the sum in front of it, and is no tax.
    """
    likely = likely_amounts(SUBTOTAL, page, set(total.piece_indices))
    for other in sorted(likely, key=lambda one: one.probability, reverse=True):
        tax = _closing(TAX, {SUBTOTAL: other, TOTAL: total}, changes, page) if other.value != subtotal.value else None
        if tax:
            return {SUBTOTAL: at_least(other, CLOSING_PROBABILITY), TAX: tax}
    return {}


def _without_doubtful(
    given: Mapping[str, Candidate], changes: Mapping[str, Candidate], page: PageLabels
) -> dict[str, Candidate]:
    """Return a likely amount in place of the most doubtful one, {} if none closes the sum."""
    doubtful = min(given, key=lambda name: given[name].support)
    others = {name: one for name, one in given.items() if name != doubtful}
    found = _closing(doubtful, others, changes, page, MIN_REPLACING_PROBABILITY)
    return {doubtful: found} if found else {}


def _closing(
    part: str, others: Mapping[str, Candidate], changes: Mapping[str, Candidate], page: PageLabels,
    min_probability: float = 0.0,
) -> Candidate | None:  # fmt: skip
    """Return the likeliest amount of the page that closes the sum with two others; None if there is none."""
    # What is taken for a charge may be the subtotal; a charge or a tip that closes the sum is no tax.
    known_changes = [one for one in changes.values() if part == TAX and one.is_likely]
    taken = {index for one in (*others.values(), *known_changes) for index in one.piece_indices}
    values = {name: one.value for name, one in others.items()}
    likely = likely_amounts(part, page, taken, min_probability)
    closing = [one for one in likely if _closes({**values, part: one.value}, changes)]
    best = max(closing, key=lambda one: one.probability, default=None)
    return at_least(best, CLOSING_PROBABILITY) if best else None


def likely_amounts(
    part: str, page: PageLabels, taken: set[int], min_probability: float = MIN_REPLACING_PROBABILITY
) -> Iterator[Candidate]:
    """Yield the amounts of the page that may be a part of the sum, without those of some pieces."""
    amounts = printed_amounts(part, page, taken, _of_rows(page))
    yield from (one for one in amounts if one.probability >= min_probability)


def printed_amounts(
    name: str, page: PageLabels, taken: Set[int], left_out: NDArray[np.bool_] | None = None
) -> Iterator[Candidate]:
    """Yield the amounts of the page, as values of a field, without those of some pieces. left_out: no number begins."""
    field = page.field(name)
    spans = (span for span in printed_numbers(page.pieces, left_out) if taken.isdisjoint(span))
    yield from filter(None, (candidate_of(field, span, page) for span in spans))


def _is_untaxed(found: Mapping[str, Candidate], document_type: DocumentType) -> bool:
    """Whether a discount, a charge or a tip alone makes the total of the subtotal."""
    return found[SUBTOTAL].value != found[TOTAL].value and _adds_up(found, document_type)


def _adds_up(found: Mapping[str, Candidate], document_type: DocumentType) -> bool:
    given = {name: one.value for name, one in found.items() if one.is_likely}
    return total_adds_up(document_type, given)


def _closes(values: Mapping[str, Decimal], changes: Mapping[str, Candidate]) -> bool:
    """Whether the subtotal and the tax make the total, before or after a discount, a charge and a tip."""
    total, tax = values[TOTAL], values[TAX]
    if tax * total < 0 or not MIN_TAX_SHARE * abs(total) <= abs(tax) <= MAX_TAX_SHARE * abs(total):
        return False
    amounts = (-abs(one.value) if name == SUBTRACTED else abs(one.value) for name, one in changes.items())
    included = product(*((Decimal(0), amount) for amount in amounts))
    return any(values[SUBTOTAL] + tax + sum(some) == total for some in included)


def _of_rows(page: PageLabels) -> NDArray[np.bool_]:
    """Return where a piece belongs to a row of the items, [T]."""
    columns = [field.name for field in page.document_type.fields() if field.group == "line_items"]
    known = (page.probability(name) for name in columns if name in page.numbers)  # an older network knows fewer
    return np.asarray(sum(known, np.zeros(len(page.labels))) > MAX_ROW_PROBABILITY)


def printed_numbers(pieces: Sequence[Piece], left_out: NDArray[np.bool_] | None = None) -> Iterator[Span]:
    """Yield the numbers of a page whole, also those of several groups of digits.

    left_out: where no number begins, [T].
    """
    span: Span = ()
    for index, piece in enumerate(pieces):
        if span and not continues_number(pieces[span[-1]], piece):
            yield whole_amount(span, pieces)
            span = ()
        if span or (piece.text[0].isdigit() and not (left_out is not None and left_out[index])):
            span = (*span, index)
    if span:
        yield whole_amount(span, pieces)
