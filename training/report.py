"""How a model learned and what it now says of pages it has not seen: one HTML file, to look at before judging.

It shows the user's own pages: it stays beside the weights and is nothing to publish.
"""

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
from jinja2 import Environment, FileSystemLoader, select_autoescape

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.extractor import Extractor
from training.datasets import pictures
from training.extraction import HISTORY
from training.metrics import Comparison, by_field
from training.variations import RealPage

REPORT = "report.html"
SAMPLES = 12  # pages shown
THUMBNAIL_PX = 360  # longer side


@dataclass(frozen=True)
class Curve:
    """One line of a plot: points in a box of 100 × 100, the origin at the top left as SVG has it."""

    name: str
    points: str
    first: float
    last: float


@dataclass(frozen=True)
class Sample:
    """One page and what was found on it."""

    key: str
    thumbnail: str  # base64 of a JPEG
    rows: tuple[tuple[str, Any, Any, float | None, bool], ...]  # field, wanted, given, confidence, right


def write(out: Path, extractor: Extractor, held_back: Sequence[RealPage]) -> None:
    """OUT/report.html from OUT/history.jsonl and the pages held back."""
    history = [json.loads(row) for row in (out / HISTORY).read_text().splitlines()]
    compared = {page.label.key: list(_compared(extractor, page)) for page in held_back}
    samples = [_sample(page, compared[page.label.key]) for page in held_back[:SAMPLES]]
    everything = [one for some in compared.values() for one in some]
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=select_autoescape())
    html = environment.get_template("report.html.j2").render(
        steps=history[-1]["step"] if history else 0,
        losses=curves(history, lambda row: {"labels": row["labels"]}),
        exact=curves(history, lambda row: row["exact"], top=1.0),
        fields=by_field(everything),
        samples=samples,
        pages=len(held_back),
    )
    (out / REPORT).write_text(html, encoding="utf-8")


def _compared(extractor: Extractor, page: RealPage) -> Iterator[Comparison]:
    kind = document_types()[page.label.type]
    found = extractor.understand([page.read.lines], [page.label.type])[0]
    for field in kind.fields():
        if field.group is None and field.name in page.label.fields:
            label, given = page.label.fields[field.name], found.fields.get(field.name)
            wanted = None if label is None else field.kind.parse(label, Conventions("YMD"))
            yield Comparison(field.name, wanted, given and given.value, given and given.confidence)


def _sample(page: RealPage, compared: Sequence[Comparison]) -> Sample:
    photo = pictures.load(page.label.image)
    scale = THUMBNAIL_PX / max(photo.shape[:2])
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    jpeg = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    rows = tuple((one.field, one.wanted, one.given, one.confidence, one.exact) for one in compared)
    return Sample(page.label.key, base64.b64encode(jpeg.tobytes()).decode(), rows)


def curves(
    history: Sequence[Mapping[str, Any]], pick: Callable[[Any], Mapping[str, float]], top: float | None = None
) -> list[Curve]:
    """One curve for each name that `pick` gives for a row. top: of the scale; without it, the greatest value."""
    names = dict.fromkeys(name for row in history for name in pick(row))
    greatest = top or max((value for row in history for value in pick(row).values()), default=1.0) or 1.0
    last_step = max((row["step"] for row in history), default=1)
    found = []
    for name in names:
        points = [(row["step"] / last_step, pick(row)[name]) for row in history if name in pick(row)]
        drawn = " ".join(f"{100 * x:.1f},{100 - 100 * y / greatest:.1f}" for x, y in points)
        found.append(Curve(name, drawn, points[0][1], points[-1][1]))
    return found
