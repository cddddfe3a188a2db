"""Repair of misread characters in a machine-readable zone by its check digits.

A character is never invented: where several repairs satisfy all check digits, none is made, unless a document number
that is printed elsewhere on the document decides between them. Check digits cannot tell G from 6, or L from 1: both
have the same value modulo 10.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from docextract.documents.mrz.fitting import ALPHABETS, column_alphabets
from docextract.documents.mrz.layout import COMPOSITE, FILLER, Cell, CheckDigit, ZoneLayout

Replacement = tuple[Cell, str]  # a cell and its new character

_COMMON_CONFUSIONS = (
    "0O 1I 2Z 5S 8B 6G"  # frequent OCR errors; if they explain the check digits, no rarer ones are tried
)
_RARE_CONFUSIONS = "0D 0Q 1L 1T 4A 7T OQ OD"
# Only in columns of digits: dates are covered by two check digits, a document number is not.
_DIGIT_CONFUSIONS = "17 08 38 68 56 27"
_LOOK_LIKE_FILLERS = "KCLXSEG"  # only next to a filler
_MAX_TRIALS = 4000


def _confusions(pairs: str) -> dict[str, str]:
    confusions: dict[str, str] = {}
    for one, other in map(tuple, pairs.split()):
        confusions[one] = confusions.get(one, "") + other
        confusions[other] = confusions.get(other, "") + one
    return confusions


_CONFUSIONS = (_confusions(_COMMON_CONFUSIONS), _confusions(f"{_COMMON_CONFUSIONS} {_RARE_CONFUSIONS}"))
_CONFUSIONS_OF_DIGITS = _confusions(_DIGIT_CONFUSIONS)


def repair_lines(lines: Sequence[str], layout: ZoneLayout, printed_numbers: Collection[str] = ()) -> tuple[str, ...]:
    """Change at most one character per check digit, so that all check digits are valid.

    Returns the lines unchanged where no repair fits, or several do. printed_numbers: document numbers that were read
    elsewhere on the document; they decide between several repairs.
    """
    if layout.check_digits_are_valid(lines):
        return tuple(lines)
    for confusions in _CONFUSIONS:
        if repairs := _valid_repairs(lines, layout, confusions):
            return select_repair(repairs, layout, printed_numbers) or tuple(lines)
    return tuple(lines)


def select_repair(
    repairs: Sequence[tuple[str, ...]], layout: ZoneLayout, printed_numbers: Collection[str]
) -> tuple[str, ...] | None:
    """Return the only repair, or the only one with a printed document number; None where that does not decide."""
    if len(repairs) > 1:
        repairs = [lines for lines in repairs if full_document_number(lines, layout) in printed_numbers]
    return repairs[0] if len(repairs) == 1 else None


def replace_characters(lines: Sequence[str], replacements: Collection[Replacement]) -> tuple[str, ...]:
    """Return the lines with new characters in some cells."""
    rows = [list(line) for line in lines]
    for (line, column), character in replacements:
        rows[line][column] = character
    return tuple("".join(row) for row in rows)


def full_document_number(lines: Sequence[str], layout: ZoneLayout) -> str:
    """Return the document number with its continuation in the optional data, without fillers at its end."""
    continuation = layout.number_continuation(lines)
    rest = continuation.of(lines)[:-1] if continuation else ""
    return (layout.fields["document_number"].of(lines) + rest).rstrip(FILLER)


def _valid_repairs(lines: Sequence[str], layout: ZoneLayout, confusions: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return every repair with which all check digits are valid."""
    failing = [check for check in layout.check_digits_of(lines) if not check.is_valid(lines)]
    failing = [check for check in failing if check.name != COMPOSITE] or failing
    options = [list(_replacements(check, lines, layout, confusions)) for check in failing]
    if prod(map(len, options)) > _MAX_TRIALS:
        return []
    trials = {replace_characters(lines, chosen) for chosen in product(*options)}
    return [trial for trial in trials if layout.check_digits_are_valid(trial)]


def _replacements(
    check: CheckDigit, lines: Sequence[str], layout: ZoneLayout, confusions: Mapping[str, str]
) -> Iterator[Replacement]:
    """Yield single replacements by a similar character that make this check digit valid."""
    cells: Sequence[Cell] = [*check.covered_cells, check.cell]
    if check.name == COMPOSITE:
        covered_by_others = {
            cell
            for other in layout.check_digits_of(lines)
            if other.name != COMPOSITE
            for cell in (other.cell, *other.covered_cells)
        }
        cells = [cell for cell in check.covered_cells if cell not in covered_by_others]
    for line, column in cells:
        alphabet = column_alphabets(layout, line)[column]
        for character in _similar_characters(lines[line], column, alphabet, confusions):
            replacement = ((line, column), character)
            if check.is_valid(replace_characters(lines, [replacement])):
                yield replacement


def _similar_characters(text: str, column: int, alphabet: str, confusions: Mapping[str, str]) -> Iterator[str]:
    character, around = text[column], text[max(column - 1, 0) : column + 2]
    similar = (confusions if alphabet == "any" else _CONFUSIONS_OF_DIGITS).get(character, "")
    if character in _LOOK_LIKE_FILLERS and FILLER in around:
        similar += FILLER
    yield from (other for other in similar if other in ALPHABETS[alphabet])
