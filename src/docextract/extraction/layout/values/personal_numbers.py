"""Lowers the confidence of a personal number that may be the number of the document."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidate, at_most
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.values.labelled_values import NUMBER, PERSONAL_NUMBER

ONLY_NUMBER_PROBABILITY = 0.6  # of a number that may be the document's
_FORMS_OF_BIRTH = ("%y%m%d", "%d%m%y", "%d%m%Y", "%m%d%y")  # in numbers of persons; the first is part of "%Y%m%d"


def doubt_only_number(found: Mapping[str, Candidate], page: PageLabels) -> dict[str, Candidate]:
    """Return the candidates of a page; a personal number is doubtful if the document has no other and no label tells.

    A number that contains the date of birth is the holder's.
    """
    number, personal, birth = (found.get(name) for name in (NUMBER, PERSONAL_NUMBER, "birth_date"))
    has_other = page.single_field(NUMBER) is None or (number is not None and number.support >= GIVEN_SUPPORT)
    if personal is None or personal.labelled or has_other or (birth and _contains(personal.content, birth.value)):
        return dict(found)
    return {**found, PERSONAL_NUMBER: at_most(personal, ONLY_NUMBER_PROBABILITY)}


def _contains(number: str, day: Any) -> bool:
    if not isinstance(day, date):  # of a type that a user describes
        return False
    digits = re.sub(r"\D", "", number)
    return any(day.strftime(form) in digits for form in _FORMS_OF_BIRTH)
