"""The texts of guidance codes for the person who takes the photo, in six languages.

There is one TOML file per language with lines `code = "sentence"`; a new file adds a language. The sentences `at_…` say
where the document, as it lies in the picture, is least legible, and follow that of a code. TOML instead of gettext,
because the code is part of every answer, so no source sentence is needed as a key, and nothing has to be compiled.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

DEFAULT_LANGUAGE = "en"
UNCERTAIN_FIELDS = "retake_photo"  # of a photo without a defect that any criterion names


def place_key(place: str) -> str:
    """Return the key of the sentence that names a place."""
    return f"at_{place}"


@cache
def catalogues() -> Mapping[str, Mapping[str, str]]:
    """Return the texts by language (ISO 639-1), the default first, and by guidance code."""
    texts = {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
        for file in files(__package__).iterdir()
        if file.name.endswith(".toml")
    }
    return {DEFAULT_LANGUAGE: texts.pop(DEFAULT_LANGUAGE)} | dict(sorted(texts.items()))
