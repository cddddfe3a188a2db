"""Parsing of recognised lines of a machine-readable zone into field values, each with the result of its check digit."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import Any

from docextract.documents.countries import parse_country
from docextract.documents.mrz.fitting import FittedLine, fit_line, is_plausible_zone, normalise_line
from docextract.documents.mrz.layout import FILLER, LAYOUTS, ColumnRange, ZoneFormat, ZoneLayout
from docextract.documents.mrz.repair import full_document_number, repair_lines
from docextract.documents.persons import has_own_sexes, parse_sex

MAX_EXPIRY_DISTANCE_YEARS = 50  # between an expiry date and today, in either direction
# Fields of identity documents that a zone contains; its optional data may be anything.
ZONE_FIELDS = frozenset(
    "document_number family_name given_name birth_date sex expiry_date nationality issuing_country".split()
)
NAME_FIELDS = ("family_name", "given_name")
# Years of documents that do not expire are 9999, in two digits 99. One that expired in 1999 has no expiry date either.
_NO_EXPIRY_YEAR = "99"


@dataclass(frozen=True)
class ZoneField:
    """One field of the zone."""

    value: Any  # str or date
    text: str  # as in the zone, with spaces for fillers
    places: tuple[ColumnRange, ...]
    checked: bool | None  # whether its own check digit is valid; None for a field without a check digit
    repaired: bool  # a character differs from what OCR recognised


@dataclass(frozen=True)
class ParsedZone:
    """A machine-readable zone.

    fields: by the field names of identity documents, `optional_data`, and of TD1 `more_optional_data`; absent and
            impossible values are left out.
    checks: whether the check digit is valid, by field name, and "composite".
    origins: for each character of `lines`, the index of its source character in the recognised line.
    """

    format: ZoneFormat
    document_code: str
    lines: tuple[str, ...]
    fields: Mapping[str, ZoneField]
    checks: Mapping[str, bool]
    origins: tuple[tuple[int, ...], ...]
    names_truncated: bool  # the names fill their line, so the printed names may be longer
    expires: bool = True  # False: fillers or the year 9999 in place of the expiry date
    ambiguous: bool = False  # lost fillers can be inserted in several ways with valid check digits

    @property
    def valid(self) -> bool:
        """Whether every check digit is valid and the mandatory fields are present.

        The birth date is not mandatory: parts of it may be unknown.
        """
        mandatory = {"document_number", "expiry_date"} if self.expires else {"document_number"}
        return all(self.checks.values()) and self.fields.keys() >= mandatory and not self.ambiguous


def parse_zone(lines: Sequence[str], today: date, printed_numbers: Collection[str] = ()) -> ParsedZone | None:
    """Parse the zone in two or three recognised lines, from top to bottom; None if they are no zone.

    Characters that are impossible in their column are replaced, and lost fillers are inserted. A single character per
    check digit is changed if that makes all check digits valid and no other such change does. Two-digit years: a birth
    date lies before today and before the expiry date, an expiry date within fifty years of today. A document with
    fillers or the year 99 in place of an expiry date does not expire.

    printed_numbers: document numbers that were read elsewhere on the document; they decide between several repairs.
    """
    zones = [
        _zone(tuple(row.text for row in rows), rows, lines, layout, today, printed_numbers)
        for layout in LAYOUTS.values()
        for rows in _all_fits(lines, layout)
        if is_plausible_zone([row.text for row in rows], layout)
    ]
    best = max(zones, key=lambda zone: _rank(zone, lines), default=None)
    if best is None:
        return None
    meanings = {_checked_values(zone) for zone in zones if zone.valid and zone.format == best.format}
    return replace(best, ambiguous=len(meanings) > 1)


def _rank(zone: ParsedZone, recognised: Sequence[str]) -> tuple[float, ...]:
    """Return a key that is larger for a more probable zone.

    A document code that begins with P belongs to a TD3 and to no other format; fewer lost fillers are more probable.
    """
    lost = sum(
        abs(len(line) - len(normalise_line(text).text)) for line, text in zip(zone.lines, recognised, strict=True)
    )
    code_fits_format = (zone.format == "TD3") == zone.document_code.startswith("P")
    return zone.valid, code_fits_format, -lost, sum(zone.checks.values())


def _checked_values(zone: ParsedZone) -> tuple[Any, ...]:
    return tuple(zone.fields[name].value for name in ("document_number", "expiry_date") if name in zone.fields)


def _all_fits(lines: Sequence[str], layout: ZoneLayout) -> Iterator[tuple[FittedLine, ...]]:
    """Yield every combination of fits of these lines to the layout, the best first."""
    if len(lines) == layout.height:
        yield from product(*(fit_line(normalise_line(line), layout, at) for at, line in enumerate(lines)))


def _zone(
    fitted: tuple[str, ...],
    rows: Sequence[FittedLine],
    recognised: Sequence[str],
    layout: ZoneLayout,
    today: date,
    printed_numbers: Collection[str],
) -> ParsedZone:
    lines = repair_lines(fitted, layout, printed_numbers)
    checks = {check.name: check.is_valid(lines) for check in layout.check_digits_of(lines)}
    origins = tuple(row.origin for row in rows)
    fields = {
        name: ZoneField(value, text, places, checks.get(name), _is_repaired(places, lines, recognised, origins))
        for name, (value, text, places) in _values(lines, layout, today).items()
        if value
    }
    return ParsedZone(
        format=layout.format,
        document_code=layout.fields["document_code"].of(lines).strip(FILLER),
        lines=lines,
        fields=fields,
        checks=checks,
        origins=origins,
        names_truncated=not layout.fields["names"].of(lines).endswith(FILLER),
        expires=_expires(layout.fields["expiry_date"].of(lines)),
    )


def _is_repaired(
    places: Sequence[ColumnRange], lines: Sequence[str], recognised: Sequence[str], origins: Sequence[Sequence[int]]
) -> bool:
    return any(
        lines[line][column] not in (FILLER, recognised[line][origins[line][column]].upper())
        for place in places
        for line, column in place.cells()
    )


_Value = tuple[Any, str, tuple[ColumnRange, ...]]


def _values(lines: Sequence[str], layout: ZoneLayout, today: date) -> dict[str, _Value]:
    text = {name: place.of(lines) for name, place in layout.fields.items()}
    at = {name: (place,) for name, place in layout.fields.items()}
    continuation = layout.number_continuation(lines)
    expiry = _expiry_date(text["expiry_date"], today) if _expires(text["expiry_date"]) else None
    number = full_document_number(lines, layout)
    number_places = at["document_number"] + ((continuation,) if continuation else ())
    issuer = _country(text["issuing_country"])
    used = continuation.end - continuation.start if continuation else 0  # of the optional data, by the number
    optional = _without_fillers(text["optional_data"][used:])
    more_optional = _without_fillers(text.get("more_optional_data", ""))
    return {
        "document_number": (_without_fillers(number), _without_fillers(number), number_places),
        **_names(text["names"], layout.fields["names"]),
        "birth_date": (
            _birth_date(text["birth_date"], expiry, today),
            _without_fillers(text["birth_date"]),
            at["birth_date"],
        ),
        "sex": (_sex(text["sex"], issuer, layout), text["sex"], at["sex"]),
        "expiry_date": (expiry, text["expiry_date"], at["expiry_date"]),
        "nationality": (_country(text["nationality"]), _without_fillers(text["nationality"]), at["nationality"]),
        "issuing_country": (issuer, _without_fillers(text["issuing_country"]), at["issuing_country"]),
        "optional_data": (optional, optional, at["optional_data"]),
        "more_optional_data": (more_optional, more_optional, at.get("more_optional_data", ())),
    }


def _names(text: str, place: ColumnRange) -> dict[str, _Value]:
    """Split the names: the family name stands before the two fillers, the given names after them."""
    family, _, given = text.partition(FILLER * 2)
    start = place.start + len(family) + 2
    spans = {
        "family_name": (family, place.start, place.start + len(family)),
        "given_name": (given, start, start + len(given.rstrip(FILLER))),
    }
    return {
        name: (_without_fillers(part), _without_fillers(part), (ColumnRange(place.line, first, last),))
        for name, (part, first, last) in spans.items()
    }


def _without_fillers(text: str) -> str:
    return " ".join(text.replace(FILLER, " ").split())


def _country(text: str) -> str | None:
    code = text.rstrip(FILLER)
    return parse_country(code) if len(code) == 3 or code == "D" else None


def _sex(letter: str, issuer: str | None, layout: ZoneLayout) -> str | None:
    """Return the sex; cards of three lines may have their issuer's own letters. H is no letter of ICAO Doc 9303."""
    if layout.format == "TD1" and has_own_sexes(issuer):
        return parse_sex(letter, issuer)
    return letter if letter in "MF" else None


def _expires(text: str) -> bool:
    """Whether the columns of the expiry date have one."""
    return bool(text.strip(FILLER)) and not text.startswith(_NO_EXPIRY_YEAR)


def _expiry_date(text: str, today: date) -> date | None:
    """Return the date in the century in which it is nearest to today."""
    days = [day for century in (1900, 2000, 2100) if (day := _date_in_century(text, century))]
    near = [day for day in days if abs(day.year - today.year) <= MAX_EXPIRY_DISTANCE_YEARS]
    return min(near, key=lambda day: abs(day - today), default=None)


def _birth_date(text: str, expiry: date | None, today: date) -> date | None:
    """Return the latest possible date before today and before the expiry date; None if a part of it is unknown."""
    latest = min(today, expiry or today)
    days = [day for century in (1800, 1900, 2000, 2100) if (day := _date_in_century(text, century))]
    return max((day for day in days if day <= latest), default=None)


def _date_in_century(text: str, century: int) -> date | None:
    try:
        return date(century + int(text[:2]), int(text[2:4]), int(text[4:6]))
    except ValueError:
        return None
