"""Word lists of the parsers, as TOML files."""

import tomllib
from importlib.resources import files
from typing import Any


def load_data(name: str) -> dict[str, Any]:
    """Return the content of `name`.toml; tables and lists keep the order of the file."""
    return tomllib.loads((files(__package__) / f"{name}.toml").read_text(encoding="utf-8"))
