"""The words that receipts print around their values, by language and country."""

from collections.abc import Mapping
from functools import cache

from training.synth.documents.data_files import read_table, word_lists
from training.synth.documents.grammar import WordLists


@cache
def _tables() -> Mapping[str, WordLists]:
    tables = {name: table for name, table in read_table("receipt_words").items() if name != "same_as"}
    return word_lists("receipt_words", tables, tables["en"])


@cache
def receipt_words(language: str, country: str) -> WordLists:
    """Return every list of words for the receipts of a country.

    language: ISO 639-1; country: ISO 3166-1 alpha-2. The lists of the country replace those of the language, and
    English fills what both lack.
    """
    tables = _tables()
    country = read_table("receipt_words")["same_as"].get(country, country)
    return {**tables["en"], **tables.get(language, {}), **tables.get(country, {})}
