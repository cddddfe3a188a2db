"""Finds and completes the address of a card's holder by the form of its last lines: a street above a coded town."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docextract.documents.countries import country_of_address
from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.candidates import Candidate, at_least, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.places import runs_on_lines
from docextract.extraction.layout.values.card_elements import ELEMENT_NUMBERS
from docextract.extraction.layout.values.card_texts import is_close_below
from docextract.extraction.layout.values.labelled_values import OTHER_ADDRESS_PART, RESIDENT_ADDRESS, printed_labels
from docextract.extraction.layout.values.person_names import PERSON_NAMES

HOME_PROBABILITY = 0.6  # of an address that only its form tells
MAX_TOWN_INDENT = 2.0  # heights of a line, between the beginnings of a street and its town
MAX_TAKEN_SHARE = 0.5  # of a street, by other fields
_STREET = re.compile(  # "615 N CENTER AVE", "P.O. Box 77", "RR 3 BOX 118A", "U 3 / 88 HAY RD"
    r"(?:#?\s?\d|(?:p\.?\s?o\.?\s?)?box\b|r\.?r\.?\s?\d|(?:unit|u|apt|lot|flat)\s\d).*", re.IGNORECASE
)


def home_on(page: PageLabels) -> Span | None:
    """Return the street and the coded town below it, if one of the lines of a page is such a town; else None."""
    taken = without_numbered_names(page.is_of_another(RESIDENT_ADDRESS), page)
    homes = [(*street, *town) for town in page.lines if (street := _street_above(town, page, taken))]
    return homes[0] if len(homes) == 1 else None


def with_labelled_parts(
    found: Mapping[str, Candidate], page: PageLabels, parts: Sequence[Span]
) -> dict[str, Candidate]:
    """Return the candidates of a page, a likely address with the parts below it that have labels of their own.

    And without these labels. parts: the values behind them.
    """
    address = found.get(RESIDENT_ADDRESS)
    if address is None or not address.is_likely or not parts:
        return dict(found)
    of_labels = {index for label in printed_labels(page)[OTHER_ADDRESS_PART] for index in label}
    street = tuple(index for index in address.piece_indices if index not in of_labels)
    top = page.box(street or address.piece_indices)[1]
    below = [part for part in parts if page.box(part)[1] > top and set(part).isdisjoint(street)]
    ordered = sorted(below, key=lambda part: page.box(part)[1])
    span = (*street, *(index for part in ordered for index in part))
    whole = candidate_of(page.field(RESIDENT_ADDRESS), span, page) if street else None
    own = replace(at_least(whole, address.probability), labelled=address.labelled) if whole else address
    return {**found, RESIDENT_ADDRESS: own}


def completed_home(span: Span, page: PageLabels, taken: NDArray[np.bool_]) -> Span:
    """Return an address up to the end of its postal code, from the number of its element, and with the street above.

    The code may be alone on the next line: "WINNIPEG MB", "R3L 2G8".

    taken: see `without_numbered_names`.
    """
    span = (*_words_behind_number(span, page), *span)
    runs = runs_on_lines(span, page.pieces)
    line = page.lines.of(span[-1])
    rest, own = tuple(line[line.index(span[-1]) + 1 :]), line[line.index(runs[-1][0]) :]
    if rest and country_of_address(page.text(own)) and not country_of_address(page.text(runs[-1])):
        span = (*span, *rest)
    span = (*span, *_code_below(tuple(own), page)) if not rest else span
    if len(runs) > 1 or line[0] != span[0]:
        return span
    return (*_street_above(line, page, taken), *span)


def _code_below(town: Span, page: PageLabels) -> Span:
    """Return the postal code alone on the line below a town with the code of its part of the country; else ()."""
    below = page.lines.below(town)
    if not below or country_of_address(page.text(town)) or not country_of_address(page.text((*town, *below))):
        return ()
    return tuple(below) if is_close_below(town, below, page) else ()


def _words_behind_number(span: Span, page: PageLabels) -> Span:
    """Return the words between the number of the element at the start of a line and an address: BOX of "8 BOX 12"."""
    line = page.lines.of(span[0])
    number, *words = line[: line.index(span[0])] or [line[0]]
    texts = [page.pieces[index].text for index in words]
    is_numbered = page.pieces[number].text == ELEMENT_NUMBERS[RESIDENT_ADDRESS] and all(map(str.isalpha, texts))
    is_labelled = any(field_of_label(text, page.document_type) for text in (*texts, " ".join(texts)))
    return tuple(words) if is_numbered and not is_labelled else ()


def without_numbered_names(taken: NDArray[np.bool_], page: PageLabels) -> NDArray[np.bool_]:
    """Return where other fields are, without names on lines with a number: "FLAT 10" is no name. taken: [T]."""
    kept = taken.copy()
    for line in page.lines:
        texts = [page.pieces[index].text for index in line]
        numbers = [text for text in texts if text.isdigit() and text not in ELEMENT_NUMBERS.values()]
        if numbers and all(page.likeliest_field(index) in (None, *PERSON_NAMES) for index in line):
            kept[line] = False
    return kept


def _street_above(town: Sequence[int], page: PageLabels, taken: NDArray[np.bool_]) -> Span:
    """Return the line above that of a town with its postal code, if it may be a street or a box; else ()."""
    above = page.lines.above(town) if country_of_address(page.text(town)) else None
    if above is None or not _is_street(above, page, taken):
        return ()
    left, top, _, bottom = page.box(town)
    start = 1 if page.pieces[above[0]].text == ELEMENT_NUMBERS[RESIDENT_ADDRESS] and len(above) > 1 else 0
    street = tuple(above[start:]) if _is_street(above[start:], page, taken) else tuple(above)
    return street if abs(page.box(street)[0] - left) < MAX_TOWN_INDENT * (bottom - top) else ()


def _is_street(line: Sequence[int], page: PageLabels, taken: NDArray[np.bool_]) -> bool:
    text = page.text(line)
    words = text.split()
    is_labelled = any(field_of_label(part, page.document_type) for part in (text, *words, " ".join(words[:2])))
    has_word = re.search(r"[^\W\d_]{2}", text) is not None
    is_taken = taken[list(line)].mean() >= MAX_TAKEN_SHARE
    return has_word and _STREET.match(text) is not None and not is_labelled and not is_taken
