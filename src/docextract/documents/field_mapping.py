"""How others name the fields that we know: fields.toml beside their data, or beside weights that learned from it.

    type = "receipt"            # of every page that does not tell its own
    currency = "IDR"            # ISO 4217, of all amounts
    date_order = "DMY"          # how dates are written: DMY, MDY or YMD; needed where 03/04/2019 occurs
    complete = true             # what a page has no label for is not printed on it; without: it is not known
    ignore = ["void_menu", "menu.num"]      # names, or beginnings of names, that are of no use here

    [fields]                    # theirs = ours; "type" is the document's type
    "menu.nm" = "line_items.description"
    "total.total_price" = "total"

    [types]                     # theirs = ours
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
    """See the top of the module."""

    type: str | None = None
    currency: str | None = None
    date_order: DateOrder | None = None
    complete: bool = False
    ignore: Sequence[str] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """From a file; nothing is renamed where there is none. Raises ValueError for a wrong one."""
        if not path.exists():
            return cls()
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: this is no TOML: {error}") from None
        known = [one.name for one in fields(cls)]
        if unknown := sorted(table.keys() - set(known)):
            raise ValueError(f"{path}: {unknown[0]!r} means nothing here; there are {', '.join(known)}")
        naming = cls(**table)
        if naming.date_order not in (None, *get_args(DateOrder)):
            raise ValueError(f"{path}: date_order is one of {', '.join(get_args(DateOrder))}")
        for name in ("fields", "types"):
            if not isinstance(table.get(name, {}), dict):
                raise ValueError(f"{path}: [{name}] is a table of theirs = ours")
        return naming

    def map_name(self, name: str) -> str | None:
        """Our name for theirs; None for one that is to be ignored."""
        if name in self.fields:
            return self.fields[name]
        return None if any(name == one or name.startswith(f"{one}.") for one in self.ignore) else name

    def possible_values(self, kind: FieldKind, text: str) -> set[Any]:
        """What a printed text can mean: one value; none where it is no such value; two for 03/04/2019 of any order."""
        orders: Sequence[DateOrder] = [self.date_order] if self.date_order else get_args(DateOrder)
        return {kind.parse(text, Conventions(order, self.currency)) for order in orders} - {None}
