"""Joins a name with the quantity, price and amount directly below it, where the network begins a row with each.

Some tills, such as all in Romania, print every name on a line of its own: "LAPTE 1L", below it "2 BUC X 8,99 17,98".
"""

import re
from collections.abc import Sequence, Set

from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import DESCRIPTION
from docextract.extraction.layout.tables.description_lines import RowPieces, lines_of
from docextract.extraction.layout.tables.multiplication import TIMES
from docextract.extraction.layout.tables.product_codes import PRODUCT_CODE
from docextract.extraction.layout.tables.row_products import PRICE, QUANTITY, UNIT

MAX_UNIT_LETTERS = 3  # "BUC"; a longer word may be a name: "2 Cola x 1,50"
MIN_LETTERS_ABOVE = 3  # in a row
_FULL_STOP, _PER = ".", "/"
_AMOUNT_AT_END = re.compile(r"\d[.,]\d\d\W*\w?$")
_NAME = re.compile(rf"[^\W\d_]{{{MIN_LETTERS_ABOVE}}}")


def with_names_above(rows: Sequence[RowPieces], amount: str, page: PageLabels) -> list[RowPieces]:
    """Return the rows, those of a name alone as one with the row below it. amount: the leaf of the sum of a row."""
    joined: list[RowPieces] = []
    taken = {index for row in rows for leaf, some in row.items() if leaf != PRODUCT_CODE for index in some}
    for row in rows:
        nameless = _without_units_per_unit(_with_unit_between_factors(row, page), page)
        if joined and joined[-1].keys() == {DESCRIPTION} and _is_directly_below(nameless, joined[-1], amount, page):
            joined[-1] |= nameless
            continue
        name = _unknown_name_above(nameless, amount, taken, page)
        joined.append({DESCRIPTION: name} | nameless if name else nameless if DESCRIPTION in nameless else row)
    return joined


def _unknown_name_above(row: RowPieces, amount: str, taken: Set[int], page: PageLabels) -> list[int]:
    """Return the words directly above a multiplication without a name, which the network takes for nothing.

    [] if it is none, or if there are values of rows, other amounts or no words.
    """
    if not {QUANTITY, PRICE, amount} <= row.keys() or DESCRIPTION in row:
        return []
    between = range(row[QUANTITY][-1] + 1, row[PRICE][0])
    if not any(page.pieces[index].text.lower() in TIMES for index in between):
        return []
    above = page.lines.above(page.lines.of(row[QUANTITY][0])) or []
    is_name = taken.isdisjoint(above) and _NAME.search(page.text(above)) and not _AMOUNT_AT_END.search(page.text(above))
    return list(above) if is_name else []


def _without_units_per_unit(row: RowPieces, page: PageLabels) -> RowPieces:
    """Return a row whose description is without units behind the price: of "6 db x 289 Ft/db" without "Ft/db".

    What is attached to numbers stays: see `docextract.extraction.layout.tables.measures`.
    """
    if not {DESCRIPTION, PRICE} <= row.keys():
        return row
    last = row[PRICE][-1]
    behind = [index for index in page.lines.of(last) if index > last]
    texts = [page.pieces[index].text for index in behind]
    is_apart = bool(behind) and page.pieces[behind[0]].space_before
    are_units = (
        is_apart and _PER in texts and all(len(text) <= MAX_UNIT_LETTERS and not text.isdigit() for text in texts)
    )
    name = [index for index in row[DESCRIPTION] if index not in behind and not _is_unit_in_front(index, row, page)]
    others = {leaf: some for leaf, some in row.items() if leaf != DESCRIPTION}
    return (others | ({DESCRIPTION: name} if name else {})) if are_units else row


def _is_unit_in_front(index: int, row: RowPieces, page: PageLabels) -> bool:
    """Whether a piece is a short word between the quantity and the price."""
    is_between = QUANTITY in row and row[QUANTITY][-1] < index < row[PRICE][0]
    return is_between and len(page.pieces[index].text) <= MAX_UNIT_LETTERS


def _is_directly_below(row: RowPieces, name: RowPieces, amount: str, page: PageLabels) -> bool:
    """Whether a row has a quantity, a price and an amount, but no name, and begins on the line directly below one."""
    if not {QUANTITY, PRICE, amount} <= row.keys() or DESCRIPTION in row:
        return False
    *_, last = lines_of(name[DESCRIPTION], page.pieces)
    return page.lines.below(last) == page.lines.of(row[QUANTITY][0])


def _with_unit_between_factors(row: RowPieces, page: PageLabels) -> RowPieces:
    """Return a row whose only word is short and in front of a sign between the factors, with it as their unit.

    Such as "1 BUC X 6,49" and "1 BUC. X 6,49". Below a heading, "2 Cola 1,50" is a row with a name.
    """
    if not {DESCRIPTION, QUANTITY, PRICE} <= row.keys():
        return row
    word, *marks = sorted([*row[DESCRIPTION], *row.get(UNIT, ())])
    between = range(row[QUANTITY][-1] + 1, row[PRICE][0] - 1)
    if word not in between or len(page.pieces[word].text) > MAX_UNIT_LETTERS:
        return row
    sign = word + 1 + (page.pieces[word + 1].text == _FULL_STOP)
    if page.pieces[sign].text.lower() not in TIMES or not set(marks) <= {sign - 1}:
        return row
    return {UNIT: [word]} | {leaf: some for leaf, some in row.items() if leaf not in (DESCRIPTION, UNIT)}
