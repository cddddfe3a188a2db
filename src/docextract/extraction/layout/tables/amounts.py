"""Finds amounts that the network missed, in the column where other rows have theirs."""

from collections.abc import Mapping, Sequence

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.digit_groups import continues_number
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.places import PieceBox
from docextract.extraction.layout.tables.cells import (
    DESCRIPTION,
    TAX_RATE,
    PageCells,
    cell_around,
    pieces_of,
    without_pieces,
)
from docextract.extraction.layout.tables.columns import (
    HEADED_PROBABILITY,
    Column,
    clear_columns,
    column_of,
    columns_above,
)
from docextract.extraction.layout.tables.row_products import AMOUNT, PRICE, QUANTITY

MAX_SHIFT = 0.8  # heights between the right ends of two amounts of one column
MAX_DROP = 1.2  # heights from the values of a row down to its amount
MIN_STEP_TO_NEXT_ROW = 0.5  # heights from row to row
MAX_RISE = 0.3  # heights of a number above the row to which it belongs


def with_amounts(
    rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], fields: Mapping[str, Field],
    page: PageLabels, cells: PageCells,
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the rows with amounts that are printed between a row and the next one, in the column of the others.

    Some forms print the amount below the height of a row's other numbers, and the network takes zero for nothing, or
    for a rate. Values of other rows and fields are not taken, and below a row no number with words beside it: a sum.
    """
    column = AmountColumn(rows, tables, page)
    everything = pieces_of(one for row in rows for one in row.values())
    complete: list[dict[str, Candidate]] = []
    for row in rows:
        if AMOUNT in row:
            complete.append(dict(row))
            continue
        has_no_rate = TAX_RATE in row and row[TAX_RATE].value == 0
        taken = everything - set(row[TAX_RATE].piece_indices if has_no_rate else ())
        bottom = column.bottom_of(row)
        free = [
            cell
            for cell in cells.numbers_between(*column.heights_of(row))
            if taken.isdisjoint(cell)
            and not page.are_of_single_fields[list(cell)].any()
            and (page.box(cell)[1] < bottom or (_has_decimals(page.text(cell)) and not cells.words_beside(cell)))
        ]
        found = [one for cell in free if column.has(cell, row) and (one := candidate_of(fields[AMOUNT], cell, page))]
        if len(found) == 1:
            row = without_pieces(row, found[0].piece_indices, fields, page)
            row[AMOUNT] = at_least(found[0], HEADED_PROBABILITY)
        complete.append(dict(row))
    return complete


def with_credits(
    rows: Sequence[Mapping[str, Candidate]], fields: Mapping[str, Field], page: PageLabels, cells: PageCells
) -> list[dict[str, Candidate]]:
    """Return the rows with negative amounts that are printed beside them and end where other amounts do: "(50.00)".

    The network knows few discounts. If the sums of the page show that it is in the amount above, the row is left out
    later, see `proven_rows`.
    """
    column = AmountColumn(rows, (), page)
    taken = pieces_of(one for row in rows for one in row.values())
    complete: list[dict[str, Candidate]] = []
    for row in rows:
        numbers = cells.numbers_beside(row) if DESCRIPTION in row and AMOUNT not in row else []
        free = [cell for cell in numbers if taken.isdisjoint(cell) and not page.are_of_single_fields[list(cell)].any()]
        found = [one for cell in free if column.has(cell, row) and (one := candidate_of(fields[AMOUNT], cell, page))]
        if len(found) == 1 and found[0].value < 0:
            row = {**with_credit_price(row, fields, page), AMOUNT: at_least(found[0], HEADED_PROBABILITY)}
        complete.append(dict(row))
    return complete


def with_credit_price(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row with a negative amount, its price in brackets negative, too: elsewhere they are mostly remarks."""
    price = candidate_of(fields[PRICE], row[PRICE].piece_indices, page, is_credit=True) if PRICE in row else None
    return {**row, PRICE: price} if price else dict(row)


def with_thousands(row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels) -> dict[str, Candidate]:
    """Return a row whose amount has the digits in front of it in its cell, which the network took for a quantity.

    "1 299,00" in a cell of its own is one amount. It is none if there is a price, or a word or another value in front.
    Nor is "2 450.00": who writes a decimal point has no space behind thousands, and tills have narrow columns.
    """
    if AMOUNT not in row or PRICE in row:
        return dict(row)
    span = row[AMOUNT].piece_indices
    front, _ = cell_around(span, page)
    has_point = "." in page.text(span)
    others = pieces_of(one for leaf, one in row.items() if leaf != QUANTITY or has_point)
    if len(front) != 1 or front[0] in others or not continues_number(page.pieces[front[0]], page.pieces[span[0]]):
        return dict(row)
    joined = candidate_of(fields[AMOUNT], (*front, *span), page)
    if joined is None:
        return dict(row)
    return {**without_pieces(row, front, fields, page), AMOUNT: at_least(joined, row[AMOUNT].probability)}


def _has_decimals(text: str) -> bool:
    return any(sign in text for sign in ".,")


class AmountColumn:
    """The places of the amounts of a list's rows.

    Heights are those of the last value of each row, which is the nearest one to the column: photos may be tilted.
    """

    def __init__(
        self, rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], page: PageLabels
    ) -> None:
        self._tables, self._page = tables, page
        self._tops = [self._last(row)[1] for row in rows]
        self._rights = [page.box(row[AMOUNT].piece_indices)[2] for row in rows if AMOUNT in row]

    def bottom_of(self, row: Mapping[str, Candidate]) -> float:
        """Return the bottom of a row's last value, px."""
        return self._last(row)[3]

    def heights_of(self, row: Mapping[str, Candidate]) -> tuple[float, float]:
        """Return between which heights the amount of a row may be, px: to the next row, or not far below."""
        _, top, _, bottom = self._last(row)
        height = bottom - top
        following = min(
            (other for other in self._tops if other > top + MIN_STEP_TO_NEXT_ROW * height), default=float("inf")
        )
        return top - MAX_RISE * height, min(following - MAX_RISE * height, bottom + MAX_DROP * height)

    def has(self, cell: Span, row: Mapping[str, Candidate]) -> bool:
        """Whether a number stands in the column: it ends where another amount does, or is below the heading."""
        _, top, right, bottom = self._page.box(cell)
        if any(abs(right - other) < MAX_SHIFT * (bottom - top) for other in self._rights):
            return True
        columns = columns_above(row, self._tables, self._page)
        column = column_of(cell, columns, self._page)
        return column is not None and column.leaf == AMOUNT and column in clear_columns(columns)

    def _last(self, row: Mapping[str, Candidate]) -> PieceBox:
        """Return the box of the value of a row that is furthest to the right."""
        return max((self._page.box(one.piece_indices) for one in row.values()), key=lambda box: box[2])
