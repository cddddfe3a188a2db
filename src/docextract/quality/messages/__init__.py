"""What the person holding the phone is told, in their own language.

One file for each language, `code = "sentence"`, in TOML and not in gettext's form: a code is part of every answer, so
there is no source sentence to look up by, and nothing has to be compiled. A new file here is a new language.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

DEFAULT_LANGUAGE = "en"


@cache
def catalogues() -> Mapping[str, Mapping[str, str]]:
    """By language (ISO 639-1), the default first: what each guidance code says."""
    found = {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8"))
        for file in files(__package__).iterdir()
        if file.name.endswith(".toml")
    }
    return {DEFAULT_LANGUAGE: found.pop(DEFAULT_LANGUAGE)} | dict(sorted(found.items()))
