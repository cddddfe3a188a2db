"""Where pieces stand to each other on a page: above, below, on one line. Fast enough for pages full of print."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from docextract.extraction.layout.pieces import Piece, Span

MAX_LINE_STEP = 2.2  # line heights; print further below is another text
_MIN_LINE_STEP = 0.5
_MIN_SHARED_HEIGHT = 0.5  # of a line's height, with a line on the same row
PieceBox = tuple[float, float, float, float]  # left, top, right, bottom; px, with rows straightened


def box_of(indices: Sequence[int], pieces: Sequence[Piece]) -> PieceBox:
    """Return the box around some pieces."""
    corners = np.concatenate([pieces[index].straight for index in indices])
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return left, top, right, bottom


def runs_on_lines(span: Sequence[int], pieces: Sequence[Piece]) -> list[Span]:
    """Return the pieces of a span by the line that they are on, in their order."""
    return [tuple(run) for _, run in groupby(span, key=lambda index: pieces[index].line)]


def is_right_below(upper: PieceBox, lower: PieceBox, max_step: float = MAX_LINE_STEP) -> bool:
    """Whether a box is directly below a line of print, whatever is next to the two.

    max_step: from top to top, in heights of the upper one.
    """
    shared = min(upper[2], lower[2]) - max(upper[0], lower[0])
    height = upper[3] - upper[1]
    return shared > 0 and _MIN_LINE_STEP * height < lower[1] - upper[1] < max_step * height


class PrintedLines:
    """The lines of a page, by the pieces on them."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        by_line: dict[int, list[int]] = {}
        for index, piece in enumerate(pieces):
            by_line.setdefault(piece.line, []).append(index)
        self._lines = by_line
        self._numbers = list(by_line)
        self._boxes: NDArray[np.float64] = np.array([box_of(some, pieces) for some in by_line.values()]).reshape(-1, 4)

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the pieces of each line, in reading order."""
        return iter(self._lines.values())

    @cached_property
    def rows(self) -> Sequence[frozenset[int]]:
        """The pieces of each row of the page: of the lines beside each other."""
        return [frozenset(self._row(line)) for line in self if self.left_of(line) is None]

    def _row(self, line: Sequence[int]) -> set[int]:
        row, beside = {*line}, self.right_of(line)
        while beside and row.isdisjoint(beside):
            row.update(beside)
            beside = self.right_of(beside)
        return row

    def of(self, index: int) -> list[int]:
        """Return the pieces on the line of a piece."""
        return self._lines[self._pieces[index].line]

    def below(self, indices: Sequence[int], max_step: float = MAX_LINE_STEP) -> list[int] | None:
        """Return the pieces of the nearest line directly below some pieces; None if there is none."""
        left, top, right, bottom = box_of(indices, self._pieces)
        down = self._boxes[:, 1] - top
        found = self._overlapping(left, right) & _is_step(down, np.array(bottom - top), max_step)
        return self._nearest(found, down)

    def above(self, indices: Sequence[int]) -> list[int] | None:
        """Return the pieces of the nearest line that some pieces are directly below; None if there is none."""
        left, top, right, _ = box_of(indices, self._pieces)
        down = top - self._boxes[:, 1]
        found = self._overlapping(left, right) & _is_step(down, self._boxes[:, 3] - self._boxes[:, 1])
        return self._nearest(found, down)

    def right_of(self, indices: Sequence[int]) -> list[int] | None:
        """Return the pieces of the nearest line to the right on the same row; None if there is none."""
        return self._nearest_on_row(indices, self._boxes[:, 0] - box_of(indices, self._pieces)[2])

    def left_of(self, indices: Sequence[int]) -> list[int] | None:
        """Return the pieces of the nearest line to the left on the same row; None if there is none."""
        return self._nearest_on_row(indices, box_of(indices, self._pieces)[0] - self._boxes[:, 2])

    def in_front_of(self, index: int) -> Sequence[int]:
        """Return the pieces in front of one on its line, or else the line on its left; () if there is nothing."""
        line = self.of(index)
        return line[: line.index(index)] or self.left_of(line) or ()

    def count_beside(self, indices: Sequence[int]) -> int:
        """Return how many other lines are on the row of some pieces."""
        found = self._are_on_row(indices)
        return int(found.sum()) - int(found[self._numbers.index(self._pieces[indices[0]].line)])

    def _nearest_on_row(self, indices: Sequence[int], away: NDArray[np.float64]) -> list[int] | None:
        """away: distances of the lines, positive on the side in question."""
        return self._nearest(self._are_on_row(indices) & (away > 0), away)

    def _are_on_row(self, indices: Sequence[int]) -> NDArray[np.bool_]:
        _, top, _, bottom = box_of(indices, self._pieces)
        shared = np.minimum(self._boxes[:, 3], bottom) - np.maximum(self._boxes[:, 1], top)
        return np.asarray(shared > _MIN_SHARED_HEIGHT * (bottom - top))

    def _overlapping(self, left: float, right: float) -> NDArray[np.bool_]:
        return np.asarray(np.minimum(self._boxes[:, 2], right) > np.maximum(self._boxes[:, 0], left))

    def _nearest(self, found: NDArray[np.bool_], distances: NDArray[np.float64]) -> list[int] | None:
        at = np.flatnonzero(found)
        return self._lines[self._numbers[at[distances[at].argmin()]]] if len(at) else None


def _is_step(
    down: NDArray[np.float64], heights: NDArray[np.float64], max_step: float = MAX_LINE_STEP
) -> NDArray[np.bool_]:
    return np.asarray((_MIN_LINE_STEP * heights < down) & (down < max_step * heights))
