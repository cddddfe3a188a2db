"""How data of other tools names things, where it differs from ours: a file fields.toml beside the data.

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

Every line is optional, and so is the file. A name that is neither known nor ignored makes its row unusable:
nothing is dropped silently.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from docextract.documents import document_types
from docextract.documents.base import DocumentType, Field
from docextract.documents.values import Conventions, DateOrder
from training.datasets import rows

NAMING = "fields.toml"
TYPE = "type"


@dataclass(frozen=True)
class Printed:
    """One text of a page, under the name that the data gives it."""

    name: str  # "total.total_price"
    text: str | None  # as printed; None says that it is not on the page
    row: int = 0  # of its list, from 0


@dataclass(frozen=True)
class Naming:
    """See the top of the module."""

    type: str | None = None
    currency: str | None = None
    date_order: DateOrder | None = None
    complete: bool = False
    ignore: Sequence[str] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    def ours(self, name: str) -> str | None:
        """Our name for theirs; None for one that is to be ignored."""
        if name in self.fields:
            return self.fields[name]
        return None if any(name == one or name.startswith(f"{one}.") for one in self.ignore) else name

    def labels(self, printed: Iterable[Printed], kind: str | None = None) -> tuple[str, dict[str, Any]]:
        """The document's type and its labels. kind: theirs, where it is known already.

        Raises ValueError for a type or a name that is not known, and for text that is no value of its field.
        """
        named = [(ours, one) for one in printed if (ours := self.ours(one.name)) is not None]
        said = [one.text for ours, one in named if ours == TYPE and one.text]
        kind = kind or (said[0] if said else self.type)
        if kind is None:
            raise ValueError(f'no document type; name it in {NAMING}, as in type = "receipt"')
        kind = self.types.get(kind, kind)
        if kind not in document_types():
            raise ValueError(f"type {kind!r} is not known; known are {', '.join(document_types())}")
        return kind, self._labels(document_types()[kind], [(ours, one) for ours, one in named if ours != TYPE])

    def _labels(self, kind: DocumentType, named: Sequence[tuple[str, Printed]]) -> dict[str, Any]:
        known = {one.name: one for one in kind.fields()}
        labels: dict[str, Any] = {}
        lists: dict[str, dict[int, dict[str, Any]]] = {}
        for name, one in named:
            if name not in known:
                raise ValueError(f"{kind.name} has no field {name!r}; rename or ignore {one.name!r} in {NAMING}")
            target, leaf = labels, name
            if known[name].group is not None:
                target, leaf = lists.setdefault(str(known[name].group), {}).setdefault(one.row, {}), known[name].leaf
            label = None if one.text is None else self._label(known[name], one.text)
            if target.setdefault(leaf, label) != label:
                raise ValueError(f"{name} is both {target[leaf]!r} and {label!r}")
        labels |= {group: [row for _, row in sorted(found.items())] for group, found in lists.items()}
        if self.complete and labels:
            labels |= {name: None for name, one in known.items() if one.group is None and name not in labels}
        return labels

    def _label(self, item: Field, text: str) -> str:
        """As printed → as labels have it."""
        orders: Sequence[DateOrder] = [self.date_order] if self.date_order else get_args(DateOrder)
        values = {item.kind.parse(text, Conventions(order, self.currency)) for order in orders}
        if values == {None}:
            raise ValueError(f"{item.name}: {text!r} is no {item.kind.name}")
        if len(values) > 1:
            raise ValueError(f'{item.name}: {text!r} can be two dates; say which in {NAMING}, as in date_order = "DMY"')
        return str(rows.as_label(values.pop()))


def load(folder: Path) -> Naming:
    """The naming of a folder's data; nothing is renamed where it has none. Raises ValueError for a wrong file."""
    path = folder / NAMING
    if not path.exists():
        return Naming()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is no TOML: {error}") from None
    known = [one.name for one in fields(Naming)]
    if unknown := sorted(table.keys() - set(known)):
        raise ValueError(f"{path}: {unknown[0]!r} means nothing here; there are {', '.join(known)}")
    naming = Naming(**table)
    if naming.date_order not in (None, *get_args(DateOrder)):
        raise ValueError(f"{path}: date_order is one of {', '.join(get_args(DateOrder))}")
    for name in ("fields", "types"):
        if not isinstance(table.get(name, {}), dict):
            raise ValueError(f"{path}: [{name}] is a table of theirs = ours")
    return naming
