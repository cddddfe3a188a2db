"""Fitting of recognised lines to a zone layout: the right length, and in each column only characters allowed there.

OCR loses and adds fillers, and reads O for 0. This module decides by the layout alone: where fillers may be missing,
and which columns hold only digits or only letters. `repair` uses the check digits afterwards.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docextract.documents.countries import is_country_code
from docextract.documents.mrz.layout import ALPHABET, COMPOSITE, FILLER, ZoneLayout

MAX_MISSING_FILLERS = 12  # of a line with data; the line with the names may have lost all its fillers
MAX_EXTRA_FILLERS = 6
_MAX_FITS_PER_LINE = 4  # fits of one line that are combined with those of the other lines

_FILLERS = "<>‹›〈〉＜＞く([{-_~=^*€&"  # recognition results for a filler, of models for many scripts
_DOUBLE_FILLERS = "«»《》≪≫"
_HOMOGLYPHS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХ", "ABEZHIKMNOPTYXABEKMHOPCTYX")  # Greek and Cyrillic
_LOOK_LIKE_FILLERS = "KCLSXEG"
_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TO_DIGIT = dict(zip("OQDUILJZSGBAT", "0000111256847", strict=True))
_TO_LETTER = dict(zip("012568", "OIZSGB", strict=True))
_TO_SEX = dict.fromkeys("XKC", FILLER)
_STATES = ("issuing_country", "nationality")
_PADDED_FIELDS = ("document_code", *_STATES, "document_number", "sex")  # may end in fillers, with data after them

# By name of an alphabet: its characters, and replacements for characters that are not in it.
ALPHABETS = {
    "letters": _LETTERS + FILLER,
    "letters or digits": _LETTERS + FILLER + _DIGITS,
    "digits": _DIGITS,
    "digits or fillers": _DIGITS + FILLER,
    "sex": "MF" + FILLER,
    "sex of a card": "MFH" + FILLER,  # Mexico has H for men
    "any": ALPHABET + FILLER,
}
_REPLACEMENTS = {"letters": _TO_LETTER, "digits": _TO_DIGIT, "digits or fillers": _TO_DIGIT, "sex": _TO_SEX,
                 "sex of a card": _TO_SEX, "letters or digits": {}, "any": {}}  # fmt: skip
_ALPHABET_OF_FIELD = {
    "document_code": "letters", "issuing_country": "letters", "nationality": "letters", "names": "letters",
    "family_name": "letters", "given_name": "letters", "sex": "sex",
    "birth_date": "digits or fillers", "expiry_date": "digits or fillers",
    "document_number": "any", "optional_data": "any", "more_optional_data": "any",
}  # fmt: skip
# On cards with three lines the second character of the code may be a digit.
_ALPHABETS_ON_CARDS = {"document_code": ("letters", "letters or digits"), "sex": ("sex of a card",)}
_STATES_WITH_DIGITS_IN_CODE = ("USA",)  # C1 and C2 for permanent residents; elsewhere a digit is a misread letter
_FRENCH_CARD = "IDFRA"  # with two lines it is a card from before 2021, whose lines are in no format of ICAO
_NAMES = re.compile(r"[A-Z]+(?:<[A-Z]+)*(?:<<[A-Z]+(?:<[A-Z]+)*)?")
_OPTIONAL = re.compile(r".*?(?=<<|$)")
_CONTENT_BEFORE_FILLERS = {"names": _NAMES, "optional_data": _OPTIONAL, "more_optional_data": _OPTIONAL}


@dataclass(frozen=True)
class FittedLine:
    """A line of the zone. `origin[i]` is the index in the recognised line of the source of character i."""

    text: str
    origin: tuple[int, ...]

    def with_fillers(self, column: int, count: int) -> "FittedLine":
        """Insert fillers before a column; for a negative count, remove characters from that column on."""
        end = column - min(count, 0)
        near = self.origin[max(column - 1, 0)] if self.origin else 0
        return FittedLine(
            self.text[:column] + FILLER * count + self.text[end:],
            self.origin[:column] + (near,) * count + self.origin[end:],
        )


def normalise_line(recognised: str) -> FittedLine:
    """Reduce a recognised line to capitals, digits and fillers."""
    kept = [(character, at) for at, letter in enumerate(recognised) for character in _normalise_character(letter)]
    return FittedLine("".join(character for character, _ in kept), tuple(at for _, at in kept))


def _normalise_character(letter: str) -> str:
    if letter in _DOUBLE_FILLERS:
        return FILLER * 2
    if letter in _FILLERS:
        return FILLER
    upper = unicodedata.normalize("NFKD", letter.upper()).translate(_HOMOGLYPHS)
    return "".join(character for character in upper if character in ALPHABET)


def column_alphabets(layout: ZoneLayout, line: int) -> list[str]:
    """Return the name of the alphabet of each column of a line."""
    columns = ["any"] * layout.width
    for name, place in layout.fields.items():
        if place.line == line:
            on_cards = _ALPHABETS_ON_CARDS.get(name) if layout.format == "TD1" else None
            columns[place.start : place.end] = on_cards or [_ALPHABET_OF_FIELD[name]] * (place.end - place.start)
    for check in layout.checks:
        if check.cell[0] == line:
            columns[check.cell[1]] = "digits" if check.name == COMPOSITE else "digits or fillers"
    return columns


def fit_line(row: FittedLine, layout: ZoneLayout, line: int) -> list[FittedLine]:
    """Return the best fits of a normalised line to this line of the layout, best first; empty if none is possible."""
    missing = layout.width - len(row.text)
    names = any(place.line == line for name, place in layout.fields.items() if name == "names")
    if (
        missing < -MAX_EXTRA_FILLERS
        or (missing > MAX_MISSING_FILLERS and not names)
        or len(row.text) < layout.width // 4
    ):
        return []
    fits = dict.fromkeys(
        _replace_impossible_characters(fit, layout, line) for fit in _with_layout_width(row, layout, line, missing)
    )
    return sorted(fits, key=lambda fit: _fit_score(fit.text, layout, line), reverse=True)[:_MAX_FITS_PER_LINE]


def _with_layout_width(row: FittedLine, layout: ZoneLayout, line: int, missing: int) -> Iterator[FittedLine]:
    """Yield the row with fillers inserted next to fillers or at field ends, or removed from one run of fillers."""
    if missing == 0:
        yield row
    elif missing > 0:
        columns = _insertion_columns(row, layout, line)
        for column in columns:
            yield row.with_fillers(column, missing)
        if missing > 1:
            for column in columns:
                one_inserted = row.with_fillers(column, 1)
                for other in _insertion_columns(one_inserted, layout, line):
                    yield one_inserted.with_fillers(other, missing - 1)
    else:
        for run in _filler_runs(row):
            if len(run[0]) >= -missing:
                yield row.with_fillers(run.start(), missing)


def _insertion_columns(row: FittedLine, layout: ZoneLayout, line: int) -> list[int]:
    missing = layout.width - len(row.text)
    ends = [
        place.end - missing for name, place in layout.fields.items() if place.line == line and name in _PADDED_FIELDS
    ]
    columns = dict.fromkeys([*(run.end() for run in _filler_runs(row)), len(row.text), *ends])
    return [column for column in columns if 0 < column <= len(row.text)]


def _filler_runs(row: FittedLine) -> list[re.Match[str]]:
    """Return the runs of fillers, longest first: one filler more or less is lost most easily where there are many."""
    return sorted(re.finditer(FILLER + "+", row.text), key=lambda run: len(run[0]), reverse=True)


def _replace_impossible_characters(row: FittedLine, layout: ZoneLayout, line: int) -> FittedLine:
    text = "".join(
        character if character in ALPHABETS[alphabet] else _REPLACEMENTS[alphabet].get(character, character)
        for character, alphabet in zip(row.text, column_alphabets(layout, line), strict=True)
    )
    for name, place in layout.fields.items():
        if name in _CONTENT_BEFORE_FILLERS and place.line == line:
            field = _with_filler_tail(text[place.start : place.end], _CONTENT_BEFORE_FILLERS[name])
            text = text[: place.start] + field + text[place.end :]
    return FittedLine(_with_letters_in_code(text, layout) if line == 0 else text, row.origin)


def _with_letters_in_code(first_line: str, layout: ZoneLayout) -> str:
    """Replace digits in the document code, unless its state has codes with digits."""
    code, state = (layout.fields[name] for name in ("document_code", "issuing_country"))
    if first_line[state.start : state.end] in _STATES_WITH_DIGITS_IN_CODE:
        return first_line
    letters = (_TO_LETTER.get(character, character) for character in first_line[code.start : code.end])
    return first_line[: code.start] + "".join(letters) + first_line[code.end :]


def _with_filler_tail(text: str, content: re.Pattern[str]) -> str:
    """Replace characters that look like fillers after the content of a field.

    After the names, and after two fillers in optional data, there are only fillers.
    """
    match = content.match(text)
    tail = text[match.end() :] if match else ""
    misread = tail.startswith(FILLER) and not tail.strip(FILLER + _LOOK_LIKE_FILLERS)
    return text[: len(text) - len(tail)] + FILLER * len(tail) if misread else text


def _fit_score(text: str, layout: ZoneLayout, line: int) -> float:
    """Score how well a text of the right length fits this line of the layout; higher is better."""
    impossible = sum(
        character not in ALPHABETS[alphabet]
        for character, alphabet in zip(text, column_alphabets(layout, line), strict=True)
    )
    score = -float(impossible)
    lines = [text if at == line else FILLER * layout.width for at in range(layout.height)]
    for name, place in layout.fields.items():
        if place.line != line:
            continue
        if name in _STATES:
            score += 2 * is_country_code(place.of(lines).rstrip(FILLER))
        if name == "names":
            score += 2 * (re.fullmatch(_NAMES.pattern + FILLER + "*", place.of(lines)) is not None)
    on_this_line = [
        check
        for check in layout.check_digits_of(lines)
        if {cell[0] for cell in (check.cell, *check.covered_cells)} == {line}
    ]
    return score + 3 * sum(check.is_valid(lines) for check in on_this_line)


def is_plausible_zone(lines: Sequence[str], layout: ZoneLayout) -> bool:
    """Whether the lines are probably a zone of this layout, although single characters may be wrong.

    Two check digits have to be correct, or one check digit and both country codes.
    """
    if layout.height == 2 and lines[0].startswith(_FRENCH_CARD):
        return False
    states = [place.of(lines).rstrip(FILLER) for name, place in layout.fields.items() if name in _STATES]
    valid = sum(
        check.is_valid(lines) and bool(check.covered_text(lines).strip(FILLER))
        for check in layout.check_digits_of(lines)
    )
    return valid >= 2 or (valid >= 1 and all(map(is_country_code, states)))
