"""How lines of print lie on a page: which way they run, how paper and camera bend them, and which share a row.

A row goes on where one line ends, with nothing but paper between. On bent paper the next row's amounts would stand
level with this row's words, so print is made straight first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Polygon
from docextract.predictions import TextLine

LEAST_LINES = 6  # of which a bend can be told
LONG = 2.0  # heights; shorter lines slope by chance
RIDGE = 0.1  # against 1 for a line that is half as long as print is wide
OFF_LINE = 0.3  # heights by which the end of a line may miss the bend before it counts for less
FITS = 8  # by which what is off the line has found its weight
LEAST_STRETCH = 0.3
# Two lines of one row tell of the bend between them, and better than each line of its own: they are farther apart.
ROUNDS = 2
TRUST_IN_ROWS = 5.0
STACKED = 0.5  # of the narrower line's width: two lines that share so much of it stand above each other
WIDEST_GAP, FARTHEST_OFF, UNLIKE = 25.0, 0.35, 1.4  # heights, heights, and how many times as high

Floats = NDArray[np.floating]


@dataclass(frozen=True)
class RowStraightener:
    """Maps points of a page to where they would be if print ran to the right in straight rows.

    The slope of print at (u, v), -1..1 of the printed area, is bend · (1, u, v, u·v, u²): perspective that was not
    quite undone lets rows fan out (v), a curl lets them sag (u, u²).
    """

    turn: Floats  # [2, 2]
    middle: Floats  # [2], px after the turn
    half: Floats  # [2], px
    bend: Floats  # [5]

    @classmethod
    def fitted(cls, polygons: Sequence[Polygon]) -> "RowStraightener":
        """To lines [4, 2] that run as their polygons begin, be it along a slope or up a photo on its side."""
        stacked = np.stack(polygons).astype(np.float64)
        turn = _turn(stacked)
        level = stacked @ turn
        points = level.reshape(-1, 2)
        low, high = points.min(axis=0), points.max(axis=0)
        found = cls(turn, (low + high) / 2, np.maximum((high - low) / 2, 1.0), np.zeros(5))
        height = np.linalg.norm(level[:, 3] - level[:, 0], axis=1)
        starts, ends = (level[:, 0] + level[:, 3]) / 2, (level[:, 1] + level[:, 2]) / 2
        long = ends[:, 0] - starts[:, 0] > LONG * height
        if long.sum() < LEAST_LINES:
            return found
        lines = np.stack([starts, ends], axis=1)[long]
        found = replace(found, bend=found._bend(lines, np.ones(len(lines)), height))
        for _ in range(ROUNDS):
            left, right = _neighbours(found(stacked), height)
            between = np.stack([(starts + ends)[left] / 2, (starts + ends)[right] / 2], axis=1)
            trust = np.repeat([1.0, TRUST_IN_ROWS], [len(lines), len(between)])
            found = replace(found, bend=found._bend(np.concatenate([lines, between]), trust, height))
        return found

    def __call__(self, points: Floats) -> NDArray[np.float32]:
        """points: px of the page, [..., 2]."""
        level = points @ self.turn
        u = (level[..., 0] - self.middle[0]) / self.half[0]
        at_middle, sag, fan, fan_grows, sag_grows = self.bend * self.half[0]
        lower = at_middle * u + sag * u**2 / 2 + sag_grows * u**3 / 3
        stretch = (fan * u + fan_grows * u**2 / 2) / self.half[1]
        down = (level[..., 1] - lower + stretch * self.middle[1]) / np.maximum(1 + stretch, LEAST_STRETCH)
        return np.stack([level[..., 0], down], axis=-1).astype(np.float32)

    def _bend(self, ways: Floats, trust: Floats, height: Floats) -> Floats:
        """By least squares, in which ways that do not follow (stamps, print on its side) come to count for little.

        ways: from and to, px after the turn, [W, 2, 2]; all run to the right.
        """
        u, v = ((ways.mean(axis=1) - self.middle) / self.half).T
        run, rise = (ways[:, 1] - ways[:, 0]).T
        terms = np.stack([np.ones_like(u), u, v, u * v, u * u], axis=1)  # [W, 5]
        trust = trust * (run / self.half[0]) ** 2  # ends are off by as much whatever the length
        held = np.diag([1e-9, RIDGE, RIDGE, RIDGE, RIDGE])
        weights = trust
        for _ in range(FITS):
            bend = np.linalg.solve(terms.T @ (terms * weights[:, None]) + held, terms.T @ (weights * rise / run))
            off = np.abs(rise - run * (terms @ bend)) / np.median(height)
            weights = trust / (1 + (off / OFF_LINE) ** 2)
        return bend


def _neighbours(polygons: Floats, height: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of nearly straight lines, those that another one of their size follows in the same row, and which."""
    starts, ends = (polygons[:, 0] + polygons[:, 3]) / 2, (polygons[:, 1] + polygons[:, 2]) / 2
    gap = starts[None, :, 0] - ends[:, None, 0]  # [L, L] from the row's line to the column's
    off = np.abs(starts[None, :, 1] - ends[:, None, 1])
    lower, higher = np.minimum(height[None], height[:, None]), np.maximum(height[None], height[:, None])
    beside = (gap > 0) & (gap < WIDEST_GAP * height[:, None]) & (off < FARTHEST_OFF * lower) & (higher < UNLIKE * lower)
    left = np.flatnonzero(beside.any(axis=1))
    return left, np.where(beside, gap, np.inf)[left].argmin(axis=1)


def straighten_rows(polygons: Sequence[Polygon]) -> NDArray[np.float32]:
    """Polygons [L, 4, 2] as they would be in straight rows."""
    return RowStraightener.fitted(polygons)(np.stack(polygons)) if polygons else np.zeros((0, 4, 2), np.float32)


def in_reading_order(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The same lines, from the top, each row from the left."""
    return tuple(lines[index] for index in reading_order(straighten_rows([line.polygon for line in lines])))


def reading_order(polygons: NDArray[np.float32]) -> list[int]:
    """Rows from the top, each from the left.

    Lines share a row when they overlap by half their height and none stands above another: in a dense table amounts
    that lie a little lower than their words would join row after row.
    """
    if not len(polygons):
        return []
    (left, top), (right, bottom) = polygons.min(axis=1).T, polygons.max(axis=1).T
    centre, height = (top + bottom) / 2, np.maximum(bottom - top, 1.0)
    width = right - left
    rows: list[list[int]] = []

    def goes_on(row: list[int], index: int) -> bool:
        level = centre[index] - centre[row[-1]] < 0.5 * min(height[index], height[row[-1]])
        shared = np.minimum(right[index], right[row]) - np.maximum(left[index], left[row])
        return bool(level and (shared < STACKED * np.minimum(width[index], width[row])).all())

    for index in np.argsort(centre).tolist():
        if rows and goes_on(rows[-1], index):
            rows[-1].append(index)
        else:
            rows.append([index])
    return [index for row in rows for index in sorted(row, key=lambda one: left[one])]


def _turn(polygons: Floats) -> Floats:
    """The rotation [2, 2] after which most print runs to the right."""
    along = polygons[:, 1] - polygons[:, 0] + polygons[:, 2] - polygons[:, 3]  # with the print
    main = np.arctan2(*along.sum(axis=0)[::-1])
    off = np.angle(np.exp(1j * (np.arctan2(along[:, 1], along[:, 0]) - main)))
    length = np.linalg.norm(along, axis=1)
    angle = main + float(np.median(off[length >= np.median(length)]))  # short lines slope by chance
    cos, sin = np.cos(-angle), np.sin(-angle)
    return np.array([[cos, sin], [-sin, cos]])
