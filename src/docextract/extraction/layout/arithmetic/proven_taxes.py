"""Completes the rows of a table of taxes by what they compute, where the network misses numbers of them.

Tables of taxes print their rates with and without "%", and their columns in any order. A rate, an amount and its tax on
one row of the page are hardly ever there by chance, if the amounts of all such rows make the total together.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import permutations, product
from math import prod

from docextract.documents.base import DocumentType, Field
from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.arithmetic.proven_payments import PAYMENTS, are_amounts
from docextract.extraction.layout.arithmetic.sums import (
    CLOSING_PROBABILITY,
    SUBTOTAL,
    TAX,
    TOTAL,
    printed_amounts,
    printed_numbers,
    words_in_front,
)
from docextract.extraction.layout.arithmetic.tips import TIP, possible_tips
from docextract.extraction.layout.candidates import Candidate, Candidates, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import pieces_of
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    NET,
    PROVEN_PROBABILITY,
    RATE,
    ROUNDING_WITHOUT_CENTS,
    TAX_FACTORS,
    TOLERANCE,
)

TAXES = "taxes"
RATE_AND_TAX = (RATE, AMOUNT)
MAX_RATE = 30  # percent
MAX_TAX_ROWS = 8  # with a tax each
MAX_COMBINATIONS = 1000  # of the readings of all rows; rows of small whole numbers have many each
MAX_NUMBERS = 6  # of a row: a class, a rate, and amounts before, of and after tax
MAX_ROUNDING = Decimal("0.05")  # of the total: to the smallest coin
_PERCENT = "%"


@dataclass(frozen=True)
class _TaxRow:
    """A printed row that computes a tax: its values, the amount after tax, and all pieces of the row."""

    values: Mapping[str, Candidate]
    gross: Decimal
    pieces: frozenset[int]
    relations: int  # between its numbers

    @property
    def tax(self) -> tuple[object, object]:
        """The rate and the tax."""
        return self.values[RATE].value, self.values[AMOUNT].value


def complete_taxes(
    candidates: Candidates, document_type: DocumentType, page: PageLabels, is_part: bool = False
) -> Candidates:
    """Return the candidates with all numbers of the rows of taxes, if their amounts after tax make the total.

    Rows of other print stay as they are. Without any, percentages of the subtotal may be taxes. On types with payments,
    the net amount of such a row is no subtotal. is_part: the document has more pages, which may have taxes of the same
    total.
    """
    fields = page.row_fields.get(TAXES, {})
    total = candidates.fields.get(TOTAL)
    if is_part or {*TAX_FACTORS} - fields.keys() or total is None or not total.is_likely:
        return candidates
    if not are_amounts((TOTAL, f"{TAXES}.{NET}", f"{TAXES}.{AMOUNT}"), document_type):
        return candidates
    readings = _tax_rows(candidates, fields, page)
    is_table = 0 < len(readings) <= MAX_TAX_ROWS and prod(map(len, readings)) <= MAX_COMBINATIONS
    making_total = [some for some in product(*readings) if _make_total(some, candidates)] if is_table else []
    if len(making_total) != 1:
        added = [] if candidates.groups.get(TAXES) else _taxes_on_subtotal(candidates, fields, page)
        return replace(candidates, groups={**candidates.groups, TAXES: added}) if added else candidates
    (proven,) = making_total
    of_table = frozenset().union(*(row.pieces for row in proven))
    others = [row for row in candidates.groups.get(TAXES, ()) if of_table.isdisjoint(pieces_of(row.values()))]
    rows = sorted([*others, *(row.values for row in proven)], key=lambda row: _top(row, page))
    fields_left = _without_net_subtotal(candidates, proven, page)
    return replace(candidates, fields=fields_left, groups={**candidates.groups, TAXES: rows})


def take_total_tax(candidates: Candidates, page: PageLabels, is_part: bool = False) -> Candidates:
    """Return the candidates with the printed sum of several taxes as the total tax, where none is likely.

    It is not zero if one of them is not: that is the tax of another rate. is_part: the document has more pages, which
    may have other taxes.
    """
    if not are_amounts((TAX, f"{TAXES}.{AMOUNT}"), page.document_type):
        return candidates
    rows = candidates.groups.get(TAXES, ())
    taxes = sum((row[AMOUNT].value for row in rows if AMOUNT in row), Decimal(0))
    known = candidates.fields.get(TAX)
    if known and not known.value and taxes:
        others = {name: one for name, one in candidates.fields.items() if name != TAX}
        candidates, known = replace(candidates, fields=others), None
    if is_part or len(rows) < 2 or not all(AMOUNT in row for row in rows) or (known and known.is_likely):
        return candidates
    decimals = max(_decimals(row[AMOUNT]) for row in rows)
    printed = printed_amounts(TAX, page, candidates.likely_pieces())
    right = [one for one in printed if one.value == taxes and _decimals(one) == decimals]
    best = max(right, key=lambda one: one.probability, default=None)
    fields = {TAX: at_least(best, CLOSING_PROBABILITY)} if best and taxes else {}
    return replace(candidates, fields={**candidates.fields, **fields})


def _tax_rows(candidates: Candidates, fields: Mapping[str, Field], page: PageLabels) -> list[list[_TaxRow]]:
    """Return the readings of each printed row that may compute a tax and has no value of other lists.

    A percentage and a tax that is in the total make a row if no row has a net amount and no other list of taxes is
    known: "VAT 24 % 3.25". A tip of 10 % is as much of the total behind it.
    """
    lists = [rows for group, rows in candidates.groups.items() if group != TAXES]
    taken = {index for rows in lists for row in rows for index in pieces_of(row.values())}
    numbers = list(printed_numbers(page.pieces))
    free = [row for row in page.lines.rows if taken.isdisjoint(row)]
    rows = [(row, [span for span in numbers if span[0] in row]) for row in free]
    with_base = [_readings(row, own, fields, page) for row, own in rows if len(TAX_FACTORS) <= len(own) <= MAX_NUMBERS]
    total = candidates.fields[TOTAL].value
    others = {index for name, one in candidates.fields.items() if name != TAX for index in one.piece_indices}
    known = candidates.groups.get(TAXES)
    alone = [] if known else [(row, own) for row, own in rows if len(own) == len(RATE_AND_TAX)]
    of_total = [_readings_of_total(row, own, total, fields, page) for row, own in alone if others.isdisjoint(row)]
    return [some for some in with_base if some] or [some for some in of_total if some]


def _taxes_on_subtotal(
    candidates: Candidates, fields: Mapping[str, Field], page: PageLabels
) -> list[Mapping[str, Candidate]]:
    """Return the printed rows of a percentage and its share of the subtotal, if these taxes make the total with it.

    Such as "GST 5% 4.49" and "QST 9.975% 8.95". Other numbers may be between the two: that of the registration. A
    charge for service may be taxed, too. [] if they do not make the total.
    """
    subtotal = candidates.fields.get(SUBTOTAL)
    if subtotal is None or not subtotal.is_likely or not are_amounts((SUBTOTAL,), page.document_type):
        return []
    total, tips = candidates.fields[TOTAL].value, possible_tips(candidates)
    others = {index for name, one in candidates.fields.items() if name != TAX for index in one.piece_indices}
    in_rows = {index for rows in candidates.groups.values() for row in rows for index in pieces_of(row.values())}
    numbers = [span for span in printed_numbers(page.pieces) if others.isdisjoint(span) and in_rows.isdisjoint(span)]
    for base in {subtotal.value + tip for tip in tips}:
        rows = [_share_of(base, row, numbers, fields, page) for row in page.lines.rows]
        taxes = [row for row in rows if row]
        sums = [subtotal.value + tip + sum(row[AMOUNT].value for row in taxes) for tip in tips]
        if taxes and total in sums:
            return taxes
    return []


def _share_of(
    base: Decimal, row: frozenset[int], numbers: Sequence[Span], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate] | None:
    """Return the rate and the tax of a row with one percentage, whose last number is this share of an amount."""
    own = [span for span in numbers if span[0] in row]
    shares = [whole for span in own if (whole := _with_percent(span, page)) != span]
    if len(shares) != 1 or len(own) < len(RATE_AND_TAX) or own[-1][0] in shares[0] or _has_label_of_tip(row, page):
        return None
    rate, tax = candidate_of(fields[RATE], shares[0], page), candidate_of(fields[AMOUNT], own[-1], page)
    if not (rate and tax) or not 0 < rate.value <= MAX_RATE or not tax.value > 0:
        return None
    return _proven({RATE: rate, AMOUNT: tax}) if _is_near(tax, base * rate.value / 100) else None


def _readings(
    row: frozenset[int], numbers: Sequence[Span], fields: Mapping[str, Field], page: PageLabels
) -> list[_TaxRow]:
    """Return what the numbers of a row may compute, with as many relations between them as there are in any reading.

    One rate may be exchanged with its amount: 21 % of 10.00 are 10 % of 21.00.
    """
    rates = [candidate_of(fields[RATE], _with_percent(span, page), page) for span in numbers]
    if not any(rate and 0 < rate.value <= MAX_RATE for rate in rates):
        return []
    nets, taxes = ([candidate_of(fields[leaf], span, page) for span in numbers] for leaf in (NET, AMOUNT))
    readings = []
    for places in permutations(range(len(numbers)), 3):
        rate, base, tax = (some[at] for some, at in zip((rates, nets, taxes), places, strict=True))
        others = [net for at, net in enumerate(nets) if net and at not in places]
        if rate and base and tax and (one := _reading({RATE: rate, NET: base, AMOUNT: tax}, others, row)):
            readings.append(one)
    most = max((one.relations for one in readings), default=0)
    return list({(*one.tax, one.gross): one for one in readings if one.relations == most}.values())


def _reading(values: Mapping[str, Candidate], others: Sequence[Candidate], row: frozenset[int]) -> _TaxRow | None:
    """Return the row of which some numbers are the rate, the amount before or after tax, and the tax.

    others: the other amounts of the row.
    """
    rate, base, tax = (values[leaf] for leaf in (RATE, NET, AMOUNT))
    if not 0 < rate.value <= MAX_RATE or not 0 < tax.value < base.value or _decimals(base) != _decimals(tax):
        return None
    if _is_near(tax, base.value * rate.value / 100):
        gross = base.value + tax.value
        return _TaxRow(_proven(values), gross, row, 2 + any(one.value == gross for one in others))
    if _is_near(tax, base.value * rate.value / (100 + rate.value)):
        return _TaxRow(_proven({leaf: values[leaf] for leaf in RATE_AND_TAX}), base.value, row, 1)
    return None


def _proven(values: Mapping[str, Candidate]) -> dict[str, Candidate]:
    return {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in values.items()}


def _readings_of_total(
    row: frozenset[int], numbers: Sequence[Span], total: Decimal, fields: Mapping[str, Field], page: PageLabels
) -> list[_TaxRow]:
    """Return the row if its numbers are a percentage and the tax of this rate that the total has in it.

    What may as well be this share of the total is a discount, and what has the label of a tip or of service is none.
    """
    first = _with_percent(numbers[0], page)
    rate, tax = candidate_of(fields[RATE], first, page), candidate_of(fields[AMOUNT], numbers[1], page)
    if first == numbers[0] or not (rate and tax) or not 0 < rate.value <= MAX_RATE:
        return []
    is_in_total = _is_near(tax, total * rate.value / (100 + rate.value))
    if not is_in_total or _is_near(tax, total * rate.value / 100) or _has_label_of_tip(row, page):
        return []
    return [_TaxRow(_proven({RATE: rate, AMOUNT: tax}), total, row, 1)]


def _decimals(amount: Candidate) -> int:
    return -int(amount.value.as_tuple().exponent)


def _is_near(tax: Candidate, computed: Decimal) -> bool:
    """Whether a tax is the computed one, to the smallest unit that it is printed in: "5.00" has cents."""
    return bool(abs(tax.value - computed) <= (TOLERANCE if _decimals(tax) > 0 else ROUNDING_WITHOUT_CENTS))


def _has_label_of_tip(row: frozenset[int], page: PageLabels) -> bool:
    """Whether the words of a row are a label of a tip or of service: "Service 10 % 6.92"."""
    words = [index for index in sorted(row) if not any(map(str.isdigit, page.pieces[index].text))]
    return any(is_caption(page.text(words[at:]), f"{TIP}_label", "service_label") for at in range(len(words)))


def _with_percent(span: Span, page: PageLabels) -> Span:
    """Include the sign directly behind a rate."""
    behind = span[-1] + 1
    is_sign = behind < len(page.pieces) and page.pieces[behind].text == _PERCENT
    return (*span, behind) if is_sign and page.pieces[behind].line == page.pieces[span[-1]].line else span


def _make_total(rows: Sequence[_TaxRow], candidates: Candidates) -> bool:
    """Whether amounts after tax make the total, which may be rounded and have a tip that is not taxed."""
    total = candidates.fields[TOTAL].value
    tips = possible_tips(candidates)
    return any(abs(sum((row.gross for row in rows), tip) - total) <= MAX_ROUNDING for tip in tips)


def _without_net_subtotal(
    candidates: Candidates, proven: Sequence[_TaxRow], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return the single fields without a subtotal that is the net amount of a tax, on types with payments.

    What is behind the label of a subtotal stays: "Subtotal 29.72 Tax 9% 2.68".
    """
    subtotal = candidates.fields.get(SUBTOTAL)
    nets = pieces_of(row.values[NET] for row in proven if NET in row.values)
    if subtotal is None or PAYMENTS not in page.row_fields or nets.isdisjoint(subtotal.piece_indices):
        return candidates.fields
    if is_caption(page.text(words_in_front(subtotal, page)), "subtotal_label"):
        return candidates.fields
    return {name: one for name, one in candidates.fields.items() if name != SUBTOTAL}


def _top(row: Mapping[str, Candidate], page: PageLabels) -> float:
    return min(page.box(one.piece_indices)[1] for one in row.values())
