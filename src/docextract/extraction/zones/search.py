"""A page of a document that should bear a machine-readable zone, and on which none was found → where its lines run.

On paper that is not flat, PP-OCR takes two bent lines for one and can read neither. Here strips are read all over the
lower part of the page, at one height under the other; where characters are seen in them, a way through from left to
right is a line, however it bends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from docextract.extraction.zones.decoding import FrameScores
from docextract.extraction.zones.network import Floats, ZoneReader, cut_curved_strip, cut_strip
from docextract.images.geometry import Page, Polygon

# Shares of the page's width: the document's own, with the margin that it is cut out with.
LEFT, RIGHT = 0.03, 0.97
LINE_HEIGHT = {"passport": 0.036, "id_card": 0.05}  # as lines are cut, nearly as high as they stand apart
LOWER = 0.5  # of the page, from here down; of its height
STEP = 0.3  # of a line's height, from strip to strip
APART = 0.65  # of a line's height, at least, from line to line
SEGMENTS = 22  # of a strip, in each of which a line has one height
STEEP = 0.3  # what a step up or down costs
LEAST = 0.35  # of a line's segments, on average, must look like print
LEAST_LINE_PX = 8  # nothing can be read in less
MOST_STRIPS = 200  # of a page four times as high as wide; no document that bears a zone is


Bend = Callable[[Floats], Floats]  # y of a line for every x, px of the page
Traced = tuple[FrameScores, Polygon]  # what is seen along a line, and about where it stands, px of the page


@dataclass(frozen=True)
class ZoneRefiner:
    """A page, and what can have a closer look at it."""

    page: Page
    reader: ZoneReader

    def look(self, outlines: Sequence[Polygon]) -> list[FrameScores]:
        """At lines that were found."""
        return self.reader.read(self.page, outlines)

    def find_lines(self, kind: str) -> list[Traced]:
        """For the lines of a document of this type."""
        return find_zone_lines(self.page, kind, self.reader)


def find_zone_lines(page: Page, kind: str, reader: ZoneReader) -> list[Traced]:
    """Up to three lines, from the top; none for types that bear no zone."""
    if kind not in LINE_HEIGHT:
        return []
    height, width = page.shape[:2]
    line_px = LINE_HEIGHT[kind] * width
    middles = np.arange(LOWER * height, height - line_px / 2, STEP * line_px)
    ends = LEFT * width, RIGHT * width
    if line_px < LEAST_LINE_PX or not 4 <= len(middles) <= MOST_STRIPS:
        return []
    frames = reader.read_strips([cut_strip(page, _level(middle, line_px, ends)) for middle in middles.tolist()])
    likeness = np.stack([_likeness(one) for one in frames])  # [Y, SEGMENTS]
    ways = _ways(likeness, round(APART / STEP))
    x = np.linspace(*ends, SEGMENTS, endpoint=False) + (ends[1] - ends[0]) / SEGMENTS / 2
    lines = [_smooth(x, middles[way], likeness[way, np.arange(SEGMENTS)]) for way in ways]
    strips = [cut_curved_strip(page, ends, bend, line_px) for bend in lines]
    return [(seen, _outline(bend, ends, line_px)) for bend, seen in zip(lines, reader.read_strips(strips), strict=True)]


def _level(middle: float, height: float, ends: tuple[float, float]) -> Polygon:
    top, bottom = middle - height / 2, middle + height / 2
    return np.array([[ends[0], top], [ends[1], top], [ends[1], bottom], [ends[0], bottom]], np.float32)


def _likeness(frames: FrameScores) -> Floats:
    """How much each segment looks like print of a zone; [SEGMENTS], about 0..1."""
    seen = np.clip(frames.middles + 1, 0, 2) * np.exp(frames.characters.max(axis=1))
    smooth = np.convolve(seen, np.ones(9) / 9 * 1.5, mode="same")
    return np.array([part.mean() for part in np.array_split(smooth, SEGMENTS)])


def _ways(likeness: Floats, apart: int) -> list[NDArray[np.intp]]:
    """The likeliest ways through from left to right, [SEGMENTS] heights each, from the top."""
    left = likeness.copy()
    ways = []
    for _ in range(3):
        way = _way(left)
        if likeness[way, np.arange(SEGMENTS)].mean() < LEAST:
            break
        ways.append(way)
        near = np.abs(np.arange(len(left))[:, None] - way) <= apart
        left = np.where(near, -1.0, left)
    return sorted(ways, key=lambda way: float(way.mean()))


def _way(likeness: Floats) -> NDArray[np.intp]:
    best = likeness[:, 0]
    came = []
    for segment in range(1, SEGMENTS):
        padded = np.pad(best, 1, constant_values=-1e9)
        options = np.stack([padded[:-2] - STEEP, padded[1:-1], padded[2:] - STEEP])  # from above, level, from below
        chosen = options.argmax(axis=0)
        came.append(np.arange(len(best)) + chosen - 1)
        best = options.max(axis=0) + likeness[:, segment]
    way = [int(best.argmax())]
    for back in reversed(came):
        way.append(int(back[way[-1]]))
    return np.array(way[::-1], np.intp)


def _smooth(x: Floats, y: Floats, sure: Floats) -> Bend:
    """Through the heights, where print was seen: a gentle curve, or straight to a fold and on from there."""
    weights = np.clip(sure, 0.05, 1)
    ways: list[Bend] = [Polynomial.fit(x, y, 3, w=weights), *(_folded(at, x, y, weights) for at in x[2:-2].tolist())]
    return min(ways, key=lambda way: float((weights * (way(x) - y) ** 2).sum()))


def _folded(at: float, x: Floats, y: Floats, weights: Floats) -> Bend:
    """The two straight lines, meeting at this x, that come nearest to the heights."""

    def basis(x: Floats) -> Floats:
        return np.stack([np.ones_like(x), x, np.maximum(x - at, 0)], axis=1)

    factors = np.linalg.lstsq(basis(x) * weights[:, None], y * weights, rcond=None)[0]
    return lambda x: basis(x) @ factors


def _outline(bend: Bend, ends: tuple[float, float], height: float) -> Polygon:
    left, right = bend(np.array(ends)).tolist()
    return np.array(
        [[ends[0], left - height / 2], [ends[1], right - height / 2],
         [ends[1], right + height / 2], [ends[0], left + height / 2]], np.float32,
    )  # fmt: skip
