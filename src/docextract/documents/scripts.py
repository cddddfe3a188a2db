"""Texts in scripts that text recognition does not know, and what it reads in their place."""

from functools import cache

from docextract.documents.data import load_data


def may_be_misread_script(text: str, country: str) -> bool:
    """Whether a text of a document may be another script's, read as Latin letters: "KABAAA" on a Greek one.

    Only where no letter is one that recognition never takes for those of the script, as in "KAVALA".
    country: alpha-3, of the issuer.
    """
    taken_for = _letters_by_country().get(country, frozenset())
    own = frozenset(filter(str.isalnum, text))
    return any(map(str.isalpha, own)) and own <= taken_for


def has_other_script(country: str) -> bool:
    """Whether documents of a country, by its alpha-3 code, print names in a script that recognition does not know."""
    return country in _letters_by_country()


@cache
def _letters_by_country() -> dict[str, frozenset[str]]:
    scripts = load_data("scripts").values()
    return {country: frozenset(script["taken_for"]) for script in scripts for country in script["countries"]}
