"""Word lists of the parsers, as TOML files."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache  # some lists have several readers, and each process that starts reads them
def load_data(name: str) -> dict[str, Any]:
    """Return the content of `name`.toml, which nobody may change; tables and lists keep the order of the file."""
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))
