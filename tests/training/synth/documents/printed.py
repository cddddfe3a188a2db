"""The values of a record and of its sheet, by the same names, for tests that compare them."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from docextract.documents.base import DocumentType, Record
from docextract.documents.values import FieldKind
from training.synth.sheet import Sheet


def leaves(record: Record, skipped: Collection[str] = ("currency",)) -> dict[str, Any]:
    """Return every value that is not None by the field name of its runs. skipped: values that are not printed."""
    found: dict[str, Any] = {}
    for name, value in record:
        if name in skipped or value is None:
            continue
        if isinstance(value, tuple):
            for row, group in enumerate(value):
                found |= {f"{name}.{row}.{leaf}": inner for leaf, inner in group if inner is not None}
        else:
            found[name] = value
    return found


def printed(sheet: Sheet) -> dict[str, list[str]]:
    """Return the texts of all runs by field."""
    runs: dict[str, list[str]] = defaultdict(list)
    for text in sheet.texts():
        if text.field is not None:
            runs[text.field].append(text.text)
    return runs


def kind_of(document: DocumentType, name: str) -> FieldKind:
    """Return the kind of a field; all rows of a list have the same kinds."""
    parts = name.split(".")
    general = name if len(parts) == 1 else f"{parts[0]}.{parts[-1]}"
    return next(field.kind for field in document.fields() if field.name == general)
