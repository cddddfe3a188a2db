"""Adds discounts between the items that the network takes for none, where the sums of the page prove them."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from docextract.documents.base import DocumentType, Field
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_evidence import ITEM_SUMS, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.proven_rows import ITEMS, ItemRow
from docextract.extraction.layout.tables.amounts import AmountColumn
from docextract.extraction.layout.tables.cells import DESCRIPTION, PageCells, pieces_of
from docextract.extraction.layout.tables.products import AMOUNT, PROVEN_PROBABILITY, have_product

SUBTOTAL = "subtotal"


def add_discounts(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates with all discounts above the subtotal if the items make it then, and did not before.

    Unlikely single fields of the same print are left out. No other check may fail instead. is_part: the document has
    more pages, which may have the missing rows.
    """
    rows, subtotal = list(candidates.groups.get(ITEMS, ())), candidates.fields.get(SUBTOTAL)
    by_leaf = {field.leaf: field for field in document_type.fields() if field.group == ITEMS}
    if is_part or not rows or not subtotal or subtotal.support < GIVEN_SUPPORT or not have_product(by_leaf):
        return candidates
    before = passed_checks(candidates, document_type).keys()
    if ITEM_SUMS & before:
        return candidates
    given = [one for one in candidates.fields.values() if one.support >= GIVEN_SUPPORT]
    taken = pieces_of([*given, *(one for row in rows for one in row.values())])
    discounts = _discounts(rows, subtotal, taken, by_leaf, page)
    own = pieces_of(one for row in discounts for one in row.values())
    completed = replace(
        candidates,
        fields={name: one for name, one in candidates.fields.items() if own.isdisjoint(one.piece_indices)},
        groups={**candidates.groups, ITEMS: _from_top([*rows, *discounts], page)},
    )
    passed = passed_checks(completed, document_type).keys()
    return completed if discounts and ITEM_SUMS & passed and passed >= before else candidates


def _discounts(
    rows: Sequence[ItemRow], subtotal: Candidate, taken: Set[int], fields: Mapping[str, Field], page: PageLabels
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the negative numbers in the column of amounts, each with the words beside it.

    taken: pieces of other values.
    """
    cells, column = PageCells(page), AmountColumn(rows, (), page)
    found: list[dict[str, Candidate]] = []
    for cell in cells.numbers_between(_top(rows[0], page), page.box(subtotal.piece_indices)[1]):
        words = cells.words_beside(cell)
        if len(words) != 1 or not taken.isdisjoint((*cell, *words[0])) or not column.has(cell, rows[0]):
            continue
        amount, description = (
            candidate_of(fields[AMOUNT], cell, page),
            candidate_of(fields[DESCRIPTION], words[0], page),
        )
        if amount and description and amount.value < 0:
            one = {DESCRIPTION: description, AMOUNT: amount}
            found.append({leaf: at_least(value, PROVEN_PROBABILITY) for leaf, value in one.items()})
    return found


def _from_top(rows: Sequence[ItemRow], page: PageLabels) -> list[ItemRow]:
    return sorted(rows, key=lambda row: _top(row, page))


def _top(row: ItemRow, page: PageLabels) -> float:
    return min(page.box(one.piece_indices)[1] for one in row.values())
