"""Where everything stands in a machine-readable zone: ICAO Doc 9303 parts 4 (TD3), 5 (TD1) and 6 (TD2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Format = Literal["TD1", "TD2", "TD3"]

Cell = tuple[int, int]  # line, column

FILLER = "<"
COMPOSITE = "composite"  # the check digit over what the others guard, and more
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WEIGHTS = (7, 3, 1)
_VALUES = {character: number for number, character in enumerate(ALPHABET)} | {FILLER: 0}


@dataclass(frozen=True)
class Place:
    """Columns start..end of a line, all counted from 0."""

    line: int
    start: int
    end: int

    def of(self, lines: Sequence[str]) -> str:
        """What stands there."""
        return lines[self.line][self.start : self.end]

    def cells(self) -> tuple[Cell, ...]:
        """Its columns, one by one."""
        return tuple((self.line, column) for column in range(self.start, self.end))


@dataclass(frozen=True)
class CheckDigit:
    """A digit, and what it guards."""

    name: str  # of the field, or COMPOSITE
    at: Cell
    over: tuple[Cell, ...]

    def agrees(self, lines: Sequence[str]) -> bool:
        """Whether the digit is right. Over optional data that are not there it may be a filler."""
        digit, text = lines[self.at[0]][self.at[1]], self.text(lines)
        none_needed = self.name == "optional_data" and not text.strip(FILLER)
        return digit == check_digit(text) or (digit == FILLER and none_needed)

    def text(self, lines: Sequence[str]) -> str:
        """What it guards."""
        return "".join(lines[line][column] for line, column in self.over)


@dataclass(frozen=True)
class Layout:
    """One format. Optional data are at the issuing state's discretion."""

    format: Format
    height: int  # lines
    width: int  # characters in each
    fields: Mapping[str, Place]
    checks: tuple[CheckDigit, ...]

    def checks_of(self, lines: Sequence[str]) -> tuple[CheckDigit, ...]:
        """The check digits of these lines: that of a long document number stands behind its rest."""
        rest = self.rest_of_number(lines)
        if rest is None:
            return self.checks
        cells = rest.cells()
        long = CheckDigit("document_number", cells[-1], (*self.fields["document_number"].cells(), *cells[:-1]))
        return tuple(long if check.name == "document_number" else check for check in self.checks)

    def rest_of_number(self, lines: Sequence[str]) -> Place | None:
        """Where a document number of more than nine characters goes on, with its check digit; None for a short one.

        A filler takes the place of the check digit then, and the optional data begin with the rest (TD1 and TD2).
        """
        optional = self.fields["optional_data"]
        length = len(optional.of(lines).partition(FILLER)[0])
        line, column = next(check.at for check in self.checks if check.name == "document_number")
        if self.format == "TD3" or lines[line][column] != FILLER or length < 2:
            return None
        return Place(optional.line, optional.start, optional.start + length)


def check_digit(text: str) -> str:
    """The digit that guards these characters: weights 7, 3, 1 in turn, modulo 10."""
    weighed = (_VALUES[character] * _WEIGHTS[at % 3] for at, character in enumerate(text))
    return str(sum(weighed) % 10)


def _guard(name: str, line: int, start: int, end: int) -> CheckDigit:
    """A digit that stands right behind what it guards."""
    return CheckDigit(name, (line, end), Place(line, start, end).cells())


def _composite(line: int, column: int, *over: Place) -> CheckDigit:
    return CheckDigit(COMPOSITE, (line, column), tuple(cell for place in over for cell in place.cells()))


def _two_lines(fmt: Format, width: int, optional: Place, guards: tuple[CheckDigit, ...]) -> Layout:
    """TD2 and TD3 differ in nothing but their width and how the second line ends."""
    fields = {
        "document_code": Place(0, 0, 2), "issuing_country": Place(0, 2, 5), "names": Place(0, 5, width),
        "document_number": Place(1, 0, 9), "nationality": Place(1, 10, 13), "birth_date": Place(1, 13, 19),
        "sex": Place(1, 20, 21), "expiry_date": Place(1, 21, 27), "optional_data": optional,
    }  # fmt: skip
    guards = (_guard("document_number", 1, 0, 9), _guard("birth_date", 1, 13, 19), _guard("expiry_date", 1, 21, 27),
              *guards)  # fmt: skip
    composite = _composite(1, width - 1, Place(1, 0, 10), Place(1, 13, 20), Place(1, 21, width - 1))
    return Layout(fmt, 2, width, fields, (*guards, composite))


_TD1 = Layout(
    "TD1", 3, 30,
    {
        "document_code": Place(0, 0, 2), "issuing_country": Place(0, 2, 5), "document_number": Place(0, 5, 14),
        "optional_data": Place(0, 15, 30), "birth_date": Place(1, 0, 6), "sex": Place(1, 7, 8),
        "expiry_date": Place(1, 8, 14), "nationality": Place(1, 15, 18), "more_optional_data": Place(1, 18, 29),
        "names": Place(2, 0, 30),
    },
    (
        _guard("document_number", 0, 5, 14), _guard("birth_date", 1, 0, 6), _guard("expiry_date", 1, 8, 14),
        _composite(1, 29, Place(0, 5, 30), Place(1, 0, 7), Place(1, 8, 15), Place(1, 18, 29)),
    ),
)  # fmt: skip
LAYOUTS: Mapping[Format, Layout] = {
    "TD1": _TD1,
    "TD2": _two_lines("TD2", 36, Place(1, 28, 35), ()),
    "TD3": _two_lines("TD3", 44, Place(1, 28, 42), (_guard("optional_data", 1, 28, 42),)),
}
