"""Names of authorities that issue passports and cards, told by their words: "United States Department of State"."""

import unicodedata

from docextract.documents.data import load_data


def _plain(text: str) -> str:
    """Lower case without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(char))


_WORDS, _NOTES = (tuple(map(_plain, load_data("authorities")[name])) for name in ("words", "notes"))


def names_authority(text: str) -> bool:
    """Whether a text has words of an authority's name, and none of a note such as "Signature of authority"."""
    plain = _plain(text)
    return any(word in plain for word in _WORDS) and not any(note in plain for note in _NOTES)
