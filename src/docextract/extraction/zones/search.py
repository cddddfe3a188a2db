"""Searches a page for the lines of a machine-readable zone that text detection missed.

On paper that is not flat, PP-OCR takes two curved lines for one and can read neither. This module reads overlapping
horizontal strips of the lower part of the page and finds paths of characters through them from left to right, whatever
their curvature.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from docextract.extraction.zones.grids import FrameScores
from docextract.extraction.zones.network import Float64Array, ZoneReader, cut_curved_strip, cut_strip
from docextract.images.geometry import Page, Polygon

# In shares of the page's width. The page is the rectified document with its margin.
LEFT, RIGHT = 0.03, 0.97  # horizontal extent of a line
LINE_HEIGHT = {"passport": 0.036, "id_card": 0.05}  # of a strip; nearly the distance between two lines
SEARCH_TOP = 0.5  # of the page's height: the search begins here and goes down
STRIP_STEP = 0.3  # of a line's height, from strip to strip
MIN_LINE_DISTANCE = 0.65  # of a line's height
SEGMENTS = 22  # of a strip; a path has one height in each of them
STEP_COST = 0.3  # of a path that goes up or down by one strip
MIN_MEAN_LIKENESS = 0.35  # of a line's segments
MIN_LINE_HEIGHT_PX = 8  # smaller print cannot be read
MAX_STRIPS = 200  # reached by a page four times as high as wide; no document with a zone has this shape


Midline = Callable[[Float64Array], Float64Array]  # y of a line's centre for every x, px of the page
ReadLine = tuple[FrameScores, Polygon]  # scores along a line, and its approximate polygon, px of the page


@dataclass(frozen=True)
class ZoneRefiner:
    """Reads parts of one page with the zone network."""

    page: Page
    reader: ZoneReader

    def read_lines(self, polygons: Sequence[Polygon]) -> list[FrameScores]:
        """Read lines that text detection found."""
        return self.reader.read(self.page, polygons)

    def find_lines(self, document_type: str) -> list[ReadLine]:
        """Search for the lines that a document of this type has."""
        return find_zone_lines(self.page, document_type, self.reader)


def find_zone_lines(page: Page, document_type: str, reader: ZoneReader) -> list[ReadLine]:
    """Search a page for up to three lines of a zone, from top to bottom; none for types without a zone."""
    if document_type not in LINE_HEIGHT:
        return []
    height, width = page.shape[:2]
    line_px = LINE_HEIGHT[document_type] * width
    middles = np.arange(SEARCH_TOP * height, height - line_px / 2, STRIP_STEP * line_px)
    x_range = LEFT * width, RIGHT * width
    if line_px < MIN_LINE_HEIGHT_PX or not 4 <= len(middles) <= MAX_STRIPS:
        return []
    strips = [cut_strip(page, _level_polygon(middle, line_px, x_range)) for middle in middles.tolist()]
    likeness = np.stack([_segment_likeness(frames) for frames in reader.read_strips(strips)])  # [Y, SEGMENTS]
    paths = _best_paths(likeness, round(MIN_LINE_DISTANCE / STRIP_STEP))
    x = np.linspace(*x_range, SEGMENTS, endpoint=False) + (x_range[1] - x_range[0]) / SEGMENTS / 2
    midlines = [_fit_midline(x, middles[path], likeness[path, np.arange(SEGMENTS)]) for path in paths]
    frames = reader.read_strips([cut_curved_strip(page, x_range, midline, line_px) for midline in midlines])
    return [(scores, _end_polygon(midline, x_range, line_px)) for midline, scores in zip(midlines, frames, strict=True)]


def _level_polygon(middle: float, height: float, x_range: tuple[float, float]) -> Polygon:
    (left, right), top, bottom = x_range, middle - height / 2, middle + height / 2
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def _segment_likeness(frames: FrameScores) -> Float64Array:
    """Return how much each segment looks like characters of a zone; [SEGMENTS], about 0..1."""
    centres = np.clip(frames.centre_log_odds + 1, 0, 2)
    scores = centres * np.exp(frames.character_log_probabilities.max(axis=1))
    smooth = np.convolve(scores, np.ones(9) / 9 * 1.5, mode="same")
    return np.array([segment.mean() for segment in np.array_split(smooth, SEGMENTS)])


def _best_paths(likeness: Float64Array, min_distance: int) -> list[NDArray[np.intp]]:
    """Return up to three paths from left to right, [SEGMENTS] strip indices each, from top to bottom.

    likeness: [Y, SEGMENTS]. Each path blocks the strips around it for the following paths.
    """
    remaining = likeness.copy()
    paths = []
    for _ in range(3):
        path = _best_path(remaining)
        if likeness[path, np.arange(SEGMENTS)].mean() < MIN_MEAN_LIKENESS:
            break
        paths.append(path)
        near = np.abs(np.arange(len(remaining))[:, None] - path) <= min_distance
        remaining = np.where(near, -1.0, remaining)
    return sorted(paths, key=lambda path: float(path.mean()))


def _best_path(likeness: Float64Array) -> NDArray[np.intp]:
    """Find the path with the largest sum by dynamic programming; from segment to segment it moves by at most one."""
    best = likeness[:, 0]
    predecessors = []
    for segment in range(1, SEGMENTS):
        padded = np.pad(best, 1, constant_values=-1e9)
        options = np.stack([padded[:-2] - STEP_COST, padded[1:-1], padded[2:] - STEP_COST])  # from above, level, below
        chosen = options.argmax(axis=0)
        predecessors.append(np.arange(len(best)) + chosen - 1)
        best = options.max(axis=0) + likeness[:, segment]
    path = [int(best.argmax())]
    for predecessor in reversed(predecessors):
        path.append(int(predecessor[path[-1]]))
    return np.array(path[::-1], np.intp)


def _fit_midline(x: Float64Array, y: Float64Array, likeness: Float64Array) -> Midline:
    """Fit a cubic curve, or two straight lines with a fold between them, by weighted least squares."""
    weights = np.clip(likeness, 0.05, 1)
    curve: Midline = Polynomial.fit(x, y, 3, w=weights)
    curves = [curve, *(_fit_folded_line(fold, x, y, weights) for fold in x[2:-2].tolist())]
    return min(curves, key=lambda curve: float((weights * (curve(x) - y) ** 2).sum()))


def _fit_folded_line(fold: float, x: Float64Array, y: Float64Array, weights: Float64Array) -> Midline:
    """Fit two straight lines that meet at x = fold."""

    def basis(x: Float64Array) -> Float64Array:
        return np.stack([np.ones_like(x), x, np.maximum(x - fold, 0)], axis=1)

    factors = np.linalg.lstsq(basis(x) * weights[:, None], y * weights, rcond=None)[0]
    return lambda x: basis(x) @ factors


def _end_polygon(midline: Midline, x_range: tuple[float, float], height: float) -> Polygon:
    """Return the quadrilateral between the two ends of a line."""
    left, right = midline(np.array(x_range)).tolist()
    return np.array(
        [[x_range[0], left - height / 2], [x_range[1], right - height / 2],
         [x_range[1], right + height / 2], [x_range[0], left + height / 2]], np.float32,
    )  # fmt: skip
