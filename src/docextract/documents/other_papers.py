"""Statements that only papers of other kinds make, such as "This is not an invoice"."""

import re

from docextract.documents.accents import plain_letters
from docextract.documents.data import load_data

MAX_CONDITION_WORDS = 12  # between "if", and "have not yet received payment"
_BETWEEN_WORDS = re.compile(r"\W+")


def _spaced_words(text: str) -> str:
    """Return the words of a text without case and accents, with a space before and behind each."""
    return f" {_BETWEEN_WORDS.sub(' ', plain_letters(text)).strip()} "


_DATA = load_data("other_papers")
_MISSING = "missing_payments"
_STATEMENTS = frozenset(_spaced_words(text) for kind, texts in _DATA.items() if kind != _MISSING for text in texts)
_MISSING_PAYMENTS = [
    (_spaced_words(statement), frozenset(map(plain_letters, table["conditions"])))
    for table in _DATA[_MISSING]
    for statement in table["statements"]
]


def has_statement_of_other_paper(text: str) -> bool:
    """Whether a text has a statement that no invoice makes about itself.

    That a payment is missing is one, but no condition: "if we have not yet received payment".
    """
    words = _spaced_words(text)
    return any(statement in words for statement in _STATEMENTS) or any(
        conditions.isdisjoint(before.split()[-MAX_CONDITION_WORDS:])
        for statement, conditions in _MISSING_PAYMENTS
        for before in words.split(statement)[:-1]
    )
