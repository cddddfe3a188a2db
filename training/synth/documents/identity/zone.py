"""Composes the lines of synthetic machine-readable zones, ICAO Doc 9303."""

from collections.abc import Sequence
from datetime import date

from docextract.documents.mrz import transliterate
from docextract.documents.mrz.layout import FILLER, LAYOUTS, CheckDigit, ZoneFormat, ZoneLayout, compute_check_digit

DOCUMENT_NUMBER_WIDTH = 9  # a longer document number continues in the optional data (TD1, TD2)


def compose_mrz(
    fmt: ZoneFormat,
    *,
    document_code: str,
    issuing_country: str,
    family_name: str,
    given_name: str,
    document_number: str,
    nationality: str,
    birth_date: date | str,
    sex: str | None,
    expiry_date: date | str,
    optional_data: str = "",
    more_optional_data: str = "",
    empty_check: str = FILLER,
) -> tuple[str, ...]:
    """Return the lines: three of 30 characters (TD1), two of 36 (TD2) or two of 44 (TD3).

    document_code: "P", "ID", "I" and the like. Countries: alpha-3, Germany as "D" or "DEU". birth_date, expiry_date: a
    date, or six characters YYMMDD with "<" for unknown ones. sex: "M", "F", or anything else for "<".
    more_optional_data: TD1 only.
    empty_check: "<" or "0", the check digit of absent optional data (TD3).

    Raises ValueError for a document number or optional data that are too long.
    """
    layout = LAYOUTS[fmt]
    number, spill = _split_number(transliterate(document_number))
    if spill and fmt == "TD3":
        raise ValueError(
            f"a TD3 has room for {DOCUMENT_NUMBER_WIDTH} characters of document number, not {document_number!r}"
        )
    values = {
        "document_code": transliterate(document_code),
        "issuing_country": _state(issuing_country),
        "names": _names(transliterate(family_name), transliterate(given_name), _width(layout, "names")),
        "document_number": number,
        "nationality": _state(nationality),
        "birth_date": birth_date if isinstance(birth_date, str) else f"{birth_date:%y%m%d}",
        "sex": sex if sex in ("M", "F") else FILLER,
        "expiry_date": expiry_date if isinstance(expiry_date, str) else f"{expiry_date:%y%m%d}",
        "optional_data": spill + transliterate(optional_data),
        "more_optional_data": transliterate(more_optional_data),
    }
    grid = [[FILLER] * layout.width for _ in range(layout.height)]
    for name, place in layout.fields.items():
        if len(values[name]) > place.end - place.start:
            raise ValueError(f"{name} {values[name]!r} is longer than the {place.end - place.start} of a {fmt}")
        grid[place.line][place.start : place.start + len(values[name])] = values[name]
    for check in layout.checks:
        line, column = check.cell
        grid[line][column] = _digit(check, ["".join(row) for row in grid], bool(spill), empty_check)
    return tuple("".join(row) for row in grid)


def _digit(check: CheckDigit, lines: Sequence[str], long_number: bool, empty_check: str) -> str:
    if check.name == "document_number" and long_number:
        return FILLER  # it is behind the rest of the number
    guarded = check.covered_text(lines)
    if check.name == "optional_data" and not guarded.strip(FILLER):
        return empty_check
    return compute_check_digit(guarded)


def _split_number(number: str) -> tuple[str, str]:
    """The first nine characters, and what continues in the optional data: the rest, its check digit and a filler."""
    if len(number) <= DOCUMENT_NUMBER_WIDTH:
        return number, ""
    return number[:DOCUMENT_NUMBER_WIDTH], number[DOCUMENT_NUMBER_WIDTH:] + compute_check_digit(number) + FILLER


def _state(code: str) -> str:
    return "D" if code == "DEU" else code


def _width(layout: ZoneLayout, name: str) -> int:
    return layout.fields[name].end - layout.fields[name].start


def _names(family: str, given: str, width: int) -> str:
    """Both names, cut to the width; a cut name has a letter in the last column, which shows that it was cut."""
    room = width - len(FILLER * 2) - 1 if given else width
    text = _cut(family, room) + (FILLER * 2 + given if given else "")
    return _cut(text, width)


def _cut(text: str, width: int) -> str:
    """At most `width` characters. When the cut falls on a filler, the part before the filler loses its last letter."""
    if len(text) <= width:
        return text
    while text[width - 1] == FILLER:
        end = len(text[:width].rstrip(FILLER))
        text = text[: end - 1] + text[end:]
    return text[:width]
