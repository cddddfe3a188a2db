"""The file fields.toml: it maps the field names of a foreign data set or model to ours.

It is stored next to labelled data, or next to weights that were trained on them:

    type = "receipt"            # document type of every page without a type of its own
    currency = "IDR"            # ISO 4217, of all amounts
    date_order = "DMY"          # DMY, MDY or YMD; needed where ambiguous dates such as 03/04/2019 occur
    complete = true             # a field without a label is not printed on the page; otherwise it is unknown
    ignore = ["void_menu", "menu.num"]      # names, or first parts of names, that are not used

    [fields]                    # foreign name = our name; "type" is the document type
    "menu.nm" = "line_items.description"
    "total.total_price" = "total"

    [types]                     # foreign name = our name
    "Lieferschein" = "delivery_note"

Every line is optional, and so is the file.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Self, get_args

from docextract.documents.values import Conventions, DateOrder, FieldKind

FIELD_MAPPING_FILE = "fields.toml"


@dataclass(frozen=True)
class FieldMapping:
    """The content of fields.toml; the docstring of the module describes its members."""

    type: str | None = None
    currency: str | None = None
    date_order: DateOrder | None = None
    complete: bool = False
    ignore: Sequence[str] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file; where there is none, no name is changed. Raises ValueError for an invalid file."""
        if not path.exists():
            return cls()
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not valid TOML: {error}") from None
        members = [one.name for one in fields(cls)]
        if unknown := sorted(table.keys() - set(members)):
            raise ValueError(f"{path}: unknown key {unknown[0]!r}; possible keys are {', '.join(members)}")
        mapping = cls(**table)
        if mapping.date_order not in (None, *get_args(DateOrder)):
            raise ValueError(f"{path}: date_order must be one of {', '.join(get_args(DateOrder))}")
        for name in ("fields", "types"):
            if not isinstance(table.get(name, {}), dict):
                raise ValueError(f"{path}: [{name}] must be a table of foreign name = our name")
        return mapping

    def map_name(self, name: str) -> str | None:
        """Return our name for a foreign name; None if it is ignored."""
        if name in self.fields:
            return self.fields[name]
        return None if any(name == one or name.startswith(f"{one}.") for one in self.ignore) else name

    def possible_values(self, kind: FieldKind, text: str) -> set[Any]:
        """Return the possible values of a printed text: none if it cannot be parsed, two for an ambiguous date."""
        orders: Sequence[DateOrder] = [self.date_order] if self.date_order else get_args(DateOrder)
        return {kind.parse(text, Conventions(order, self.currency)) for order in orders} - {None}
