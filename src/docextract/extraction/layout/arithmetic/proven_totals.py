"""Takes the total that other amounts of the page make, where the network takes another sum for it.

Tills print the sum of what is taxed, without deposits, as large as the total: "Suma su PVM". Restaurants print a total
before the tip, and another one behind it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from docextract.documents.base import SUM_PARTS
from docextract.extraction.layout.arithmetic.proven_payments import (
    PAID_AMOUNTS,
    PAYMENTS,
    are_amounts,
    paid_without_change,
)
from docextract.extraction.layout.arithmetic.proven_rows import ITEMS
from docextract.extraction.layout.arithmetic.sums import (
    CLOSING_PROBABILITY,
    SUBTOTAL,
    TAX,
    TOTAL,
    likely_amounts,
    printed_amounts,
)
from docextract.extraction.layout.arithmetic.tips import TIP, possible_tips
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least
from docextract.extraction.layout.page_evidence import ITEM_SUMS, MAKE_TOTAL, in_right_sums, passed_checks
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import pieces_of
from docextract.extraction.layout.tables.row_products import AMOUNT


def take_paid_total(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the likely amount for the total that was paid, if the total is another.

    The items make it, too, or the other total and its tax, without a subtotal: then that was the sum before tax. A
    subtotal that makes the other total with the tax is left out. A total that the items make with a tax, a tip or a
    discount stays: a card may pay before the tip is known. is_part: the document has more pages, which may have other
    items.
    """
    if is_part or not are_amounts((*PAID_AMOUNTS, SUBTOTAL, TAX, f"{ITEMS}.{AMOUNT}"), page.document_type):
        return candidates
    total, paid = candidates.fields.get(TOTAL), paid_without_change(candidates)
    if total is None or paid is None or paid == total.value:
        return candidates
    is_tip = paid - total.value in possible_tips(candidates)
    is_after_tax = paid == _with_tax(total, candidates) and _sum_of_items(candidates) != total.value
    if is_after_tax and not is_tip and not _is_given(SUBTOTAL, candidates):
        return _with_total_after_tax(candidates, total, paid, page)
    if _sum_of_items(candidates) != paid:
        return candidates
    passed = passed_checks(candidates, page.document_type)
    if ITEM_SUMS & passed.keys() and TOTAL in in_right_sums(passed):
        return candidates
    taken = pieces_of(one for rows in candidates.groups.values() for row in rows for one in row.values())
    right = [one for one in likely_amounts(TOTAL, page, taken) if one.value == paid]
    if not right:
        return candidates
    fields = {name: one for name, one in candidates.fields.items() if name != SUBTOTAL or not _makes(total, candidates)}
    return replace(candidates, fields=fields | {TOTAL: _proven(right)})


def _with_total_after_tax(candidates: Candidates, before: Candidate, paid: Decimal, page: PageLabels) -> Candidates:
    """Return the candidates with the printed amount that was paid as the total, which may be that of the only item.

    The payment itself proves nothing: the tax may be as much as the change.
    """
    paying = pieces_of(one for row in candidates.groups[PAYMENTS] for one in row.values())
    right = [one for one in printed_amounts(TOTAL, page, paying) if one.value == paid]
    if not right:
        return candidates
    sums = {SUBTOTAL: replace(before, field=SUBTOTAL), TOTAL: _proven(right)}
    return replace(candidates, fields={**candidates.fields, **sums})


def _proven(amounts: Sequence[Candidate]) -> Candidate:
    """Return the likeliest of some places of a proven amount."""
    return at_least(max(amounts, key=lambda one: one.probability), CLOSING_PROBABILITY)


def take_total_with_tip(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the tip that makes a likely total with the subtotal and the tax, and this total.

    Without a subtotal, a given tip makes it with the total before the tip. What was paid without a tip is a total that
    stays: the tip is a suggestion. is_part: the document has more pages, which may have payments.
    """
    total = candidates.fields.get(TOTAL)
    if is_part or not are_amounts((*PAID_AMOUNTS, SUBTOTAL, TAX, TIP), page.document_type):
        return candidates
    if total is None or not total.is_likely or paid_without_change(candidates) == total.value:
        return candidates
    before = passed_checks(candidates, page.document_type).keys()
    if MAKE_TOTAL in before and len(possible_tips(candidates)) > 1:
        return candidates
    found: dict[tuple[Decimal, Decimal], Candidates] = {}
    for fields in _with_tips(total, candidates, MAKE_TOTAL in before, page):
        values = fields[TIP].value, fields[TOTAL].value
        if values in found:
            continue
        changed = replace(candidates, fields={**candidates.fields, **fields})
        passed = passed_checks(changed, page.document_type).keys()
        if passed >= before and (MAKE_TOTAL in passed or not _is_given(SUBTOTAL, candidates)):
            found[values] = changed
    return next(iter(found.values())) if len(found) == 1 else candidates


def _with_tips(
    total: Candidate, candidates: Candidates, is_sum: bool, page: PageLabels
) -> Iterator[dict[str, Candidate]]:
    """Yield the likely tips, each with a likely total that may have it. is_sum: the total is right without a tip."""
    in_rows = pieces_of(one for rows in candidates.groups.values() for row in rows for one in row.values())
    given = {name: one for name, one in candidates.fields.items() if name in SUM_PARTS and _is_given(name, candidates)}
    taken = in_rows | pieces_of(given.values())
    known = candidates.fields.get(TIP)
    tips = [known] if known and _is_given(TIP, candidates) else list(likely_amounts(TIP, page, taken))
    if SUBTOTAL not in given and not _is_given(TIP, candidates):
        return
    totals = list(likely_amounts(TOTAL, page, taken)) if tips else []
    for tip in tips:
        larger = (one for one in totals if one.value == total.value + tip.value)
        for one in (*larger, *(() if is_sum or SUBTOTAL not in given else (total,))):
            if tip.value > 0 and not set(tip.piece_indices) & set(one.piece_indices):
                yield {name: at_least(value, CLOSING_PROBABILITY) for name, value in ((TIP, tip), (TOTAL, one))}


def _is_given(name: str, candidates: Candidates) -> bool:
    one = candidates.fields.get(name)
    return one is not None and one.is_likely


def _sum_of_items(candidates: Candidates) -> Decimal | None:
    """Return the sum of at least two items; None if there are fewer, or if one has no amount."""
    amounts = [row[AMOUNT].value for row in candidates.groups.get(ITEMS, ()) if AMOUNT in row]
    is_whole = len(amounts) > 1 and len(amounts) == len(candidates.groups[ITEMS])
    return sum(amounts, Decimal(0)) if is_whole else None


def _makes(total: Candidate, candidates: Candidates) -> bool:
    """Whether subtotal and tax make a total."""
    subtotal, tax = candidates.fields.get(SUBTOTAL), candidates.fields.get(TAX)
    return bool(subtotal and tax and subtotal.value + tax.value == total.value)


def _with_tax(subtotal: Candidate, candidates: Candidates) -> Decimal | None:
    """Return what an amount and the given tax are together."""
    tax = candidates.fields.get(TAX)
    return subtotal.value + tax.value if tax and tax.is_likely else None
