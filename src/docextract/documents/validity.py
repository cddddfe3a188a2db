"""Expiry dates of documents, and what documents that do not expire print in their place."""

import re
from datetime import date, timedelta

from docextract.documents.accents import letters_alone
from docextract.documents.data import load_data
from docextract.documents.dates import DateOrder, parse_date

MAX_EXPIRY = timedelta(days=60 * 365.25)  # from today; documents expired in the other years of two digits
NO_EXPIRY = date(9999, 12, 31)  # of documents that state that they do not expire; some print this year
_YEAR = re.compile(rf"(?<!\d){NO_EXPIRY.year}(?!\d)")
_YEAR_ALONE = re.compile(rf"\W*{NO_EXPIRY.year}\W*")
_PARSED_YEAR = "2099"  # in place of 9999; also no leap year
_UNLIMITED = frozenset(map(letters_alone, load_data("validity")["unlimited"]))


def parse_expiry_date(text: str, order: DateOrder) -> date | None:
    """As `parse_date`, but a year of two digits is at most 60 years ahead: licences may be valid to the age of 75.

    Only a text without such a date may have one of the year 9999, or be a statement that the document does not expire.
    """
    if found := parse_date(text, order, date.today() + MAX_EXPIRY):
        return found
    if _YEAR.search(text) and (day := parse_date(_YEAR.sub(_PARSED_YEAR, text), order)):
        return day.replace(year=NO_EXPIRY.year)
    return NO_EXPIRY if _states_no_expiry(text) else None


def _states_no_expiry(text: str) -> bool:
    """Whether a text is the year 9999 alone, or words for a permanent validity in one language or in two."""
    if any(map(str.isdigit, text)):
        return _YEAR_ALONE.fullmatch(text) is not None
    return all(letters_alone(part) in _UNLIMITED for part in text.split("/"))


def expires(day: date) -> bool:
    """Whether an expiry date is one, and not the statement that a document does not expire."""
    return day.year != NO_EXPIRY.year
