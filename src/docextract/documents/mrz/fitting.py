"""What was read → lines of the right length, each character one that may stand where it stands.

Readers lose and add fillers, and take O for 0. What decides here is the layout alone: where fillers may be missing,
and where only digits or only letters are possible. `mending` goes on with the check digits.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docextract.documents.countries import is_code
from docextract.documents.mrz.layout import ALPHABET, COMPOSITE, FILLER, Layout

MOST_LOST = 12  # fillers of a line with data; of the line with the names, all may be lost
MOST_ADDED = 6
_KEPT = 4  # ways to fit a line that are looked at together with the other lines

_FILLERS = "<>‹›〈〉＜＞く([{-_~=^*€&"  # as readers of many scripts write them
_DOUBLE_FILLERS = "«»《》≪≫"
_TWINS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТУХ", "ABEZHIKMNOPTYXABEKMHOPCTYX")  # Greek, Cyrillic: those too
_LOOK_LIKE_FILLERS = "KCLSXEG"
_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TO_DIGIT = dict(zip("OQDUILJZSGBAT", "0000111256847", strict=True))
_TO_LETTER = dict(zip("012568", "OIZSGB", strict=True))
_TO_SEX = dict.fromkeys("XKC", FILLER)
_STATES = ("issuing_country", "nationality")
_PADDED = ("document_code", *_STATES, "document_number", "sex")  # may end in fillers, and have data behind them

# What may stand in a field, and what is mended there.
ALPHABETS = {
    "letters": _LETTERS + FILLER,
    "digits": _DIGITS,
    "digits or fillers": _DIGITS + FILLER,
    "sex": "MF" + FILLER,
    "any": ALPHABET + FILLER,
}
_MENDS = {"letters": _TO_LETTER, "digits": _TO_DIGIT, "digits or fillers": _TO_DIGIT, "sex": _TO_SEX, "any": {}}
_ALPHABET_OF = {
    "document_code": "letters", "issuing_country": "letters", "nationality": "letters", "names": "letters",
    "family_name": "letters", "given_name": "letters", "birth_date": "digits or fillers", "expiry_date": "digits",
    "sex": "sex", "document_number": "any", "optional_data": "any", "more_optional_data": "any",
}  # fmt: skip
_NAMES = re.compile(r"[A-Z]+(?:<[A-Z]+)*(?:<<[A-Z]+(?:<[A-Z]+)*)?")
_OPTIONAL = re.compile(r".*?(?=<<|$)")
_TAILED = {"names": _NAMES, "optional_data": _OPTIONAL, "more_optional_data": _OPTIONAL}


@dataclass(frozen=True)
class Row:
    """A line of the zone. `origin` says for each character which character of the read line it came from."""

    text: str
    origin: tuple[int, ...]

    def with_fillers(self, at: int, count: int) -> "Row":
        """Fillers put in before a column, or for a negative count taken out from there on."""
        end = at - min(count, 0)
        near = self.origin[max(at - 1, 0)] if self.origin else 0
        return Row(
            self.text[:at] + FILLER * count + self.text[end:], self.origin[:at] + (near,) * count + self.origin[end:]
        )


def cleaned(read: str) -> Row:
    """Capitals, digits and fillers only."""
    found = [(character, at) for at, letter in enumerate(read) for character in _cleaned(letter)]
    return Row("".join(character for character, _ in found), tuple(at for _, at in found))


def _cleaned(letter: str) -> str:
    if letter in _DOUBLE_FILLERS:
        return FILLER * 2
    if letter in _FILLERS:
        return FILLER
    upper = unicodedata.normalize("NFKD", letter.upper()).translate(_TWINS)
    return "".join(character for character in upper if character in ALPHABET)


def alphabet_of(layout: Layout, line: int) -> list[str]:
    """For each column of a line the name of its alphabet."""
    columns = ["any"] * layout.width
    for name, place in layout.fields.items():
        if place.line == line:
            columns[place.start : place.end] = [_ALPHABET_OF[name]] * (place.end - place.start)
    for check in layout.checks:
        if check.at[0] == line:
            columns[check.at[1]] = "digits" if check.name == COMPOSITE else "digits or fillers"
    return columns


def fits(row: Row, layout: Layout, line: int) -> list[Row]:
    """The likeliest ways to see the row as this line of the layout, the best first; none where it is none."""
    missing = layout.width - len(row.text)
    names = any(place.line == line for name, place in layout.fields.items() if name == "names")
    if missing < -MOST_ADDED or (missing > MOST_LOST and not names) or len(row.text) < layout.width // 4:
        return []
    candidates = dict.fromkeys(_in_alphabet(fit, layout, line) for fit in _stretched(row, layout, line, missing))
    return sorted(candidates, key=lambda fit: _likeness(fit.text, layout, line), reverse=True)[:_KEPT]


def _stretched(row: Row, layout: Layout, line: int, missing: int) -> Iterator[Row]:
    """The row with fillers put in where some stand or a field ends, or taken out of one of the runs."""
    if missing == 0:
        yield row
    elif missing > 0:
        places = _places_for_fillers(row, layout, line)
        for at in places:
            yield row.with_fillers(at, missing)
        if missing > 1:
            for at in places:
                one = row.with_fillers(at, 1)
                for other in _places_for_fillers(one, layout, line):
                    yield one.with_fillers(other, missing - 1)
    else:
        for run in _runs(row):
            if len(run[0]) >= -missing:
                yield row.with_fillers(run.start(), missing)


def _places_for_fillers(row: Row, layout: Layout, line: int) -> list[int]:
    missing = layout.width - len(row.text)
    ends = [place.end - missing for name, place in layout.fields.items() if place.line == line and name in _PADDED]
    places = dict.fromkeys([*(run.end() for run in _runs(row)), len(row.text), *ends])
    return [at for at in places if 0 < at <= len(row.text)]


def _runs(row: Row) -> list[re.Match[str]]:
    """Of fillers, the longest first: where there are many, one more or less is lost most easily."""
    return sorted(re.finditer(FILLER + "+", row.text), key=lambda run: len(run[0]), reverse=True)


def _in_alphabet(row: Row, layout: Layout, line: int) -> Row:
    text = "".join(
        character if character in ALPHABETS[alphabet] else _MENDS[alphabet].get(character, character)
        for character, alphabet in zip(row.text, alphabet_of(layout, line), strict=True)
    )
    for name, place in layout.fields.items():
        if name in _TAILED and place.line == line:
            cleaned_tail = _with_clean_tail(text[place.start : place.end], _TAILED[name])
            text = text[: place.start] + cleaned_tail + text[place.end :]
    return Row(text, row.origin)


def _with_clean_tail(text: str, head: re.Pattern[str]) -> str:
    """Behind names, and behind two fillers in optional data, there are only fillers, whatever they were read as."""
    found = head.match(text)
    tail = text[found.end() :] if found else ""
    misread = tail.startswith(FILLER) and not tail.strip(FILLER + _LOOK_LIKE_FILLERS)
    return text[: len(text) - len(tail)] + FILLER * len(tail) if misread else text


def _likeness(text: str, layout: Layout, line: int) -> float:
    """How much a line of the right length looks like this line of the layout."""
    wrong = sum(
        character not in ALPHABETS[alphabet]
        for character, alphabet in zip(text, alphabet_of(layout, line), strict=True)
    )
    score = -float(wrong)
    lines = [text if at == line else FILLER * layout.width for at in range(layout.height)]
    for name, place in layout.fields.items():
        if place.line != line:
            continue
        if name in _STATES:
            score += 2 * is_code(place.of(lines).rstrip(FILLER))
        if name == "names":
            score += 2 * (re.fullmatch(_NAMES.pattern + FILLER + "*", place.of(lines)) is not None)
    own = [check for check in layout.checks_of(lines) if {cell[0] for cell in (check.at, *check.over)} == {line}]
    return score + 3 * sum(check.agrees(lines) for check in own)


def looks_alike(lines: Sequence[str], layout: Layout) -> bool:
    """Whether so much of it fits that this is such a zone, right or not in every character."""
    states = [place.of(lines).rstrip(FILLER) for name, place in layout.fields.items() if name in _STATES]
    agreeing = sum(check.agrees(lines) and bool(check.text(lines).strip(FILLER)) for check in layout.checks_of(lines))
    return agreeing >= 2 or (agreeing >= 1 and all(map(is_code, states)))
