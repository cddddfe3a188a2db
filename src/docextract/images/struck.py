"""Finds struck-out print of PDFs: a line is drawn through it, which the text layer does not contain.

Lines are looked for among the drawn shapes of a page, not in its pixels, where a line through print is hard to tell
from the bars of its letters. A strike goes through the middle of print, ends where the print ends, and can be seen.
Underlines are lower, and rules of tables go on.
"""

import ctypes
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from docextract.images.glyph_lines import Glyph, is_joined, turn_back
from docextract.images.page_objects import Bounds, Matrix, PageObject, determinant, matrix_of, multiplied, objects_of

MAX_SEARCHED_OBJECTS = 10_000  # of a page; they take 0.25 s. With more, no strikes are looked for; invoices have 600
_MAX_PATH_SEGMENTS = 100  # of a path of several lines; drawings have more
_MAX_SEGMENTS = 20_000  # of all such paths of a page
_MAX_LINES = 1_000  # of one direction, once their pieces are joined
_MAX_THICKNESS = 0.25  # of a strike, of the height of the box of its print; a thicker bar covers the print
_MIN_ASPECT = 2.0  # of a line, or of a piece of one
_PIECE_GAP_PX, _PIECE_SHIFT_PX = 1.0, 0.5  # between pieces of one line, along it and across it
_STRIKE_BAND = (0.36, 0.72)  # of the height of the box, where strikes are; underlines are lower
_INK_BAND = (0.15, 0.8)  # of the height of the ink around a strike, where strikes are
_MIN_INKED_ROW = 0.08  # of the length of a row of print; a gap below a word may have descenders
_MARKS_IN_WORDS = ".,-/'’"  # of numbers, dates and names; other signs may stand beside a struck word
_MIN_COVERED = 0.9  # of the length of a word
_MIN_LETTERS = 2  # or one digit; a lone letter or sign may have a bar of its own
_MAX_EXCESS_HEIGHTS = 0.5  # of a strike beyond its print, at either end
_MAX_GLYPH_HEIGHT_PX = 300  # of print that may be struck; larger print would take long to look at
_MIN_CONTRAST = 24  # grey levels between paper and ink
_MIN_INKED_LINE = 0.95  # of the length of a strike that can be seen
_MIN_INKED_PRINT = 0.15  # of the length of the print, above its strike and below it; dashes and underlines have none
_PRINT_BAND = 0.2  # of the height of the box, above and below a strike, where that print is looked for
_MIN_PRINT_BAND_PX = 2
_PAPER_SAMPLES = 64  # pixels along and across print from which the colour of its paper is taken

Boxes = NDArray[np.float64]  # [N, 4]: left, top, right, bottom; px


def drawn_lines(page: Any, to_pixels: NDArray[np.float64]) -> Boxes:
    """Return the boxes of straight lines that are drawn on a page, level or upright; none of a page of many objects.

    page: a handle of PDFium. to_pixels: [2, 3], from points of the page to px of its drawing.
    """
    objects = list(objects_of(page, MAX_SEARCHED_OBJECTS + 1))
    if len(objects) > MAX_SEARCHED_OBJECTS:
        return np.empty((0, 4))
    (a, c, e), (b, d, f) = to_pixels.tolist()
    boxes: list[Bounds] = []
    others: list[tuple[Any, Matrix]] = []
    for one in objects:
        if one.type == pdfium.FPDF_PAGEOBJ_PATH:
            to_drawing = multiplied(one.to_page, (a, b, c, d, e, f))
            box = _mapped(_unstroked(one), to_drawing)
            if _is_line(box):
                boxes.append(box)
            else:
                others.append((one.handle, to_drawing))
    boxes += filter(_is_line, _boxes_of_parts(others))
    found = np.array(boxes, np.float64).reshape(-1, 4)
    return found[np.isfinite(found).all(axis=1)]


def _is_line(box: Bounds) -> bool:
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    return long > _MIN_ASPECT * short


def _unstroked(path: PageObject) -> Bounds:
    """Return the bounds of a path as it is drawn, in points of its parent. PDFium adds the width of a stroke twice."""
    left, bottom, right, top = path.bounds
    excess = _stroke_width(path.handle) / 2
    return left + excess, bottom + excess, right - excess, top - excess


def _stroke_width(path: Any) -> float:
    """Return the width of the stroke of a path in points of its parent; 0 if it has none."""
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    if not stroke.value or not pdfium.FPDFPageObj_GetStrokeWidth(path, width):
        return 0.0
    return width.value * _enlargement(matrix_of(path))


def _enlargement(matrix: Matrix) -> float:
    return math.sqrt(abs(determinant(matrix)))


def _mapped(bounds: Bounds, matrix: Matrix) -> Bounds:
    """Return the bounds of mapped bounds."""
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in bounds[::2] for y in bounds[1::2]]
    ys = [b * x + d * y + f for x in bounds[::2] for y in bounds[1::2]]
    return min(xs), min(ys), max(xs), max(ys)


def _boxes_of_parts(paths: Sequence[tuple[Any, Matrix]]) -> Iterator[Bounds]:
    """Yield the boxes of the parts of paths, which may be all rules of a table; of none if they are too many."""
    counts = [pdfium.FPDFPath_CountSegments(path) for path, _ in paths]
    counts = [count if count <= _MAX_PATH_SEGMENTS else 0 for count in counts]
    if sum(counts) > _MAX_SEGMENTS:
        return
    for (path, to_drawing), count in zip(paths, counts, strict=True):
        half = _stroke_width(path) * _enlargement(to_drawing) / 2
        for part in _parts(path, count):
            left, top, right, bottom = _mapped(_bounds_of(part), multiplied(matrix_of(path), to_drawing))
            yield left - half, top - half, right + half, bottom + half


def _parts(path: Any, count: int) -> Iterator[list[tuple[float, float]]]:
    """Yield the points of each part of a path, which begins where the pen is lifted."""
    part: list[tuple[float, float]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO and part:
            yield part
            part = []
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        part.append((x.value, y.value))
    if part:
        yield part


def _bounds_of(points: Sequence[tuple[float, float]]) -> Bounds:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def find_struck(runs: Sequence[Sequence[Glyph]], lines: Boxes, grey: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which glyphs of runs are struck out, one run after the other.

    lines: see `drawn_lines`. grey: the drawn page.
    """
    struck = np.zeros(sum(map(len, runs)), np.bool_)
    directions = np.repeat([run[0].quarter_turns for run in runs], [len(run) for run in runs])
    for turns in np.unique(directions).tolist() if len(lines) else ():
        members = np.flatnonzero(directions == turns)
        upright = _Upright([run for run in runs if run[0].quarter_turns == turns], turns, grey)
        for line in _joined(upright.lines_along(lines)):
            struck[members[upright.struck_by(line)]] = True
    return struck


class _Upright:
    """The runs of one direction, on the page turned so that they are upright; px of that page."""

    def __init__(self, runs: Sequence[Sequence[Glyph]], turns: int, grey: NDArray[np.uint8]) -> None:
        self._runs, self._turns, self._grey = runs, turns, np.rot90(grey, turns)
        height, width = grey.shape
        self._origin = np.array(((0, 0), (0, width), (width, height), (height, 0))[turns] * 2, np.float64)
        boxes = np.array([(one.left, one.top, one.right, one.bottom) for run in runs for one in run]) + self._origin
        self._lefts, self._tops, self._rights, self._bottoms = boxes.T
        self._heights = self._bottoms - self._tops

    def lines_along(self, lines: Boxes) -> Boxes:
        """Return the lines that run along the print and may be thin enough to strike it out."""
        to_upright = np.array([turn_back(1, 0, self._turns), turn_back(0, 1, self._turns)])
        boxes = np.sort(lines.reshape(-1, 2, 2) @ to_upright, axis=1).reshape(-1, 4) + self._origin
        height, width = self._grey.shape
        left, top, right, bottom = boxes.T
        is_thin = bottom - top <= _MAX_THICKNESS * min(float(self._heights.max()), _MAX_GLYPH_HEIGHT_PX)
        along: Boxes = boxes[is_thin & (right - left > bottom - top)]
        return np.clip(along, 0, (width, height) * 2)

    def struck_by(self, line: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the indices of the glyphs that a line strikes out."""
        left, top, right, bottom = line.tolist()
        places, middles = ((top + bottom) / 2 - self._tops) / self._heights, (self._lefts + self._rights) / 2
        crossed = np.flatnonzero(
            (_STRIKE_BAND[0] <= places)
            & (places <= _STRIKE_BAND[1])
            & (left <= middles)
            & (middles <= right)
            & (bottom - top <= _MAX_THICKNESS * self._heights)
            & (self._heights <= _MAX_GLYPH_HEIGHT_PX)
        )
        if not len(crossed):
            return crossed
        firsts, lasts = self._ends_of_words[:, crossed]
        covered = np.minimum(right, lasts) - np.maximum(left, firsts)
        words: NDArray[np.intp] = crossed[covered >= _MIN_COVERED * (lasts - firsts)]
        return words if self._is_strike((left, top, right, bottom), words) else words[:0]

    @cached_property
    def _ends_of_words(self) -> NDArray[np.float64]:
        """The left and the right end, [2, N], of the word of each glyph."""
        starts = np.array([begins for run in self._runs for begins in _word_beginnings(run)])
        first, words = np.flatnonzero(starts), np.cumsum(starts) - 1
        lefts, rights = np.minimum.reduceat(self._lefts, first), np.maximum.reduceat(self._rights, first)
        return np.stack([lefts[words], rights[words]])

    @cached_property
    def _digits_and_letters(self) -> NDArray[np.bool_]:
        """Which glyphs, [2, N], are digits, and which are letters."""
        chars = [glyph.char for run in self._runs for glyph in run]
        return np.array([[char.isdigit() for char in chars], [char.isalpha() for char in chars]])

    def _is_strike(self, line: Bounds, words: NDArray[np.intp]) -> bool:
        """Whether a line strikes out the words that it covers: it ends with them, and can be seen."""
        digits, letters = self._digits_and_letters[:, words].sum(axis=1)
        if not digits and letters < _MIN_LETTERS:
            return False
        left, top, right, bottom = line
        first, last = float(self._lefts[words].min()), float(self._rights[words].max())
        upper, lower = float(self._tops[words].min()), float(self._bottoms[words].max())
        excess = _MAX_EXCESS_HEIGHTS * (lower - upper)
        if first - left > excess or right - last > excess:
            return False
        start, end = max(left, first), min(right, last)
        paper = self._paper(start, upper, end, lower)
        band = max(_MIN_PRINT_BAND_PX, _PRINT_BAND * (lower - upper))
        return (
            self._inked(start, end, top, bottom, paper) >= _MIN_INKED_LINE
            and self._inked(start, end, top - 1 - band, top - 1, paper) >= _MIN_INKED_PRINT
            and self._inked(start, end, bottom + 1, bottom + 1 + band, paper) >= _MIN_INKED_PRINT
            and self._is_within_ink((start, top, end, bottom), (upper, lower), paper)
        )

    def _is_within_ink(self, line: Bounds, ends: tuple[float, float], paper: float) -> bool:
        """Whether a strike is in the middle of the ink around it, up to rows with little ink, and not alone there.

        ends: the top and the bottom of the boxes of its print, which may be far from its ink.
        """
        left, top, right, bottom = line
        first = max(0, math.floor(ends[0]))
        part = self._grey[first : math.ceil(ends[1]), math.ceil(left) : math.floor(right)]
        bare = first + np.flatnonzero((np.abs(part - paper) >= _MIN_CONTRAST).mean(axis=1) < _MIN_INKED_ROW)
        middle = (top + bottom) / 2
        begin = bare[bare < math.floor(middle)].max(initial=first - 1) + 1
        end = bare[bare > math.floor(middle)].min(initial=first + len(part))
        is_alone = min(top - begin, end - bottom) < _MIN_PRINT_BAND_PX
        return bool(not is_alone and _INK_BAND[0] <= (middle - begin) / (end - begin) <= _INK_BAND[1])

    def _paper(self, left: float, top: float, right: float, bottom: float) -> float:
        """Return the grey level of the paper within a box, of which ink covers less than half."""
        part = self._grey[max(0, int(top)) : math.ceil(bottom), int(left) : math.ceil(right)]
        down, along = (max(1, side // _PAPER_SAMPLES) for side in part.shape)
        return float(np.median(part[::down, ::along]))

    def _inked(self, left: float, right: float, top: float, bottom: float, paper: float) -> float:
        """Return the share of a band's length, 0..1, that has ink."""
        rows = slice(max(0, math.floor(top)), max(0, math.ceil(bottom)))
        band = self._grey[rows, math.ceil(left) : max(0, math.floor(right))]
        return float((np.abs(band - paper) >= _MIN_CONTRAST).any(axis=0).mean()) if band.size else 0.0


def _word_beginnings(run: Sequence[Glyph]) -> Iterator[bool]:
    """Yield of each glyph whether a word begins there: letters and digits with marks between them, or other signs."""
    yield True
    for before, glyph in pairwise(run):
        yield not is_joined(before, glyph) or _is_in_word(before.char) != _is_in_word(glyph.char)


def _is_in_word(char: str) -> bool:
    return char.isalnum() or char in _MARKS_IN_WORDS


def _joined(lines: Boxes) -> Boxes:
    """Join the pieces of lines, which programs draw for each run of text; none if the lines are too many."""
    if not len(lines):
        return lines
    middles = (lines[:, 1] + lines[:, 3]) / 2
    by_middle = np.argsort(middles)
    rows = np.empty(len(lines), np.intp)
    rows[by_middle] = np.cumsum(np.diff(middles[by_middle], prepend=middles.min()) > _PIECE_SHIFT_PX)
    in_rows = np.lexsort((lines[:, 0], rows))
    left, top, right, bottom = lines[in_rows].T
    apart = rows[in_rows] * (2 * right.max())  # places the rows one behind the other
    reach = np.maximum.accumulate(right + apart)
    starts = np.flatnonzero(np.append(True, left[1:] + apart[1:] > reach[:-1] + _PIECE_GAP_PX))
    if len(starts) > _MAX_LINES:
        return lines[:0]
    ends = np.minimum.reduceat, np.minimum.reduceat, np.maximum.reduceat, np.maximum.reduceat
    return np.stack([end(side, starts) for end, side in zip(ends, (left, top, right, bottom), strict=True)], axis=1)
