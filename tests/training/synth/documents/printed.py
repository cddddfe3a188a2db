"""What stands in a record and what stands on its sheet, by the same names, so that the two can be compared."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from docextract.documents.base import DocumentType, Record
from docextract.documents.values import FieldKind
from training.synth.sheet import Sheet


def leaves(record: Record, beside: Collection[str] = ("currency",)) -> dict[str, Any]:
    """Every value that is not None, by the name that tags it on a sheet. beside: what is not printed by itself."""
    found: dict[str, Any] = {}
    for name, value in record:
        if name in beside or value is None:
            continue
        if isinstance(value, tuple):
            for row, group in enumerate(value):
                found |= {f"{name}.{row}.{leaf}": inner for leaf, inner in group if inner is not None}
        else:
            found[name] = value
    return found


def printed(sheet: Sheet) -> dict[str, list[str]]:
    """The runs of text that print a value, by its name."""
    runs: dict[str, list[str]] = defaultdict(list)
    for text in sheet.texts():
        if text.field is not None:
            runs[text.field].append(text.text)
    return runs


def kind_of(document: DocumentType, name: str) -> FieldKind:
    """Of a value by its name; all rows of a list are of the same kinds."""
    parts = name.split(".")
    general = name if len(parts) == 1 else f"{parts[0]}.{parts[-1]}"
    return next(field.kind for field in document.fields() if field.name == general)
