"""Takes codes for codes that stand below their heading: the network takes those of letters for descriptions."""

from collections.abc import Mapping, Sequence

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import DESCRIPTION, split_into_cells, without_pieces
from docextract.extraction.layout.tables.columns import (
    HEADED_PROBABILITY,
    Column,
    clear_columns,
    column_of,
    columns_above,
)
from docextract.extraction.layout.tables.row_products import AMOUNT

PRODUCT_CODE = "product_code"
MAX_LOWER_LETTERS = 2  # of a word of a code


def with_codes(
    rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], fields: Mapping[str, Field],
    page: PageLabels,
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the rows with what stands below the heading of codes, at the height of the amount, as the code.

    It is no part of the description then, of which words are left. What reaches below another heading, or has words in
    small letters, may be a name, and stays.
    """
    return [_with_code(dict(row), columns_above(row, tables, page), fields, page) for row in rows]


def _with_code(
    row: dict[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    clear = {column.leaf: column for column in clear_columns(columns)}
    if not {DESCRIPTION, PRODUCT_CODE} <= clear.keys() or PRODUCT_CODE not in fields:
        return row
    if not {DESCRIPTION, AMOUNT} <= row.keys():
        return row
    words = {index for leaf in (DESCRIPTION, PRODUCT_CODE) if leaf in row for index in row[leaf].piece_indices}
    _, top, _, bottom = page.box(row[AMOUNT].piece_indices)
    for cell in split_into_cells(sorted(words), page):
        _, cell_top, _, cell_bottom = page.box(cell)
        is_on_row = top < (cell_top + cell_bottom) / 2 < bottom
        if is_on_row and column_of(cell, columns, page) is clear[PRODUCT_CODE] and _may_be_code(cell, columns, page):
            code = candidate_of(fields[PRODUCT_CODE], cell, page)
            others = {leaf: one for leaf, one in row.items() if leaf != PRODUCT_CODE}
            described = without_pieces(others, cell, fields, page)
            if code and DESCRIPTION in described:
                return {**described, PRODUCT_CODE: at_least(code, HEADED_PROBABILITY)}
            return row
    return row


def _may_be_code(cell: Span, columns: Sequence[Column], page: PageLabels) -> bool:
    """Whether a cell is below one heading alone and has no word in small letters."""
    left, _, right, _ = page.box(cell)
    below = [column for column in columns if column.box[0] < right and column.box[2] > left]
    return len(below) == 1 and all(
        sum(map(str.islower, page.pieces[index].text)) <= MAX_LOWER_LETTERS for index in cell
    )
