"""The lines of a machine-readable zone, as a reader saw them → its fields, each with its check digit's word."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import Any

from docextract.documents.countries import alpha_3
from docextract.documents.mrz.fitting import Row, cleaned, fits, looks_alike
from docextract.documents.mrz.layout import FILLER, LAYOUTS, Format, Layout, Place
from docextract.documents.mrz.mending import document_number, mended

YEARS_AHEAD = 50  # an expiry date lies no farther from today than this, in either direction
FIELDS = frozenset(
    {
        "document_number",
        "family_name",
        "given_name",
        "birth_date",
        "sex",
        "expiry_date",
        "nationality",
        "issuing_country",
    }
)  # what a zone says of its document; optional data may be anything
_IN_EVERY_ZONE = ("document_number", "expiry_date")  # of a birth date, parts may be unknown


@dataclass(frozen=True)
class ZoneField:
    """One field of the zone."""

    value: Any  # str or date
    text: str  # as it stands there, fillers as spaces
    places: tuple[Place, ...]
    checked: bool | None  # whether its own check digit agrees; None for a field that has none
    repaired: bool  # a character was not what had been read


@dataclass(frozen=True)
class Mrz:
    """A machine-readable zone.

    fields: by the names of identity documents' fields, and optional_data; what is not there, or cannot be, is left out.
    checks: by field, and "composite": whether the digit agrees.
    origins: for each character of `lines`, which character of the line that was read it came from.
    """

    format: Format
    document_code: str
    lines: tuple[str, ...]
    fields: Mapping[str, ZoneField]
    checks: Mapping[str, bool]
    origins: tuple[tuple[int, ...], ...]
    cut: bool  # the names fill their line, so they may go on
    ambiguous: bool = False  # fillers are missing, and wherever they are put the check digits agree

    @property
    def valid(self) -> bool:
        """Every check digit agrees, and what must be in every zone is there."""
        return all(self.checks.values()) and self.fields.keys() >= set(_IN_EVERY_ZONE) and not self.ambiguous


def read(lines: Sequence[str], today: date, printed_numbers: Collection[str] = ()) -> Mrz | None:
    """The zone in two or three lines, from the top; None where they are none.

    Characters that cannot stand where they were read are mended, fillers that were lost are put back, and a single
    character in a field is changed if all check digits agree then and no other such change makes them. Two-digit
    years: a birth lies before today and before the expiry, an expiry within fifty years of today.

    printed_numbers: document numbers read elsewhere on the document; they decide between repairs that all fit.
    """
    zones = [
        _zone(tuple(row.text for row in rows), rows, lines, layout, today, printed_numbers)
        for layout in LAYOUTS.values()
        for rows in _fitted(lines, layout)
        if looks_alike([row.text for row in rows], layout)
    ]
    best = max(zones, key=lambda zone: _likelihood(zone, lines), default=None)
    if best is None:
        return None
    meanings = {_guarded(zone) for zone in zones if zone.valid and zone.format == best.format}
    return replace(best, ambiguous=len(meanings) > 1)


def _likelihood(zone: Mrz, read_lines: Sequence[str]) -> tuple[float, ...]:
    """To compare zones by: one with a passport's code is a TD3, and no other is, and the fewer
    fillers were lost the better."""
    lost = sum(abs(len(line) - len(cleaned(read).text)) for line, read in zip(zone.lines, read_lines, strict=True))
    as_coded = (zone.format == "TD3") == zone.document_code.startswith("P")
    return zone.valid, as_coded, -lost, sum(zone.checks.values())


def _guarded(zone: Mrz) -> tuple[Any, ...]:
    """What check digits speak for."""
    return tuple(zone.fields[name].value for name in _IN_EVERY_ZONE)


def _fitted(lines: Sequence[str], layout: Layout) -> Iterator[tuple[Row, ...]]:
    """Every way to see these lines as this layout, the likeliest first."""
    if len(lines) == layout.height:
        yield from product(*(fits(cleaned(line), layout, at) for at, line in enumerate(lines)))


def _zone(
    fitted: tuple[str, ...], rows: Sequence[Row], read_lines: Sequence[str], layout: Layout, today: date,
    printed_numbers: Collection[str],
) -> Mrz:  # fmt: skip
    lines = mended(fitted, layout, printed_numbers)
    checks = {check.name: check.agrees(lines) for check in layout.checks_of(lines)}
    origins = tuple(row.origin for row in rows)
    fields = {
        name: ZoneField(value, text, places, checks.get(name), _repaired(places, lines, read_lines, origins))
        for name, (value, text, places) in _values(lines, layout, today).items()
        if value
    }
    names = layout.fields["names"].of(lines)
    return Mrz(layout.format, layout.fields["document_code"].of(lines).strip(FILLER), lines, fields, checks, origins,
               not names.endswith(FILLER))  # fmt: skip


def _repaired(
    places: Sequence[Place], lines: Sequence[str], read_lines: Sequence[str], origins: Sequence[Sequence[int]]
) -> bool:
    return any(
        lines[line][column] not in (FILLER, read_lines[line][origins[line][column]].upper())
        for place in places
        for line, column in place.cells()
    )


_Value = tuple[Any, str, tuple[Place, ...]]


def _values(lines: Sequence[str], layout: Layout, today: date) -> dict[str, _Value]:
    text = {name: place.of(lines) for name, place in layout.fields.items()}
    at = {name: (place,) for name, place in layout.fields.items()}
    rest = layout.rest_of_number(lines)
    expiry = _expiry(text["expiry_date"], today)
    sex = text["sex"] if text["sex"] in "MF" else None
    number = document_number(lines, layout)
    optional = _spaced(text["optional_data"][rest.end - rest.start :] if rest else text["optional_data"])
    return {
        "document_number": (number, number, at["document_number"] + ((rest,) if rest else ())),
        **_names(text["names"], layout.fields["names"]),
        "birth_date": (_birth(text["birth_date"], expiry, today), _spaced(text["birth_date"]), at["birth_date"]),
        "sex": (sex, text["sex"], at["sex"]),
        "expiry_date": (expiry, text["expiry_date"], at["expiry_date"]),
        "nationality": (_state(text["nationality"]), _spaced(text["nationality"]), at["nationality"]),
        "issuing_country": (_state(text["issuing_country"]), _spaced(text["issuing_country"]), at["issuing_country"]),
        "optional_data": (optional, optional, at["optional_data"]),
    }


def _names(text: str, place: Place) -> dict[str, _Value]:
    """Family name before the two fillers, given names after them."""
    family, _, given = text.partition(FILLER * 2)
    start = place.start + len(family) + 2
    spans = {
        "family_name": (family, place.start, place.start + len(family)),
        "given_name": (given, start, start + len(given.rstrip(FILLER))),
    }
    return {
        name: (_spaced(part), _spaced(part), (Place(place.line, first, last),))
        for name, (part, first, last) in spans.items()
    }


def _spaced(text: str) -> str:
    return " ".join(text.replace(FILLER, " ").split())


def _state(text: str) -> str | None:
    code = text.rstrip(FILLER)
    return alpha_3(code) if len(code) == 3 or code == "D" else None


def _expiry(text: str, today: date) -> date | None:
    """The century in which it lies nearest to today."""
    days = [day for century in (1900, 2000, 2100) if (day := _day(text, century))]
    near = [day for day in days if abs(day.year - today.year) <= YEARS_AHEAD]
    return min(near, key=lambda day: abs(day - today), default=None)


def _birth(text: str, expiry: date | None, today: date) -> date | None:
    """The latest that is past, and before the document expired. None where a part of it is not known."""
    latest = min(today, expiry or today)
    days = [day for century in (1800, 1900, 2000, 2100) if (day := _day(text, century))]
    return max((day for day in days if day <= latest), default=None)


def _day(text: str, century: int) -> date | None:
    try:
        return date(century + int(text[:2]), int(text[2:4]), int(text[4:6]))
    except ValueError:
        return None
