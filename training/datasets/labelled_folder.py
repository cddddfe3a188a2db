"""A labelled folder: images and a labels.jsonl with one row per image, the format in which users bring their documents.

    {"image": "images/1.jpg", "type": "receipt", "fields": {"merchant_name": "…", "total": "9.00"}, "tags": ["…"]}

Dates are ISO 8601, amounts are plain decimals. A missing field is unknown; null means that it is not on the document.
Lists are lists of rows: {"line_items": [{"description": "…", "amount": "1.20"}]}. "also" has further right labels of a
field: {"merchant_name": ["…"]}.

A page of a file with several has its number as "page", from 1. Where values are printed may be given as "places", by
value, those of rows as "line_items.0.amount"; each has outlines relative to the upright page:
{"total": [[[0.7, 0.9], [0.8, 0.9], [0.8, 0.92], [0.7, 0.92]]]}. Pages that look alike, such as photos of one original,
may name their common "group" (parts.py). A row with "file_sha256" is about the file of this digest: it is unusable once
another file has the name. A row with "correction_sha256" was written from the correction of this digest, see
training.commands.corrections. Members of other names are ignored, except misspelt ones.
"""

import filecmp
import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from docextract.documents import document_types, type_files
from docextract.files import escape_surrogates, file_digest, printable_name, whole_file
from docextract.images.geometry import Page
from training.datasets import pictures, rows
from training.datasets.page import LabelledPage, LabelledPages, Outline

LABELS = "labels.jsonl"
ROW_MEMBERS = {
    "image", "type", "fields", "tags", "currency", "group", "page", "places", "also", "file_sha256",
    "correction_sha256",
}  # fmt: skip
MIN_OUTLINE_POINTS = 3
MISSPELT_SIMILARITY = 0.8  # of difflib: a member of this similarity to a known one is misspelt


class LabelledFolderWriter:
    """A context manager that writes a labelled folder row by row, and the descriptions of its document types.

    An old labels.jsonl in it is replaced when all rows are written; after an error it is unchanged.
    """

    def __init__(self, folder: Path, kept: Sequence[str] = ()) -> None:
        """folder: created if missing. kept: lines of its labels.jsonl that stay."""
        (folder / "images").mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._types: set[str] = set()
        self._kept = kept
        self._copied: dict[str, Path] = {}  # by name in the folder: the file that was copied
        self._opened = ExitStack()

    def __enter__(self) -> "LabelledFolderWriter":
        unfinished = self._opened.enter_context(whole_file(self._folder / LABELS))
        self._rows = self._opened.enter_context(unfinished.open("w", encoding="utf-8"))
        self._rows.writelines(f"{line}\n" for line in self._kept)
        return self

    def __exit__(self, *error: Any) -> None:
        self._opened.__exit__(*error)
        type_files.save_types(
            (document_types()[name] for name in sorted(self._types)), self._folder / type_files.TYPES_FOLDER
        )

    def add(
        self,
        key: str,
        image: Page,
        kind: str,
        fields: Mapping[str, Any],
        tags: Sequence[str] = (),
        also: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Write one image and its row; see the module docstring."""
        name = f"images/{key}.jpg"
        pictures.save(image, self._folder / name)
        row = {"image": name, "type": kind, "fields": dict(fields), "tags": list(tags)}
        self._write(row | ({"also": dict(also)} if also else {}))

    def copy(self, page: LabelledPage) -> None:
        """Copy a page. The file is unchanged, one for all its pages, and named after the page's key.

        Another file of that name in the folder is not replaced: the copy gets a name of its own. A file that is in the
        folder already is not copied.
        """
        name = self._copy_file(page)
        row = {"image": name, "type": page.type, "fields": dict(page.fields), "tags": list(page.tags)}
        optional = {
            "currency": page.currency,
            "group": page.group,
            "page": page.page,
            "places": page.places,
            "also": dict(page.alternatives),
            "correction_sha256": page.correction,
        }
        self._write(row | {name: value for name, value in optional.items() if value})

    def _copy_file(self, page: LabelledPage) -> str:
        source = page.image.resolve()
        for path, folder in ((page.image, self._folder), (source, self._folder.resolve())):
            if path.is_relative_to(folder) and ".." not in path.parts:  # it may be a link to a file elsewhere
                return path.relative_to(folder).as_posix()
        of_file = page.key if page.page is None else page.key.removesuffix(f"-{page.page}")
        stems = chain([of_file], (page.key + "_" * number for number in count()))
        names = (f"images/{stem}{printable_name(page.image.suffix)}" for stem in stems)
        name = next(one for one in names if self._may_be(one, source))
        if not (self._folder / name).exists():
            shutil.copyfile(page.image, self._folder / name)
        self._copied[name] = source
        return name

    def _may_be(self, name: str, source: Path) -> bool:
        """Whether a name in the folder is that of the copy of a file, or free."""
        if name in self._copied:
            return self._copied[name] == source
        copy = self._folder / name
        return not copy.exists() or filecmp.cmp(source, copy, shallow=False)

    def _write(self, row: Mapping[str, Any]) -> None:
        self._types.add(row["type"])
        self._rows.write(escape_surrogates(json.dumps(row, ensure_ascii=False)) + "\n")


def load(folder: Path) -> LabelledPages:
    """All usable rows, and every other row with its reason. Raises FileNotFoundError without labels.jsonl."""
    file = folder / LABELS
    return rows.collect_pages(file, rows.numbered_lines(file), partial(_page, file))


def _page(file: Path, number: int, line: str) -> LabelledPage:
    row = rows.parse_object(line)
    for unknown in sorted(row.keys() - ROW_MEMBERS):  # further ones are the user's own
        if meant := get_close_matches(unknown, ROW_MEMBERS, 1, MISSPELT_SIMILARITY):
            raise ValueError(f"{unknown!r} is not a member of a row, did you mean {meant[0]!r}?")
    name, fields, tags, currency = row.get("image"), row.get("fields", {}), row.get("tags", []), row.get("currency")
    group, number_in_file = row.get("group", ""), rows.page_number(row)
    correction = row.get("correction_sha256", "")
    if not isinstance(name, str):
        raise ValueError('no "image"')
    if not isinstance(fields, dict):
        raise ValueError('"fields" is no object')
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ValueError('"tags" is no list of words')
    if not isinstance(currency, str | None):
        raise ValueError('"currency" is no ISO 4217 code')
    if not isinstance(group, str):
        raise ValueError('"group" is no text')
    if not isinstance(correction, str):
        raise ValueError('"correction_sha256" is no text')
    page = LabelledPage(
        file.parent / name,
        str(row.get("type")),
        fields,
        tuple(tags),
        currency,
        Path(name).stem if number_in_file is None else f"{Path(name).stem}-{number_in_file}",
        _places(row.get("places", {})),
        alternatives=_alternatives(row.get("also", {})),
        page=number_in_file,
        group=group,
        correction=correction,
        file=file,
        row=number,
    )
    return _require_same_file(rows.validate_page(page), row.get("file_sha256"))


def _require_same_file(page: LabelledPage, digest: Any) -> LabelledPage:
    if digest is not None and file_digest(page.image) != digest:
        raise ValueError(f"{page.image} was replaced by another file after it was labelled")
    return page


def _places(places: Any) -> dict[str, tuple[Outline, ...]]:
    """The outlines of each value. Raises ValueError if they have another form."""
    try:
        return {name: tuple(map(_outline, outlines)) for name, outlines in places.items()}
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise ValueError('"places" are no outlines by value') from None


def _outline(points: Any) -> Outline:
    if len(points) < MIN_OUTLINE_POINTS:
        raise ValueError
    return tuple((float(x), float(y)) for x, y in points)


def _alternatives(also: Any) -> dict[str, tuple[str, ...]]:
    lists = also.values() if isinstance(also, dict) else [None]
    if not all(isinstance(labels, list) and all(isinstance(one, str) for one in labels) for labels in lists):
        raise ValueError('"also" is no object of lists of words')
    return {name: tuple(labels) for name, labels in also.items()}
