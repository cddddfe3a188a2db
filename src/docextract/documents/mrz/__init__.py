"""The machine-readable zone (MRZ) of passports and cards, as ICAO Doc 9303 parts 3 to 6 define it.

`layout` defines the formats. `fitting`, `repair` and `parsing` turn recognised lines into field values, verified by
check digits. `transliteration` compares printed names with names in the zone.
"""

from docextract.documents.mrz.layout import FILLER, ZoneFormat, compute_check_digit
from docextract.documents.mrz.parsing import NAME_FIELDS, ZONE_FIELDS, ParsedZone, ZoneField, parse_zone
from docextract.documents.mrz.transliteration import is_transliteration, transliterate

__all__ = [
    "FILLER", "NAME_FIELDS", "ZONE_FIELDS", "ParsedZone", "ZoneField", "ZoneFormat", "compute_check_digit",
    "is_transliteration", "parse_zone", "transliterate",
]  # fmt: skip
