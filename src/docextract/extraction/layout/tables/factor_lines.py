"""Gives lines of a quantity and a price, such as "3 pcs x 18.50", to the item whose amount is their product.

Tills print them above or below the item. The network takes some of them for values of the next row, or for nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from docextract.documents.base import Field
from docextract.documents.currencies import is_currency
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.places import runs_on_lines
from docextract.extraction.layout.tables.cells import DESCRIPTION, pieces_of, without_pieces
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    PRICE,
    PROVEN_PROBABILITY,
    QUANTITY,
    UNIT,
    has_right_product,
)

_SIGNS = frozenset("xX×*@àá")
MAX_MEASURE_PIECES = 2  # between a number and the sign: "pcs", "pcs."
_MONEY = re.compile(r"\d[\d.,']*[.,]\d{2,4}")
_END = re.compile(r"[=)\]]*")  # of a line, behind the price; "12.23 x 2.20 / l" has a unit there
_PER_UNIT = re.compile(r"/ ?[^\W\d]+")
_Row = Mapping[str, Candidate]


@dataclass(frozen=True)
class _FactorLine:
    """A line with the values of its quantity, its price and maybe a unit; and its pieces from the first to the last."""

    line: Span
    values: Mapping[str, Candidate]
    span: Span

    @property
    def numbers(self) -> tuple[object, object]:
        """The quantity and the price."""
        return self.values[QUANTITY].value, self.values[PRICE].value


def with_factor_lines(
    rows: Sequence[_Row], fields: Mapping[str, Field], page: PageLabels
) -> list[dict[str, Candidate]]:
    """Return the rows with quantity, price and unit of the line directly above or below, if its product is the amount.

    fields: of the list, by leaf. Rows whose product is right stay as they are, and so do rows with quantity and price
    beside the amount, which may have a discount. Other rows lose what they have of a line that is given to a row, and
    the row itself loses words on it that the network took for a part of the description: "Pump 6". If a line suits two
    rows, the one that the network gave a part of it comes first.
    """
    rows = [_with_own_factors(row, fields, page) for row in rows]
    taken = {page.pieces[index].line for row in rows if has_right_product(row) for index in pieces_of(row.values())}
    suitable = [(at, line) for at, row in enumerate(rows) for line in _suitable_lines(row, fields, page)]
    suitable.sort(key=lambda one: not _has_part(rows[one[0]], one[1]))
    chosen: dict[int, _FactorLine] = {}
    for at, line in suitable:
        number = page.pieces[line.span[0]].line
        if at not in chosen and number not in taken:
            chosen[at] = line
            taken.add(number)
    used = {index for line in chosen.values() for index in line.span}
    given = (_with_values(row, chosen.get(at), used, fields, page) for at, row in enumerate(rows))
    return [row for row in given if row]


def _with_own_factors(row: _Row, fields: Mapping[str, Field], page: PageLabels) -> _Row:
    """Return a row with the factors behind its name or in front of its amount, if their product is the amount.

    "Tea 2 pcs x 1,25": the network may take the price for the quantity, and the rest for words.
    """
    if {DESCRIPTION, AMOUNT} - row.keys() or has_right_product(row):
        return row
    amount = page.lines.of(row[AMOUNT].piece_indices[0])
    lines = [page.lines.of(row[DESCRIPTION].piece_indices[-1]), page.lines.left_of(amount) or amount]
    right = [
        one
        for line in dict.fromkeys(map(tuple, lines))
        for at, index in enumerate(line)
        if page.pieces[index].text in _SIGNS and (one := _factors_around(at, line, fields, page, is_own=True))
        if has_right_product({**one.values, AMOUNT: row[AMOUNT]})
    ]
    if len({one.numbers for one in right}) != 1 or not set(right[0].span).isdisjoint(row[AMOUNT].piece_indices):
        return row
    is_below = row[DESCRIPTION].piece_indices[0] not in page.lines.of(right[0].span[0])
    rest = without_pieces(row, right[0].line if is_below else right[0].span, fields, page)
    others = {leaf: one for leaf, one in rest.items() if leaf not in (QUANTITY, PRICE)}
    return {**others, **right[0].values} if DESCRIPTION in rest else row


def _with_values(
    row: _Row, chosen: _FactorLine | None, used: set[int], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row with the values of the line that is chosen for it, and without the pieces that any row has got."""
    if chosen is None:
        return without_pieces(row, used, fields, page)
    words = without_pieces({DESCRIPTION: row[DESCRIPTION]}, chosen.line, fields, page)
    others = without_pieces({leaf: one for leaf, one in row.items() if leaf != DESCRIPTION}, used, fields, page)
    name = _with_digits_in_front({DESCRIPTION: row[DESCRIPTION], **words}, row, used, fields, page)
    return {**name, **others, **chosen.values}


def _with_digits_in_front(
    name: _Row, row: _Row, used: set[int], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a description with the digits that touch it and were taken for a part of the quantity: "2X4X96"."""
    words, quantity = name[DESCRIPTION].piece_indices, row[QUANTITY].piece_indices if QUANTITY in row else ()
    before = words[0] - 1
    is_part = before in quantity and before not in used and not page.pieces[words[0]].space_before
    whole = candidate_of(fields[DESCRIPTION], (before, *words), page) if is_part else None
    return {DESCRIPTION: whole or name[DESCRIPTION]}


def _has_part(row: _Row, line: _FactorLine) -> bool:
    return not pieces_of(row[leaf] for leaf in (QUANTITY, PRICE) if leaf in row).isdisjoint(line.span)


def _suitable_lines(row: _Row, fields: Mapping[str, Field], page: PageLabels) -> list[_FactorLine]:
    """Return the lines beside a row whose product is its amount; of different ones only those that it has a part of."""
    if {DESCRIPTION, AMOUNT} - row.keys() or row[AMOUNT].value == 0 or has_right_product(row):
        return []
    if all(leaf in row and _is_beside(row[leaf], row[AMOUNT], page) for leaf in (QUANTITY, PRICE)):
        return []
    lines = [found for line in _lines_around(row, page) if (found := _factor_line(line, fields, page))]
    right = [line for line in lines if has_right_product({**line.values, AMOUNT: row[AMOUNT]})]
    own = [line for line in right if _has_part(row, line)]
    return own or (right if len({line.numbers for line in right}) == 1 else [])


def _is_beside(one: Candidate, other: Candidate, page: PageLabels) -> bool:
    """Whether a value stands at the height of another one."""
    _, top, _, bottom = page.box(other.piece_indices)
    boxes = (page.boxes[index] for index in one.piece_indices)
    return all(top < (upper + lower) / 2 < bottom for _, upper, _, lower in boxes)


def _lines_around(row: _Row, page: PageLabels) -> Iterator[Span]:
    """Yield the lines directly above and below the description and the amount of a row."""
    name, amount = runs_on_lines(row[DESCRIPTION].piece_indices, page.pieces), row[AMOUNT].piece_indices
    above, below = page.lines.above, page.lines.below
    around = [above(name[0]), above(amount), *map(below, name), below(page.lines.of(name[-1][-1])), below(amount)]
    yield from dict.fromkeys(tuple(line) for line in around if line)


def _factor_line(line: Span, fields: Mapping[str, Field], page: PageLabels) -> _FactorLine | None:
    """Return the quantity, the unit and the price of a line that has no other number, if it is one of these.

    The price has decimals, behind it is nothing but its currency or "per unit", and the order may be "18.50 x 3". Words
    and numbers in front stay outside where the quantity has decimals, too: "Pump 6 12.23 x 2.20".
    """
    beside = page.lines.right_of(line)
    if beside and any(map(str.isdigit, page.text(beside))):
        return None
    signs = (at for at, index in enumerate(line) if page.pieces[index].text in _SIGNS)
    return next(filter(None, (_factors_around(at, line, fields, page) for at in signs)), None)


def _factors_around(
    at: int, line: Span, fields: Mapping[str, Field], page: PageLabels, is_own: bool = False
) -> _FactorLine | None:
    """Return the factors on both sides of a sign of multiplication. at: of the sign, on its line.

    is_own: the line is that of the row itself, and has its name in front.
    """
    texts = [page.pieces[index].text for index in line]
    first = next((front for front in range(at - 1, -1, -1) if texts[front][0].isdigit()), None)
    second = next((behind for behind in range(at + 1, len(line)) if texts[behind][0].isdigit()), None)
    if first is None or second is None or at - first - 1 > MAX_MEASURE_PIECES:
        return None
    if priced := _price_of_one(second, texts[first + 1 : at], texts):
        quantity, unit, currency, price = first, line[first + 1 : at], line[:0], priced
    elif _MONEY.fullmatch(texts[second]):
        quantity, unit, currency, price = first, line[first + 1 : at], line[at + 1 : second], second
    elif _MONEY.fullmatch(texts[first]) and texts[second].isdigit():
        quantity, unit, currency, price = second, line[:0], line[first + 1 : at], first
    else:
        return None
    last = max(second, quantity, price)
    is_free = is_own or not any(map(str.isalnum, "".join(texts[:first]))) or not texts[quantity].isdigit()
    if not (is_free and _is_currency(currency, page) and _is_end(line[last + 1 :], page)):
        return None
    spans = {QUANTITY: (line[quantity],), PRICE: (line[price],)}
    found = {leaf: candidate_of(fields[leaf], span, page) for leaf, span in spans.items()}
    values = {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in found.items() if one}
    if len(values) < len(spans):
        return None
    return _FactorLine(line, values | _unit(unit, fields, page), line[first : last + 1])


def _price_of_one(one: int, unit: Sequence[str], texts: Sequence[str]) -> int | None:
    """Return where the price stands of one unit of what is measured: of 0.58 in "2.31 lb @ 1 lb /0.58".

    one: where the number behind the sign is. unit: behind the quantity.
    """
    slash = one + 1 + len(unit)
    is_one = texts[one] == "1" and [*texts[one + 1 : slash + 1]] == [*unit, "/"]
    is_price = is_one and slash + 1 < len(texts) and _MONEY.fullmatch(texts[slash + 1])
    return slash + 1 if unit and is_price else None


def _unit(span: Span, fields: Mapping[str, Field], page: PageLabels) -> dict[str, Candidate]:
    """Return a word between quantity and sign by its leaf; none for a currency or a sign, or if rows have no unit."""
    is_word = bool(span) and page.pieces[span[0]].text[0].isalpha() and not _is_currency(span, page)
    found = candidate_of(fields[UNIT], span, page) if is_word and UNIT in fields else None
    return {UNIT: found} if found else {}


def _is_end(behind: Span, page: PageLabels) -> bool:
    """Whether what stands behind a price is nothing but its currency, a unit behind a stroke, or signs."""
    rest = _PER_UNIT.sub("", page.text(behind)).strip()
    return _END.fullmatch(rest) is not None or _is_currency(behind, page)


def _is_currency(span: Span, page: PageLabels) -> bool:
    """Whether pieces are a currency, or there are none."""
    return not span or is_currency(page.text(span))
