"""Joins a name with the quantity, price and amount directly below it, where the network begins a row with each.

Some tills, such as all in Romania, print every name on a line of its own: "LAPTE 1L", below it "2 BUC X 8,99 17,98".
"""

from collections.abc import Sequence

from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.tables.cells import DESCRIPTION
from docextract.extraction.layout.tables.description_lines import RowPieces, lines_of
from docextract.extraction.layout.tables.multiplication import TIMES
from docextract.extraction.layout.tables.row_products import PRICE, QUANTITY, UNIT

MAX_UNIT_LETTERS = 3  # "BUC"; a longer word may be a name: "2 Cola x 1,50"
_FULL_STOP = "."


def with_names_above(rows: Sequence[RowPieces], amount: str, page: PageLabels) -> list[RowPieces]:
    """Return the rows, those of a name alone as one with the row below it. amount: the leaf of the sum of a row."""
    joined: list[RowPieces] = []
    for row in rows:
        nameless = _with_unit_between_factors(row, page)
        if joined and joined[-1].keys() == {DESCRIPTION} and _is_directly_below(nameless, joined[-1], amount, page):
            joined[-1] |= nameless
        else:
            joined.append(row)
    return joined


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
