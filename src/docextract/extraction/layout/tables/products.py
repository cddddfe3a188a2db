"""Completes rows whose quantity times price is no amount, by the numbers that are printed beside them.

The network gives a price in an unusual column another leaf, or none. A product of two numbers of a row that is printed
in it too is seldom an accident.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count, takewhile
from math import prod

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import (
    DESCRIPTION,
    PageCells,
    in_one_cell,
    is_one_cell,
    pieces_of,
    without_pieces,
)
from docextract.extraction.layout.tables.descriptions import UNITS

UNIT = "unit"
FACTORS = QUANTITY, PRICE, AMOUNT = ("quantity", "unit_price", "amount")  # the product of the first two is the third
NET, RATE = "net_amount", "rate"
TAX_FACTORS = (NET, RATE, AMOUNT)  # of a row of taxes
PROVEN_PROBABILITY = 0.9  # of a value that makes the product right
COUNTED_PROBABILITY = 0.6  # of a number behind a sign of multiplication
MIN_COUNTED_PIECES = 3  # of a description with such a number: "Tea x 4"
TOLERANCE = Decimal("0.01")  # of the product
ROUNDING, ROUNDING_WITHOUT_CENTS = Decimal("0.02"), Decimal("0.5")  # differences that contradict nothing
COLUMN_GAP = 3.0  # heights between two columns
MAX_CELLS = 12  # numbers of a row; a line with more is no row of goods
_PER = "/"
TIMES, _CAPITAL = frozenset("x×*"), "X"  # a capital may be a part of a name: "iPhone X"
_MISREAD_LITRES = "1"
_DECIMALS = re.compile(r"\d+[.,]\d{1,3}")
_THOUSANDS = re.compile(r"\D*\d{1,3}[.,]\d{3}\D*")  # or three decimals
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?:[.,]\d\d)?")
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s?%")


def have_product(fields: Mapping[str, Field]) -> bool:
    """Whether the rows of a list have a quantity, a price and an amount, by leaf."""
    kinds = [fields[leaf].kind.name if leaf in fields else "" for leaf in FACTORS]
    return kinds[0] in ("number", "integer") and kinds[1:] == ["currency", "currency"]


def complete_products(
    rows: Sequence[Mapping[str, Candidate]], fields: Mapping[str, Field], page: PageLabels, cells: PageCells
) -> list[dict[str, Candidate]]:
    """Return the rows with the factor exchanged or added that makes quantity times price the amount.

    fields: of the list, by leaf. Numbers of rows without two of the three, of rows that are right, and of those that
    have a discount stay as they are. Numbers of other rows are not taken.
    """
    litres = [_with_misread_litres(row, fields, page) for row in rows]
    measured = [_with_attached_unit(_with_measured_quantity(row, fields, page), fields, page) for row in litres]
    counted = [_without_multiplication(_with_nearest_unit(row, fields, page), fields, page) for row in measured]
    moved = _with_own_factors(_with_own_amounts(counted, fields, page), page)
    everything = pieces_of(one for row in moved for one in row.values())
    return [_complete(row, everything - pieces_of(row.values()), fields, page, cells) for row in moved]


def _with_measured_quantity(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row with quantity and price exchanged if the price is measured: "42,18 l x 1,639".

    Both have decimals; "1,50 l x 6" may be the size of one piece.
    """
    if {QUANTITY, PRICE} - row.keys():
        return row
    first, second = row[PRICE].piece_indices, row[QUANTITY].piece_indices
    between = tuple(range(first[-1] + 1, second[0]))
    texts = [page.pieces[index].text.lower() for index in between]
    is_measured = len(texts) == 2 and texts[0] in UNITS and texts[1] in TIMES | {"@"}
    span = (*first, *between, *second)
    if not is_measured or row[QUANTITY].content.isdigit() or not is_one_cell(span, page):
        return row
    places = {QUANTITY: first, PRICE: second} | ({UNIT: between[:1]} if UNIT in fields and UNIT not in row else {})
    found = {leaf: candidate_of(fields[leaf], place, page) for leaf, place in places.items()}
    if not (found[QUANTITY] and found[PRICE]):
        return row
    rest = without_pieces({leaf: one for leaf, one in row.items() if leaf not in places}, span, fields, page)
    return rest | {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in found.items() if one}


def _with_misread_litres(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row with the quantity in front of litres that were read as 1: "31,05 1 x 1,624" for "31,05 l x 1,624".

    Only where the product of the numbers around is the amount. The unit is left out.
    """
    unit = row[QUANTITY].piece_indices if QUANTITY in row else ()
    if len(unit) != 1 or AMOUNT not in row or page.text(unit) != _MISREAD_LITRES:
        return row
    span = tuple(range(unit[0] - 1, unit[0] + 3))
    line = page.lines.of(unit[0])
    if span[0] not in line or span[-1] not in line or page.pieces[span[2]].text not in TIMES | {_CAPITAL}:
        return row
    places = {QUANTITY: span[:1], PRICE: span[-1:]}
    texts = [page.text(place) for place in places.values()]
    found = {leaf: candidate_of(fields[leaf], place, page) for leaf, place in places.items()}
    factors = {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in found.items() if one}
    known = {**factors, AMOUNT: row[AMOUNT]}
    if len(known) < len(FACTORS) or not all(map(_DECIMALS.fullmatch, texts)):
        return row
    reread = _read_again(known, fields, page, ())
    if not (has_right_product(known) or reread):
        return row
    rest = without_pieces({leaf: one for leaf, one in row.items() if leaf not in places}, span, fields, page)
    return {**rest, **factors, **reread}


def _with_attached_unit(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row whose description is without what is attached to its factors: "0,812kg*29,90kr/kg", "2st*49,95".

    A word behind the quantity is its unit in front of a sign of multiplication, and behind decimals if it is a known
    unit; others are names without a space: "2Tea", "1.00Flat White". Behind a price it is one only with a stroke: in
    "Paste 5.2OZ" the network may take the size for a price.
    """
    words = set(row[DESCRIPTION].piece_indices) if DESCRIPTION in row else set()
    units = {leaf: _attached_unit(leaf, row[leaf], page) for leaf in (QUANTITY, PRICE) if leaf in row}
    attached = words & {index for span in units.values() for index in span}
    rest = without_pieces(row, attached, fields, page) if attached else row
    if DESCRIPTION not in rest:
        return row
    unit = tuple(index for index in units.get(QUANTITY, ()) if index in attached)
    found = candidate_of(fields[UNIT], unit, page) if unit and UNIT in fields and UNIT not in row else None
    return {**rest, UNIT: at_least(found, COUNTED_PROBABILITY)} if found else rest


def _attached_unit(leaf: str, number: Candidate, page: PageLabels) -> Span:
    """Return the pieces directly behind a factor that are its unit; () if there are none."""
    last, pieces = number.piece_indices[-1], page.pieces
    behind = takewhile(lambda at: at < len(pieces) and pieces[at].line == pieces[last].line, count(last + 1))
    word = tuple(takewhile(lambda at: not pieces[at].space_before and not pieces[at].text[0].isdigit(), behind))
    unit = tuple(takewhile(lambda at: pieces[at].text not in TIMES | {_CAPITAL}, word))
    text, has_decimals = page.text(unit), not number.content.isdigit()
    is_unit = _PER in text if leaf == PRICE else text.lower() in UNITS
    is_multiplied = leaf == QUANTITY and len(unit) < len(word)
    return unit if is_multiplied or (has_decimals and is_unit) else ()


def _with_nearest_unit(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row whose unit is the one nearest to the quantity, without words of other columns: "2 kg NP", "Jan"."""
    if {UNIT, QUANTITY} - row.keys():
        return row
    left, top, right, bottom = page.box(row[QUANTITY].piece_indices)
    boxes = {index: page.boxes[index] for index in row[UNIT].piece_indices}
    by_distance = sorted(boxes, key=lambda index: max(boxes[index][0] - right, left - boxes[index][2]))
    start, _, end, _ = boxes[by_distance[0]]
    for nearer, index in enumerate(by_distance):
        begin, _, stop, _ = boxes[index]
        if max(begin - end, start - stop) > COLUMN_GAP * (bottom - top):
            return without_pieces(row, by_distance[nearer:], fields, page)
        start, end = min(start, begin), max(end, stop)
    return row


def _without_multiplication(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row whose description does not end with a sign of multiplication: "Tea x" beside "4,90", "Tea x 4".

    The number behind the sign is the quantity if the price or the amount agrees: a pack of 80 costs no multiple of 80.
    """
    words = row[DESCRIPTION].piece_indices if DESCRIPTION in row else ()
    if len(words) > 1 and _is_before_factor(words[-1], row, page):
        return _with_description(row, words[:-1], fields, page)
    number = None if QUANTITY in row else _number_with_sign(words, page, has_price=PRICE in row)
    quantity = None if number is None else candidate_of(fields[QUANTITY], (number,), page)
    if quantity is None or not _agrees(quantity, row):
        return dict(row)
    return {**_with_description(row, words[:-2], fields, page), QUANTITY: at_least(quantity, COUNTED_PROBABILITY)}


def _number_with_sign(words: Span, page: PageLabels, has_price: bool) -> int | None:
    """Return the number at the end of words with a sign of multiplication, apart: "Tea x 4", but not "50 cm x 70".

    has_price: the product can prove it. Then it may be printed otherwise: "Tea x4", "TEA X 4", "Tea 4x". A capital in
    other words may be a part of a name: "iPhone X 2".
    """
    last = words[-MIN_COUNTED_PIECES:]
    if len(last) < MIN_COUNTED_PIECES or last != tuple(range(last[0], last[0] + MIN_COUNTED_PIECES)):
        return None
    before, first, second = (page.pieces[index] for index in last)
    if before.text[-1].isdigit() or before.text.lower() in UNITS or not first.space_before:
        return None
    is_usual = first.text in TIMES and second.space_before and second.text.isdigit()
    signs = TIMES | {_CAPITAL} if page.text(words[:-2]).isupper() else TIMES
    is_sign = [piece.text in signs for piece in (first, second)]
    is_number = [piece.text.isdigit() for piece in (first, second)]
    if is_usual or (has_price and is_sign[0] and is_number[1]):
        return last[-1]
    return last[-2] if has_price and is_number[0] and is_sign[1] else None


def _is_before_factor(index: int, row: Mapping[str, Candidate], page: PageLabels) -> bool:
    """Whether a sign is directly in front of the quantity or the price of a row, in its cell.

    A capital is one in front of a quantity of several, with which the product is right.
    """
    if not page.pieces[index].space_before:
        return False
    leaves = [leaf for leaf in (QUANTITY, PRICE) if leaf in row and index + 1 in row[leaf].piece_indices]
    text = page.pieces[index].text
    is_proven = text == _CAPITAL and leaves == [QUANTITY] and row[QUANTITY].value != 1 and has_right_product(row)
    return bool(leaves) and (text in TIMES or is_proven) and in_one_cell(index, index + 1, page)


def _agrees(quantity: Candidate, row: Mapping[str, Candidate]) -> bool:
    """Whether an amount is the product with a quantity; without a price, whether it is a multiple of it in cents."""
    if AMOUNT not in row or quantity.value in (0, 1):
        return False
    if PRICE in row:
        return has_right_product({**row, QUANTITY: quantity})
    return bool(row[AMOUNT].value * 100 % quantity.value == 0)


def _with_description(
    row: Mapping[str, Candidate], words: Span, fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    described = candidate_of(fields[DESCRIPTION], words, page)
    return {**row, DESCRIPTION: described} if described else dict(row)


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
        reread = _read_again(known, fields, page, numbers)
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


@dataclass(frozen=True)
class RowProduct:
    """Three numbers of a row of which the last one is the product of the others, divided by `divisor`."""

    factors: tuple[str, str, str]
    divisor: int = 1

    def product_and_amount(self, row: Mapping[str, Candidate]) -> tuple[Decimal, Decimal] | None:
        """Return both; None where a number is missing, or is text in a type that users describe."""
        values = [row[leaf].value for leaf in self.factors if leaf in row]
        numbers = [Decimal(value) for value in values if isinstance(value, Decimal | int)]
        if len(numbers) < len(self.factors):
            return None
        first, second, amount = numbers
        return first * second / self.divisor, amount

    def is_right(self, row: Mapping[str, Candidate]) -> bool:
        """Whether a row has all three numbers, and they agree."""
        numbers = self.product_and_amount(row)
        return numbers is not None and abs(numbers[0] - numbers[1]) <= TOLERANCE

    def evidence(self, row: Mapping[str, Candidate]) -> float:
        """Return 1 for numbers that agree, -1 for those that contradict each other, else 0.

        Amounts may be rounded, and those of credit notes may be negative alone. Zero agrees with everything.
        """
        numbers = self.product_and_amount(row)
        if numbers is None or not all(numbers):
            return 0.0
        product, amount = map(abs, numbers)
        rounding = ROUNDING if amount % 1 else ROUNDING_WITHOUT_CENTS
        return 1.0 if self.is_right(row) else 0.0 if abs(product - amount) <= rounding else -1.0


PRICE_PRODUCT, TAX_PRODUCT = RowProduct(FACTORS), RowProduct(TAX_FACTORS, divisor=100)  # rates are in percent
ROW_PRODUCTS = (PRICE_PRODUCT, TAX_PRODUCT)


def has_right_product(known: Mapping[str, Candidate]) -> bool:
    """Whether a row has all three numbers, and quantity times price is the amount."""
    return PRICE_PRODUCT.is_right(known)


def _read_again(
    known: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels, numbers: Sequence[Span]
) -> dict[str, Candidate]:
    """Return another reading of one of the three numbers with which the product is right; {} if there is none.

    Three digits behind a separator are decimals or thousands, as the product tells; where those of the quantity and of
    an amount may be both, it does not. An amount may have digits in front that are no value: "4 353.95".
    """
    may_be_thousands = {leaf for leaf, one in known.items() if _THOUSANDS.fullmatch(one.content)}
    leaves = (QUANTITY,) if QUANTITY in may_be_thousands else may_be_thousands
    readings = [(leaf, replace(known[leaf], value=_with_other_mark(known[leaf].value))) for leaf in leaves]
    for leaf in (PRICE, AMOUNT):
        own, others = set(known[leaf].piece_indices), pieces_of(one for name, one in known.items() if name != leaf)
        for cell in numbers:
            if own < set(cell) and others.isdisjoint(cell) and _GROUPED.fullmatch(page.text(cell)):
                longer = candidate_of(fields[leaf], cell, page)
                readings += [(leaf, longer)] if longer else []
    right = [{leaf: one} for leaf, one in readings if has_right_product({**known, leaf: one})]
    return right[0] if len(right) == 1 else {}


def _with_other_mark(number: Decimal) -> Decimal:
    """Return a number with its three decimals as thousands, or with three of its digits as decimals."""
    return number * 1000 if number.as_tuple().exponent == -3 else number / 1000


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
