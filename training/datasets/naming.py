"""Translates the field names of other tools to ours, by fields.toml; see docextract/documents/field_mapping.py.

A name that is neither known nor listed as ignored makes its row unusable: nothing is dropped silently.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docextract.documents import document_types, field_mapping
from docextract.documents.base import DocumentType, Field
from docextract.documents.field_mapping import FIELD_MAPPING_FILE
from training.datasets import rows

TYPE = "type"


@dataclass(frozen=True)
class PrintedText:
    """One text of a page, under the field name that the data uses."""

    name: str  # "total.total_price"
    text: str | None  # as printed; None if it is not on the page
    row: int = 0  # index in its list


class LabelMapping(field_mapping.FieldMapping):
    """The names that the data uses, and the conversion of texts to labels."""

    def labels(self, printed: Iterable[PrintedText], kind: str | None = None) -> tuple[str, dict[str, Any]]:
        """The document type and the labels of one page. kind: the type in the data's words, if it is known already.

        Raises ValueError for an unknown type or name, and for text that is not a value of its field.
        """
        named = [(ours, one) for one in printed if (ours := self.map_name(one.name)) is not None]
        stated = [one.text for ours, one in named if ours == TYPE and one.text]
        kind = kind or (stated[0] if stated else self.type)
        if kind is None:
            raise ValueError(f'no document type; name it in {FIELD_MAPPING_FILE}, as in type = "receipt"')
        kind = self.types.get(kind, kind)
        if kind not in document_types():
            raise ValueError(f"type {kind!r} is not known; known are {', '.join(document_types())}")
        return kind, self._labels(document_types()[kind], [(ours, one) for ours, one in named if ours != TYPE])

    def _labels(self, kind: DocumentType, named: Sequence[tuple[str, PrintedText]]) -> dict[str, Any]:
        known = {one.name: one for one in kind.fields()}
        labels: dict[str, Any] = {}
        lists: dict[str, dict[int, dict[str, Any]]] = {}
        for name, one in named:
            if name not in known:
                raise ValueError(
                    f"{kind.name} has no field {name!r}; rename or ignore {one.name!r} in {FIELD_MAPPING_FILE}"
                )
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
        """A printed text in the form of a label."""
        values = self.possible_values(item.kind, text)
        if not values:
            raise ValueError(f"{item.name}: {text!r} is not a {item.kind.name}")
        if len(values) > 1:
            raise ValueError(
                f'{item.name}: {text!r} can be two dates; say which in {FIELD_MAPPING_FILE}, as in date_order = "DMY"'
            )
        return str(rows.to_label(values.pop()))


def load(folder: Path) -> LabelMapping:
    """The naming of a folder's data; without fields.toml nothing is renamed. Raises ValueError for a wrong file."""
    return LabelMapping.load(folder / FIELD_MAPPING_FILE)
