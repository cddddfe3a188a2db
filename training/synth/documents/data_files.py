"""Reads and validates the word lists and tables of facts in data/*.toml for the generators."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from training.synth.documents.grammar import WordLists

_FOLDER = Path(__file__).with_name("data")
_SLOT = re.compile(r"\{(\w+)\}")


@cache
def read_table(name: str) -> Mapping[str, Any]:
    """Parse data/<name>.toml. Tables and keys keep their order in the file, on which the meaning of a seed depends."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def check_keys(file_name: str, table_name: str, table: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise ValueError, with the names of file and table, when the table has a key that is not known."""
    for key in table:
        if key not in known:
            raise ValueError(f"{file_name}.toml: [{table_name}] has the unknown key {key!r}; known: {sorted(known)}")


def word_lists(file_name: str, tables: Mapping[str, Mapping[str, Any]], known: Collection[str]) -> dict[str, WordLists]:
    """Validate tables of word lists: {"de": {"total": ["Summe", ...]}}.

    file_name: without the suffix, for messages.
    known:     the list names that the generators use. A list that some template of these tables fills in as a {slot}
               is known too.

    Raises ValueError for a list with any other name, for an empty list, and for a value that is no list of strings.
    """
    known = {*known, *_slots(tables)}
    for table_name, table in tables.items():
        check_keys(file_name, table_name, table, known)
        for key, options in table.items():
            if not isinstance(options, list) or not options or not all(isinstance(option, str) for option in options):
                raise ValueError(f"{file_name}.toml: [{table_name}] {key} must be a list of strings, not {options!r}")
    return {name: {key: tuple(options) for key, options in table.items()} for name, table in tables.items()}


def _slots(value: Any) -> Iterator[str]:
    """The names of all slots in the templates of a table."""
    return (slot for text in texts_in(value) for slot in _SLOT.findall(text))


def texts_in(value: Any) -> Iterator[str]:
    """All texts of a table, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_in(part)
