"""Statements that only papers of other kinds make, such as "This is not an invoice"."""

import re
from collections.abc import Iterable

from docextract.documents.accents import plain_letters
from docextract.documents.data import load_data
from docextract.documents.printed_labels import is_word_for_invoice

MAX_CONDITION_WORDS = 12  # between "if", and "have not yet received payment"
_BETWEEN_WORDS = re.compile(r"\W+")


def _spaced_words(text: str) -> str:
    """Return the words of a text without case and accents, with a space before and behind each."""
    return f" {_BETWEEN_WORDS.sub(' ', plain_letters(text)).strip()} "


_DATA = load_data("other_papers")
_MISSING = "missing_payments"
# Invoices of tax advisers and agencies for temporary work have their words, too.
_WITHOUT_INVOICES = ("payslips", "tax_notices")


def _statements_of(kinds: Iterable[str]) -> frozenset[str]:
    return frozenset(_spaced_words(text) for kind in kinds for text in _DATA[kind])


_STATEMENTS = _statements_of(kind for kind in _DATA if kind not in (_MISSING, *_WITHOUT_INVOICES))
_STATEMENTS_WITHOUT_INVOICES = _statements_of(_WITHOUT_INVOICES)
_MISSING_PAYMENTS = [
    (_spaced_words(statement), frozenset(map(plain_letters, table["conditions"])))
    for table in _DATA[_MISSING]
    for statement in table["statements"]
]


def has_statement_of_other_paper(text: str) -> bool:
    """Whether a text has a statement that no invoice makes about itself.

    That a payment is missing is one, but no condition: "if we have not yet received payment". Words of payslips and tax
    notices are none where a word names an invoice: "Gesamt (brutto)" may be its total.
    """
    words = _spaced_words(text)
    if any(one in words for one in _STATEMENTS_WITHOUT_INVOICES) and not any(map(is_word_for_invoice, words.split())):
        return True
    return any(statement in words for statement in _STATEMENTS) or any(
        conditions.isdisjoint(before.split()[-MAX_CONDITION_WORDS:])
        for statement, conditions in _MISSING_PAYMENTS
        for before in words.split(statement)[:-1]
    )
