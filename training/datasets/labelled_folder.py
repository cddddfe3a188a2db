"""A user's own documents: images with a labels.jsonl beside them, one row for each image.

    {"image": "images/1.jpg", "type": "receipt", "fields": {"merchant_name": "…", "total": "9.00"}, "tags": ["…"]}

Dates are ISO 8601, amounts plain decimals. A field that is missing is not known; null says that it is not on
the document. Lists are lists of rows: {"line_items": [{"description": "…", "total_price": "1.20"}]}.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.imaging import Page
from training.datasets import LabelledPage, pictures

LABELS = "labels.jsonl"


@dataclass(frozen=True)
class Unusable:
    """A row that cannot be used, and why: nothing is skipped silently."""

    row: int  # from 1
    reason: str


class Writer:
    """Writes a labelled folder, row by row; a context manager."""

    def __init__(self, folder: Path) -> None:
        """folder: made when it is not there; an old labels.jsonl in it is replaced."""
        (folder / "images").mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def __enter__(self) -> "Writer":
        self._rows = (self._folder / LABELS).open("w", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def add(self, key: str, image: Page, kind: str, fields: Mapping[str, Any], tags: Sequence[str] = ()) -> None:
        """One image and what stands on it, as the head of this file says."""
        name = f"images/{key}.jpg"
        pictures.save(image, self._folder / name)
        row = {"image": name, "type": kind, "fields": dict(fields), "tags": list(tags)}
        self._rows.write(json.dumps(row, ensure_ascii=False) + "\n")


def load(folder: Path) -> tuple[list[LabelledPage], list[Unusable]]:
    """All usable rows, and every other one with its reason. Raises FileNotFoundError without labels.jsonl."""
    usable: list[LabelledPage] = []
    unusable: list[Unusable] = []
    for number, text in enumerate((folder / LABELS).read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        try:
            usable.append(_page(folder, text))
        except ValueError as error:
            unusable.append(Unusable(number, str(error)))
    return usable, unusable


def _page(folder: Path, text: str) -> LabelledPage:
    try:
        row = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(row, dict) or not isinstance(row.get("image"), str):
        raise ValueError('no "image"')
    image = folder / row["image"]
    if not image.is_file():
        raise ValueError(f"{row['image']} does not exist")
    kind, fields = row.get("type"), row.get("fields", {})
    if kind not in document_types():
        raise ValueError(f"type {kind!r} is not known; known are {', '.join(document_types())}")
    if not isinstance(fields, dict):
        raise ValueError('"fields" is no object')
    _check(kind, fields)
    tags = tuple(row.get("tags", ()))
    return LabelledPage(image, kind, fields, tags, row.get("currency"), key=Path(row["image"]).stem)


def _check(kind: str, fields: Mapping[str, Any]) -> None:
    """Raise ValueError for a field that the type does not have, or a value that is none of its kind."""
    known = {field.name: field for field in document_types()[kind].fields()}
    for name, value in _leaves(fields):
        if name not in known:
            raise ValueError(f"{kind} has no field {name!r}")
        if value is None:
            continue
        if not isinstance(value, str) or known[name].kind.parse(value, Conventions("YMD")) is None:
            raise ValueError(f"{name}: {value!r} is no {known[name].kind.name}, written as text")


def _leaves(fields: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """("total", "9.00") and ("line_items.description", "…")."""
    leaves: list[tuple[str, Any]] = []
    for name, value in fields.items():
        if isinstance(value, list):
            for row in value:
                if not isinstance(row, dict):
                    raise ValueError(f"{name}: a row is no object")
                leaves += [(f"{name}.{leaf}", inner) for leaf, inner in row.items()]
        else:
            leaves.append((name, value))
    return leaves
