"""Adds discounts and deposits between the items, where the sums of the page prove them.

The network takes discounts for none, and rows with a name that it does not know, such as "PANTTI", for no rows.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from docextract.documents.base import DocumentType, Field
from docextract.extraction.layout.arithmetic.proven_rows import ITEMS, ItemRow
from docextract.extraction.layout.arithmetic.sums import SUBTOTAL, TOTAL
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_evidence import ITEM_SUMS, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.amounts import AmountColumn
from docextract.extraction.layout.tables.cells import DESCRIPTION, PageCells
from docextract.extraction.layout.tables.row_products import AMOUNT, PROVEN_PROBABILITY, have_product

MIN_PRICE_PROBABILITY = 0.3  # of a positive amount, that it is one of an item


def add_missed_rows(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates with all missed rows above the subtotal if the items make it then, and did not before.

    Without a subtotal, those above the total. Unlikely single fields of the same print are left out. No other check may
    fail instead. is_part: the document has more pages, which may have the missing rows.
    """
    rows = list(candidates.groups.get(ITEMS, ()))
    by_leaf = page.row_fields.get(ITEMS, {})
    sums = [candidates.fields[name] for name in (SUBTOTAL, TOTAL) if name in candidates.fields]
    below = next((one for one in sums if one.is_likely), None)
    if is_part or not rows or below is None or DESCRIPTION not in by_leaf or not have_product(by_leaf):
        return candidates
    before = passed_checks(candidates, document_type).keys()
    if ITEM_SUMS & before:
        return candidates
    missed, first = _missed(rows, below, candidates.likely_pieces(), by_leaf, page), _top(rows[0], page)
    for some in ([row for row in missed if _top(row, page) > first], missed):
        completed = candidates.with_rows(ITEMS, some)
        in_order = sorted(completed.groups[ITEMS], key=lambda row: _top(row, page))
        completed = replace(completed, groups={**completed.groups, ITEMS: in_order})
        passed = passed_checks(completed, document_type).keys()
        if some and ITEM_SUMS & passed and passed >= before:
            return completed
    return candidates


def _missed(
    rows: Sequence[ItemRow], below: Candidate, taken: Set[int], fields: Mapping[str, Field], page: PageLabels
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the likely numbers in the column of amounts, and negative ones above a subtotal, with words beside them.

    They may be above the first row. What is negative above the total alone may round it; what is likelier a tax or a
    tip is no item, but what looks like another total is. below: the sum above which they stand. taken: pieces of other
    values.
    """
    cells, column = PageCells(page), AmountColumn(rows, (), page)
    found: list[dict[str, Candidate]] = []
    for cell in cells.numbers_between(0, page.box(below.piece_indices)[1]):
        words = cells.words_beside(cell)
        if len(words) != 1 or not taken.isdisjoint((*cell, *words[0])) or not column.has(cell, rows[0]):
            continue
        amount, description = (
            candidate_of(fields[AMOUNT], cell, page),
            candidate_of(fields[DESCRIPTION], words[0], page),
        )
        if amount is None or description is None or amount.value == below.value:
            continue
        is_discount = amount.value < 0 and below.field == SUBTOTAL
        is_price = amount.probability >= MIN_PRICE_PROBABILITY and not _are_of_other_sums(cell, page)
        if is_discount or is_price:
            one = {DESCRIPTION: description, AMOUNT: amount}
            found.append({leaf: at_least(value, PROVEN_PROBABILITY) for leaf, value in one.items()})
    return found


def _are_of_other_sums(cell: Span, page: PageLabels) -> bool:
    """Whether a number is likelier a single field than an amount of a row, except a total."""
    return any(page.are_of_single_fields[index] and page.likeliest_field(index) != TOTAL for index in cell)


def _top(row: ItemRow, page: PageLabels) -> float:
    return min(page.box(one.piece_indices)[1] for one in row.values())
