"""Lines of addresses that are neither its street nor its town: parts of buildings, estates, boxes at post offices."""

import re

from docextract.documents.accents import plain_abbreviation
from docextract.documents.data import load_data

_WORDS = {kind: frozenset(map(plain_abbreviation, words)) for kind, words in load_data("address_words").items()}
_NUMBER = re.compile(r"[\s#]*(?P<number>\d[\d ]{0,11})$")
_LETTER = re.compile(r"\s(?P<number>[A-Za-z]|\d{1,3}[A-Za-z]?|[A-Za-z]\d{1,3})$")
_ORDINAL = rf"(?:\d{{1,2}}\s?(?:st|nd|rd|th|er|e|è?me|[º°ª.:])|{'|'.join(load_data('address_words')['ordinal'])})"
_STOREY = re.compile(
    rf"{_ORDINAL}\s(?P<word>[^\W\d]+)(?:\s(?:links|rechts|Mitte|left|right|tv|th|mf)|,\s(?:porte|door|room|lgh)\b.*)?$",
    re.IGNORECASE,
)


def is_line_of_address(text: str) -> bool:
    """Whether a text is a line of an address by its words: "Building C", "Second Floor", "P.O. Box 77"."""
    line = text.rstrip(",;")
    number, letter = _NUMBER.search(line), _LETTER.search(line)
    boxes = _WORDS["numbered_box"] | _WORDS["post_office_box"]
    is_box = plain_abbreviation(line) in _WORDS["post_office_box"] or (
        number and plain_abbreviation(line[: number.start()]) in boxes
    )
    is_part = letter is not None and plain_abbreviation(line[: letter.start()]) in _WORDS["building"]
    storey = _STOREY.match(line)
    is_storey = storey is not None and plain_abbreviation(storey["word"]) in _WORDS["storey"]
    return bool(is_box) or is_part or is_storey or _is_estate(line)


def _is_estate(line: str) -> bool:
    words = line.split()
    ends = (plain_abbreviation(" ".join(words[-count:])) for count in (1, 2) if count <= len(words))
    return any(end in _WORDS["estate"] for end in ends)
