"""Finds the personal number on European licences, and doubts one that may be the number of the document."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from docextract.documents.dates import parse_date
from docextract.extraction.layout.candidates import Candidate, at_least, at_most, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.values.card_elements import PERSONAL_NUMBER_LETTER, behind_part_of_element_4
from docextract.extraction.layout.values.issuing_countries import ISSUING_COUNTRY, is_card_of_part
from docextract.extraction.layout.values.labelled_values import DRIVER_LICENCE, NUMBER, PERSONAL_NUMBER
from docextract.extraction.layout.values.spans import NUMBERED_PROBABILITY
from docextract.extraction.layout.values.text_spans import may_be_personal_number

ONLY_NUMBER_PROBABILITY = 0.6  # of a number that may be the document's
_FORMS_OF_BIRTH = ("%y%m%d", "%d%m%y", "%d%m%Y", "%m%d%y")  # in numbers of persons; the first is part of "%Y%m%d"


def complete_personal_number(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page with the number behind "4d" of a European licence, if no other is likely.

    On American licences it is the number of the licence, and so it may be on a page that has no other or no country.
    """
    field, number = page.single_field(PERSONAL_NUMBER), found.get(NUMBER)
    likely = {name for name, one in found.items() if one.is_likely}
    is_european = page.document_type.name == DRIVER_LICENCE and not is_card_of_part(page, found)
    is_missing = PERSONAL_NUMBER not in likely and likely.issuperset((NUMBER, ISSUING_COUNTRY))
    if field is None or number is None or not is_european or not is_missing:
        return dict(found)
    spans = behind_part_of_element_4(PERSONAL_NUMBER_LETTER, page)
    free = (span for span in spans if set(span).isdisjoint(number.piece_indices))
    numbers = (candidate_of(field, span, page) for span in free if _is_number_alone(page.text(span)))
    first = next(filter(None, numbers), None)
    return {**found, **({PERSONAL_NUMBER: at_least(first, NUMBERED_PROBABILITY)} if first else {})}


def _is_number_alone(text: str) -> bool:
    """Whether a text is a personal number: no date, as behind a misread "4b", and no word: "CPF 084.125.788-01"."""
    is_date = not text.isalnum() and parse_date(text) is not None
    return may_be_personal_number(text) and all(any(map(str.isdigit, word)) for word in text.split()) and not is_date


def doubt_only_number(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page; a personal number is doubtful if the document has no other and no label tells.

    A number that contains the date of birth is the holder's.
    """
    number, personal, birth = (found.get(name) for name in (NUMBER, PERSONAL_NUMBER, "birth_date"))
    has_other = page.single_field(NUMBER) is None or (number is not None and number.is_likely)
    if personal is None or personal.labelled or has_other or (birth and _contains(personal.content, birth.value)):
        return dict(found)
    return {**found, PERSONAL_NUMBER: at_most(personal, ONLY_NUMBER_PROBABILITY)}


def _contains(number: str, day: Any) -> bool:
    if not isinstance(day, date):  # of a type that a user describes
        return False
    digits = re.sub(r"\D", "", number)
    return any(day.strftime(form) in digits for form in _FORMS_OF_BIRTH)
