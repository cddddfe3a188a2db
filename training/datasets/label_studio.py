"""Labelled data as an export of Label Studio (format JSON), with the pictures in the same folder or below it.

The label of a region is a field name, ours or one of fields.toml (see docextract.documents.field_mapping); its
transcription is the printed text. A choice for the whole picture is the document type. Both the OCR template's tags
(Rectangle, Polygon, Labels) and RectangleLabels or PolygonLabels are supported. Labels of a list's fields are written
"line_items.price": regions side by side form one row. Several regions of one text are its parts, from top to bottom.
A region without a label is ignored. A text for the whole picture belongs to the field that names its TextArea.

Of several annotations of a task, the one marked as ground truth is taken, else the latest; cancelled annotations and
predictions are ignored.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from docextract.documents import document_types
from docextract.images.folders import UPLOAD_SUFFIXES
from training.datasets import naming, rows
from training.datasets.labelled_folder import MIN_OUTLINE_POINTS
from training.datasets.naming import LabelMapping, PrintedText
from training.datasets.page import LabelledPage, LabelledPages, Outline

IMAGE_KEYS = ("image", "ocr", "img", "photo")  # keys of a task's data; else the first value that looks like a picture
_SHAPES = ("rectanglelabels", "polygonlabels", "labels", "brushlabels", "ellipselabels")
_UPLOAD_PREFIX = re.compile(r"[0-9a-f]{8}-")  # Label Studio's prefix of uploaded file names


@dataclass(frozen=True)
class _Region:
    """A region marked on a picture. top, bottom, left, centre: relative to the picture, 0..1."""

    labels: tuple[str, ...] = ()
    text: str | None = None
    outline: Outline | None = None

    @property
    def top(self) -> float:
        return min((y for _, y in self.outline or ()), default=0.0)

    @property
    def bottom(self) -> float:
        return max((y for _, y in self.outline or ()), default=0.0)

    @property
    def left(self) -> float:
        return min((x for x, _ in self.outline or ()), default=0.0)

    @property
    def centre(self) -> float:
        return (self.top + self.bottom) / 2

    def is_in_row_of(self, other: "_Region") -> bool:
        """Whether both regions stand in one row."""
        return abs(self.centre - other.centre) < 0.5 * min(self.bottom - self.top, other.bottom - other.top)


def load(file: Path) -> LabelledPages:
    """All usable tasks, and every other task with its reason. Raises ValueError if the file is not such an export."""
    tasks = _tasks(file)
    pictures = [path for path in file.parent.rglob("*") if path.suffix.lower() in UPLOAD_SUFFIXES]
    return rows.collect_pages(file, enumerate(tasks, start=1), partial(_page, file, naming.load(file.parent), pictures))


def is_export(file: Path) -> bool:
    """Whether a JSON file is such an export with at least one task."""
    try:
        return bool(_tasks(file))
    except (OSError, ValueError):  # a folder, or a link to nothing
        return False


def _tasks(file: Path) -> list[dict[str, Any]]:
    try:
        tasks = json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: no JSON: {error}") from None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) and "annotations" in task for task in tasks):
        raise ValueError(f"{file} is not an export of Label Studio in the format JSON (JSON-MIN lacks the regions)")
    return tasks


def _page(
    file: Path, names: LabelMapping, pictures: Sequence[Path], number: int, task: Mapping[str, Any]
) -> LabelledPage:
    image = _image(file.parent, task, pictures)
    try:
        kind, regions = _regions(_annotation(task)["result"])
    except (AttributeError, IndexError, KeyError, OverflowError, TypeError) as error:
        raise ValueError(f"task {task.get('id')} is not as Label Studio writes it: {error!r}") from None
    typed, fields = names.labels(_printed(regions, names, kind), kind)
    single = {field.name for field in document_types()[typed].fields() if field.group is None}
    places: dict[str, tuple[Outline, ...]] = {}
    for region in regions:
        for name in map(names.map_name, region.labels):
            if name in single and (outline := region.outline) and len(outline) >= MIN_OUTLINE_POINTS:
                places[name] = (*places.get(name, ()), outline)
    return rows.validate_page(
        LabelledPage(image, typed, fields, (), names.currency, image.stem, places, file=file, row=number)
    )


def _annotation(task: Mapping[str, Any]) -> Mapping[str, Any]:
    annotations = task["annotations"]
    valid: list[Mapping[str, Any]] = [one for one in annotations if not one.get("was_cancelled") and one.get("result")]
    if not valid:
        state = "was skipped by the annotator" if annotations else "is not annotated"
        raise ValueError(f"task {task.get('id')} {state}")
    return max(valid, key=lambda one: (bool(one.get("ground_truth")), str(one.get("updated_at") or "")))


def _regions(results: Iterable[Mapping[str, Any]]) -> tuple[str | None, list[_Region]]:
    """The choice for the whole picture, and all regions from top to bottom. Results with one id form one region."""
    kind: str | None = None
    found: dict[str, _Region] = {}
    for result in results:
        value = result.get("value", {})
        if result.get("type") == "choices" and "x" not in value:
            kind = value["choices"][0]
            continue
        region = found.setdefault(str(result.get("id")), _Region())
        whole = result.get("type") == "textarea" and not {"x", "points"} & value.keys()
        labels: list[str] = next((value[shape] for shape in _SHAPES if value.get(shape)), [])
        texts = value.get("text", [])
        found[str(result.get("id"))] = replace(
            region,
            labels=region.labels or tuple(labels) or ((str(result.get("from_name")),) if whole else ()),
            text=" ".join([texts] if isinstance(texts, str) else texts) or region.text,
            outline=region.outline or _outline(result),
        )
    return kind, sorted(found.values(), key=lambda region: (region.top, region.left))


def _outline(result: Mapping[str, Any]) -> Outline | None:
    """Corners relative to the picture; None for other shapes, and if the picture was rotated for annotation.

    A rectangle is rotated around its own top-left corner in pixels: percentages of width and height have different
    scales.
    """
    value = result.get("value", {})
    if result.get("image_rotation"):
        return None
    if "points" in value:
        return tuple((float(x) / 100, float(y) / 100) for x, y in value["points"])
    if not {"x", "y", "width", "height"} <= value.keys():
        return None
    x, y, width, height = (float(value[name]) / 100 for name in ("x", "y", "width", "height"))
    angle = math.radians(float(value.get("rotation") or 0))
    ratio = float(result.get("original_width") or 1) / float(result.get("original_height") or 1)
    cos, sin = math.cos(angle), math.sin(angle)
    corners = ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height))
    return tuple((x + dx * cos - dy * sin / ratio, y + dx * sin * ratio + dy * cos) for dx, dy in corners)


def _printed(regions: Sequence[_Region], names: LabelMapping, kind: str | None) -> list[PrintedText]:
    """Every labelled text once, with its parts joined and the row that it stands in."""
    kind = kind or names.type or ""
    typed = document_types().get(names.types.get(kind, kind))
    known = {field.name: field for field in typed.fields()} if typed else {}
    printed: dict[str, PrintedText] = {}
    listed: dict[str, list[tuple[str, _Region]]] = {}
    texts_found: list[PrintedText] = []
    for region in regions:
        for label in region.labels:
            ours = names.map_name(label)
            if ours is None:
                continue
            if not region.text:
                raise ValueError(f"a region is labelled {label!r}, but has no transcription")
            if ours in known and (group := known[ours].group):
                listed.setdefault(group, []).append((label, region))
            elif ours in known and known[ours].kind.name == "string" and label in printed:
                printed[label] = replace(printed[label], text=f"{printed[label].text} {region.text}")
            elif label in printed:
                texts_found.append(PrintedText(label, region.text))
            else:
                printed[label] = PrintedText(label, region.text)
    for members in listed.values():
        texts_found += _in_rows(members)
    return [*printed.values(), *texts_found]


def _in_rows(members: Iterable[tuple[str, _Region]]) -> list[PrintedText]:
    """Texts of one list with their rows. A text joins its neighbour's row unless the row already has that name."""
    texts_found: list[PrintedText] = []
    row: list[tuple[str, _Region]] = []
    number = -1
    for label, region in sorted(members, key=lambda member: member[1].centre):
        if not row or not region.is_in_row_of(row[-1][1]) or any(label == other for other, _ in row):
            row, number = [], number + 1
        row.append((label, region))
        texts_found.append(PrintedText(label, region.text, number))
    return texts_found


def _image(folder: Path, task: Mapping[str, Any], pictures: Sequence[Path]) -> Path:
    """The task's picture: at its path, or any file of that name below the export."""
    path_or_url = _picture_path(task.get("data", {}))
    if path_or_url is None:
        raise ValueError(f"task {task.get('id')} names no picture")
    url = urlsplit(path_or_url)
    path = unquote(parse_qs(url.query)["d"][0] if "d=" in url.query else url.path)
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    for start in range(len(parts)):
        if (found := folder.joinpath(*parts[start:])).is_file():
            return found
    name = parts[-1] if parts else path_or_url
    for expected in (name, _UPLOAD_PREFIX.sub("", name, count=1)):
        same = [picture for picture in pictures if picture.name == expected]
        if len(same) == 1:
            return same[0]
        if same:
            raise ValueError(f"{path_or_url}: there are {len(same)} pictures of that name below {folder}")
    raise ValueError(f"{path_or_url}: no picture of that name below {folder}")


def _picture_path(data: Mapping[str, Any]) -> str | None:
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    named = [texts[key] for key in IMAGE_KEYS if key in texts]
    like = [value for value in texts.values() if Path(urlsplit(value).path).suffix.lower() in UPLOAD_SUFFIXES]
    return next(iter([*named, *like]), None)
