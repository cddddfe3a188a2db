"""Reads measured quantities, such as "0,812kg*29,90kr/kg", and the units beside them."""

import re
from collections.abc import Mapping
from itertools import count, takewhile

from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import COLUMN_GAP, DESCRIPTION, is_one_cell, without_pieces
from docextract.extraction.layout.tables.descriptions import UNITS
from docextract.extraction.layout.tables.multiplication import CAPITAL_TIMES, COUNTED_PROBABILITY, TIMES
from docextract.extraction.layout.tables.row_products import (
    AMOUNT,
    FACTORS,
    PRICE,
    PROVEN_PROBABILITY,
    QUANTITY,
    UNIT,
    has_right_product,
    read_again,
)

_PER = "/"
_MISREAD_LITRES = "1"
_DECIMALS = re.compile(r"\d+[.,]\d{1,3}")


def with_measures(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row with quantity and unit as they are measured. fields: of the list, by leaf."""
    for read in (_with_misread_litres, _with_measured_quantity, _with_attached_unit, _with_nearest_unit):
        row = read(row, fields, page)
    return row


def _with_misread_litres(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row with the quantity in front of litres that were read as 1: "31,05 1 x 1,624" for "31,05 l x 1,624".

    Only where the product of the numbers around is the amount. The unit is left out.
    """
    unit = row[QUANTITY].piece_indices if QUANTITY in row else ()
    if len(unit) != 1 or AMOUNT not in row or page.text(unit) != _MISREAD_LITRES:
        return row
    span = tuple(range(unit[0] - 1, unit[0] + 3))
    line = page.lines.of(unit[0])
    if span[0] not in line or span[-1] not in line or page.pieces[span[2]].text not in TIMES | {CAPITAL_TIMES}:
        return row
    places = {QUANTITY: span[:1], PRICE: span[-1:]}
    texts = [page.text(place) for place in places.values()]
    found = {leaf: candidate_of(fields[leaf], place, page) for leaf, place in places.items()}
    factors = {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in found.items() if one}
    known = {**factors, AMOUNT: row[AMOUNT]}
    if len(known) < len(FACTORS) or not all(map(_DECIMALS.fullmatch, texts)):
        return row
    reread = read_again(known, fields, page, ())
    if not (has_right_product(known) or reread):
        return row
    rest = without_pieces({leaf: one for leaf, one in row.items() if leaf not in places}, span, fields, page)
    return {**rest, **factors, **reread}


def _with_measured_quantity(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row with quantity and price exchanged if the price is measured: "42,18 l x 1,639".

    Both have decimals; "1,50 l x 6" may be the size of one piece.
    """
    if {QUANTITY, PRICE} - row.keys():
        return row
    first, second = row[PRICE].piece_indices, row[QUANTITY].piece_indices
    between = tuple(range(first[-1] + 1, second[0]))
    texts = [page.pieces[index].text.lower() for index in between]
    is_measured = len(texts) == 2 and texts[0] in UNITS and texts[1] in TIMES | {"@"}
    span = (*first, *between, *second)
    if not is_measured or row[QUANTITY].content.isdigit() or not is_one_cell(span, page):
        return row
    places = {QUANTITY: first, PRICE: second} | ({UNIT: between[:1]} if UNIT in fields and UNIT not in row else {})
    found = {leaf: candidate_of(fields[leaf], place, page) for leaf, place in places.items()}
    if not (found[QUANTITY] and found[PRICE]):
        return row
    rest = without_pieces({leaf: one for leaf, one in row.items() if leaf not in places}, span, fields, page)
    return rest | {leaf: at_least(one, PROVEN_PROBABILITY) for leaf, one in found.items() if one}


def _with_attached_unit(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row whose description is without what is attached to its factors: "0,812kg*29,90kr/kg", "2st*49,95".

    A word behind the quantity is its unit in front of a sign of multiplication, and behind decimals if it is a known
    unit; others are names without a space: "2Tea", "1.00Flat White". Behind a price it is one only with a stroke: in
    "Paste 5.2OZ" the network may take the size for a price.
    """
    words = set(row[DESCRIPTION].piece_indices) if DESCRIPTION in row else set()
    units = {leaf: _attached_unit(leaf, row[leaf], page) for leaf in (QUANTITY, PRICE) if leaf in row}
    attached = words & {index for span in units.values() for index in span}
    rest = without_pieces(row, attached, fields, page) if attached else row
    if DESCRIPTION not in rest:
        return row
    unit = tuple(index for index in units.get(QUANTITY, ()) if index in attached)
    found = candidate_of(fields[UNIT], unit, page) if unit and UNIT in fields and UNIT not in row else None
    return {**rest, UNIT: at_least(found, COUNTED_PROBABILITY)} if found else rest


def _attached_unit(leaf: str, number: Candidate, page: PageLabels) -> Span:
    """Return the pieces directly behind a factor that are its unit; () if there are none."""
    last, pieces = number.piece_indices[-1], page.pieces
    behind = takewhile(lambda at: at < len(pieces) and pieces[at].line == pieces[last].line, count(last + 1))
    word = tuple(takewhile(lambda at: not pieces[at].space_before and not pieces[at].text[0].isdigit(), behind))
    unit = tuple(takewhile(lambda at: pieces[at].text not in TIMES | {CAPITAL_TIMES}, word))
    text, has_decimals = page.text(unit), not number.content.isdigit()
    is_unit = _PER in text if leaf == PRICE else text.lower() in UNITS
    is_multiplied = leaf == QUANTITY and len(unit) < len(word)
    return unit if is_multiplied or (has_decimals and is_unit) else ()


def _with_nearest_unit(
    row: Mapping[str, Candidate], fields: Mapping[str, Field], page: PageLabels
) -> Mapping[str, Candidate]:
    """Return a row whose unit is the one nearest to the quantity, without words of other columns: "2 kg NP", "Jan"."""
    if {UNIT, QUANTITY} - row.keys():
        return row
    left, top, right, bottom = page.box(row[QUANTITY].piece_indices)
    boxes = {index: page.boxes[index] for index in row[UNIT].piece_indices}
    by_distance = sorted(boxes, key=lambda index: max(boxes[index][0] - right, left - boxes[index][2]))
    start, _, end, _ = boxes[by_distance[0]]
    for nearer, index in enumerate(by_distance):
        begin, _, stop, _ = boxes[index]
        if max(begin - end, start - stop) > COLUMN_GAP * (bottom - top):
            return without_pieces(row, by_distance[nearer:], fields, page)
        start, end = min(start, begin), max(end, stop)
    return row
