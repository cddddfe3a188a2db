"""The machine-readable zone of passports and cards, as ICAO Doc 9303 parts 3 to 6 define it.

layout: where everything stands. writing: values → lines.
"""

from docextract.documents.mrz.layout import Format, check_digit
from docextract.documents.mrz.writing import compose, transliterate

__all__ = ["Format", "check_digit", "compose", "transliterate"]
