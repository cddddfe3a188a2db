"""Values of identity documents with two sources: the printed text and the machine-readable zone.

A value of the zone is preferred if its check digit is valid. The zone has no accents, so of two equal names the printed
spelling is used. Agreement of both sources raises the confidence, and disagreement lowers it. No zone confirms accents.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from docextract.answers.odds import confidence_of, log_odds
from docextract.documents import mrz
from docextract.documents.mrz import FILLER, NAME_FIELDS
from docextract.documents.scripts import may_be_misread_script
from docextract.documents.validity import expires
from docextract.predictions import PredictedValue, PredictedZone
from docextract.sources import ValueSource

# With so many valid check digits the lines are in the right place, so fields without a check digit are accepted too.
MIN_VALID_CHECK_DIGITS = 2
# Letters and digits of a number that is searched in optional data; shorter ones occur in most optional data.
MIN_CONTAINED_CHARACTERS = 4
_OPTIONAL_DATA = ("optional_data", "more_optional_data")
# Their cards print the holder's number as the document's, which the zone has as optional data; the document number of
# the zone is that of the blank card, NUM SOPORT.
_NUMBERS_OF_HOLDERS = {"ESP": re.compile(r"\d{8}[A-Z]|[XYZ]\d{7}[A-Z]")}  # by state; of Spain DNI and NIE
# Of names whose letters the zone confirms, on 120 simulated photos of passports and cards: three of 87 printed ones had
# wrong accents, half of what their confidences as printed allowed; three of 38 from the zone alone lacked an accent.
_ACCENT_SHARE_OF_DOUBT = 0.5
_NO_ACCENTS_PROBABILITY = 0.95
_NO_PRINTED_ACCENTS_PROBABILITY = 0.5  # of a name in the zone, that it is right though the printed one has accents
_NOT_CUT_PROBABILITY = 0.5  # of the last name in a zone whose names fill their line
# Names have no check digits. From this confidence on, one in the zone is whole: the fillers behind it were seen; under
# the other, a valid zone is not preferred (zones/recognition.py).
_CERTAIN_IN_ZONE, _MIN_IN_VALID_ZONE = 0.95, 0.5
_MIN_WHOLE_CONFIDENCE = 0.8  # of a printed name that outweighs a fragment of it
# Largest age for which a printed birth date with another century than the zone's is taken: 1908 may be an altered 2008.
# The check `dates_plausible` has a wider limit, for dates that no zone contradicts.
_MAX_AGE_YEARS = 115


@dataclass(frozen=True)
class Recommendation:
    """Which source to use, and the confidence of its value given both sources."""

    source: ValueSource
    confidence: float
    agree: bool


def zone_value(zone: PredictedZone, name: str, printed: PredictedValue | None) -> PredictedValue | None:
    """Return the value of a field in the zone; None where the zone is no source for it.

    Without a printed value to compare with, only values that check digits confirm are used: in a zone that is half
    covered, a character may be taken for its neighbour. Optional data may be anything: they only confirm a printed
    administrative number that they contain, and of some states they are compared with the document number.
    """
    if name == "document_number" and printed and (of_holder := _number_of_holder(zone, printed)):
        return of_holder
    if name in mrz.ZONE_FIELDS:
        value = zone.fields.get(name)
        if printed or value is None:
            return value
        if not _is_confirmed(zone, name):
            return None
        return _name_alone(zone, name, value) if name in NAME_FIELDS else value
    if name != "administrative_number":
        return None
    number = _bare(str(printed.value)) if printed else ""
    if len(number) < MIN_CONTAINED_CHARACTERS:
        return None
    optional = (zone.fields[one] for one in _OPTIONAL_DATA if one in zone.fields)
    return next((data for data in optional if number in _bare(str(data.value))), None)


def _name_alone(zone: PredictedZone, name: str, value: PredictedValue) -> PredictedValue:
    """Return a name of the zone without a printed one: it may lack accents, and its end if the names fill the line."""
    last = "given_name" if "given_name" in zone.fields else "family_name"
    may_be_cut = zone.names_truncated and name == last
    whole = _NOT_CUT_PROBABILITY if may_be_cut else 1.0
    return replace(value, confidence=_NO_ACCENTS_PROBABILITY * whole * value.confidence)


def with_single_name_as_printed(zone: PredictedZone, printed: Mapping[str, PredictedValue]) -> PredictedZone:
    """Return the zone with its only name as given name, if the print has no family name and this one as given name.

    ICAO Doc 9303 puts a single name where the family name stands. printed: values by field.
    """
    only, given = zone.fields.get("family_name"), printed.get("given_name")
    if only is None or given is None or "given_name" in zone.fields or "family_name" in printed:
        return zone
    if not _agree("given_name", given, only, zone.names_truncated):
        return zone
    others = {name: value for name, value in zone.fields.items() if name != "family_name"}
    return replace(zone, fields={**others, "given_name": only})


def _number_of_holder(zone: PredictedZone, printed: PredictedValue) -> PredictedValue | None:
    """Return the optional data of a card that prints the number of its holder, which its state has there."""
    state, number, data = (zone.fields.get(name) for name in ("issuing_country", "document_number", "optional_data"))
    form = _NUMBERS_OF_HOLDERS.get(state.value) if state and zone.format == "TD1" else None
    own = _bare(str(printed.value))
    if form is None or not form.fullmatch(own) or (number and own == _bare(str(number.value))):
        return None
    return data


def _is_confirmed(zone: PredictedZone, name: str) -> bool:
    return (
        zone.checks[name] if name in zone.checks else zone.valid or sum(zone.checks.values()) >= MIN_VALID_CHECK_DIGITS
    )


def recommend(name: str, printed: PredictedValue, in_zone: PredictedValue, zone: PredictedZone) -> Recommendation:
    """Choose between the printed value and the value of the zone (`zone_value`) of one field."""
    if _is_year_of_print(name, printed, in_zone):
        return Recommendation("printed", printed.confidence, agree=True)
    if _agree(name, printed, in_zone, zone.names_truncated):
        less, more = sorted((log_odds(printed.confidence), log_odds(in_zone.confidence)))
        confidence = confidence_of(more + max(less, 0.0))
        if name in NAME_FIELDS:
            confidence *= 1 - _ACCENT_SHARE_OF_DOUBT * (1 - printed.confidence)
            if _proves_latin(zone, name, printed):
                confidence = max(confidence, _name_alone(zone, name, in_zone).confidence)
        return Recommendation(_source_if_equal(printed, in_zone), confidence, agree=True)
    if name in NAME_FIELDS and _is_fragment(printed, in_zone):
        return Recommendation("printed", printed.confidence, agree=False)
    source = _source_if_different(name, printed, in_zone, zone)
    used, other = (in_zone, printed) if source == "mrz" else (printed, in_zone)
    confidence = confidence_of(log_odds(used.confidence) - max(log_odds(other.confidence), 0.0))
    if name in NAME_FIELDS and source == "mrz":
        confidence *= _NO_PRINTED_ACCENTS_PROBABILITY if _has_accents(printed) else _NO_ACCENTS_PROBABILITY
    return Recommendation(source, confidence, agree=False)


def _proves_latin(zone: PredictedZone, name: str, printed: PredictedValue) -> bool:
    """Whether the zone, which has the printed name, disproves that it is in another script, and doubtful as such."""
    country = zone.fields.get("issuing_country")
    is_doubted = country is not None and may_be_misread_script(str(printed.value), str(country.value))
    return is_doubted and _is_confirmed(zone, name)


def _has_accents(name: PredictedValue) -> bool:
    """Whether a printed name has letters that no zone has."""
    return any(char.isalpha() and not char.isascii() for char in str(name.value))


def _is_fragment(printed: PredictedValue, in_zone: PredictedValue) -> bool:
    """Whether the zone has only the end of a printed name or its beginning, cut within a word: the rest is covered."""
    if printed.confidence < _MIN_WHOLE_CONFIDENCE or in_zone.confidence >= _CERTAIN_IN_ZONE:
        return False
    whole, visible = mrz.transliterate(str(printed.value)), mrz.transliterate(str(in_zone.value))
    if not visible or len(visible) >= len(whole):
        return False
    is_end = whole.endswith(visible) and whole[-len(visible) - 1] != FILLER
    return is_end or (whole.startswith(visible) and whole[len(visible)] != FILLER)


def _agree(name: str, printed: PredictedValue, in_zone: PredictedValue, names_truncated: bool) -> bool:
    if name in NAME_FIELDS:
        return mrz.is_transliteration(str(printed.value), str(in_zone.value), names_truncated)
    if name == "administrative_number":
        return True  # `zone_value` has found it in the optional data
    if isinstance(printed.value, str):
        return _bare(printed.value) == _bare(str(in_zone.value))
    return bool(printed.value == in_zone.value)


def _is_year_of_print(name: str, printed: PredictedValue, in_zone: PredictedValue) -> bool:
    """Whether the print has more of a year than a zone can have: the century of a birth, or that a card never expires.

    Zones of cards that do not expire may have any year: those of Poland have one a hundred years after the issue.
    """
    if name == "expiry_date":
        return isinstance(printed.value, date) and not expires(printed.value)
    return name == "birth_date" and _is_century_printed(printed, in_zone)


def _is_century_printed(printed: PredictedValue, in_zone: PredictedValue) -> bool:
    """Whether only the century of a birth date differs, which no zone has, and the printed one is a possible one."""
    day, other = printed.value, in_zone.value
    if not (isinstance(day, date) and isinstance(other, date)) or f"{day:%y%m%d}" != f"{other:%y%m%d}":
        return False
    today = date.today()
    is_possible = day <= today and today.year - day.year <= _MAX_AGE_YEARS
    return day != other and is_possible and str(day.year) in printed.content


def _source_if_equal(printed: PredictedValue, in_zone: PredictedValue) -> ValueSource:
    """The printed value if it has another spelling, such as accents or a hyphen in a number."""
    return "printed" if isinstance(printed.value, str) and printed.value != in_zone.value else "mrz"


def _source_if_different(
    name: str, printed: PredictedValue, in_zone: PredictedValue, zone: PredictedZone
) -> ValueSource:
    check = "composite" if in_zone is zone.fields.get("optional_data") else name
    if check in zone.checks:
        return "mrz" if zone.checks[check] else "printed"
    if name in NAME_FIELDS and zone.valid and in_zone.confidence >= _MIN_IN_VALID_ZONE:
        return "mrz"
    return "mrz" if in_zone.confidence >= printed.confidence else "printed"


def _bare(text: str) -> str:
    """Only letters and digits, in capitals."""
    return "".join(filter(str.isalnum, text)).upper()
