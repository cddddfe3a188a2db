"""Statements that only papers of other kinds make, such as "This is not an invoice"."""

import re

from docextract.documents.accents import plain_letters
from docextract.documents.data import load_data

_BETWEEN_WORDS = re.compile(r"\W+")


def _spaced_words(text: str) -> str:
    """Return the words of a text without case and accents, with a space before and behind each."""
    return f" {_BETWEEN_WORDS.sub(' ', plain_letters(text)).strip()} "


_STATEMENTS = frozenset(_spaced_words(text) for texts in load_data("other_papers").values() for text in texts)


def has_statement_of_other_paper(text: str) -> bool:
    """Whether a text has a statement that no invoice makes about itself."""
    words = _spaced_words(text)
    return any(statement in words for statement in _STATEMENTS)
