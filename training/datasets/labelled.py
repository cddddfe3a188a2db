"""Reads labelled documents in any of three formats; used by everything that trains or evaluates on users' data.

DATA/labels.jsonl        a labelled folder (labelled_folder.py)
DATA/metadata.jsonl      Donut's format, in one folder or in parts (donut.py)
DATA/export.json         an export of Label Studio (label_studio.py)
DATA/types/*.toml        document types that docextract does not know (docextract/documents/type_files.py)
DATA/fields.toml         field names that differ from ours (docextract.documents.field_mapping)

Of several rows for one page the last correction counts, which has the tag "corrected"; without one, the first row.
What a correction leaves out stays as in the older rows.
"""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from docextract.documents import register_types
from docextract.files import printable_name
from docextract.images.decoding import decode_upload
from docextract.images.limits import DecodingLimits
from docextract.images.uploads import Refusal
from training.datasets import donut, label_studio, labelled_folder
from training.datasets.page import LabelledPage, LabelledPages, Unusable, counting_row, in_order_of_precedence


def load(*data: Path) -> LabelledPages:
    """Every row, usable or not. Document types described next to the data are registered. No picture is opened.

    So pictures of the same content are all there, and the only page of a file with its number and without it.

    data: one or several folders, or the label files in them. Each page gets a unique key, the picture's name if that
    is enough. Raises FileNotFoundError if there are no labels, ValueError if a file as a whole cannot be understood.
    """
    parts = [_load(_labels_of(one)) for one in data]
    once, again = _once([page for part in parts for page in part.pages])
    unusable = [row for part in parts for row in part.unusable]
    return LabelledPages(with_unique_keys(once), [*unusable, *again])


def load_usable(*data: Path) -> list[LabelledPage]:
    """All rows whose picture can be opened; each other row is reported on stderr with its reason. Raises as `load`."""
    usable: list[LabelledPage] = []
    for row in open_pages(load(*data)):
        if isinstance(row, LabelledPage):
            usable.append(row)
        else:
            print(f"{row.file}:{row.row}: not used: {row.reason}", file=sys.stderr)
    return usable


def _load(file: Path) -> LabelledPages:
    register_types(file.parent)
    if file.name == labelled_folder.LABELS:
        return labelled_folder.load(file.parent)
    if file.name == donut.METADATA:
        return donut.load(file.parent)
    return label_studio.load(file)


def _once(pages: Sequence[LabelledPage]) -> tuple[list[LabelledPage], list[Unusable]]:
    """The row of each picture that counts, in their order, and the others as unusable.

    A page without a number may be page 1 of the same file: only `open_pages` can tell, from the file's page count.
    """
    rows_of: dict[tuple[Path, int | None], list[LabelledPage]] = {}
    again: list[Unusable] = []
    for page in in_order_of_precedence(pages):
        rows = rows_of.setdefault((page.image.resolve(), page.page), [])
        rows.append(page)
        if rows[0] is not page:
            again.append(_refused(page, f"{page.image.name} is labelled already, in {rows[0].source_for(page)}"))
    counting = {id(rows[0]): counting_row(rows) for rows in rows_of.values()}  # by identity of the row
    return [counting[id(page)] for page in pages if id(page) in counting], again


def _labels_of(data: Path) -> Path:
    """The file that holds the labels; for parts of Donut's format, the file that would hold all of them."""
    if data.is_file():
        return data
    if not data.exists():
        raise FileNotFoundError(f"{data} does not exist")
    found = [path for path in (data / labelled_folder.LABELS, data / donut.METADATA) if path.exists()]
    if not found and donut.files(data):
        found = [data / donut.METADATA]
    exports = sorted(path for path in data.glob("*.json") if path.is_file())
    found += [path for path in exports if label_studio.is_export(path)] if found else exports
    if not found:
        raise FileNotFoundError(
            f"{data} holds no labels: neither {labelled_folder.LABELS} nor {donut.METADATA} nor an export of Label "
            "Studio (*.json)"
        )
    if len(found) > 1:
        raise ValueError(f"{data} holds {' and '.join(path.name for path in found)}; pass the file to read, or several")
    return found[0]


def with_unique_keys(pages: Sequence[LabelledPage]) -> list[LabelledPage]:
    """Pages with keys that can be written; those that share one get their picture's path below the common folder."""
    pages = [replace(page, key=printable_name(page.key)) for page in pages]
    often = {key for key, count in Counter(page.key for page in pages).items() if count > 1}
    top = os.path.commonpath([page.image.parent.resolve() for page in pages]) if pages else ""
    names = [printable_name(os.path.relpath(page.image.resolve(), top)).replace(os.sep, "_") for page in pages]
    paths = [name + _page_suffix(page) for name, page in zip(names, pages, strict=True)]
    return [replace(page, key=path) if page.key in often else page for page, path in zip(pages, paths, strict=True)]


def _page_suffix(page: LabelledPage) -> str:
    return "" if page.page is None else f"-{page.page}"


def open_pages(found: LabelledPages) -> Iterator[LabelledPage | Unusable]:
    """Every row again, with its picture opened as in the service; broken and repeated pictures become unusable.

    Of rows for one picture the first usable one counts, corrections before others and the last one before earlier ones.
    Takes about 0.1 s per photo of 12 megapixels, which is why `load` does not do it.
    """
    yield from found.unusable
    rows_of: dict[tuple[str, int], list[LabelledPage]] = {}  # by digest and page
    refused: list[Unusable] = []
    for page in in_order_of_precedence(found.pages):
        picture = _opened_picture(page)
        if isinstance(picture, Unusable):
            refused.append(picture)
            continue
        rows = rows_of.setdefault(picture, [])
        rows.append(page)
        if rows[0] is not page:
            refused.append(_refused(page, f"{page.image.name} is the same picture as {rows[0].source_for(page)}"))
    yield from map(counting_row, rows_of.values())
    yield from refused


def _opened_picture(page: LabelledPage) -> tuple[str, int] | Unusable:
    """Digest of a page's file, and the page in it; or why the service would not accept it."""
    try:
        data = page.image.read_bytes()
    except OSError as error:
        return _refused(page, f"{page.image.name} cannot be read: {error.strerror}")
    file = decode_upload(data, DecodingLimits(), page.selection)
    if isinstance(file, Refusal):
        return _refused(page, f"{page.image.name} cannot be used: {file.detail}")
    if len(file.pages) != 1:
        return _refused(page, f'{page.image.name} has {len(file.pages)} pages; name one of them as "page"')
    return hashlib.sha256(data).hexdigest(), page.page or 1  # without a number, the only page


def _refused(page: LabelledPage, reason: str) -> Unusable:
    return Unusable(page.row, reason, page.file)
