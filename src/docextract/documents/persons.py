"""Parsing of short values on identity documents: a person's sex and the document number."""

import re

from docextract.documents.data import load_data
from docextract.documents.signs import with_plain_hyphens, without_footnote

_WORDS = load_data("sexes")
SEXES = tuple(_WORDS)
_SEX_OF = {word: sex for sex, words in _WORDS.items() for word in words}
# Letters for sexes that differ from those of ICAO Doc 9303, by country: hombre, mujer, no binario.
_LOCAL_LETTERS = {"MEX": {"H": "M", "M": "F", "NB": "X"}}
# Personal number of Mexico: initials, birth date, sex, state of birth, consonants, two characters against duplicates.
_CURP = re.compile(r"[A-Z]{4}\d{6}([HM])[A-Z]{5}[A-Z\d]\d")
# Labels of the number on licences, read without their space: 5. in Europe, 4d in America.
_LICENCE_LABEL = re.compile(r"^(5\.(?=[A-Za-z0-9]{6,}$)|4?d(?=[A-Z\d]))")
_MIN_NUMBER_LENGTH = 4  # letters and digits


def parse_sex(text: str, country: str | None = None) -> str | None:
    """Return M, F or X; None for "<" and other text. In "K/F" and "V/M" the last letter counts, as in ICAO Doc 9303.

    country: the alpha-3 code of the country whose own letters count: in Mexico M is mujer, a woman. None for documents
    with the letters of ICAO, as all passports are, and of an unknown country.
    """
    sex_of = _SEX_OF | _LOCAL_LETTERS.get(country or "", {})
    parts = [part for part in re.split(r"[^\w-]+", text.upper()) if part]
    sexes = [sex_of[part] for part in parts if part in sex_of]
    return sexes[-1] if sexes and len(sexes) == len(parts) else None


def has_own_sexes(country: str | None) -> bool:
    """Whether documents of a country other than passports have letters of their own for sexes."""
    return country in _LOCAL_LETTERS


def is_curp_of_woman(text: str) -> bool:
    """Whether a text has a CURP, the personal number of Mexico, of a woman; also in lower case or with spaces."""
    return "M" in _CURP.findall("".join(text.upper().split()))


def parse_document_number(text: str) -> str | None:
    """Return the number in capitals, without spaces and with plain hyphens; None for other text.

    A number has a digit, and at least four characters.
    """
    plain = "".join(without_footnote(with_plain_hyphens(text)).split())
    number = _LICENCE_LABEL.sub("", plain).upper().strip(".,:;'*<")
    long_enough = sum(map(str.isalnum, number)) >= _MIN_NUMBER_LENGTH
    return number if long_enough and any(map(str.isdigit, number)) else None
