"""Takes the amounts of rows that the network missed from the column in which those of other rows stand."""

from collections.abc import Mapping, Sequence

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import PageCells, pieces_of, without_pieces
from docextract.extraction.layout.tables.columns import HEADED_PROBABILITY, Column, bottom_of, column_of, top_of
from docextract.extraction.layout.tables.products import AMOUNT, FACTORS

MAX_SHIFT = 0.8  # heights between the right ends of two amounts of one column
MAX_DROP = 1.2  # heights from the values of a row down to its amount
MIN_STEP = 0.5  # heights from row to row
MAX_RISE = 0.3  # heights of a number above the row to which it belongs


def with_amounts(
    rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], fields: Mapping[str, Field],
    page: PageLabels, cells: PageCells,
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the rows with amounts that are printed between a row and the next one, in the column of the others.

    Some forms print the amount below the height of a row's other numbers, and the network takes zero for nothing.
    """
    column = AmountColumn(rows, tables, page)
    everything = pieces_of(one for row in rows for one in row.values())
    complete: list[dict[str, Candidate]] = []
    for row in rows:
        if AMOUNT in row:
            complete.append(dict(row))
            continue
        known = pieces_of(row[leaf] for leaf in FACTORS if leaf in row)
        taken = everything - (pieces_of(row.values()) - known)
        free = [cell for cell in cells.numbers_between(*column.heights_of(row)) if taken.isdisjoint(cell)]
        found = [one for cell in free if column.has(cell, row) and (one := candidate_of(fields[AMOUNT], cell, page))]
        if len(found) == 1:
            row = without_pieces(row, found[0].piece_indices, fields, page)
            row[AMOUNT] = at_least(found[0], HEADED_PROBABILITY)
        complete.append(dict(row))
    return complete


class AmountColumn:
    """The places of the amounts of a list's rows."""

    def __init__(
        self, rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], page: PageLabels
    ) -> None:
        self._tops = [top_of(row, page) for row in rows]
        self._rights = [page.box(row[AMOUNT].piece_indices)[2] for row in rows if AMOUNT in row]
        self._tables, self._page = tables, page

    def heights_of(self, row: Mapping[str, Candidate]) -> tuple[float, float]:
        """Return where the amount of a row may be: from its top to the next row, px."""
        top, height = top_of(row, self._page), self._height(row)
        bottom = max(self._page.box(one.piece_indices)[3] for one in row.values())
        following = min((other for other in self._tops if other > top + MIN_STEP * height), default=float("inf"))
        return top - MAX_RISE * height, min(following - MAX_RISE * height, bottom + MAX_DROP * height)

    def has(self, cell: Span, row: Mapping[str, Candidate]) -> bool:
        """Whether a number stands in the column: it ends where another amount does, or is below the heading."""
        _, _, right, _ = self._page.box(cell)
        if any(abs(right - other) < MAX_SHIFT * self._height(row) for other in self._rights):
            return True
        above = [table for table in self._tables if bottom_of(table) <= top_of(row, self._page)]
        column = column_of(cell, above[-1], self._page) if above else None
        return column is not None and column.leaf == AMOUNT

    def _height(self, row: Mapping[str, Candidate]) -> float:
        boxes = [self._page.box(one.piece_indices) for one in row.values()]
        return min(bottom - top for _, top, _, bottom in boxes)
