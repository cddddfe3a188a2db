"""A minus in front of a number that a page shows and its text layer lacks: it is drawn as a line, or named a space."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docextract.images.glyph_lines import Glyph, is_joined, upright_part

_REACH = 1.1  # heights in front of a number
_MARGIN = 0.03  # heights behind a glyph, whose ink may exceed its box
_MIN_WIDTH, _MAX_WIDTH = 0.12, 0.65  # heights of a minus
_MAX_THICKNESS = 0.16
_TOP, _BOTTOM = 0.4, 0.72  # of the height of a line, where a minus is
_MIN_CONTRAST = 40  # grey levels to the paper


class GlyphBoxes:
    """The boxes of the glyphs of a page, by direction and from top to bottom."""

    def __init__(self, glyphs: Iterable[Glyph]) -> None:
        """Sort the boxes."""
        rows: dict[int, list[tuple[float, float, float, float]]] = defaultdict(list)
        for glyph in glyphs:
            rows[glyph.quarter_turns].append((glyph.top, glyph.bottom, glyph.left, glyph.right))
        self._boxes = {turns: np.array(sorted(own)).T for turns, own in rows.items()}
        self._heights = {turns: float((boxes[1] - boxes[0]).max()) for turns, boxes in self._boxes.items()}

    def reaching(self, quarter_turns: int, down: float) -> NDArray[np.float64]:
        """Return the boxes, [4, N], that may reach a v: those that begin above it, by no more than the tallest one."""
        boxes = self._boxes.get(quarter_turns, np.empty((4, 0)))
        highest = down - self._heights.get(quarter_turns, 0.0)
        first, end = np.searchsorted(boxes[0], highest, "left"), np.searchsorted(boxes[0], down, "right")
        return boxes[:, first:end]

    def cover(self, quarter_turns: int, along: float, down: float) -> bool:
        """Whether one of the boxes holds a point of the frame of its direction."""
        _, bottoms, lefts, rights = self.reaching(quarter_turns, down)
        return bool(((down <= bottoms) & (lefts <= along) & (along <= rights)).any())


def has_unknown_minus(grey: NDArray[np.uint8], line: Sequence[Glyph], boxes: GlyphBoxes) -> bool:
    """Whether the page, which is grey, shows a minus in front of a number of a line that is none of its glyphs.

    boxes: of all glyphs of the page.
    """
    starts = [(None, line[0]), *((before, glyph) for before, glyph in pairwise(line) if not is_joined(before, glyph))]
    for before, first in starts:
        if not _may_begin_number(first.char):
            continue
        left = first.left - _REACH * first.height
        if before is not None:
            left = max(left, before.right + _MARGIN * first.height)
        place = _minus_at(grey, first, left)
        if place is not None and not boxes.cover(first.quarter_turns, *place):
            return True
    return False


def _may_begin_number(char: str) -> bool:
    return char.isdigit() or unicodedata.category(char) == "Sc"


def _minus_at(grey: NDArray[np.uint8], first: Glyph, left: float) -> tuple[float, float] | None:
    """Return the middle of a minus in front of a glyph, if there is one and no other ink; in the frame of the glyph."""
    part = upright_part(grey, first, left, first.left)
    if part.size == 0:
        return None
    ink = np.abs(part.astype(np.int16) - int(np.median(part))) >= _MIN_CONTRAST
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows) or columns[0] == 0 or columns[-1] == part.shape[1] - 1:  # a longer line
        return None
    height, width, thickness = len(part), len(columns), len(rows)
    is_minus = (
        width == columns[-1] + 1 - columns[0]
        and thickness == rows[-1] + 1 - rows[0]
        and _MIN_WIDTH * height <= width <= _MAX_WIDTH * height
        and thickness <= min(_MAX_THICKNESS * height, width)
        and _TOP * height <= rows[0]
        and rows[-1] <= _BOTTOM * height
    )
    return (left + float(columns.mean()), first.top + float(rows.mean())) if is_minus else None
