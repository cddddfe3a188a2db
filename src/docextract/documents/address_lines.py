"""Lines of addresses that are neither its street nor its town: parts of buildings, and boxes at post offices."""

import re

from docextract.documents.accents import plain_abbreviation
from docextract.documents.data import load_data

_WORDS = {kind: frozenset(map(plain_abbreviation, words)) for kind, words in load_data("address_words").items()}
_NUMBER = re.compile(r"[\s#]*(?P<number>\d[\d ]{0,11})$")
_LETTER = re.compile(r"\s(?P<number>[A-Za-z]|\d{1,3}[A-Za-z]?|[A-Za-z]\d{1,3})$")


def is_line_of_address(text: str) -> bool:
    """Whether a text is a line of an address by its words: "Building C", "P.O. Box 77"."""
    line = text.rstrip(",;")
    number, letter = _NUMBER.search(line), _LETTER.search(line)
    boxes = _WORDS["numbered_box"] | _WORDS["post_office_box"]
    is_box = plain_abbreviation(line) in _WORDS["post_office_box"] or (
        number and plain_abbreviation(line[: number.start()]) in boxes
    )
    return bool(is_box) or bool(letter and plain_abbreviation(line[: letter.start()]) in _WORDS["building"])
