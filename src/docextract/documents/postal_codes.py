"""Recognises the postal codes of addresses."""

import re

from docextract.documents.data import load_data

# Patterns of postal codes behind the code of a part of the country.
POSTAL_CODES = {
    "USA": r"\d{5}(?:\s?-\s?\d{4})?",
    "CAN": r"[A-Z]\d[A-Z]\s?\d[A-Z]\d",
}
_IN_TWO_PARTS = r"\d{2}-\d{3}|\d{4,5}-\d{3}"  # Poland; Portugal and Brazil
# "80333 München", "DE 80333 München", "D-07545 Gera", "1012 AB Amsterdam", "602 00 Brno", "00-238 Warszawa"; a house
# number may begin the first line.
_CODE_AT_START = re.compile(
    rf"(?:[A-Z]{{1,3}}[- ]\s*)?(?:{_IN_TWO_PARTS}|\d{{4,5}}(?:\s?[A-Z]{{2}})?|\d{{3}} \d{{2}}),?\s+[^\W\d]{{2}}"
)
_CODE_AT_END = re.compile(
    rf"(?:\b[A-Z]{{2}},?\s*{POSTAL_CODES['USA']}"  # Helena, MT 59601-1234
    r"|\b(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT)\s+\d{4}"  # Carlton VIC 3402
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}"  # RG6 1WG
    rf"|\b{POSTAL_CODES['CAN']})$"  # Ottawa ON K1A 0B1
)
# A Canadian code in which recognition takes letters for digits: "SK SOJ 2CO".
_MISREAD_CODE = re.compile(
    rf"\b(?P<part>{'|'.join(load_data('countries')['part_codes']['CAN'])})\s+(?=.*\d)"
    r"(?P<first>[A-Z])(?P<second>[\dOIS])(?P<third>[A-Z]\s?)(?P<fourth>[\dOIS])(?P<fifth>[A-Z])(?P<sixth>[\dOIS])$"
)
_LETTER_TO_DIGIT = str.maketrans("OIS", "015")
_PHONE = re.compile(r"\b(?:te?l|telefono?|ph|phone|fax|telefax|mob)\b", re.IGNORECASE)
_CODE_INSIDE = re.compile(
    r"[,·•|–-]\s*(?:[A-Z]{1,3}[- ])?(?:\d{4,6}|\d{2}-\d{3}(?!-\d))\b|(?<=\w\s)(?<![Bb]ox\s)(?<!BOX\s)\d{5}\b"
)


def begins_with_postal_code(text: str) -> bool:
    """Whether a line of an address begins with its postal code, and a town follows."""
    return _CODE_AT_START.match(text) is not None


def has_divided_code(text: str) -> bool:
    """Whether a text has a postal code of two parts, as in Poland, or a number of this form: "60-741 POZNAŃ"."""
    return re.search(rf"(?<![\w-])(?:{_IN_TWO_PARTS})(?![\w-])", text) is not None


def has_postal_code(text: str, is_first: bool) -> bool:
    """Whether a line of an address has its postal code. is_first: it may begin with a house number."""
    if _PHONE.search(text):
        return False
    text = with_digits_of_code(text)
    at_start = not is_first and begins_with_postal_code(text)
    return bool(at_start or _CODE_AT_END.search(text) or _CODE_INSIDE.search(text))


def with_digits_of_code(text: str) -> str:
    """Return an address with the digits of a Canadian postal code at its end, also where letters were recognised."""
    found = _MISREAD_CODE.search(text)
    if found is None:
        return text
    second, fourth, sixth = (found[name].translate(_LETTER_TO_DIGIT) for name in ("second", "fourth", "sixth"))
    code = f"{found['first']}{second}{found['third']}{fourth}{found['fifth']}{sixth}"
    return f"{text[: found.start()]}{found['part']} {code}"
