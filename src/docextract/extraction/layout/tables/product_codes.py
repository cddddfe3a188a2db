"""Takes codes for codes that stand below their heading, and no other numbers of a row, such as its position.

The network takes codes of letters for descriptions or units, and numbers of batches beside a code for a part of it.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from docextract.documents.base import Field
from docextract.documents.dates import find_dates
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.places import PieceBox
from docextract.extraction.layout.tables.cells import (
    DESCRIPTION,
    MAX_WORD_GAP,
    PageCells,
    cell_around,
    pieces_of,
    split_into_cells,
    without_pieces,
)
from docextract.extraction.layout.tables.columns import (
    HEADED_PROBABILITY,
    Column,
    clear_columns,
    column_of,
    columns_above,
)
from docextract.extraction.layout.tables.description_lines import lines_of
from docextract.extraction.layout.tables.positions import find_positions
from docextract.extraction.layout.tables.row_products import AMOUNT, UNIT

PRODUCT_CODE = "product_code"
ITEM, OTHER_CODE, NO_CODE = "item", "other_code", "no_code"  # names of headings
TEXTS = frozenset({DESCRIPTION, PRODUCT_CODE, UNIT})  # what the network takes codes for
MAX_LOWER_LETTERS = 2  # of a word of a code
# Of the descriptions of a list, so many of which begin with a line that is a code alone: it is none of a name.
MIN_LINES_OF_CODES, SHARE_OF_LINES = 3, 0.6
MIN_CODE_LENGTH = 5  # letters and digits of such a line
MIN_CODES_OF_COLUMN = 2  # below each other, so that what else stands there is no unit
_POSITION = re.compile(r"\d{1,3}(?:\.\d{1,2}){0,2}[.)]?")  # "1", "12.", "1.2"


def with_codes(
    rows: Sequence[Mapping[str, Candidate]], tables: Sequence[Sequence[Column]], fields: Mapping[str, Field],
    page: PageLabels, cells: PageCells,
) -> list[dict[str, Candidate]]:  # fmt: skip
    """Return the rows with what stands below the heading of codes, at the height of the amount, as the code.

    It is no part of the description then, of which words are left. What reaches below another heading, or has words in
    small letters, may be a name, and stays. Numbers that count the rows are no codes, nor are those of batches. What
    the network takes for nothing is no code if it may be a position, or a class of tax behind the amount.
    """
    if PRODUCT_CODE not in fields:
        return [dict(row) for row in rows]
    everything = pieces_of(one for row in rows for leaf, one in row.items() if leaf != PRODUCT_CODE)
    positions = find_positions(rows, page, cells)
    coded: list[dict[str, Candidate]] = []
    columns_of = [columns_above(row, tables, page) for row in rows]
    for row, columns in zip(rows, columns_of, strict=True):
        others = everything - pieces_of(one for leaf, one in row.items() if leaf in TEXTS) | positions
        headed = _with_headed_code(dict(row), columns, fields, page, cells, others)
        coded.append(_without_other_numbers(headed, columns, fields, page, positions))
    return _without_units_among_codes(_with_lines_of_codes(coded, fields, page), columns_of, page)


def _with_headed_code(
    row: dict[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels,
    cells: PageCells, others: Collection[int],
) -> dict[str, Candidate]:  # fmt: skip
    """others: pieces that are no code: other values, also of other rows, and positions."""
    heading = _heading_of_codes(columns)
    if heading is None or not {DESCRIPTION, AMOUNT} <= row.keys():
        return row
    labelled = pieces_of(one for leaf, one in row.items() if leaf in TEXTS)
    for cell in cells.at_height_of(row[AMOUNT].piece_indices):
        words = _words_below(heading, cell, columns, page)
        if not words or not _may_be_code(words, columns, page) or not set(words).isdisjoint(others):
            continue
        is_known = heading.leaf == PRODUCT_CODE and labelled.issuperset(words)
        if not is_known and not _has_form_of_code(words, row, page):
            continue
        code = candidate_of(fields[PRODUCT_CODE], words, page)
        rest = without_pieces({leaf: one for leaf, one in row.items() if leaf != PRODUCT_CODE}, words, fields, page)
        if code and DESCRIPTION in rest:
            return {**rest, PRODUCT_CODE: at_least(code, HEADED_PROBABILITY)}
        return row
    return row


def _heading_of_codes(columns: Sequence[Column]) -> Column | None:
    """Return the heading of codes: in a table with one of descriptions, "Item" is it if there is no other."""
    clear = {column.leaf: column for column in clear_columns(columns)}
    if DESCRIPTION not in clear:
        return clear.get(PRODUCT_CODE) if ITEM in clear else None
    return clear.get(PRODUCT_CODE) or (None if _has(PRODUCT_CODE, columns) else clear.get(ITEM))


def _has(leaf: str, columns: Sequence[Column]) -> bool:
    return any(column.leaf == leaf for column in columns)


def _words_below(heading: Column, cell: Span, columns: Sequence[Column], page: PageLabels) -> Span:
    """Return the words of a cell that stand below a heading, without those below others.

    () if none does, or if one is below no heading: they may be a name. Near columns may be one cell: "10 71-4402".
    """
    if column_of(cell, columns, page) is heading and len(_headings_above(cell, columns, page)) == 1:
        return cell
    words = list(split_into_cells(cell, page, MAX_WORD_GAP))
    above = [column_of(word, columns, page) for word in words]
    own = (index for word, column in zip(words, above, strict=True) if column is heading for index in word)
    return () if None in above else tuple(own)


def _headings_above(span: Span, columns: Sequence[Column], page: PageLabels) -> list[Column]:
    left, _, right, _ = page.box(span)
    return [column for column in columns if column.box[0] < right and column.box[2] > left]


def _may_be_code(span: Span, columns: Sequence[Column], page: PageLabels) -> bool:
    """Whether some words are below one heading alone and none is in small letters."""
    return len(_headings_above(span, columns, page)) == 1 and all(
        sum(map(str.islower, page.pieces[index].text)) <= MAX_LOWER_LETTERS for index in span
    )


def _has_form_of_code(span: Span, row: Mapping[str, Candidate], page: PageLabels) -> bool:
    """Whether some words in front of a row's amount have a digit, and are too long for the position of the row."""
    text = page.text(span)
    is_in_front = page.box(span)[0] < page.box(row[AMOUNT].piece_indices)[0]
    return is_in_front and any(map(str.isdigit, text)) and _POSITION.fullmatch(text) is None


def _without_other_numbers(
    row: dict[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels,
    positions: Collection[int],
) -> dict[str, Candidate]:  # fmt: skip
    """Return a row whose code has no numbers below headings of others and no position, and whose unit is no code."""
    of_codes = {OTHER_CODE, NO_CODE, PRODUCT_CODE, *([ITEM] if _has(DESCRIPTION, columns) else ())}
    for leaf, wrong in ((PRODUCT_CODE, {NO_CODE}), (UNIT, of_codes)):
        if leaf not in row:
            continue
        others = {
            index
            for word in split_into_cells(row[leaf].piece_indices, page, MAX_WORD_GAP)
            for index in word
            if index in positions or ((column := column_of(word, columns, page)) and column.leaf in wrong)
        }
        rest = without_pieces({leaf: row[leaf]}, others, fields, page)
        row = {**{other: one for other, one in row.items() if other != leaf}, **rest}
    return _with_one_code(row, columns, fields, page)


def _with_one_code(
    row: dict[str, Candidate], columns: Sequence[Column], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row whose code is the first of several in different columns."""
    codes = list(split_into_cells(row[PRODUCT_CODE].piece_indices, page)) if PRODUCT_CODE in row else []
    above = [column_of(code, columns, page) for code in codes]
    if len(codes) < 2 or None in above or len({column.box for column in above if column}) < len(codes):
        return row
    rest = without_pieces({PRODUCT_CODE: row[PRODUCT_CODE]}, [at for code in codes[1:] for at in code], fields, page)
    return {**row, **rest}


def _with_lines_of_codes(
    rows: list[dict[str, Candidate]], fields: Mapping[str, Field], page: PageLabels
) -> list[dict[str, Candidate]]:
    """Return the rows with the first lines of their descriptions as codes, if most of these lines are a code alone.

    "SEAL-TC-40" above "OIL RING". A description keeps its only line, and a row its code beside it.
    """
    lines = [_line_of_code(row, page) for row in rows]
    count = sum(map(bool, lines))
    if count < MIN_LINES_OF_CODES or count < SHARE_OF_LINES * len(rows):
        return rows
    return [_with_line_of_code(row, line, fields, page) for row, line in zip(rows, lines, strict=True)]


def _line_of_code(row: Mapping[str, Candidate], page: PageLabels) -> Span:
    """Return the cell of the first line of a description, if it is one word with letters and digits and no date."""
    words = next(lines_of(row[DESCRIPTION].piece_indices, page.pieces), ()) if DESCRIPTION in row else ()
    front, behind = cell_around(words, page) if words else ((), ())
    cell = (*front, *range(words[0], words[-1] + 1), *behind) if words else ()
    text = page.text(cell)
    is_word = not any(page.pieces[index].space_before for index in cell[1:])
    is_long = sum(map(str.isalnum, text)) >= MIN_CODE_LENGTH and sum(map(str.islower, text)) <= MAX_LOWER_LETTERS
    has_both = any(map(str.isalpha, text)) and any(map(str.isdigit, text))
    return cell if is_word and is_long and has_both and not find_dates(text) else ()


def _with_line_of_code(
    row: dict[str, Candidate], line: Span, fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    known = row[PRODUCT_CODE].piece_indices if PRODUCT_CODE in row else ()
    has_other = not set(known) <= set(line) and _is_on_row(row, PRODUCT_CODE, page)
    if not line or has_other:
        return row
    code = candidate_of(fields[PRODUCT_CODE], line, page)
    rest = without_pieces({leaf: one for leaf, one in row.items() if leaf != PRODUCT_CODE}, line, fields, page)
    is_named = code is not None and rest.keys() == row.keys() - {PRODUCT_CODE}
    return {**rest, PRODUCT_CODE: at_least(code, HEADED_PROBABILITY)} if code and is_named else row


def _without_units_among_codes(
    rows: Sequence[dict[str, Candidate]], columns_of: Sequence[Sequence[Column]], page: PageLabels
) -> list[dict[str, Candidate]]:
    """Return the rows without units that stand in the column of the codes of others: "LAB" below "PMP-50".

    columns_of: those above each row. The codes of another table, with headings of its own, do not count.
    """
    codes = [
        (columns, page.box(row[PRODUCT_CODE].piece_indices))
        for row, columns in zip(rows, columns_of, strict=True)
        if _is_on_row(row, PRODUCT_CODE, page)
    ]
    kept: list[dict[str, Candidate]] = []
    for row, columns in zip(rows, columns_of, strict=True):
        may_be_code = PRODUCT_CODE not in row and _is_on_row(row, UNIT, page)
        same = [box for own, box in codes if own == columns] if may_be_code else []
        is_code = may_be_code and _is_among(row[UNIT].piece_indices, same, page)
        kept.append({leaf: one for leaf, one in row.items() if leaf != UNIT} if is_code else row)
    return kept


def _is_on_row(row: Mapping[str, Candidate], leaf: str, page: PageLabels) -> bool:
    """Whether a row has a value at the height of its amount."""
    if not {leaf, AMOUNT} <= row.keys():
        return False
    _, top, _, bottom = page.box(row[leaf].piece_indices)
    _, upper, _, lower = page.box(row[AMOUNT].piece_indices)
    return upper < (top + bottom) / 2 < lower


def _is_among(span: Span, codes: Sequence[PieceBox], page: PageLabels) -> bool:
    left, _, right, _ = page.box(span)
    return sum(code[0] < (left + right) / 2 < code[2] for code in codes) >= MIN_CODES_OF_COLUMN
