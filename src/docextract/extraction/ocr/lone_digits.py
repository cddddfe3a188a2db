"""Finds single digits that text detection misses, such as a quantity of 1 with no other print next to it.

PP-OCR's detection misses one in seven lines of one character, and fewer than one in a hundred longer lines (400
receipts of SROIE). This module searches for isolated ink that is no larger than a character of the row it is in.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.rows import RowStraightener
from docextract.images.geometry import Page, Polygon

MIN_DETECTED_LINES = 6  # detected lines; with fewer, rows are not reliable
MIN_CONTRAST = 12  # of 255: how much darker ink is than the paper around it
MIN_AREA_PX = 6
# In heights of the detected box of the nearest line of the row, which is higher than its letters.
MIN_DIGIT_HEIGHT, MAX_DIGIT_HEIGHT = 0.35, 0.9
MIN_DIGIT_WIDTH, MAX_DIGIT_WIDTH = 0.06, 0.8
MAX_DIGIT_ROW_OFFSET = 0.3  # from the centre of the row
MAX_OUTSIDE = 1.0  # median heights beyond all print, where a column may be; ink further away is not on the document
CLEAR_BESIDE, CLEAR_ABOVE = 0.35, 0.15  # without other ink
MIN_RULE_LENGTH = 2.0  # longer straight runs of ink, horizontal or vertical, are rules or edges
MAX_OTHER_INK = 0.15  # of its own area: specks
BOX_MARGIN = 0.3  # of its own height, as detected boxes have it
POINT_BATCH_SIZE = 1000  # points compared with all lines at once: a background of gravel has tens of thousands
MAX_LONE_DIGITS = 200  # on a page; more are texture
MIN_LONE_DIGIT_CONFIDENCE = 0.95


def find_lone_digits(page: Page, polygons: Sequence[Polygon]) -> list[Polygon]:
    """Return where digits may be outside the detected lines, [4, 2] each, px of the page.

    page: upright within a few degrees. polygons: of the detected lines.
    """
    if len(polygons) < MIN_DETECTED_LINES:
        return []
    rows = _Rows(polygons)
    all_ink = _all_ink(page, rows.median_height)
    ink = _ink_outside(polygons, all_ink, rows.median_height)
    count, labels, stats, centroids = cv2.connectedComponentsWithStats(ink, connectivity=8)
    components = labels.astype(np.int32, copy=False)
    is_ink = _is_no_edge(all_ink, components, count, round(MIN_RULE_LENGTH * rows.median_height))
    sized = np.flatnonzero(
        is_ink
        & (stats[:, cv2.CC_STAT_AREA] >= MIN_AREA_PX)
        & (stats[:, cv2.CC_STAT_HEIGHT] >= MIN_DIGIT_HEIGHT * rows.heights.min())
        & (stats[:, cv2.CC_STAT_HEIGHT] <= MAX_DIGIT_HEIGHT * rows.heights.max())
        & (stats[:, cv2.CC_STAT_WIDTH] <= MAX_DIGIT_WIDTH * rows.heights.max())
    )
    heights = rows.heights_at(centroids[sized].astype(np.float64))
    digits = [
        _with_margin(box)
        for (*box, area), height in zip(stats[sized].tolist(), heights, strict=True)
        if _has_digit_size(box, height)
        and is_ink[_around(components, box, height)].sum() - area <= MAX_OTHER_INK * area
    ]
    return digits if len(digits) <= MAX_LONE_DIGITS else []


class _Rows:
    """The rows of the detected lines."""

    def __init__(self, polygons: Sequence[Polygon]) -> None:
        corners = np.stack(polygons).astype(np.float32)
        self._straightener = RowStraightener.fitted(polygons)
        self._lines = self._straightener(corners)
        self.heights = np.linalg.norm(corners[:, 3] - corners[:, 0] + corners[:, 2] - corners[:, 1], axis=1) / 2
        self.median_height = float(np.median(self.heights))
        x, margin = self._lines[..., 0], MAX_OUTSIDE * self.median_height
        self._left, self._right = x.min() - margin, x.max() + margin

    def heights_at(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the height of the nearest line in the same row for each point, [P]; 0 if there is no row.

        points: [P, 2] px of the page.
        """
        batches = np.array_split(self._straightener(points), -(-len(points) // POINT_BATCH_SIZE) or 1)
        return np.concatenate([self._heights_at(*batch.T) for batch in batches])

    def _heights_at(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
        line_x, line_y = self._lines.mean(axis=1).T
        distances = np.abs(line_x - x[:, None])  # [P, L]
        distances[np.abs(line_y - y[:, None]) > MAX_DIGIT_ROW_OFFSET * self.heights] = np.inf
        nearest = distances.argmin(axis=1)
        in_row = np.isfinite(distances.min(axis=1)) & (self._left < x) & (x < self._right)
        return np.where(in_row, self.heights[nearest], 0.0)


def _all_ink(page: Page, median_height: float) -> NDArray[np.uint8]:
    """Return 255 for pixels darker than the paper, [H, W]."""
    grey = cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), (3, 3), 0)
    window = max(7, round(1.5 * median_height)) | 1
    return np.asarray(
        cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, MIN_CONTRAST),
        np.uint8,
    )


def _ink_outside(polygons: Sequence[Polygon], ink: NDArray[np.uint8], median_height: float) -> NDArray[np.uint8]:
    """Return the ink that is neither in detected lines nor in horizontal rules, [H, W].

    A digit may touch the rule above it.
    """
    outside = ink.copy()
    for polygon in polygons:
        cv2.fillPoly(outside, [polygon.astype(np.int32)], 0)
    # A morphological top hat keeps everything but the runs.
    run = np.ones((1, round(MIN_RULE_LENGTH * median_height)), np.uint8)
    return np.asarray(cv2.morphologyEx(outside, cv2.MORPH_TOPHAT, run), np.uint8)


def _is_no_edge(ink: NDArray[np.uint8], components: NDArray[np.int32], count: int, length: int) -> NDArray[np.bool_]:
    """Return which components, 0..count - 1, are ink outside vertical runs of `length` px; 0 is the paper.

    ink: all of the page, because what horizontal rules and detected lines leave of a vertical rule, or of the edge of
    the paper, looks like the digit 1.
    """
    vertical = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
    is_no_edge = np.ones(count, np.bool_)
    is_no_edge[components[vertical > 0]] = False
    is_no_edge[0] = False
    return is_no_edge


def _has_digit_size(box: Sequence[int], row_height: float) -> bool:
    """box: left, top, width, height; px of the page."""
    _, _, width, height = box
    return (
        MIN_DIGIT_HEIGHT * row_height < height < MAX_DIGIT_HEIGHT * row_height
        and MIN_DIGIT_WIDTH * row_height < width < MAX_DIGIT_WIDTH * row_height
        and width <= 1.1 * height
    )


def _around(components: NDArray[np.int32], box: Sequence[int], row_height: float) -> NDArray[np.int32]:
    """Return the components in a box, left, top, width, height, and in the space around a digit that must be clear."""
    left, top, width, height = box
    beside, above = round(CLEAR_BESIDE * row_height), round(CLEAR_ABOVE * row_height)
    return components[max(0, top - above) : top + height + above, max(0, left - beside) : left + width + beside]


def _with_margin(box: Sequence[int]) -> Polygon:
    left, top, width, height = box
    margin = BOX_MARGIN * height
    x0, y0, x1, y1 = left - margin, top - margin, left + width + margin, top + height + margin
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
