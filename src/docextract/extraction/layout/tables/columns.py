"""Takes numbers that the network missed from the columns of a table, by their headings.

A heading names what stands below it, however unusual the table is.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from docextract.documents.base import Field
from docextract.documents.column_headings import leaf_of_heading
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.places import PieceBox
from docextract.extraction.layout.tables.cells import (
    MAX_WORD_GAP,
    PageCells,
    is_one_cell,
    pieces_of,
    split_into_cells,
    without_pieces,
)
from docextract.extraction.layout.tables.row_products import AMOUNT, FACTORS, PRICE, QUANTITY, has_right_product

MIN_HEADINGS = 3  # with different names, on one row of a table
MAX_STEP_BETWEEN_HEADINGS = 2.6  # heights between headings of one table: some have several lines
MAX_SHARED_HEIGHT = 0.3  # median heights by which boxes of scanned print may reach into the line below
MIN_SHARED_WIDTH = 0.5  # of the narrower one of a number and its heading
_DECIMALS = re.compile(r"[.,]\d{1,2}(?!\d)")
HEADED_PROBABILITY = 0.8  # of a number in its column
UNKNOWN = "unknown"  # of a heading that no list has


@dataclass(frozen=True)
class Column:
    """A column of a table. leaf: of a row, another name of `leaf_of_heading`, or UNKNOWN."""

    leaf: str
    box: PieceBox  # of its heading


def find_tables(cells: PageCells, rows: Sequence[Mapping[str, Candidate]], page: PageLabels) -> list[list[Column]]:
    """Return the columns of each table with headings, from the top; a table may have a part of another one's.

    What stands in a row is no heading, such as its unit "pcs".
    """
    numbers = [one for row in rows for leaf, one in row.items() if leaf in FACTORS]
    heights = [(top, bottom) for _, top, _, bottom in (page.box(one.piece_indices) for one in numbers)]
    headings = [(cell, _headings_in(cell, page)) for cell in cells]
    known = [
        heading
        for _, found in headings
        for heading in found
        if not any(top < (heading.box[1] + heading.box[3]) / 2 < bottom for top, bottom in heights)
    ]
    unknown = [page.box(cell) for cell, found in headings if not found]
    tables = []
    for first in known:
        named = [one for one in known if _is_on_row(first.box, one.box)]
        if len({one.leaf for one in named}) >= MIN_HEADINGS:
            top, bottom = min(one.box[1] for one in named), max(one.box[3] for one in named)
            beside = [box for box in unknown if top < (box[1] + box[3]) / 2 < bottom]
            tables.append([*named, *(Column(UNKNOWN, box) for box in beside)])
    return sorted(tables, key=_bottom)


def _headings_in(cell: Span, page: PageLabels) -> list[Column]:
    """Return the heading that a cell is, or all of several if its parts are headings; those of near columns."""
    for parts in ([cell], list(split_into_cells(cell, page, MAX_WORD_GAP))):
        leaves = [leaf_of_heading(page.text(part)) for part in parts]
        found = [Column(leaf, page.box(part)) for leaf, part in zip(leaves, parts, strict=True) if leaf]
        if len(found) == len(parts):
            return found
    return []


def columns_above(
    row: Mapping[str, Candidate], tables: Sequence[Sequence[Column]], page: PageLabels
) -> Sequence[Column]:
    """Return the columns of the nearest table whose headings are above a row; none if there is none."""
    top = min(page.box(one.piece_indices)[1] for one in row.values()) + MAX_SHARED_HEIGHT * page.median_height
    return next((table for table in reversed(tables) if _bottom(table) <= top), ())


def _bottom(table: Sequence[Column]) -> float:
    return max(column.box[3] for column in table)


def _is_on_row(box: PieceBox, other: PieceBox) -> bool:
    return abs(other[1] - box[1]) < MAX_STEP_BETWEEN_HEADINGS * (box[3] - box[1])


def with_columns(
    rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], fields: Mapping[str, Field],
    page: PageLabels, cells: PageCells,
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the rows with the numbers that stand below headings in place of none, or of those below other headings.

    tables: see `find_tables`. fields: of the list, by leaf. Of rows whose quantity times price is the amount, these two
    may be exchanged, no more. Amounts stay, but in one cell; numbers of other rows are not taken.
    """
    found: list[dict[str, Candidate]] = []
    everything = pieces_of(one for row in rows for one in row.values())
    for row in rows:
        columns = columns_above(row, tables, page)
        others = everything - pieces_of(row.values())
        headed = _with_roles_of_headings(_with_amount_in_one_cell(row, columns, fields, page), columns, fields, page)
        known = not columns or has_right_product(headed)
        found.append(headed if known else _with_columns(headed, columns, fields, page, cells, others))
    return found


def _with_amount_in_one_cell(
    row: Mapping[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row whose amount has no number of another column: of several, it is below its heading, or the last."""
    cells = list(split_into_cells(row[AMOUNT].piece_indices, page)) if AMOUNT in row else []
    numbers = [
        (column_of(cell, columns, page), one) for cell in cells if (one := candidate_of(fields[AMOUNT], cell, page))
    ]
    if len({column and column.box for column, _ in numbers}) < len(numbers) or len(numbers) < 2 or not columns:
        return dict(row)
    headed = [one for column, one in numbers if column and column.leaf == AMOUNT and column in clear_columns(columns)]
    last = max((one for _, one in numbers), key=lambda one: page.box(one.piece_indices)[0])
    return {**row, AMOUNT: headed[0] if headed else last}


def _with_roles_of_headings(
    row: Mapping[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row with quantity and price exchanged where each stands below the other's heading.

    Their product does not tell one from the other, but the print does where only the price has decimals.
    """
    if {QUANTITY, PRICE} - row.keys():
        return dict(row)
    clear = _clear_columns_of(row, columns, page)
    below = {leaf: column_of(row[leaf].piece_indices, columns, page) for leaf in (QUANTITY, PRICE)}
    leaves = {leaf: column.leaf if column in clear else None for leaf, column in below.items() if column}
    if leaves != {QUANTITY: PRICE, PRICE: QUANTITY} or _only_price_has_decimals(row):
        return dict(row)
    quantity = candidate_of(fields[QUANTITY], row[PRICE].piece_indices, page)
    price = candidate_of(fields[PRICE], row[QUANTITY].piece_indices, page)
    if quantity is None or price is None:
        return dict(row)
    return {
        **row,
        QUANTITY: at_least(quantity, HEADED_PROBABILITY),
        PRICE: at_least(price, HEADED_PROBABILITY),
    }


def _only_price_has_decimals(row: Mapping[str, Candidate]) -> bool:
    return _DECIMALS.search(row[PRICE].content) is not None and _DECIMALS.search(row[QUANTITY].content) is None


def _with_columns(
    row: dict[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels,
    cells: PageCells, others: set[int],
) -> dict[str, Candidate]:  # fmt: skip
    numbers = [cell for cell in cells.numbers_beside(row) if others.isdisjoint(cell)]
    for column in _clear_columns_of(row, columns, page):
        has_amount = column.leaf == AMOUNT and AMOUNT in row
        if column.leaf not in FACTORS or has_amount or _stands_below(column.leaf, row, columns, page):
            continue
        factors = [leaf for leaf in FACTORS if leaf in row and leaf != column.leaf]
        kept = pieces_of(row[leaf] for leaf in factors if leaf == AMOUNT or _stands_below(leaf, row, columns, page))
        below = [cell for cell in numbers if kept.isdisjoint(cell) and column_of(cell, columns, page) is column]
        found = [one for cell in below if (one := candidate_of(fields[column.leaf], cell, page))]
        if len(found) == 1:
            row = without_pieces(row, found[0].piece_indices, fields, page)
            row[column.leaf] = at_least(found[0], HEADED_PROBABILITY)
    return row


def _clear_columns_of(row: Mapping[str, Candidate], columns: Sequence[Column], page: PageLabels) -> list[Column]:
    """As `clear_columns`; "Price" also if the amount of a row is at its right, below a heading that is not known."""
    return clear_columns(columns, page.box(row[AMOUNT].piece_indices)[0] if AMOUNT in row else 0.0)


def clear_columns(columns: Sequence[Column], amount_left: float = 0.0) -> list[Column]:
    """Return the columns with a name that no other has; "Price" without an amount at its right may be the amount.

    amount_left: where the amount of a row begins, px; 0 for a row without one.
    """
    counts = Counter(column.leaf for column in columns)
    amounts = [column.box[0] for column in columns if column.leaf == AMOUNT]
    return [
        column
        for column in columns
        if counts[column.leaf] == 1
        and (column.leaf != PRICE or amount_left > column.box[2] or any(left > column.box[0] for left in amounts))
    ]


def _stands_below(leaf: str, row: Mapping[str, Candidate], columns: Sequence[Column], page: PageLabels) -> bool:
    """Whether a row has a value in one cell of its column, or of none that has a heading."""
    if leaf not in row:
        return False
    actual = column_of(row[leaf].piece_indices, columns, page)
    return is_one_cell(row[leaf].piece_indices, page) and (actual is None or actual.leaf == leaf)


def column_of(cell: Span, columns: Sequence[Column], page: PageLabels) -> Column | None:
    """Return the column whose heading a number stands below: the one that shares most of its width with it."""
    left, top, right, _ = page.box(cell)
    top += MAX_SHARED_HEIGHT * page.median_height
    shared = [
        (min(right, one.box[2]) - max(left, one.box[0]), min(right - left, one.box[2] - one.box[0]), one)
        for one in columns
        if one.box[3] <= top
    ]
    width, narrower, column = max(shared, key=lambda item: item[0], default=(0.0, 1.0, None))
    return column if width >= MIN_SHARED_WIDTH * narrower else None
