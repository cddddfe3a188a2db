"""Check digits that do not agree → the one misread character that explains it, if there is only one.

Never invented: of several repairs that all fit none is made, unless what is printed elsewhere on the document
decides between them. No check digit tells G from 6, or L from 1: they weigh the same.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from docextract.documents.mrz.fitting import ALPHABETS, alphabet_of
from docextract.documents.mrz.layout import COMPOSITE, FILLER, Cell, CheckDigit, Layout

Change = tuple[Cell, str]  # what to write where

_USUAL_PAIRS = "0O 1I 2Z 5S 8B 6G"  # a reader's daily bread; what they explain needs no rarer mistake
_RARE_PAIRS = "0D 0Q 1L 1T 4A 7T OQ OD"
_DIGIT_PAIRS = "17 08 38 68 56 27"  # only where a digit must stand: a date is guarded twice, a document number is not
_LIKE_FILLERS = "KCLXSEG"  # next to a filler
_MOST_TRIALS = 4000


def _neighbours(pairs: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs.split():
        one, other = pair[0], pair[1]
        found[one] = found.get(one, "") + other
        found[other] = found.get(other, "") + one
    return found


_ALIKE = (_neighbours(_USUAL_PAIRS), _neighbours(f"{_USUAL_PAIRS} {_RARE_PAIRS}"))
_DIGITS_ALIKE = _neighbours(_DIGIT_PAIRS)


def mended(lines: Sequence[str], layout: Layout, printed_numbers: Collection[str] = ()) -> tuple[str, ...]:
    """The lines with at most one character changed for each check digit, so that all agree; else as they were.

    printed_numbers: document numbers read elsewhere on the document; they decide where several repairs fit.
    """
    if all(check.agrees(lines) for check in layout.checks_of(lines)):
        return tuple(lines)
    for alike in _ALIKE:
        if fitting := _fitting(lines, layout, alike):
            known = [trial for trial in fitting if document_number(trial, layout) in printed_numbers]
            chosen = known if len(fitting) > 1 else fitting
            return chosen[0] if len(chosen) == 1 else tuple(lines)
    return tuple(lines)


def _fitting(lines: Sequence[str], layout: Layout, alike: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Every repair with which all check digits agree."""
    failing = [check for check in layout.checks_of(lines) if not check.agrees(lines)]
    guarded = [check for check in failing if check.name != COMPOSITE] or failing
    options = [list(_changes(check, lines, layout, alike)) for check in guarded]
    if prod(map(len, options)) > _MOST_TRIALS:
        return []
    trials = {_changed(lines, changes) for changes in product(*options)}
    return [trial for trial in trials if all(check.agrees(trial) for check in layout.checks_of(trial))]


def document_number(lines: Sequence[str], layout: Layout) -> str:
    """The whole number, without fillers at its end."""
    rest = layout.rest_of_number(lines)
    return (layout.fields["document_number"].of(lines) + (rest.of(lines)[:-1] if rest else "")).rstrip(FILLER)


def _changes(check: CheckDigit, lines: Sequence[str], layout: Layout, alike: Mapping[str, str]) -> Iterator[Change]:
    """Single characters that, replaced by one that looks like it, make this check digit agree."""
    own = {cell for other in layout.checks_of(lines) if other.name != COMPOSITE for cell in (other.at, *other.over)}
    cells = [cell for cell in check.over if cell not in own] if check.name == COMPOSITE else [*check.over, check.at]
    for line, column in cells:
        alphabet = alphabet_of(layout, line)[column]
        for other in _alternatives(lines[line], column, alphabet, alike):
            change = ((line, column), other)
            if check.agrees(_changed(lines, [change])):
                yield change


def _alternatives(text: str, column: int, alphabet: str, alike: Mapping[str, str]) -> Iterator[str]:
    character, around = text[column], text[max(column - 1, 0) : column + 2]
    found = (alike if alphabet == "any" else _DIGITS_ALIKE).get(character, "")
    if character in _LIKE_FILLERS and FILLER in around:
        found += FILLER
    yield from (other for other in found if other in ALPHABETS[alphabet])


def _changed(lines: Sequence[str], changes: Sequence[Change]) -> tuple[str, ...]:
    rows = [list(line) for line in lines]
    for (line, column), character in changes:
        rows[line][column] = character
    return tuple("".join(row) for row in rows)
