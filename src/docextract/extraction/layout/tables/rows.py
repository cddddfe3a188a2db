"""Decodes the labels of pieces into the rows of lists, such as the goods on an invoice."""

from collections.abc import Mapping, Sequence

from docextract.documents.base import MIN_ROW_LEAVES, Field, RowRule
from docextract.documents.currencies import find_currency
from docextract.extraction.layout.candidates import Candidate, candidate_of
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece
from docextract.extraction.layout.places import PieceBox
from docextract.extraction.layout.tables.amounts import with_amounts, with_credit_price, with_credits, with_thousands
from docextract.extraction.layout.tables.cells import DESCRIPTION, PageCells, without_pieces
from docextract.extraction.layout.tables.columns import find_tables, with_columns
from docextract.extraction.layout.tables.description_lines import RowPieces, whole_descriptions
from docextract.extraction.layout.tables.descriptions import complete_description, without_tax_classes
from docextract.extraction.layout.tables.factor_lines import with_factor_lines
from docextract.extraction.layout.tables.names_above import with_names_above
from docextract.extraction.layout.tables.payment_methods import complete_method
from docextract.extraction.layout.tables.product_codes import with_codes
from docextract.extraction.layout.tables.products import complete_products
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    NET,
    PRICE,
    RATE,
    TAX_FACTORS,
    have_product,
    without_share,
)

MIN_ROW_START_PROBABILITY = 0.5
MIN_STEP = 0.65  # from line to line, in heights; print that is less far below another is on the same row
MAX_STEP_IN_ROW = 5.0  # line heights; print further below is no part of a row


def decode_groups(page: PageLabels) -> dict[str, list[dict[str, Candidate]]]:
    """Return the rows of each list: pieces labelled with its leaves, split where a row starts."""
    return {group: _rows(fields, page) for group, fields in page.row_fields.items()}


def _rows(by_leaf: Mapping[str, Field], page: PageLabels) -> list[dict[str, Candidate]]:
    fields = list(by_leaf.values())
    rule = RowRule.of(fields)
    in_rows: dict[int, str] = {}
    heights = PieceHeights(page)
    rows = [
        part
        for row in _begun_rows(fields, bool(rule.amounts), page, heights, in_rows)
        for part in (_split_by_amounts(row, rule.amount_of_row, page, heights) if rule.amounts else [row])
    ]
    if by_leaf.keys() == {*TAX_FACTORS}:
        rows = [part for row in rows for part in _split_by_rates(row)]
    if rule.amounts:
        named = with_names_above(rows, rule.amount_of_row, page)
        rows = whole_descriptions(named, rule.amount_of_row, page)
    described = without_tax_classes([complete_description(row, page, in_rows) for row in rows], page)
    whole = [complete_method(row, by_leaf, page) for row in described]
    found = [row for row in (_candidates(row, by_leaf, rule, page) for row in whole) if row]
    if not found or not have_product(by_leaf):
        return _complete_rows(found, rule)
    cells = PageCells(page)
    complete = _complete_rows(with_credits(found, by_leaf, page, cells), rule)
    tables = find_tables(cells, complete, page)
    headed = with_codes(with_columns(complete, tables, by_leaf, page, cells), tables, by_leaf, page, cells)
    summed = with_amounts(headed, tables, by_leaf, page, cells)
    proven = with_factor_lines(complete_products(summed, by_leaf, page, cells), by_leaf, page)
    return _rows_of_goods([without_share(row) for row in proven], rule)


def _candidates(row: RowPieces, fields: Mapping[str, Field], rule: RowRule, page: PageLabels) -> dict[str, Candidate]:
    """Return the values of a row. A piece that completes a number belongs to no other value of it."""
    found = {
        leaf: candidate
        for leaf, span in row.items()
        if (candidate := candidate_of(fields[leaf], tuple(span), page)) is not None
    }
    if {PRICE, AMOUNT} <= found.keys() & set(rule.amounts) and found[AMOUNT].value < 0:
        found = with_credit_price(found, fields, page)
    found = with_thousands(found, fields, page) if AMOUNT in rule.numbers else found
    taken: set[int] = set()
    for leaf in sorted(rule.numbers & found.keys(), key=lambda leaf: -found[leaf].probability):
        if taken.isdisjoint(found[leaf].piece_indices):
            taken.update(found[leaf].piece_indices)
        else:
            del found[leaf]
    texts = {leaf: one for leaf, one in found.items() if leaf not in rule.numbers}
    rest = without_pieces(texts, taken, fields, page)
    return {leaf: rest.get(leaf, one) for leaf, one in found.items() if leaf in rule.numbers or leaf in rest}


class PieceHeights:
    """Where the pieces of a page are vertically."""

    def __init__(self, page: PageLabels) -> None:
        self._middles = [(top + bottom) / 2 for _, top, _, bottom in page.boxes]
        self._heights = [max(bottom - top, 1.0) for _, top, _, bottom in page.boxes]

    def steps_down(self, upper: int, lower: int) -> float:
        """Return how far below another piece one is, in heights of the larger one."""
        return (self._middles[lower] - self._middles[upper]) / max(self._heights[upper], self._heights[lower])


def _begun_rows(
    fields: Sequence[Field], has_amounts: bool, page: PageLabels, heights: PieceHeights, in_rows: dict[int, str]
) -> list[RowPieces]:
    """Return the pieces of each row, by where the network sees rows begin. in_rows: gets the leaf of each piece.

    Only in lists with amounts may print without a leaf begin a row: cards print letters beside categories.
    """
    pieces = page.pieces
    leaf_of = {label: field.leaf for field in fields for label in _labels_of(page.numbers[field.name])}
    rows: list[RowPieces] = []
    start: int | None = None  # the last one at the front of a line with which a row probably begins, and of no leaf
    for index, label in enumerate(page.labels.argmax(axis=1)):
        leaf = leaf_of.get(int(label))
        begins = page.probabilities.row_starts[index] > MIN_ROW_START_PROBABILITY
        if leaf is None:
            is_first = index == 0 or pieces[index - 1].line != pieces[index].line
            start = index if has_amounts and begins and is_first else start
            continue
        begins = begins or (start is not None and _begins_with(start, index, leaf, rows, pieces, heights))
        if not rows or (rows[-1] and (begins or _is_far_below(index, rows[-1], page))):
            rows.append({})
        rows[-1].setdefault(leaf, []).append(index)
        in_rows[index] = leaf
    return rows


def _begins_with(
    start: int, index: int, leaf: str, rows: Sequence[RowPieces], pieces: Sequence[Piece], heights: PieceHeights
) -> bool:
    """Whether a piece is the first one of a row that begins with print without a leaf: a position, a class of tax.

    Such print may also stand at half the height of a cell of two lines. The label of a value begins no row.
    """
    text = pieces[start].text
    is_mark = _has_digit(text) or (len(text) == 1 and text.isalpha())
    is_word = pieces[start].line == pieces[index].line and leaf == DESCRIPTION and text.isalpha()
    if not (is_mark or is_word) or abs(heights.steps_down(start, index)) > MIN_STEP:
        return False
    last = [one for indices in rows[-1].values() for one in indices] if rows else []
    return all(heights.steps_down(one, start) > MIN_STEP for one in last)


def _split_by_amounts(row: RowPieces, amount: str, page: PageLabels, heights: PieceHeights) -> list[RowPieces]:
    """Divide a row with amounts below each other in one column: each part begins below the amount of the one above.

    Not where the lower one is the sign of the upper one's currency, or has another currency.
    """
    parts: list[RowPieces] = []
    rest = row
    while upper := rest.get(amount):
        first = upper[0]
        lower = {
            leaf: [index for index in some if heights.steps_down(first, index) > MIN_STEP]
            for leaf, some in rest.items()
        }
        if not _is_amount_below(first, upper, lower[amount], page):
            break
        below = {index for some in lower.values() for index in some}
        parts.append(_non_empty({leaf: [at for at in some if at not in below] for leaf, some in rest.items()}))
        rest = _non_empty(lower)
    return [*parts, rest]


def _split_by_rates(row: RowPieces) -> list[RowPieces]:
    """Divide a row with taxes beside each other, of a country and of a state: "1,500.00 9 % 135.00 9 % 135.00".

    Each part begins with its rate; all have the net amount in front of the first. A row with others stays as it is.
    """
    if NET in row and RATE in row and max(row[NET]) > min(row[RATE]):
        return [row]
    parts: list[RowPieces] = [{}]
    for index, leaf in sorted((index, leaf) for leaf, some in row.items() for index in some):
        if leaf == RATE and {RATE, AMOUNT} <= parts[-1].keys():
            parts.append({})
        parts[-1].setdefault(leaf, []).append(index)
    if any({RATE, AMOUNT} - part.keys() for part in parts):
        return [row]
    return [({NET: row[NET]} if NET in row else {}) | part for part in parts]


def _is_amount_below(first: int, upper: Sequence[int], lower: Sequence[int], page: PageLabels) -> bool:
    """Whether there is an amount below the first one, in its column. The first one may begin with a currency."""
    above = [index for index in upper if index not in set(lower)]
    column = page.box([first, *above])
    below = [
        index for index in lower if _has_digit(page.pieces[index].text) and _shares_width(column, page.boxes[index])
    ]
    if not below:
        return False
    currencies = {find_currency([page.text(some)]) for some in (above, lower)} - {None}
    return len(currencies) < 2


def _shares_width(box: PieceBox, other: PieceBox) -> bool:
    return max(box[0], other[0]) < min(box[2], other[2])


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _non_empty(row: RowPieces) -> RowPieces:
    return {leaf: some for leaf, some in row.items() if some}


def _labels_of(number: int) -> tuple[int, int]:
    return begin_label(number), inside_label(number)


def _is_far_below(index: int, row: RowPieces, page: PageLabels) -> bool:
    """Whether a piece stands too far below all of a row: a table of taxes is no part of the last row of goods."""
    end = max(page.boxes[one][3] for indices in row.values() for one in indices)
    _, top, _, bottom = page.boxes[index]
    return top - end > MAX_STEP_IN_ROW * (bottom - top)


def _complete_rows(rows: Sequence[dict[str, Candidate]], rule: RowRule) -> list[dict[str, Candidate]]:
    """Join rows that complete each other, and drop what is no row of a list of goods: headings, remarks, sums of taxes.

    Lists without amounts are returned unchanged.
    """
    if not _have_amounts(rows, rule):
        return list(rows)
    joined: list[dict[str, Candidate]] = []
    for row in rows:
        before = joined[-1] if joined else {}
        if _completes(before, row, rule):
            joined[-1] = {**row, **before}
        elif not _is_remark(before, row, rule):
            joined.append(row)
    return _rows_of_goods(joined, rule)


def _have_amounts(rows: Sequence[Mapping[str, Candidate]], rule: RowRule) -> bool:
    return any(rule.has_amount(row.keys()) for row in rows)


def _rows_of_goods(rows: Sequence[dict[str, Candidate]], rule: RowRule) -> list[dict[str, Candidate]]:
    """Return what makes a row; all rows of a list without amounts."""
    return [row for row in rows if rule.makes_row(row.keys())] if _have_amounts(rows, rule) else list(rows)


def _completes(before: Mapping[str, Candidate], row: Mapping[str, Candidate], rule: RowRule) -> bool:
    """Whether the amount of a row stands below its other values, maybe beside further words about it."""
    amount, numbers = rule.amount_of_row, rule.numbers
    if len(before) < MIN_ROW_LEAVES or amount in before or amount not in row:
        return False
    is_alone = DESCRIPTION not in row or (bool(before.keys() & numbers) and row.keys() & numbers == {amount})
    return is_alone and not before.keys() & row.keys() & numbers


def _is_remark(before: Mapping[str, Candidate], row: Mapping[str, Candidate], rule: RowRule) -> bool:
    """Whether a line below a complete row has words and at most one number, such as the price without the discount."""
    amount, numbers = rule.amount_of_row, rule.numbers
    return amount in before and amount not in row and len(before.keys() & numbers) > len(row.keys() & numbers) <= 1
