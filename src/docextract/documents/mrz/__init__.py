"""The machine-readable zone of passports and cards, as ICAO Doc 9303 parts 3 to 6 define it.

layout: where everything stands. writing: values → lines. fitting, mending, reading: lines as a reader saw them →
values, with what the check digits say of each.
"""

from docextract.documents.mrz.layout import FILLER, Format, check_digit
from docextract.documents.mrz.reading import FIELDS, Mrz, ZoneField, read
from docextract.documents.mrz.transliteration import spells, transliterate

__all__ = [
    "FIELDS", "FILLER", "Format", "Mrz", "ZoneField", "check_digit", "read", "spells", "transliterate",
]  # fmt: skip
