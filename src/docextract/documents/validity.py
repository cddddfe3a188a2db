"""Expiry dates of documents, and what documents that do not expire print in their place."""

import re
from datetime import date, timedelta

from docextract.documents.accents import plain_letters
from docextract.documents.data import load_data
from docextract.documents.dates import DateOrder, parse_date

MAX_EXPIRY = timedelta(days=60 * 365.25)  # from today; documents expired in the other years of two digits
NO_EXPIRY = date(9999, 12, 31)  # of documents that state that they do not expire; some print this year
_YEAR = re.compile(rf"(?<!\d){NO_EXPIRY.year}(?!\d)")
_LEAP_YEAR = "2000"


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, plain_letters(text)))


_UNLIMITED = frozenset(map(_letters, load_data("validity")["unlimited"]))


def parse_expiry_date(text: str, order: DateOrder) -> date | None:
    """As `parse_date`, but two digits of a year are at most 60 years ahead: licences may be valid to the age of 75.

    So a licence of 2022 may expire on "23.05.73", and one that expired on "01.03.98" did so in 1998. Words for a
    permanent validity give NO_EXPIRY, as the year 9999 alone does; a day of that year is a date like others.
    """
    if _YEAR.search(text):
        day = parse_date(_YEAR.sub(_LEAP_YEAR, text), order)
        return day.replace(year=NO_EXPIRY.year) if day else NO_EXPIRY if _YEAR.fullmatch(text.strip()) else None
    if all(_letters(part) in _UNLIMITED for part in text.split("/")):  # in two languages
        return NO_EXPIRY
    return parse_date(text, order, date.today() + MAX_EXPIRY)


def expires(day: date) -> bool:
    """Whether an expiry date is one, and not the statement that a document does not expire."""
    return day.year != NO_EXPIRY.year
