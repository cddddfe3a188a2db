"""Completes addresses down to the line with the postal code, which the network often leaves out after a unit's line."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from docextract.documents.address_lines import is_line_of_address
from docextract.documents.companies import is_legal_form
from docextract.documents.countries import is_country_name
from docextract.documents.postal_codes import begins_with_postal_code, has_divided_code, has_postal_code
from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PrintedLines, box_of, is_right_below, runs_on_lines
from docextract.extraction.layout.values.address_ends import (
    SEAT,
    without_captions,
    without_company,
    without_next_address,
    without_rest,
    without_tax_label,
)
from docextract.extraction.layout.values.text_spans import ends_with_legal_form

MIN_STREET_PROBABILITY = 0.3  # of one piece of a line above a postal code
MIN_PARTY_PROBABILITY = 0.2  # of what has the form of a street, that it is the address or the name of a party
MIN_TAKEN_SHARE = 0.5  # of a line with a postal code: if other fields have that much of it, it is no part of an address
MAX_UNIT_PIECES = 4
MAX_UNIT_LINES = 3  # above a street
MAX_LINES_BETWEEN = 1  # of a unit, a building or a person, between the street and the postal code
_UNIT = re.compile(
    r"(?:haus|hs|unit|suite|ste|apt|apartment|flat|b[âa]t(?:iment)?|app?t|appartement|whg|wohnung|top|lok|lokal|of|oficina|"
    r"piso|int|interno|scala|č|byt|as|lgh|korter|krt|dz|bt|apto|sala|loja|fração|huis|bus|daire)\.?\s?\d{1,4}\s?[a-z]?,?"
    r"|(?:apt|apartment|unit|suite|ste|flat|bldg)\.?\s?[a-z]\d{0,3},?|#\s?\w{1,5},?",
    re.IGNORECASE,
)
_BEGINS_WITH_UNIT = re.compile(rf"(?:{_UNIT.pattern})(?=\s|$)", re.IGNORECASE)

_REGISTER_NUMBER = r"HR[AB][-\s]*(?:Nr)?[.:\s]*\d[\d ]*|R\.?C\.?S\.? ?\w+ (?:[AB] )?\d{3}[\d ]{3,}"  # German, French
_REGISTER_ENTRY = re.compile(rf"{_REGISTER_NUMBER}|Amtsgericht\b")
_STREET_INSIDE = r"[^\W\d]{3,}\.?\s\d{1,4}(?:[/-]\d{1,4})?\s?[a-zA-Z]?(?=[,\s]|$)"
_STREET_OR_CODE = re.compile(rf"{_STREET_INSIDE}|\b\d{{4,5}}\s[^\W\d]{{2}}")  # within a text
_STREET = re.compile(  # "Hlavná 1636/43", "2 Canal Wharf"
    r"[^\W\d][^\d:]*\s\d{1,5}(?:[/-]\d{1,4})?\s?[a-zA-Z]?,?|\d{1,5}[a-zA-Z]?,?\s[^\W\d][^\d:]*"
)
_HOUSE_NUMBER = re.compile(r"\d{1,4}(?: ?(?:bis|ter|[a-zA-Z]))?,?")


def is_register_entry(text: str) -> bool:
    """Whether a text is the entry of a company in a register and its place, not an address: "HRA 7 Kiel".

    An address may follow the entry, or the name of the court.
    """
    beside = re.sub(_REGISTER_NUMBER, "", text)
    return _REGISTER_ENTRY.match(text) is not None and _STREET_OR_CODE.search(beside) is None


def may_begin_address(text: str) -> bool:
    """Whether a text has the form of a street, or begins with a unit: "Møllevej 8", "Apt 12 Cé na Farraige"."""
    return _STREET.fullmatch(text) is not None or _BEGINS_WITH_UNIT.match(text) is not None


def whole_addresses(
    spans: Sequence[Span], own: NDArray[np.float32], named: NDArray[np.float32], taken: NDArray[np.bool_],
    pieces: Sequence[Piece], lines: PrintedLines,
) -> list[Span]:  # fmt: skip
    """Return the addresses from their street down to their postal code, without those that are part of another.

    own: [T], the probability that a piece belongs to the field. named: [T], to the name of its party. taken: [T], that
    it rather belongs to another field.
    """
    taken = _without_ends_of_words(taken, pieces)
    streets = [with_street_in_front(without_company(span, pieces), pieces, taken) for span in spans]
    alone = [with_unit_in_front(span, pieces, taken) for span in streets]
    begun = [with_street_above(span, pieces, lines, own, named, taken) for span in alone]
    open_ended = [with_line_behind_comma(span, own, pieces, lines, taken) for span in begun]
    coded = [complete_address(span, pieces, lines, taken) for span in open_ended]
    # Below the address of a party a country is no value, whatever the network takes it for.
    others = taken & ~named.any()
    inside = [with_unit_between(span, pieces, lines, taken) for span in coded]
    whole = [with_country_below(with_units_above(one, pieces, lines, taken), pieces, lines, others) for one in inside]
    captioned = [without_tax_label(without_captions(span, pieces), pieces, lines) for span in whole]
    bare = [
        without_next_address(without_repeated_lines(without_rest(span, pieces), pieces), pieces) for span in captioned
    ]
    return [span for span in bare if not any(set(span) < set(other) for other in bare)]


def without_seats(spans: Sequence[Span], pieces: Sequence[Piece], lines: PrintedLines) -> list[Span]:
    """Leave out addresses behind a caption of a seat, if there is a whole one besides: "Jur. adr.: Ropažu iela 17"."""
    shops = [span for span in spans if not _is_seat(span, pieces, lines)]
    return shops if any(has_code(span, pieces) for span in shops) else list(spans)


def last_address(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return the last of two addresses with postal codes of two parts: of a shop, below the seat of its company.

    Other codes resemble numbers of houses too much: "91-5431 Kapolei Parkway".
    """
    rows = list(runs_on_lines(span, pieces))
    coded = [at for at, row in enumerate(rows) if has_divided_code(text_of(row, pieces))]
    if len(coded) < 2:
        return span
    # Of one whose code is in its first line, so is that of the other.
    start = coded[-1] if coded[0] == 0 else coded[0] + 1
    return tuple(index for row in rows[start:] for index in row)


def _is_seat(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> bool:
    line = lines.of(span[0])
    front = line[: line.index(span[0])] or lines.left_of(line) or ()
    return bool(front) and is_caption(text_of(front, pieces), SEAT)


def _without_ends_of_words(taken: NDArray[np.bool_], pieces: Sequence[Piece]) -> NDArray[np.bool_]:
    """Return `taken` without the rest of hyphenated words whose first part is not: "EN" of "SAINT-GERMAIN-EN-LAYE"."""
    kept = taken.copy()
    for at in (np.flatnonzero(taken[1:]) + 1).tolist():
        before, own = pieces[at - 1], pieces[at]
        is_attached = own.line == before.line and not own.space_before
        if is_attached and "-" in (before.text, own.text) and not kept[at - 1]:
            kept[at] = False
    return kept


def without_units(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return the lines of an address that do not belong to it by their words alone; all if there are no others."""
    streets = [line for line in runs_on_lines(span, pieces) if not _is_unit(line, pieces)]
    return tuple(index for line in streets for index in line) or span


def complete_address(span: Span, pieces: Sequence[Piece], lines: PrintedLines, taken: NDArray[np.bool_]) -> Span:
    """Return the address with the lines below it up to its postal code; unchanged if it has one or none is found.

    span: indices of the pieces of an address. taken: [T], that a piece rather belongs to a field of another kind.
    """
    own = list({pieces[index].line: lines.of(index) for index in span}.values())
    if _have_code(own, pieces):
        return span
    added: list[int] = []
    last = own[-1]
    for _ in range(1 + MAX_LINES_BETWEEN):
        below = lines.below(last)
        if below is None or below in own:
            return span
        has_code = has_postal_code(text_of(below, pieces), is_first=False)
        if taken[below].mean() >= MIN_TAKEN_SHARE if has_code else taken[below].any():
            return span
        added += below
        if has_code:
            return (*span, *added)
        last = below
    return span


def with_line_behind_comma(
    span: Span, own: NDArray[np.float32], pieces: Sequence[Piece], lines: PrintedLines, taken: NDArray[np.bool_]
) -> Span:
    """Return an address whose last line ends with a comma with the line below it, if a word there may belong to it.

    own: [T], the probability that a piece belongs to the field. taken: see `complete_address`.
    """
    last = lines.of(span[-1])
    is_open = pieces[last[-1]].text == "," and last[-1] - span[-1] <= 1
    below = _below_in_column(last, pieces, lines) if is_open else None
    if below is None or not set(below).isdisjoint(span) or taken[below].any() or ":" in text_of(below, pieces):
        return span
    comma = range(span[-1] + 1, last[-1] + 1)
    return (*span, *comma, *below) if own[below].max() >= MIN_STREET_PROBABILITY else span


def _below_in_column(line: Sequence[int], pieces: Sequence[Piece], lines: PrintedLines) -> list[int] | None:
    """Return the line directly below another one that begins where it does."""
    left, top, _, bottom = upper = box_of(line, pieces)
    boxes = ((other, box_of(other, pieces)) for other in lines)
    return next((one for one, box in boxes if is_right_below(upper, box) and abs(box[0] - left) < bottom - top), None)


def without_repeated_lines(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return an address without lines that it has already: a payment slip prints it twice, side by side.

    Directly below a line the same one is printed again where a province has the name of its town: "MADRID", twice.
    """
    kept: list[tuple[str, Span]] = []
    for line in runs_on_lines(span, pieces):
        text = text_of(line, pieces)
        is_same = bool(kept) and kept[-1][0] == text and not any(map(str.isdigit, text))
        is_province = is_same and is_right_below(box_of(kept[-1][1], pieces), box_of(line, pieces))
        if is_province or text not in [other for other, _ in kept]:
            kept.append((text, line))
    return tuple(index for _, line in kept for index in line)


def with_street_above(
    span: Span, pieces: Sequence[Piece], lines: PrintedLines,
    own: NDArray[np.float32], named: NDArray[np.float32], taken: NDArray[np.bool_],
) -> Span:  # fmt: skip
    """Return an address that begins with the line of its postal code, with the line above it if that may be its street.

    own: [T], the probability that a piece belongs to the field. named: [T], to the name of its party. taken: see
    `complete_address`.
    """
    first = [index for index in span if pieces[index].line == pieces[span[0]].line]
    text = text_of(first, pieces)
    above = lines.above(first) if is_town(text) else None
    if above is None:
        return span
    is_street = _STREET.fullmatch(text_of(above, pieces)) is not None
    is_likely = bool((own + named)[above].mean() >= MIN_PARTY_PROBABILITY)
    is_below_name = _is_below_name(above, named, lines) or is_street_below_company(above, pieces, lines)
    if is_street and is_likely and is_below_name:
        return (*above, *span)
    if own[above].max() < MIN_STREET_PROBABILITY or not begins_with_postal_code(text):
        return span
    if is_street and not taken[above].all():
        return (*above, *span)
    if taken[above].any():
        return span
    begins = next(at for at, index in enumerate(above) if own[index] >= MIN_STREET_PROBABILITY)  # behind a caption
    street = above[begins:]
    return (*street, *span) if any(char.isdigit() for char in text_of(street, pieces)) else span


def _is_below_name(line: Sequence[int], named: NDArray[np.float32], lines: PrintedLines) -> bool:
    """Whether one of the two lines above a line is rather the name of its party.

    "Studio 54" above a town is a name, although the bottom of the page has it again, more certain.
    """
    upper = lines.above(line)
    two_lines = [*upper, *(lines.above(upper) or [])] if upper else []
    return bool(named[two_lines].max(initial=0) > named[line].max())


def is_street_below_company(line: Sequence[int], pieces: Sequence[Piece], lines: PrintedLines) -> bool:
    """Whether a line has the form of a street, between a name with its legal form and a line with a postal code."""
    upper, lower = lines.above(line), lines.below(line)
    return (
        upper is not None and lower is not None
        and _STREET.fullmatch(text_of(line, pieces)) is not None
        and ends_with_legal_form(upper, pieces)
        and begins_with_postal_code(text_of(lower, pieces))
    )  # fmt: skip


def street_above(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Return the line with the form of a street above the town with which an address begins; () if there is none.

    It begins in the same column, and the address has no street of its own. "3M Deutschland GmbH" is a company.
    """
    first = [index for index in span if pieces[index].line == pieces[span[0]].line]
    has_street = not is_town(text_of(first, pieces)) or re.search(_STREET_INSIDE, text_of(span, pieces)) is not None
    above = None if has_street else lines.above(first)
    if above is None or not set(above).isdisjoint(span) or ends_with_legal_form(above, pieces):
        return ()
    if _STREET.fullmatch(text_of(above, pieces)) is None:
        return ()
    left, top, _, bottom = box_of(above, pieces)
    return tuple(above) if abs(box_of(first, pieces)[0] - left) < bottom - top else ()


def has_town_below(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> bool:
    """Whether an address without a postal code has one on the line below it, or on the next one."""
    if has_code(span, pieces):
        return False
    last = list(runs_on_lines(span, pieces)[-1])
    for _ in range(1 + MAX_LINES_BETWEEN):
        below = _below_in_column(last, pieces, lines)
        if below is None or not set(below).isdisjoint(span):
            return False
        if has_postal_code(text_of(below, pieces), is_first=False):
            return True
        last = below
    return False


def has_code(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether an address has its postal code."""
    return _have_code(runs_on_lines(span, pieces), pieces)


def _have_code(lines: Sequence[Sequence[int]], pieces: Sequence[Piece]) -> bool:
    """Whether one of the lines of an address has its postal code."""
    return any(has_postal_code(text_of(line, pieces), is_first=at == 0) for at, line in enumerate(lines))


def is_town(text: str) -> bool:
    """Whether a line of an address has a postal code and no street: "20457 Hamburg", "Liverpool L3 8HT"."""
    is_behind = text[0].isalpha() and has_postal_code(text, is_first=True)
    return begins_with_postal_code(text) or (is_behind and re.search(_STREET_INSIDE, text) is None)


def with_units_above(span: Span, pieces: Sequence[Piece], lines: PrintedLines, taken: NDArray[np.bool_]) -> Span:
    """Return an address with the lines of units and boxes above its street: "Haus 29", "Bât. 1", "P.O. Box 7"."""
    for _ in range(MAX_UNIT_LINES):
        above = lines.above([index for index in span if pieces[index].line == pieces[span[0]].line])
        if above is None or taken[above].any() or not _is_unit(above, pieces):
            break
        span = (*above, *span)
    return span


def with_unit_between(span: Span, pieces: Sequence[Piece], lines: PrintedLines, taken: NDArray[np.bool_]) -> Span:
    """Return an address with the line of a unit between two of its lines: "APT. 1" between street and town."""
    whole: list[int] = []
    for own in runs_on_lines(span, pieces):
        above = lines.above(own) if whole else None
        if above and set(above).isdisjoint(span) and not taken[above].any() and _is_unit(above, pieces):
            whole += above
        whole += own
    return tuple(whole)


def _is_unit(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    text = text_of(line, pieces)
    return _UNIT.fullmatch(text) is not None or is_line_of_address(text)


def with_street_in_front(span: Span, pieces: Sequence[Piece], taken: NDArray[np.bool_]) -> Span:
    """Return an address with what its first line has in front of it, up to a colon, if that is a street or its number.

    "Sitz: 16 rue Haute - 92100 Boulogne" of "92100 Boulogne", "4 avenue Foch" of "avenue Foch".
    """
    first = start = span[0]
    while start > 0 and pieces[start - 1].line == pieces[first].line and pieces[start - 1].text != ":":
        start -= 1
    front = join_pieces(pieces[start:first])
    if start == first or taken[start:first].any():
        return span
    own = join_pieces([pieces[index] for index in span if pieces[index].line == pieces[first].line])
    has_company = any(is_legal_form(word.rstrip(",")) for word in front.split())
    has_street = _STREET.fullmatch(front.rstrip(" ,–-")) is not None and not has_company
    is_street = has_street and begins_with_postal_code(own)
    has_number = not own[0].isalpha() or re.search(_STREET_INSIDE, own) is not None
    is_number = not has_number and _HOUSE_NUMBER.fullmatch(front) is not None
    return (*range(start, first), *span) if is_street or is_number else span


def with_unit_in_front(span: Span, pieces: Sequence[Piece], taken: NDArray[np.bool_]) -> Span:
    """Return an address with the unit that is printed in front of its street on one line: "Of. 5, Calle Mayor 162"."""
    first, line = span[0], pieces[span[0]].line
    for start in range(max(0, first - MAX_UNIT_PIECES), first):
        if pieces[start].line != line or taken[start:first].any():
            continue
        ends = range(first, min(first + MAX_UNIT_PIECES, len(pieces)) + 1)
        if any(_UNIT.fullmatch(join_pieces(pieces[start:end])) for end in ends):
            return (*range(start, first), *span)
    return span


def with_country_below(span: Span, pieces: Sequence[Piece], lines: PrintedLines, taken: NDArray[np.bool_]) -> Span:
    """Return an address with the line below it, if that is a country which it does not name yet."""
    below = lines.below([index for index in span if pieces[index].line == pieces[span[-1]].line])
    if below is None or taken[below].any():
        return span
    country = text_of(below, pieces)
    is_new = country not in text_of(span, pieces)
    return (*span, *below) if is_new and is_country_name(country) else span
