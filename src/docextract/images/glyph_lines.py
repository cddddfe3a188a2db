"""Glyphs of a page, grouped into the lines that OCR would find: a run of print without a large gap is a line."""

import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from docextract.images.uploads import EmbeddedLine

MAX_GAP_HEIGHTS = 1.2  # a larger gap, in heights of the line, separates two lines, as it does for text detection
_SPACE_GAP_HEIGHTS = 0.25  # a smaller gap is between letters of one word
_RUNS_SPACE_GAP_HEIGHTS = 0.1  # between two runs, whose spaces are not known; spaces of narrow fonts take 0.2
_LETTER_GAP_HEIGHTS = 0.12  # a larger gap may hold a letter that is elsewhere in the file
_SAME_LINE_HEIGHTS = 0.35  # vertical distance of the centres of two runs on one line
_MAX_HEIGHT_RATIO = 1.8  # of two runs on one line
_MIN_CONTRAST, _MIN_GLYPH_CONTRAST = 24, 12  # grey levels within a run, and within a letter, that can be seen
_INK_BAND = (0.25, 0.8)  # of the height of its box, where every letter and digit has ink; covers may leave the rest
_MIN_INNER_PX = 4  # of a box whose pixels at the border are left out
_RAISED_MAX_HEIGHT, _RAISED_MIN_SHIFT = 0.8, 0.2  # of a raised digit, in heights of the glyph in front of it
_MAX_RAISED_DIGITS = 2  # a footnote, cents, or an exponent; more are small print
_RAISED_DIGITS = dict(zip("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
_RIGHT_TO_LEFT = frozenset({"R", "AL"})  # bidirectional classes of Unicode


Point = tuple[float, float]
_Cell = tuple[int, int, int]  # glyphs of about one height whose middles are at about one v, see `_cell`


@dataclass(frozen=True, slots=True)
class Glyph:
    """One character, in the upright frame of its direction: u along the line, v down; px."""

    char: str
    left: float
    right: float
    top: float
    bottom: float
    quarter_turns: int  # clockwise, from upright print on the page
    space_before: bool
    is_space_typed: bool = False  # whether the file has a space there, and not only a gap
    is_after_break: bool = False  # whether PDFium sees the end of a line in front of it
    continues_word: bool = False  # whether it belongs to the word of the glyph before it, however large the gap

    @property
    def height(self) -> float:
        """Return the height of its box, px."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Return the v of the middle of its box, px."""
        return (self.top + self.bottom) / 2


def turn_back(x: float, y: float, turns: int) -> Point:
    """Turn px of the page into the frame in which print of this direction is upright."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turns]


def _turn(points: NDArray[np.float64], turns: int) -> NDArray[np.float64]:
    """Turn points [N, 2] of that frame into px of the page."""
    return np.array([turn_back(x, y, -turns % 4) for x, y in points.tolist()])


def split_into_runs(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Yield glyphs that follow each other in the file and on the page, without a large gap.

    PDFium takes a page with little print for vertical writing and sees the end of a line behind each character: within
    a run, this is a space only where there is a gap.
    """
    run: list[Glyph] = []
    for glyph in glyphs:
        if run and not _continues(run[-1], glyph):
            yield run
            run = []
        run.append(_with_space_at_gap(run[-1], glyph) if run and glyph.is_after_break else glyph)
    if run:
        yield run


def _continues(before: Glyph, glyph: Glyph) -> bool:
    height = max(before.height, glyph.height)
    gap = glyph.left - before.right
    return (
        before.quarter_turns == glyph.quarter_turns
        and abs(before.middle - glyph.middle) < _SAME_LINE_HEIGHTS * height
        and height < _MAX_HEIGHT_RATIO * min(before.height, glyph.height)
        and -0.5 * height < gap < MAX_GAP_HEIGHTS * height
        and glyph.left + glyph.right >= 2 * before.left  # not backwards: a letter is not behind the one to its right
    )


def _with_space_at_gap(before: Glyph, glyph: Glyph) -> Glyph:
    """Return the glyph with a space in front of it if there is a gap."""
    return replace(glyph, space_before=glyph.left - before.right > _RUNS_SPACE_GAP_HEIGHTS * glyph.height)


def visible_parts(grey: NDArray[np.uint8], run: Sequence[Glyph]) -> Iterator[list[Glyph]]:
    """Yield the parts of a run that can be seen on the page, which is grey.

    The box of a run under a bar still has contrast where it reaches beyond the bar, so every letter and digit is looked
    at. One alone without contrast may fill its box, as a bold I does. Other signs are where the letter before them is.
    """
    letters = [index for index, glyph in enumerate(run) if glyph.char.isalnum()]
    if not letters:
        if _contrast(grey, *_ends(run)) >= _MIN_CONTRAST:
            yield list(run)
        return
    inked = [_contrast(grey, *_ink_band(run[at])) >= _MIN_GLYPH_CONTRAST for at in letters]
    if all(inked):
        yield list(run)
        return
    shown = [ink or (len(inked) > 1 and all(_neighbours(inked, at))) for at, ink in enumerate(inked)]
    by_place = [shown[max(0, bisect_right(letters, index) - 1)] for index in range(len(run))]
    for is_shown, part in groupby(range(len(run)), key=by_place.__getitem__):
        if is_shown:
            yield [run[index] for index in part]


def has_ink(grey: NDArray[np.uint8], glyph: Glyph) -> bool:
    """Whether a glyph of any form leaves ink on the page, which is grey."""
    return _contrast(grey, *_ends([glyph])) >= _MIN_GLYPH_CONTRAST


def upright_part(grey: NDArray[np.uint8], glyph: Glyph, left: float, right: float) -> NDArray[np.uint8]:
    """Return the part of a page at the height of a glyph, between two u of its frame, turned so that it is upright."""
    turns = -glyph.quarter_turns % 4
    ends = turn_back(left, glyph.top, turns), turn_back(right, glyph.bottom, turns)
    columns, rows = (_pixels_between(*sorted(pair)) for pair in zip(*ends, strict=True))
    return np.rot90(grey[rows, columns], glyph.quarter_turns)


def _neighbours(flags: Sequence[bool], at: int) -> list[bool]:
    return [*flags[max(0, at - 1) : at], *flags[at + 1 : at + 2]]


def _ends(run: Sequence[Glyph]) -> tuple[Point, Point]:
    """Return the upper left and the lower right corner of a run, px of the page."""
    turns = -run[0].quarter_turns % 4
    return (
        turn_back(min(glyph.left for glyph in run), min(glyph.top for glyph in run), turns),
        turn_back(max(glyph.right for glyph in run), max(glyph.bottom for glyph in run), turns),
    )


def _ink_band(glyph: Glyph) -> tuple[Point, Point]:
    """Return two corners of the part of a box where every letter and digit has ink, px of the page."""
    turns = -glyph.quarter_turns % 4
    upper, lower = (glyph.top + share * glyph.height for share in _INK_BAND)
    return turn_back(glyph.left, upper, turns), turn_back(glyph.right, lower, turns)


def _contrast(grey: NDArray[np.uint8], one: Point, other: Point) -> int:
    """Return the grey levels between the darkest and the brightest pixel between two corners; 0 outside the page."""
    columns, rows = (_pixels_between(*sorted(pair)) for pair in zip(one, other, strict=True))
    inside = grey[rows, columns]
    return int(inside.max()) - int(inside.min()) if inside.size else 0


def _pixels_between(low: float, high: float) -> slice:
    """Return the whole pixels, because those at the border are also beside it; of a narrow box all of them."""
    if high - low < _MIN_INNER_PX:
        return slice(max(0, math.floor(low)), max(0, math.ceil(high)))
    return slice(max(0, math.ceil(low)), max(0, math.floor(high)))


def join_runs(runs: Sequence[list[Glyph]]) -> Iterator[list[Glyph]]:
    """Yield lines: runs side by side are joined, wherever they are in the file.

    Their spaces may be elsewhere, too: a space is where there is a gap.
    """
    left_to_right = sorted(_split_filled_gaps(runs), key=lambda run: (run[0].quarter_turns, run[0].left))
    lines: list[list[Glyph]] = []
    open_lines: dict[_Cell, list[int]] = {}  # indices of those that a run further right may continue
    for run in left_to_right:
        first = run[0]
        matching: list[int] = []
        for cell in _cells_near(first):
            if cell in open_lines:
                open_lines[cell] = [at for at in open_lines[cell] if _reaches(lines[at][-1], first.left)]
                matching += [at for at in open_lines[cell] if _continues(lines[at][-1], first)]
        if matching:
            index = min(matching, key=lambda at: (abs(lines[at][-1].middle - first.middle), at))
            line = lines[index]
            open_lines[_cell(line[-1])].remove(index)
            line += [_with_space_at_gap(line[-1], first), *run[1:]]
        else:
            index = len(lines)
            lines.append(list(run))
        open_lines.setdefault(_cell(lines[index][-1]), []).append(index)
    yield from lines


def _reaches(last: Glyph, left: float) -> bool:
    """Whether a glyph that begins there may continue a line with this last glyph."""
    return last.right + MAX_GAP_HEIGHTS * _MAX_HEIGHT_RATIO * last.height >= left


def _split_filled_gaps(runs: Sequence[list[Glyph]]) -> Iterator[list[Glyph]]:
    """Split runs where a gap holds glyphs of other runs: programs draw letters of a second font after all others."""
    by_centre: dict[_Cell, list[Glyph]] = {}
    for glyph in sorted((glyph for run in runs for glyph in run), key=_twice_centre):
        by_centre.setdefault(_cell(glyph), []).append(glyph)
    for run in runs:
        start = 0
        for at, (before, glyph) in enumerate(pairwise(run), start=1):
            if glyph.left - before.right > _LETTER_GAP_HEIGHTS * glyph.height:
                near = (by_centre[cell] for cell in _cells_near(before) if cell in by_centre)
                if any(_is_filled(before, glyph, others) for others in near):
                    yield run[start:at]
                    start = at
        yield run[start:]


def _is_filled(before: Glyph, behind: Glyph, by_centre: Sequence[Glyph]) -> bool:
    """Whether one of the glyphs, which are sorted by their centres, is in the gap between two of a run."""
    first = bisect_left(by_centre, 2 * before.right, key=_twice_centre)
    last = bisect_right(by_centre, 2 * behind.left, key=_twice_centre)
    return any(_fits_between(before, by_centre[at], behind) for at in range(first, last))


def _cell(glyph: Glyph) -> _Cell:
    """Return the cell of a glyph: its direction, its height as a power of two, and its row of cells of that height."""
    exponent = math.frexp(glyph.height)[1]
    return glyph.quarter_turns, exponent, math.floor(math.ldexp(glyph.middle, -exponent))


def _cells_near(glyph: Glyph) -> Iterator[_Cell]:
    """Yield the cells of all glyphs that may continue this one, or that it may continue.

    Their heights differ by less than a factor of 2, and their middles by less than the height of either.
    """
    exponent = math.frexp(glyph.height)[1]
    for other in (exponent - 1, exponent, exponent + 1):
        first, last = (math.ldexp(glyph.middle + step, -other) for step in (-glyph.height, glyph.height))
        for row in range(math.floor(first), math.floor(last) + 1):
            yield glyph.quarter_turns, other, row


def _twice_centre(glyph: Glyph) -> float:
    return glyph.left + glyph.right


def _fits_between(before: Glyph, glyph: Glyph, behind: Glyph) -> bool:
    overlap = _LETTER_GAP_HEIGHTS * glyph.height
    return (
        _continues(before, glyph)
        and _continues(glyph, behind)
        and before.right - overlap < glyph.left
        and glyph.right < behind.left + overlap
    )


def make_line(glyphs: Sequence[Glyph]) -> EmbeddedLine:
    """Return the line with its text in NFC. Borders between characters are halfway between their boxes.

    Print from right to left is returned in the order in which it is read, with borders at even distances: no order of
    its characters has borders that ascend along the line.
    """
    glyphs = _with_raised_digits(glyphs)
    left, right = glyphs[0].left, max(glyph.right for glyph in glyphs)
    top, bottom = min(glyph.top for glyph in glyphs), max(glyph.bottom for glyph in glyphs)
    text, borders = "", [left]
    for before, glyph in zip([None, *glyphs[:-1]], glyphs, strict=True):
        composed = unicodedata.normalize("NFC", text[-1:] + glyph.char)
        if before is not None and len(composed) == 1:  # an accent of its own joins the letter before it
            text = text[:-1] + composed
            borders[-1] = max(borders[-1], glyph.right)
            continue
        if before is not None:
            if is_joined(before, glyph):
                borders[-1] = (before.right + glyph.left) / 2
            else:
                text += " "
                borders += [max(glyph.left, borders[-1])]
        text += glyph.char
        borders.append(glyph.right)
    if _reads_right_to_left(text):
        text, borders = _read_order(text), np.linspace(left, right, len(text) + 1).tolist()
    places = np.clip((np.maximum.accumulate(borders) - left) / max(right - left, 1e-6), 0, 1)
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    polygon = _turn(corners, glyphs[0].quarter_turns).astype(np.float32)
    return EmbeddedLine(text, polygon, tuple(float(place) for place in places))


def _with_raised_digits(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Replace up to two digits that are drawn small and raised by raised characters, unless other print goes on there.

    "44,00" with the footnote 1 is no 44.001.
    """
    marked, base = list(glyphs), 0
    while base < len(glyphs):
        end = base + 1
        while end < len(glyphs) and _is_raised(glyphs[base], glyphs[end]) and is_joined(glyphs[end - 1], glyphs[end]):
            end += 1
        digits = "".join(glyph.char for glyph in glyphs[base + 1 : end]).removesuffix(")")
        if 0 < len(digits) <= _MAX_RAISED_DIGITS and _RAISED_DIGITS.keys() >= {*digits}:
            for at, digit in enumerate(digits, start=base + 1):
                marked[at] = replace(glyphs[at], char=_RAISED_DIGITS[digit])
        base = end
    return marked


def _is_raised(base: Glyph, glyph: Glyph) -> bool:
    """Whether a glyph is smaller and higher than the one in front of it. Behind a decimal mark, digits are decimals."""
    return (
        base.char not in ".,"
        and glyph.height < _RAISED_MAX_HEIGHT * base.height
        and base.bottom - glyph.bottom > _RAISED_MIN_SHIFT * base.height
    )


def is_joined(before: Glyph, glyph: Glyph) -> bool:
    """Whether no space is between two glyphs of a line."""
    is_near = not glyph.space_before and glyph.left - before.right <= _SPACE_GAP_HEIGHTS * glyph.height
    return is_near or glyph.continues_word


def _reads_right_to_left(text: str) -> bool:
    strong = [unicodedata.bidirectional(char) for char in text if char.isalpha()]
    return sum(kind in _RIGHT_TO_LEFT for kind in strong) > len(strong) / 2


def _read_order(text: str) -> str:
    """Reverse print from right to left; numbers and words from left to right in it keep their order."""
    return re.sub(r"[^\u0590-\u08ff\ufb1d-\ufefc\s]+", lambda run: run[0][::-1], text)[::-1]
