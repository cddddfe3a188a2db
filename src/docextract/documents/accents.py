"""Letters without their accents, for texts that are compared."""

import unicodedata
from collections.abc import Mapping
from functools import cache

from docextract.documents.data import load_data

# Letters that do not decompose into another and an accent; ı has the same capital as i.
_PLAIN_LETTERS = str.maketrans("łøıđ", "loid")


def without_accents(text: str) -> str:
    """Return a text without accents and other combining marks, in compatibility form: "é" gives "e", "ﬁ" gives "fi"."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


def plain_letters(text: str) -> str:
    """Return a text without case and accents: "FATURASI" and "faturası" are both "faturasi"."""
    return without_accents(text.casefold().translate(_PLAIN_LETTERS))


def letters_alone(text: str) -> str:
    """Return the letters of a text without case and accents: "Unbegrenzt gültig." gives "unbegrenztgultig"."""
    return "".join(filter(str.isalpha, plain_letters(text)))


def letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text without case and accents: "Café No. 5" gives "cafeno5"."""
    decomposed = unicodedata.normalize("NFKD", text)  # before case: "™" gives capitals
    return "".join(filter(str.isalnum, plain_letters(decomposed)))


def plain_abbreviation(text: str) -> str:
    """Return a text without case, accents, full stops and spaces: "Sp. z o.o." gives "spzoo"."""
    return "".join(char for char in plain_letters(text) if char not in ". ")


def with_letters_of(text: str, country: str | None) -> str:
    """Return a text of a document with the letters of its country's alphabet: "Ș" on a Turkish document is "Ş".

    country: alpha-3, of the issuer; None if it is unknown.
    """
    return text.translate(_own_letters().get(country or "", {}))


@cache
def _own_letters() -> Mapping[str, Mapping[int, str]]:
    alphabets = load_data("letters").values()
    return {country: str.maketrans(one["letters"]) for one in alphabets for country in one["countries"]}
