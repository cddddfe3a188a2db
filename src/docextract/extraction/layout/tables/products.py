"""Completes rows whose quantity times price is no amount, by the numbers that are printed beside them.

The network gives a price in an unusual column another leaf, or none. A product of two numbers of a row that is printed
in it too is seldom an accident.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import prod

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import COLUMN_GAP, PageCells, is_one_cell, pieces_of, without_pieces
from docextract.extraction.layout.tables.measures import with_measures
from docextract.extraction.layout.tables.multiplication import without_multiplication
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    FACTORS,
    PRICE,
    PROVEN_PROBABILITY,
    QUANTITY,
    TOLERANCE,
    UNIT,
    has_right_product,
    read_again,
)

MAX_CELLS = 12  # numbers of a row; a line with more is no row of goods
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s?%")


def complete_products(
    rows: Sequence[Mapping[str, Candidate]], fields: Mapping[str, Field], page: PageLabels, cells: PageCells
) -> list[dict[str, Candidate]]:
    """Return the rows with the factor exchanged or added that makes quantity times price the amount.

    fields: of the list, by leaf. Numbers of rows without two of the three, of rows that are right, and of those that
    have a discount stay as they are. Numbers of other rows are not taken.
    """
    counted = [without_multiplication(with_measures(row, fields, page), fields, page) for row in rows]
    moved = _with_own_factors(_with_own_amounts(counted, fields, page), page)
    everything = pieces_of(one for row in moved for one in row.values())
    return [_complete(row, everything - pieces_of(row.values()), fields, page, cells) for row in moved]


def _with_own_amounts(
    rows: Sequence[Mapping[str, Candidate]], fields: Mapping[str, Field], page: PageLabels
) -> list[dict[str, Candidate]]:
    """Take an amount for a price where its product with the quantity is the amount below it.

    "12 × 5.00" / "Issue of May 60.00": the lower line belongs to the upper one, and has no other number. The price
    stands behind the quantity and a sign, or in a column at the left of the amount's; otherwise some goods may cost
    twice as much as others.
    """
    joined: list[dict[str, Candidate]] = []
    for row in rows:
        above = joined[-1] if joined else {}
        if above.keys() & {*FACTORS} == {QUANTITY, AMOUNT} and row.keys() & {*FACTORS} == {AMOUNT}:
            price = replace(above[AMOUNT], field=fields[PRICE].name)
            priced = {**above, PRICE: price, AMOUNT: row[AMOUNT]}
            is_price = _is_behind_sign(price, above, page) or _is_left(price, row[AMOUNT], page)
            if is_price and above[QUANTITY].value not in (0, 1) and has_right_product(priced):
                joined[-1] = priced
                continue
        joined.append(dict(row))
    return joined


def _is_behind_sign(price: Candidate, row: Mapping[str, Candidate], page: PageLabels) -> bool:
    """Whether a price stands behind the quantity and a sign or a word: "12 × 5.00", "12 at 5.00"."""
    between = range(row[QUANTITY].piece_indices[-1] + 1, price.piece_indices[0])
    is_one = is_one_cell((between.start - 1, *between, between.stop), page) if between else False
    taken = pieces_of(one for leaf, one in row.items() if leaf != UNIT)
    signs = [page.pieces[index].text for index in between if index not in pieces_of(row.values())]
    return is_one and taken.isdisjoint(between) and len(signs) == 1 and not any(map(str.isdigit, signs[0]))


def _is_left(one: Candidate, other: Candidate, page: PageLabels) -> bool:
    """Whether a value stands in a column at the left of another one's."""
    (_, top, right, bottom), (left, *_) = (page.box(value.piece_indices) for value in (one, other))
    return left - right > COLUMN_GAP * (bottom - top)


def _with_own_factors(rows: Sequence[Mapping[str, Candidate]], page: PageLabels) -> list[dict[str, Candidate]]:
    """Move quantity, unit and price to the row above where their product is its amount, and not that of their row.

    They stand above the other values of their row: on one line with them, they may cost the same as what is above.
    """
    moved: list[dict[str, Candidate]] = []
    for row in rows:
        own, above = dict(row), moved[-1] if moved else {}
        factors = {leaf: own.pop(leaf) for leaf in (QUANTITY, PRICE, UNIT) if leaf in row}
        may_move = QUANTITY in factors and factors[QUANTITY].value != 0 and not has_right_product(row)
        is_free = AMOUNT in above and above.keys().isdisjoint(factors) and _are_above(factors, own, page)
        if may_move and is_free and has_right_product({**factors, AMOUNT: above[AMOUNT]}):
            above |= factors
            if own:
                moved.append(own)
            continue
        moved.append(dict(row))
    return moved


def _are_above(factors: Mapping[str, Candidate], others: Mapping[str, Candidate], page: PageLabels) -> bool:
    tops = [page.box(one.piece_indices)[1] for one in others.values()]
    boxes = [page.box(one.piece_indices) for one in factors.values()]
    return all((top + bottom) / 2 < other for _, top, _, bottom in boxes for other in tops)


def _complete(
    row: dict[str, Candidate], others: set[int], fields: Mapping[str, Field], page: PageLabels, cells: PageCells
) -> dict[str, Candidate]:
    """others: pieces of other rows."""
    known = {leaf: row[leaf] for leaf in FACTORS if leaf in row}
    if len(known) < len(FACTORS) - 1 or has_right_product(known):
        return row
    numbers = [cell for cell in cells.numbers_beside(known) if others.isdisjoint(cell)]
    if len(known) == len(FACTORS):
        reread = read_again(known, fields, page, numbers)
        if reread or len(numbers) > MAX_CELLS or _has_discount(known, numbers, fields, page, cells):
            return {**row, **reread}
    if len(numbers) > MAX_CELLS:
        return row
    for leaf in FACTORS if len(known) == len(FACTORS) else [one for one in FACTORS if one not in known]:
        rest = {name: one for name, one in known.items() if name != leaf}
        used = pieces_of(rest.values())
        places = numbers if leaf != AMOUNT else _rightmost(numbers, page)
        free = (candidate_of(fields[leaf], cell, page) for cell in places if used.isdisjoint(cell))
        found = [one for one in free if one and _proves(leaf, one, rest, known.get(leaf), page)]
        if len({one.value for one in found}) == 1:
            kept = without_pieces(row, found[0].piece_indices, fields, page)
            return {**kept, leaf: at_least(found[0], PROVEN_PROBABILITY)}
    return row


def _rightmost(numbers: Sequence[Span], page: PageLabels) -> list[Span]:
    """Return the number at the right of all others that are no percentages; the others may be sums before discounts."""
    sums = [cell for cell in numbers if "%" not in page.text(cell)]
    return [max(sums, key=lambda cell: page.box(cell)[0])] if sums else []


def _proves(
    leaf: str, candidate: Candidate, others: Mapping[str, Candidate], before: Candidate | None, page: PageLabels
) -> bool:
    """Whether a number makes the product right, in its place: the amount is at the right of the factors.

    A quantity of one would be proven by every number one, such as the position of the row, and zero by everything. An
    amount is only replaced by one at its right: what is left of it may be the sum before discounts and taxes.
    """
    together = {**others, leaf: candidate}
    if any(one.value == 0 for one in together.values()) or (leaf == QUANTITY and candidate.value == 1):
        return False
    lefts = {name: page.box(one.piece_indices)[0] for name, one in together.items()}
    is_left_of_old = leaf == AMOUNT and before and lefts[AMOUNT] < page.box(before.piece_indices)[0]
    return not is_left_of_old and has_right_product(together) and lefts[AMOUNT] > max(lefts[QUANTITY], lefts[PRICE])


def _has_discount(
    known: Mapping[str, Candidate], numbers: Sequence[Span], fields: Mapping[str, Field], page: PageLabels,
    cells: PageCells,
) -> bool:  # fmt: skip
    """Whether discounts or taxes that are printed in the row explain its amount: as a sum, or as shares."""
    quantity, price, amount = (Decimal(known[leaf].value) for leaf in FACTORS)
    full = quantity * price
    own = pieces_of(known.values())
    others = [cell for cell in numbers if own.isdisjoint(cell)]
    parsed = (fields[AMOUNT].kind.parse(page.text(cell), page.conventions) for cell in others)
    sums = [full + sign * abs(one) for one in parsed if one is not None for sign in (1, -1)]
    shares = [Decimal(one.replace(",", ".")) for text in cells.texts_beside(known) for one in _PERCENT.findall(text)]
    sums += [full * (1 + sign * one / 100) for one in shares for sign in (1, -1)]
    sums.append(full * prod(1 - one / 100 for one in shares))
    return any(abs(one - amount) <= TOLERANCE for one in sums)
