"""Data as Donut learns from it: images with a metadata.jsonl beside them, one line for each image.

    {"file_name": "1.jpg", "ground_truth": "{\"gt_parse\": {\"menu\": [{\"nm\": \"Tea\", \"price\": \"1.20\"}]}}"}

Values are as printed. Names are joined with dots, "menu.nm"; fields.toml beside it says what they are called here
(see naming.py). Of several gt_parses, all of them true, the first is taken. An empty text is not known, null is not
on the page. Where the images are in parts (train/, test/, …) each has a metadata.jsonl and is a tag.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from training.datasets import naming, rows
from training.datasets.naming import Naming, Printed
from training.datasets.page import LabelledPage, LabelledPages

METADATA = "metadata.jsonl"


def files(folder: Path) -> list[Path]:
    """The folder's metadata.jsonl, or those of its parts."""
    return [folder / METADATA] if (folder / METADATA).exists() else sorted(folder.glob(f"*/{METADATA}"))


def load(folder: Path) -> LabelledPages:
    """All usable lines, and every other one with its reason. Raises ValueError where fields.toml is wrong."""
    found, names = LabelledPages([], []), naming.load(folder)
    for file in files(folder):
        tags = () if file.parent == folder else (file.parent.name,)
        part = rows.collect(file, rows.lines(file), partial(_page, file, names, tags))
        found.pages.extend(part.pages)
        found.unusable.extend(part.unusable)
    return found


def _page(file: Path, names: Naming, tags: tuple[str, ...], number: int, line: str) -> LabelledPage:
    row = rows.parsed(line)
    name, truth = row.get("file_name"), row.get("ground_truth")
    if not isinstance(name, str):
        raise ValueError('no "file_name"')
    if not isinstance(truth, str | dict):
        raise ValueError('no "ground_truth"')
    truth = rows.parsed(truth) if isinstance(truth, str) else truth
    parses = truth.get("gt_parses") or [truth.get("gt_parse")]
    if not isinstance(parses, list) or not isinstance(parses[0], dict):
        raise ValueError('"ground_truth" has neither gt_parse nor gt_parses')
    kind, fields = names.labels(_printed(parses[0]))
    image = file.parent / name
    return rows.checked(LabelledPage(image, kind, fields, tags, names.currency, Path(name).stem, file=file, row=number))


def _printed(value: Any, name: str = "", row: int = 0) -> Iterator[Printed]:
    """Every text of nested objects and lists; the innermost list says in which row it stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _printed(inner, f"{name}.{key}" if name else str(key), row)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _printed(inner, name, at)
    elif value is None or str(value).strip():
        yield Printed(name, None if value is None else str(value), row)
