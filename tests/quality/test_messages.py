"""The guidance messages in six languages."""

import string

import pytest

from docextract.quality.criteria import CRITERIA, UNEXPECTED_DOCUMENT
from docextract.quality.messages import DEFAULT_LANGUAGE, UNCERTAIN_FIELDS, catalogues, place_key
from docextract.sources import PLACES

CODES = {criterion.guidance for criterion in (*CRITERIA, UNEXPECTED_DOCUMENT)} | {UNCERTAIN_FIELDS}
KEYS = CODES | {place_key(place) for place in PLACES}


def test_there_are_six_languages_with_the_default_first():
    """English is used if no other language is requested."""
    assert list(catalogues()) == [DEFAULT_LANGUAGE, "de", "es", "fr", "it", "pt"]


@pytest.mark.parametrize("language", catalogues())
def test_every_code_has_a_sentence_in_every_language(language):
    """No code is missing or superfluous, and no sentence is empty or left in English."""
    messages = catalogues()[language]

    assert messages.keys() == KEYS
    for code, sentence in messages.items():
        assert sentence.strip() == sentence != ""
        assert sentence.endswith(".")
        assert language == DEFAULT_LANGUAGE or sentence != catalogues()[DEFAULT_LANGUAGE][code]


@pytest.mark.parametrize("language", catalogues())
def test_placeholders_are_the_same_in_every_language(language):
    """A translation neither loses nor adds a placeholder."""
    for code, sentence in catalogues()[language].items():
        assert _blanks(sentence) == _blanks(catalogues()[DEFAULT_LANGUAGE][code]), code


def _blanks(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def test_places_are_those_of_the_document():
    """As `place` is; a receipt in a corner of the picture has a top, too."""
    named = {
        "de": "Dokument",
        "en": "document",
        "es": "documento",
        "fr": "document",
        "it": "documento",
        "pt": "documento",
    }

    for language, texts in catalogues().items():
        assert all(named[language] in texts[place_key(place)] for place in PLACES)
