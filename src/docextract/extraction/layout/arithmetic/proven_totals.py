"""Takes the total that both the items and the payments make, where the network takes another sum for it.

Tills print the sum of what is taxed, without deposits, as large as the total: "Suma su PVM".
"""

from dataclasses import replace
from decimal import Decimal

from docextract.extraction.layout.arithmetic.proven_payments import PAID_AMOUNTS, are_amounts, paid_without_change
from docextract.extraction.layout.arithmetic.proven_rows import ITEMS
from docextract.extraction.layout.arithmetic.sums import CLOSING_PROBABILITY, SUBTOTAL, TAX, TOTAL, likely_amounts
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least
from docextract.extraction.layout.page_evidence import ITEM_SUMS, in_right_sums, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import pieces_of
from docextract.extraction.layout.tables.row_products import AMOUNT


def take_paid_total(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the likely amount for the total that items and payments make, if the total is another.

    A subtotal that makes the other total with the tax is left out. A total that the items make with a tax, a tip or a
    discount stays: a card may pay before the tip is known. is_part: the document has more pages, which may have other
    items.
    """
    if is_part or not are_amounts((*PAID_AMOUNTS, SUBTOTAL, TAX, f"{ITEMS}.{AMOUNT}"), page.document_type):
        return candidates
    total, paid = candidates.fields.get(TOTAL), paid_without_change(candidates)
    if total is None or paid is None or paid == total.value or _sum_of_items(candidates) != paid:
        return candidates
    passed = passed_checks(candidates, page.document_type)
    if ITEM_SUMS & passed.keys() and TOTAL in in_right_sums(passed):
        return candidates
    taken = pieces_of(one for rows in candidates.groups.values() for row in rows for one in row.values())
    right = [one for one in likely_amounts(TOTAL, page, taken) if one.value == paid]
    if not right:
        return candidates
    fields = {name: one for name, one in candidates.fields.items() if name != SUBTOTAL or not _makes(total, candidates)}
    best = max(right, key=lambda one: one.probability)
    return replace(candidates, fields=fields | {TOTAL: at_least(best, CLOSING_PROBABILITY)})


def _sum_of_items(candidates: Candidates) -> Decimal | None:
    """Return the sum of at least two items; None if there are fewer, or if one has no amount."""
    amounts = [row[AMOUNT].value for row in candidates.groups.get(ITEMS, ()) if AMOUNT in row]
    is_whole = len(amounts) > 1 and len(amounts) == len(candidates.groups[ITEMS])
    return sum(amounts, Decimal(0)) if is_whole else None


def _makes(total: Candidate, candidates: Candidates) -> bool:
    """Whether subtotal and tax make a total."""
    subtotal, tax = candidates.fields.get(SUBTOTAL), candidates.fields.get(TAX)
    return bool(subtotal and tax and subtotal.value + tax.value == total.value)
