"""Divides a quantity and an amount in one cell that were taken for thousands, where the sums of the page prove it.

"2 450,00" is two thousand, or two for 450.00 together.
"""

from collections.abc import Mapping
from dataclasses import replace

from docextract.documents.base import DocumentType, Field
from docextract.extraction.layout.arithmetic.proven_rows import ITEMS, ItemRow
from docextract.extraction.layout.candidates import Candidates, candidate_of
from docextract.extraction.layout.digit_groups import continues_number
from docextract.extraction.layout.page_evidence import ITEM_SUMS, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.row_products import AMOUNT, PRICE, QUANTITY, have_product


def split_amounts(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates with the first digits of all such amounts as quantities, if then the items make their sum.

    They did not before, and no other check fails instead. is_part: the document has more pages, which may have other
    items.
    """
    fields = page.row_fields.get(ITEMS, {})
    rows = candidates.groups.get(ITEMS, ())
    if is_part or not have_product(fields):
        return candidates
    divided = [_divided(row, fields, page) for row in rows]
    before = passed_checks(candidates, document_type).keys()
    if divided == list(rows) or ITEM_SUMS & before:
        return candidates
    changed = replace(candidates, groups={**candidates.groups, ITEMS: divided})
    passed = passed_checks(changed, document_type).keys()
    return changed if ITEM_SUMS & passed and passed >= before else candidates


def _divided(row: ItemRow, fields: Mapping[str, Field], page: PageLabels) -> ItemRow:
    """Return a row without quantity and price whose amount is two groups of digits, with the first one as quantity."""
    first, *rest = row[AMOUNT].piece_indices if AMOUNT in row else (0,)
    if not rest or row.keys() & {QUANTITY, PRICE} or not continues_number(page.pieces[first], page.pieces[rest[0]]):
        return row
    quantity = candidate_of(fields[QUANTITY], (first,), page)
    amount = candidate_of(fields[AMOUNT], tuple(rest), page)
    return {**row, QUANTITY: quantity, AMOUNT: amount} if quantity and amount else row
