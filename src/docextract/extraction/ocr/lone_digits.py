"""Single digits that detection misses: a quantity of 1 has nothing beside it that looks like print.

Of lines of one character PP-OCR's detection loses one in seven, of longer ones less than one in a hundred (400 of
SROIE's receipts). They are looked for as ink that stands alone, no larger than a character of the row it is in.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.rows import RowStraightener
from docextract.images.geometry import Page, Polygon

LEAST_LINES = 6  # of print, among which a character can be told to stand in a row
DARKER_BY = 12  # of 255, than the paper around
LEAST_AREA_PX = 6
LEAST_HEIGHT, LARGEST_HEIGHT = 0.35, 0.9  # of the box of the row's nearest line, which is higher than its letters
LEAST_WIDTH, LARGEST_WIDTH = 0.06, 0.8
OFF_ROW = 0.3  # of that height, from the middle of the row
OUTSIDE = 1.0  # of the usual height: so far beyond all print a column may stand; farther off is what lies around
ALONE_BESIDE, ALONE_ABOVE = 0.35, 0.15  # of that height, without other ink
RULE = 2.0  # of that height: ink that runs on so far, level or upright, is a rule or an edge
OTHER_INK = 0.15  # of its own: specks
MARGIN = 0.3  # of its height, as boxes of print have it
AT_ONCE = 1000  # specks that are held against all lines together: a desk of gravel has tens of thousands
MOST = 200  # on a page: more are no digits but texture
SURE = 0.95  # of what is read there

Box = tuple[int, int, int, int]  # left, top, width, height; px of the page


def find_lone_digits(page: Page, boxes: Sequence[Polygon]) -> list[Polygon]:
    """Where a digit may stand that lies in none of the boxes of print, [4, 2] each, px of the page.

    Only of pages that are upright within a few degrees.
    """
    if len(boxes) < LEAST_LINES:
        return []
    rows = _Rows(boxes)
    ink = _ink(page, boxes, rows.usual_height)
    _, _, found, middles = cv2.connectedComponentsWithStats(ink, connectivity=8)
    sized = np.flatnonzero(
        (found[:, cv2.CC_STAT_AREA] >= LEAST_AREA_PX)
        & (found[:, cv2.CC_STAT_HEIGHT] >= LEAST_HEIGHT * rows.heights.min())
        & (found[:, cv2.CC_STAT_HEIGHT] <= LARGEST_HEIGHT * rows.heights.max())
        & (found[:, cv2.CC_STAT_WIDTH] <= LARGEST_WIDTH * rows.heights.max())
    )
    heights = rows.heights_at(middles[sized].astype(np.float64))
    alone = [
        _around(box)
        for (*box, area), height in zip(found[sized].tolist(), heights, strict=True)
        if _is_sized(box, height) and _stands_alone(ink, box, area, height)
    ]
    return alone if len(alone) <= MOST else []


class _Rows:
    """The rows that print stands in."""

    def __init__(self, boxes: Sequence[Polygon]) -> None:
        stacked = np.stack(boxes).astype(np.float32)
        self._straight = RowStraightener.fitted(boxes)
        self._lines = self._straight(stacked)
        self.heights = np.linalg.norm(stacked[:, 3] - stacked[:, 0] + stacked[:, 2] - stacked[:, 1], axis=1) / 2
        self.usual_height = float(np.median(self.heights))
        across = self._lines[..., 0]
        self._left, self._right = across.min() - OUTSIDE * self.usual_height, across.max() + OUTSIDE * self.usual_height

    def heights_at(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the nearest line in the same row, for each point [P, 2] in px of the page; 0 where there is no row."""
        parts = np.array_split(self._straight(points), -(-len(points) // AT_ONCE) or 1)
        return np.concatenate([self._heights_at(*part.T) for part in parts])

    def _heights_at(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float64]:
        across, down = self._lines.mean(axis=1).T
        aside = np.abs(across - x[:, None])  # [P, L]
        aside[np.abs(down - y[:, None]) > OFF_ROW * self.heights] = np.inf
        nearest = aside.argmin(axis=1)
        in_row = np.isfinite(aside.min(axis=1)) & (self._left < x) & (x < self._right)
        return np.where(in_row, self.heights[nearest], 0.0)


def _ink(page: Page, boxes: Sequence[Polygon], usual_height: float) -> NDArray[np.uint8]:
    """255 where something darker than the paper is, no rule, and no print was found, [H, W]."""
    grey = cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), (3, 3), 0)
    around = max(7, round(1.5 * usual_height)) | 1
    ink = cv2.adaptiveThreshold(grey, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, around, DARKER_BY)
    for box in boxes:
        cv2.fillPoly(ink, [box.astype(np.int32)], 0)
    return _without_rules(ink.astype(np.uint8), round(RULE * usual_height))


def _without_rules(ink: NDArray[np.uint8], length: int) -> NDArray[np.uint8]:
    """Without runs of so many px, and of upright ones all that hangs together with them.

    A digit may touch the rule above it. The edge of the paper leaves stumps that look like ones.
    """
    # What morphology calls a top hat: all but the runs.
    ink = cv2.morphologyEx(ink, cv2.MORPH_TOPHAT, np.ones((1, length), np.uint8)).astype(np.uint8)
    upright = cv2.morphologyEx(ink, cv2.MORPH_OPEN, np.ones((length, 1), np.uint8))
    count, pieces = cv2.connectedComponents(ink, connectivity=8)
    kept = np.full(count, 255, np.uint8)
    kept[[0, *np.unique(pieces[upright > 0])]] = 0
    return np.asarray(kept[pieces], np.uint8)


def _is_sized(box: Sequence[int], row_height: float) -> bool:
    _, _, width, height = box
    return (
        LEAST_HEIGHT * row_height < height < LARGEST_HEIGHT * row_height
        and LEAST_WIDTH * row_height < width < LARGEST_WIDTH * row_height
        and width <= 1.1 * height
    )


def _stands_alone(ink: NDArray[np.uint8], box: Sequence[int], area: int, row_height: float) -> bool:
    left, top, width, height = box
    beside, above = round(ALONE_BESIDE * row_height), round(ALONE_ABOVE * row_height)
    window = ink[max(0, top - above) : top + height + above, max(0, left - beside) : left + width + beside]
    return bool(np.count_nonzero(window) - area <= OTHER_INK * area)


def _around(box: Sequence[int]) -> Polygon:
    left, top, width, height = box
    margin = MARGIN * height
    x0, y0, x1, y1 = left - margin, top - margin, left + width + margin, top + height + margin
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
