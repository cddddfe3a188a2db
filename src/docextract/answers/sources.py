"""Two sources of one value: what is printed on an identity document, and what its machine-readable zone says.

The zone is believed where its check digit holds. It knows no accents: of names that both spell alike, the printed
spelling is given. Agreement makes a value surer than either source alone, disagreement less sure.
"""

import math
from dataclasses import dataclass
from typing import Literal

from docextract.documents import mrz
from docextract.predictions import PredictedValue, PredictedZone

ValueSource = Literal["mrz", "printed"]
NAME_FIELDS = ("family_name", "given_name")
MIN_VALID_CHECK_DIGITS = 2  # that agree: then the lines were put together rightly, and what has no digit of its own counts, too
MIN_CONTAINED_CHARACTERS = 4  # letters and digits of a number that optional data are said to hold; fewer stand in most of them
_MOST_ODDS = 7.0  # log odds: nothing is surer than 0.999


@dataclass(frozen=True)
class Recommendation:
    """Whose value to take, and how sure it is, given both."""

    source: ValueSource
    confidence: float
    agree: bool


def zone_value(zone: PredictedZone, name: str, printed: PredictedValue | None) -> PredictedValue | None:
    """What the zone says of a field.

    Where nothing is printed to hold it against, only what check digits speak for: in a zone that was half covered, a
    character may be taken for its neighbour. Optional data may be anything: they speak for a printed administrative
    number that they hold, and for nothing else.
    """
    if name in mrz.ZONE_FIELDS:
        return zone.fields.get(name) if printed or _spoken_for(zone, name) else None
    if name != "administrative_number":
        return None
    held = zone.fields.get("optional_data")
    if held is None or printed is None:
        return None
    number = _bare(str(printed.value))
    return held if len(number) >= MIN_CONTAINED_CHARACTERS and number in _bare(str(held.value)) else None


def _spoken_for(zone: PredictedZone, name: str) -> bool:
    return zone.checks[name] if name in zone.checks else zone.valid or sum(zone.checks.values()) >= MIN_VALID_CHECK_DIGITS


def recommend(name: str, printed: PredictedValue, said: PredictedValue, zone: PredictedZone) -> Recommendation:
    """Which of the two to take: what is printed, or what the zone says of the same field (`said_by`)."""
    agree = _agree(name, printed, said, zone.names_truncated)
    source = _of_agreeing(printed, said) if agree else _of_disagreeing(name, printed, said, zone)
    taken, other = (said, printed) if source == "mrz" else (printed, said)
    support = max(_odds(other.confidence), 0.0)
    odds = _odds(taken.confidence) + (support if agree else -support)
    return Recommendation(source, 1 / (1 + math.exp(-min(odds, _MOST_ODDS))), agree)


def _agree(name: str, printed: PredictedValue, said: PredictedValue, cut: bool) -> bool:
    if name in NAME_FIELDS:
        return mrz.is_transliteration(str(printed.value), str(said.value), cut)
    if name == "administrative_number":
        return True  # or it would not have been taken for one
    if isinstance(printed.value, str):
        return _bare(printed.value) == _bare(str(said.value))
    return bool(printed.value == said.value)


def _of_agreeing(printed: PredictedValue, said: PredictedValue) -> ValueSource:
    """The print, where it says the same in another spelling: accents, a hyphen in a number."""
    return "printed" if isinstance(printed.value, str) and printed.value != said.value else "mrz"


def _of_disagreeing(name: str, printed: PredictedValue, said: PredictedValue, zone: PredictedZone) -> ValueSource:
    if name in zone.checks:
        return "mrz" if zone.checks[name] else "printed"
    if name in NAME_FIELDS and zone.valid:
        return "mrz"
    return "mrz" if said.confidence >= printed.confidence else "printed"


def _bare(text: str) -> str:
    """Letters and digits, in capitals."""
    return "".join(filter(str.isalnum, text)).upper()


def _odds(confidence: float) -> float:
    bounded = min(max(confidence, 1e-3), 1 - 1e-3)
    return math.log(bounded / (1 - bounded))
