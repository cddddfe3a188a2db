"""Leaves out rows that are no items, where the sums of the page prove it.

Sums of groups and payments stand between items, and discounts that are in the amount above; payments, overdue invoices
and taxes by rate below the total. Some look like items.
If the others make the total to the cent, these are none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate, combinations

from docextract.documents.base import DocumentType
from docextract.extraction.layout.arithmetic.sums import TOTAL
from docextract.extraction.layout.candidates import Candidate, Candidates
from docextract.extraction.layout.page_evidence import ITEM_SUMS, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import DESCRIPTION
from docextract.extraction.layout.tables.row_products import AMOUNT, PRICE

ITEMS = "line_items"
ItemRow = Mapping[str, Candidate]


def leave_out_other_rows(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates without doubtful rows if then the items make the subtotal or the total that they did not.

    And no other check fails instead. is_part: the document has more pages, of which another may have the total.
    """
    rows = list(candidates.groups.get(ITEMS, ()))
    if len(rows) < 2:
        return candidates
    before = passed_checks(candidates, document_type).keys()
    if ITEM_SUMS & before:
        return candidates
    for doubtful in _doubtful(rows, None if is_part else candidates.fields.get(TOTAL), page):
        kept = [row for at, row in enumerate(rows) if at not in doubtful]
        reduced = replace(candidates, groups={**candidates.groups, ITEMS: kept})
        passed = passed_checks(reduced, document_type).keys()
        if kept and ITEM_SUMS & passed and passed >= before:
            return reduced
    return candidates


def _doubtful(rows: Sequence[ItemRow], total: Candidate | None, page: PageLabels) -> Iterator[frozenset[int]]:
    """Yield the numbers of rows that may be no items, the fewest reasons first."""
    given = total if total and total.is_likely else None
    below = _below(given, rows, page) if given else set()
    paid = _payments(given, rows) if given else set()
    nameless = {at for at, row in enumerate(rows) if DESCRIPTION not in row}
    reasons = [below, paid, _partial_sums(rows), nameless, _credits(rows)]
    some = [frozenset(one) for one in reasons if one]
    for count in range(1, len(some) + 1):
        yield from (frozenset().union(*chosen) for chosen in combinations(some, count))


def _below(total: Candidate, rows: Sequence[ItemRow], page: PageLabels) -> set[int]:
    """Return the rows without a price that are wholly below the total, for which a group's sum may have been taken."""
    bottom = page.box(total.piece_indices)[3]
    tops = [min(page.box(one.piece_indices)[1] for one in row.values()) for row in rows]
    return {at for at, row in enumerate(rows) if PRICE not in row and tops[at] > bottom}


def _payments(total: Candidate, rows: Sequence[ItemRow]) -> set[int]:
    """Return the rows without a price whose amount is the total, as a card pays it above the subtotal."""
    unpriced = {at: row[AMOUNT].value for at, row in enumerate(rows) if PRICE not in row and AMOUNT in row}
    return {at for at, amount in unpriced.items() if amount == total.value}


def _credits(rows: Sequence[ItemRow]) -> set[int]:
    """Return the rows with a negative amount, which may be a discount that the amount above it already has."""
    amounts = {at: row[AMOUNT].value for at, row in enumerate(rows) if AMOUNT in row}
    return {at for at, amount in amounts.items() if isinstance(amount, Decimal) and amount < 0}


def _partial_sums(rows: Sequence[ItemRow]) -> set[int]:
    """Return the rows without a price whose amount is the sum of at least two rows directly in front of them."""
    amounts = [row[AMOUNT].value if AMOUNT in row else None for row in rows]
    return {
        at
        for at, row in enumerate(rows)
        if PRICE not in row and amounts[at] is not None and amounts[at] in list(_sums_before(at, amounts))[1:]
    }


def _sums_before(at: int, amounts: Sequence[Decimal | None]) -> Iterator[Decimal]:
    """Yield the sums of the last one, two, three … amounts in front of a row, up to one that has none."""
    before = reversed(amounts[:at])
    yield from accumulate(iter(lambda: next(before, None), None))
