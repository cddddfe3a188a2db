"""Models how text lines are arranged on a page: their direction, the curvature of the paper, and which share a row.

The lines of a row follow each other with only paper between them. On curved paper the amounts of the next row would be
level with the words of this row, so rows are straightened first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Polygon
from docextract.predictions import TextLine

MIN_LONG_LINES = 6  # with fewer, the curvature is not estimated
MIN_LONG_LINE_HEIGHTS = 2.0  # length of a long line; shorter lines slope by chance
RIDGE_WEIGHT = 0.1  # compared with 1 for a line half as long as the printed area is wide
OUTLIER_HEIGHTS = 0.3  # deviation of a line's end from the model at which its weight is halved
REWEIGHTING_STEPS = 8
MIN_STRETCH = 0.3
# Two lines of one row are farther apart than the ends of one line, so their connection determines the curvature better.
NEIGHBOUR_ROUNDS = 2
NEIGHBOUR_WEIGHT = 5.0
MAX_SHARED_WIDTH = 0.5  # of the narrower line's width: two lines that share more of it are above each other
MAX_GAP_HEIGHTS, MAX_OFFSET_HEIGHTS, MAX_HEIGHT_RATIO = 25.0, 0.35, 1.4  # of neighbours in a row

FloatArray = NDArray[np.floating]


@dataclass(frozen=True)
class RowStraightener:
    """Maps points of a page to where they would be if the print ran to the right in straight rows.

    The slope of the print at (u, v), -1..1 of the printed area, is modelled as bend · (1, u, v, u·v, u²): with
    imperfect rectification rows fan out (v), and on curled paper they sag (u, u²).
    """

    rotation: FloatArray  # [2, 2]
    centre: FloatArray  # [2], px after the rotation
    half_size: FloatArray  # [2], px
    bend: FloatArray  # [5]

    @classmethod
    def fitted(cls, polygons: Sequence[Polygon]) -> "RowStraightener":
        """Fit the model to text lines, [4, 2] each, which run in the direction of their polygons."""
        corners = np.stack(polygons).astype(np.float64)
        rotation = _main_rotation(corners)
        level = corners @ rotation
        points = level.reshape(-1, 2)
        low, high = points.min(axis=0), points.max(axis=0)
        model = cls(rotation, (low + high) / 2, np.maximum((high - low) / 2, 1.0), np.zeros(5))
        heights = np.linalg.norm(level[:, 3] - level[:, 0], axis=1)
        starts, ends = (level[:, 0] + level[:, 3]) / 2, (level[:, 1] + level[:, 2]) / 2
        is_long = ends[:, 0] - starts[:, 0] > MIN_LONG_LINE_HEIGHTS * heights
        if is_long.sum() < MIN_LONG_LINES:
            return model
        lines = np.stack([starts, ends], axis=1)[is_long]
        model = replace(model, bend=model._fit_bend(lines, np.ones(len(lines)), heights))
        for _ in range(NEIGHBOUR_ROUNDS):
            left, right = _neighbours(model(corners), heights)
            connections = np.stack([(starts + ends)[left] / 2, (starts + ends)[right] / 2], axis=1)
            weights = np.repeat([1.0, NEIGHBOUR_WEIGHT], [len(lines), len(connections)])
            model = replace(model, bend=model._fit_bend(np.concatenate([lines, connections]), weights, heights))
        return model

    def __call__(self, points: FloatArray) -> NDArray[np.float32]:
        """Map points, [..., 2] px of the page."""
        level = points @ self.rotation
        u = (level[..., 0] - self.centre[0]) / self.half_size[0]
        slope, sag, fan, fan_growth, sag_growth = self.bend * self.half_size[0]
        lowering = slope * u + sag * u**2 / 2 + sag_growth * u**3 / 3
        stretch = (fan * u + fan_growth * u**2 / 2) / self.half_size[1]
        y = (level[..., 1] - lowering + stretch * self.centre[1]) / np.maximum(1 + stretch, MIN_STRETCH)
        return np.stack([level[..., 0], y], axis=-1).astype(np.float32)

    def _fit_bend(self, segments: FloatArray, weights: FloatArray, heights: FloatArray) -> FloatArray:
        """Fit the bend by iteratively reweighted ridge regression, so that stamps and sideways print count little.

        segments: [S, 2, 2], start and end of each, px after the rotation; all run to the right.
        weights: [S]. heights: of the text lines, px.
        """
        u, v = ((segments.mean(axis=1) - self.centre) / self.half_size).T
        run, rise = (segments[:, 1] - segments[:, 0]).T
        terms = np.stack([np.ones_like(u), u, v, u * v, u * u], axis=1)  # [S, 5]
        weights = weights * (run / self.half_size[0]) ** 2  # the error of an end does not depend on the length
        ridge = np.diag([1e-9, RIDGE_WEIGHT, RIDGE_WEIGHT, RIDGE_WEIGHT, RIDGE_WEIGHT])
        robust = weights
        for _ in range(REWEIGHTING_STEPS):
            bend = np.linalg.solve(terms.T @ (terms * robust[:, None]) + ridge, terms.T @ (robust * rise / run))
            errors = np.abs(rise - run * (terms @ bend)) / np.median(heights)
            robust = weights / (1 + (errors / OUTLIER_HEIGHTS) ** 2)
        return bend


def _neighbours(polygons: FloatArray, heights: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the nearly straight lines that a line of similar size follows in the same row, and the following lines."""
    starts, ends = (polygons[:, 0] + polygons[:, 3]) / 2, (polygons[:, 1] + polygons[:, 2]) / 2
    gap = starts[None, :, 0] - ends[:, None, 0]  # [L, L], from the row's line to the column's
    offset = np.abs(starts[None, :, 1] - ends[:, None, 1])
    lower, higher = np.minimum(heights[None], heights[:, None]), np.maximum(heights[None], heights[:, None])
    follows = (
        (gap > 0)
        & (gap < MAX_GAP_HEIGHTS * heights[:, None])
        & (offset < MAX_OFFSET_HEIGHTS * lower)
        & (higher < MAX_HEIGHT_RATIO * lower)
    )
    left = np.flatnonzero(follows.any(axis=1))
    return left, np.where(follows, gap, np.inf)[left].argmin(axis=1)


def straighten_rows(polygons: Sequence[Polygon]) -> NDArray[np.float32]:
    """Return the polygons as they would be in straight rows, [L, 4, 2]."""
    return RowStraightener.fitted(polygons)(np.stack(polygons)) if polygons else np.zeros((0, 4, 2), np.float32)


def in_reading_order(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Return the lines row by row from top to bottom, each row from left to right."""
    return in_straight_rows(lines)[0]


def in_straight_rows(lines: Sequence[TextLine]) -> tuple[tuple[TextLine, ...], NDArray[np.float32]]:
    """Return the lines in reading order, and their polygons [L, 4, 2] with rows straightened."""
    straight = straighten_rows([line.polygon for line in lines])
    order = reading_order(straight)
    return tuple(lines[index] for index in order), straight[order]


def reading_order(polygons: NDArray[np.float32]) -> list[int]:
    """Return the indices of lines row by row from top to bottom, each row from left to right.

    polygons: [L, 4, 2], with rows straightened. Lines share a row if they overlap by half their height and none is
    above another: otherwise, in a dense table whose amounts are a little lower than its words, all rows would join.
    """
    if not len(polygons):
        return []
    (left, top), (right, bottom) = polygons.min(axis=1).T, polygons.max(axis=1).T
    centre, height = (top + bottom) / 2, np.maximum(bottom - top, 1.0)
    width = right - left
    rows: list[list[int]] = []

    def is_in_row(row: list[int], index: int) -> bool:
        is_level = centre[index] - centre[row[-1]] < 0.5 * min(height[index], height[row[-1]])
        shared = np.minimum(right[index], right[row]) - np.maximum(left[index], left[row])
        return bool(is_level and (shared < MAX_SHARED_WIDTH * np.minimum(width[index], width[row])).all())

    for index in np.argsort(centre).tolist():
        if rows and is_in_row(rows[-1], index):
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda one: left[one])]


def main_angle(polygons: FloatArray) -> float:
    """Return the direction of most print, radians clockwise from the right. polygons: of text lines, [L, 4, 2]."""
    directions = polygons[:, 1] - polygons[:, 0] + polygons[:, 2] - polygons[:, 3]
    mean_angle = np.arctan2(*directions.sum(axis=0)[::-1])
    deviations = np.angle(np.exp(1j * (np.arctan2(directions[:, 1], directions[:, 0]) - mean_angle)))
    lengths = np.linalg.norm(directions, axis=1)
    return float(mean_angle + np.median(deviations[lengths >= np.median(lengths)]))  # short lines slope by chance


def _main_rotation(polygons: FloatArray) -> FloatArray:
    """Return the rotation [2, 2] after which most print runs to the right."""
    angle = main_angle(polygons)
    cos, sin = np.cos(-angle), np.sin(-angle)
    return np.array([[cos, sin], [-sin, cos]])
