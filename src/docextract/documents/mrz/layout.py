"""Positions of fields and check digits in a machine-readable zone: ICAO Doc 9303 parts 4 (TD3), 5 (TD1), 6 (TD2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

ZoneFormat = Literal["TD1", "TD2", "TD3"]

Cell = tuple[int, int]  # line, column

FILLER = "<"
COMPOSITE = "composite"  # the check digit over what the other check digits cover, and over optional data
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WEIGHTS = (7, 3, 1)
_VALUES = {character: number for number, character in enumerate(ALPHABET)} | {FILLER: 0}


@dataclass(frozen=True)
class ColumnRange:
    """Columns of one line: `start` included, `end` excluded. Lines and columns count from 0."""

    line: int
    start: int
    end: int

    def of(self, lines: Sequence[str]) -> str:
        """Return the text in these columns."""
        return lines[self.line][self.start : self.end]

    def cells(self) -> tuple[Cell, ...]:
        """Return the cell of each column, from left to right."""
        return tuple((self.line, column) for column in range(self.start, self.end))


@dataclass(frozen=True)
class CheckDigit:
    """A check digit and the cells that it covers."""

    name: str  # of the field, or COMPOSITE
    cell: Cell
    covered_cells: tuple[Cell, ...]

    def is_valid(self, lines: Sequence[str]) -> bool:
        """Whether the digit is correct. For empty optional data it may also be a filler."""
        line, column = self.cell
        digit, text = lines[line][column], self.covered_text(lines)
        filler_allowed = self.name == "optional_data" and not text.strip(FILLER)
        return digit == compute_check_digit(text) or (digit == FILLER and filler_allowed)

    def covered_text(self, lines: Sequence[str]) -> str:
        """Return the characters that the digit covers."""
        return "".join(lines[line][column] for line, column in self.covered_cells)


@dataclass(frozen=True)
class ZoneLayout:
    """One format of the zone. The issuing state decides what the optional data contain."""

    format: ZoneFormat
    height: int  # lines
    width: int  # characters in each
    fields: Mapping[str, ColumnRange]
    checks: tuple[CheckDigit, ...]

    def check_digits_of(self, lines: Sequence[str]) -> tuple[CheckDigit, ...]:
        """Return the check digits of these lines.

        They depend on the text: a document number of more than nine characters has its check digit after its last
        character, within the optional data.
        """
        continuation = self.number_continuation(lines)
        if continuation is None:
            return self.checks
        cells = continuation.cells()
        long_number = CheckDigit("document_number", cells[-1], (*self.fields["document_number"].cells(), *cells[:-1]))
        return tuple(long_number if check.name == "document_number" else check for check in self.checks)

    def check_digits_are_valid(self, lines: Sequence[str]) -> bool:
        """Whether every check digit of these lines is correct."""
        return all(check.is_valid(lines) for check in self.check_digits_of(lines))

    def number_continuation(self, lines: Sequence[str]) -> ColumnRange | None:
        """Return the columns where a document number of more than nine characters continues, check digit included.

        None for a short number. For a long one (TD1 and TD2 only) a filler takes the place of the check digit, and the
        optional data begin with the remaining characters.
        """
        optional = self.fields["optional_data"]
        length = len(optional.of(lines).partition(FILLER)[0])
        line, column = next(check.cell for check in self.checks if check.name == "document_number")
        if self.format == "TD3" or lines[line][column] != FILLER or length < 2:
            return None
        return ColumnRange(optional.line, optional.start, optional.start + length)


def compute_check_digit(text: str) -> str:
    """Return the check digit of these characters: the sum with repeating weights 7, 3, 1, modulo 10."""
    weighted = (_VALUES[character] * _WEIGHTS[at % 3] for at, character in enumerate(text))
    return str(sum(weighted) % 10)


def _field_check(name: str, line: int, start: int, end: int) -> CheckDigit:
    """A check digit directly after the columns that it covers."""
    return CheckDigit(name, (line, end), ColumnRange(line, start, end).cells())


def _composite(line: int, column: int, *covered: ColumnRange) -> CheckDigit:
    return CheckDigit(COMPOSITE, (line, column), tuple(cell for columns in covered for cell in columns.cells()))


def _two_lines(fmt: ZoneFormat, width: int, optional: ColumnRange, extra_checks: tuple[CheckDigit, ...]) -> ZoneLayout:
    """TD2 and TD3 differ only in their width and in the end of the second line."""
    fields = {
        "document_code": ColumnRange(0, 0, 2),
        "issuing_country": ColumnRange(0, 2, 5),
        "names": ColumnRange(0, 5, width),
        "document_number": ColumnRange(1, 0, 9),
        "nationality": ColumnRange(1, 10, 13),
        "birth_date": ColumnRange(1, 13, 19),
        "sex": ColumnRange(1, 20, 21),
        "expiry_date": ColumnRange(1, 21, 27),
        "optional_data": optional,
    }
    checks = (
        _field_check("document_number", 1, 0, 9),
        _field_check("birth_date", 1, 13, 19),
        _field_check("expiry_date", 1, 21, 27),
        *extra_checks,
    )
    composite = _composite(1, width - 1, ColumnRange(1, 0, 10), ColumnRange(1, 13, 20), ColumnRange(1, 21, width - 1))
    return ZoneLayout(fmt, 2, width, fields, (*checks, composite))


_TD1 = ZoneLayout(
    "TD1",
    3,
    30,
    {
        "document_code": ColumnRange(0, 0, 2),
        "issuing_country": ColumnRange(0, 2, 5),
        "document_number": ColumnRange(0, 5, 14),
        "optional_data": ColumnRange(0, 15, 30),
        "birth_date": ColumnRange(1, 0, 6),
        "sex": ColumnRange(1, 7, 8),
        "expiry_date": ColumnRange(1, 8, 14),
        "nationality": ColumnRange(1, 15, 18),
        "more_optional_data": ColumnRange(1, 18, 29),
        "names": ColumnRange(2, 0, 30),
    },
    (
        _field_check("document_number", 0, 5, 14),
        _field_check("birth_date", 1, 0, 6),
        _field_check("expiry_date", 1, 8, 14),
        _composite(1, 29, ColumnRange(0, 5, 30), ColumnRange(1, 0, 7), ColumnRange(1, 8, 15), ColumnRange(1, 18, 29)),
    ),
)
LAYOUTS: Mapping[ZoneFormat, ZoneLayout] = {
    "TD1": _TD1,
    "TD2": _two_lines("TD2", 36, ColumnRange(1, 28, 35), ()),
    "TD3": _two_lines("TD3", 44, ColumnRange(1, 28, 42), (_field_check("optional_data", 1, 28, 42),)),
}
