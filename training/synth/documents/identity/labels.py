"""The labels of the fields of identity documents, by language."""

from collections.abc import Mapping
from functools import cache

from training.synth.documents.data_files import read_table, word_lists
from training.synth.documents.grammar import WordLists


@cache
def _tables() -> Mapping[str, WordLists]:
    tables = read_table("identity_labels")
    return word_lists("identity_labels", tables, tables["en"])


def field_labels(language: str) -> WordLists:
    """Return the labels of a language (ISO 639-1) by field. Raises KeyError for a language without labels."""
    return _tables()[language]
