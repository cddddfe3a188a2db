"""Names of authorities that issue passports and cards, told by their words: "United States Department of State"."""

from docextract.documents.accents import without_accents
from docextract.documents.data import load_data

_WORDS, _NOTES = (
    tuple(without_accents(word.casefold()) for word in load_data("authorities")[name]) for name in ("words", "notes")
)


def names_authority(text: str) -> bool:
    """Whether a text has words of an authority's name, and none of a note such as "Signature of authority"."""
    plain = without_accents(text.casefold())
    return any(word in plain for word in _WORDS) and not any(note in plain for note in _NOTES)
