"""Writes report.html of a training run or a comparison: curves, tables and results on photos, in one HTML file.

It contains the user's own photos. It stays next to the weights and must not be published.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from jinja2 import Environment, FileSystemLoader
from numpy.typing import NDArray

from docextract.images.geometry import Page, Polygon

REPORT_FILE = "report.html"
MAX_SAMPLES = 12  # photos shown
THUMBNAIL_PX = 360  # longer side
OUTLINE_COLOUR = (0, 200, 90)


@dataclass(frozen=True)
class Curve:
    """One line of a plot: points in a box of 100 × 100, with the origin at the top left as in SVG."""

    name: str
    points: str
    first: float
    last: float


@dataclass(frozen=True)
class Plot:
    """Curves with a common scale."""

    title: str
    curves: Sequence[Curve]


@dataclass(frozen=True)
class Row:
    """Cells of a table; a wrong row is highlighted."""

    cells: tuple[Any, ...]  # text, figures, None for an empty cell
    wrong: bool = False


@dataclass(frozen=True)
class ReportTable:
    """Rows with a header."""

    columns: tuple[str, ...]
    rows: Sequence[Row]


@dataclass(frozen=True)
class ReportSample:
    """One photo and the results on it."""

    title: str
    thumbnail: str  # base64 of a JPEG
    table: ReportTable


@dataclass(frozen=True)
class Report:
    """The content of the report, from top to bottom. lead: paragraphs; tables: by heading."""

    title: str
    lead: Sequence[str]
    plots: Sequence[Plot] = ()
    tables: Mapping[str, ReportTable] = field(default_factory=dict)
    samples: Sequence[ReportSample] = ()


def write_report(file: Path, report: Report) -> None:
    """Write the report as one HTML file."""
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
    environment.filters["cell"] = _cell
    html = environment.get_template("report.html.j2").render(report=report)
    file.write_text(html, encoding="utf-8")


def _cell(value: Any) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def thumbnail(photo: Page, outline: Polygon | None = None) -> str:
    """A small JPEG as base64. outline: [4, 2], relative to the photo, drawn onto it."""
    scale = THUMBNAIL_PX / max(photo.shape[:2])
    small = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if outline is not None:
        corners: NDArray[np.int32] = np.round(outline * (small.shape[1], small.shape[0])).astype(np.int32)
        cv2.polylines(small, [corners], isClosed=True, color=OUTLINE_COLOUR, thickness=2, lineType=cv2.LINE_AA)
    jpeg = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return base64.b64encode(jpeg.tobytes()).decode()


def plot(
    title: str,
    history: Sequence[Mapping[str, Any]],
    pick: Callable[[Any], Mapping[str, float]],
    top: float | None = None,
) -> Plot:
    """A curve for each name in the results of `pick`. top: of the scale; the greatest value by default."""
    names = dict.fromkeys(name for row in history for name in pick(row))
    greatest = top or max((value for row in history for value in pick(row).values()), default=1.0) or 1.0
    last_step = max((row["step"] for row in history), default=1)
    found = []
    for name in names:
        points = [(row["step"] / last_step, pick(row)[name]) for row in history if name in pick(row)]
        drawn = " ".join(f"{100 * x:.1f},{100 - 100 * y / greatest:.1f}" for x, y in points)
        found.append(Curve(name, drawn, points[0][1], points[-1][1]))
    return Plot(title, found)
