"""The words on invoices, by language and country."""

from collections.abc import Mapping
from functools import cache

from training.synth.documents.data_files import read_table, word_lists
from training.synth.documents.grammar import WordLists


@cache
def _tables() -> Mapping[str, WordLists]:
    tables = read_table("invoice_words")
    return word_lists("invoice_words", tables, tables["en"])


@cache
def invoice_words(language: str, country: str) -> WordLists:
    """Return every list of words for invoices of a country in a language.

    language: ISO 639-1; country: ISO 3166-1 alpha-2. The lists of the country replace those of the language, and
    those of the country in this language replace both. English fills what a language lacks. Raises KeyError for a
    language without words.
    """
    tables = _tables()
    return {**tables["en"], **tables[language], **tables.get(country, {}), **tables.get(f"{country}-{language}", {})}
