"""Takes signs of multiplication out of descriptions: "Tea x" beside "4,90", "Tea x 4"."""

from collections.abc import Mapping

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import DESCRIPTION, in_one_cell
from docextract.extraction.layout.tables.descriptions import UNITS
from docextract.extraction.layout.tables.row_products import AMOUNT, PRICE, QUANTITY, has_right_product

COUNTED_PROBABILITY = 0.6  # of a number behind a sign of multiplication
MIN_COUNTED_PIECES = 3  # of a description with such a number: "Tea x 4"
TIMES, CAPITAL_TIMES = frozenset("x×*"), "X"  # a capital may be a part of a name: "iPhone X"


def without_multiplication(
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
    signs = TIMES | {CAPITAL_TIMES} if page.text(words[:-2]).isupper() else TIMES
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
    is_proven = text == CAPITAL_TIMES and leaves == [QUANTITY] and row[QUANTITY].value != 1 and has_right_product(row)
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
