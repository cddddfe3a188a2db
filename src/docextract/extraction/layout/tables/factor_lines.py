"""Gives lines of a quantity and a price, such as "3 pcs x 18.50", to the row whose amount is their product.

Tills print them above or below the goods. The network takes some of them for values of the next row, or for nothing.
"""

from collections.abc import Iterator, Mapping, Sequence

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import DESCRIPTION, pieces_of, without_pieces
from docextract.extraction.layout.tables.products import (
    AMOUNT,
    PRICE,
    PROVEN_PROBABILITY,
    QUANTITY,
    UNIT,
    has_right_product,
)

_SIGNS = frozenset("xX×*@àá")
MAX_UNIT_PIECES = 2  # between the quantity and the sign: "pcs", "pcs."

Row = Mapping[str, Candidate]


def with_factor_lines(rows: Sequence[Row], fields: Mapping[str, Field], page: PageLabels) -> list[dict[str, Candidate]]:
    """Return the rows with quantity, unit and price of the line directly above or below, if its product is the amount.

    fields: of the list, by leaf. Rows whose product is right are returned unchanged. Other rows lose what they have of
    such a line, and the row itself the words on it that the network took for a part of its description: "Pump 6".
    """
    given = [dict(row) for row in rows]
    taken: set[Span] = {line for row in rows if has_right_product(row) for line in _lines_with(row, page)}
    for at, row in enumerate(given):
        if {DESCRIPTION, AMOUNT} - row.keys() or has_right_product(row):
            continue
        lines = [line for line in _lines_around(row, page) if line not in taken]
        right = [(line, own) for line in lines if (own := _factors(line, row[AMOUNT], fields, page))]
        if len({(own[QUANTITY].value, own[PRICE].value) for _, own in right}) != 1:
            continue
        line, own = right[0]
        taken.add(line)
        given = [without_pieces(other, pieces_of(own.values()), fields, page) for other in given]
        rest = {leaf: one for leaf, one in given[at].items() if leaf not in (QUANTITY, UNIT, PRICE)}
        named = without_pieces({DESCRIPTION: row[DESCRIPTION]}, line, fields, page)
        given[at] = {**rest, **named, **own}
    return [row for row in given if row]


def _lines_with(row: Row, page: PageLabels) -> set[Span]:
    """Return the lines on which the factors of a row stand."""
    return {tuple(page.lines.of(row[leaf].piece_indices[0])) for leaf in (QUANTITY, PRICE)}


def _lines_around(row: Row, page: PageLabels) -> Iterator[Span]:
    """Yield the lines directly above and below the description and the amount of a row."""
    places = [row[leaf].piece_indices for leaf in (DESCRIPTION, AMOUNT)]
    around = [find(place) for find in (page.lines.above, page.lines.below) for place in places]
    yield from dict.fromkeys(tuple(line) for line in around if line)


def _factors(
    line: Span, amount: Candidate, fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate] | None:
    """Return quantity, unit and price of a line of these, if their product is an amount; behind them is no number."""
    texts = [page.pieces[index].text for index in line]
    for at in (at for at, text in enumerate(texts) if text in _SIGNS):
        quantity = next((front for front in range(at - 1, -1, -1) if texts[front][0].isdigit()), None)
        price = next((behind for behind in range(at + 1, len(line)) if texts[behind][0].isdigit()), None)
        if quantity is None or price is None or at - quantity - 1 > MAX_UNIT_PIECES or price - at > 2:
            continue
        if any(text[0].isdigit() for text in texts[price + 1 :]):
            continue
        spans = {QUANTITY: (line[quantity],), UNIT: line[quantity + 1 : at], PRICE: (line[price],)}
        values = {leaf: candidate_of(fields[leaf], span, page) for leaf, span in spans.items() if span}
        found = {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in values.items() if one}
        if has_right_product({**found, AMOUNT: amount}) and amount.value != 0:
            return found
    return None
