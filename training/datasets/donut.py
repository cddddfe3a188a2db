"""Labelled data in Donut's format: images and a metadata.jsonl with one line per image.

    {"file_name": "1.jpg", "ground_truth": "{\"gt_parse\": {\"menu\": [{\"nm\": \"Tea\", \"price\": \"1.20\"}]}}"}

Values are as printed. Nested names are joined with dots, "menu.nm"; fields.toml next to the file translates them (see
docextract.documents.field_mapping). Of several gt_parses, which are all true, the first is taken. An empty text means
unknown, null means not on the page. If the images are in parts (train/, test/, …), each part has a metadata.jsonl,
and its name becomes a tag.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from training.datasets import naming, rows
from training.datasets.naming import LabelMapping, PrintedText
from training.datasets.page import LabelledPage, LabelledPages

METADATA = "metadata.jsonl"


def files(folder: Path) -> list[Path]:
    """The folder's metadata.jsonl, or those of its parts."""
    return [folder / METADATA] if (folder / METADATA).exists() else sorted(folder.glob(f"*/{METADATA}"))


def load(folder: Path) -> LabelledPages:
    """All usable lines, and every other line with its reason. Raises ValueError for a wrong fields.toml."""
    found, names = LabelledPages([], []), naming.load(folder)
    for file in files(folder):
        tags = () if file.parent == folder else (file.parent.name,)
        part = rows.collect_pages(file, rows.numbered_lines(file), partial(_page, file, names, tags))
        found.pages.extend(part.pages)
        found.unusable.extend(part.unusable)
    return found


def _page(file: Path, names: LabelMapping, tags: tuple[str, ...], number: int, line: str) -> LabelledPage:
    row = rows.parse_object(line)
    name, truth = row.get("file_name"), row.get("ground_truth")
    if not isinstance(name, str):
        raise ValueError('no "file_name"')
    if not isinstance(truth, str | dict):
        raise ValueError('no "ground_truth"')
    truth = rows.parse_object(truth) if isinstance(truth, str) else truth
    parses = truth.get("gt_parses") or [truth.get("gt_parse")]
    if not isinstance(parses, list) or not isinstance(parses[0], dict):
        raise ValueError('"ground_truth" has neither gt_parse nor gt_parses')
    kind, fields = names.labels(_printed(parses[0]))
    image = file.parent / name
    return rows.validate_page(
        LabelledPage(image, kind, fields, tags, names.currency, Path(name).stem, file=file, row=number)
    )


def _printed(value: Any, name: str = "", row: int = 0) -> Iterator[PrintedText]:
    """Every text of nested objects and lists; its row is the index in the innermost list."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _printed(inner, f"{name}.{key}" if name else str(key), row)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _printed(inner, name, at)
    elif value is None or str(value).strip():
        yield PrintedText(name, None if value is None else str(value), row)
