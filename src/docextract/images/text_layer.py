"""The text layer of a PDF page: glyphs with their places, grouped into the lines that OCR would find.

A line is a run of print without a large gap, as text detection splits it. What a person cannot see is left out:
glyphs that are drawn invisibly or transparently, lie outside the page, are tiny, or leave no ink in the drawn page.
"""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from docextract.images.geometry import Page
from docextract.images.uploads import EmbeddedLine

MAX_GLYPHS = 50_000  # of a page; the densest real pages have 10,000
MAX_GAP_HEIGHTS = 1.2  # a larger gap, in heights of the line, separates two lines, as it does for text detection
_SPACE_GAP_HEIGHTS = 0.25  # a smaller gap is between letters of one word
_SAME_LINE_HEIGHTS = 0.35  # vertical distance of the centres of two runs on one line
_MAX_HEIGHT_RATIO = 1.8  # of two runs on one line
_DUPLICATE_HEIGHTS, _DUPLICATE_WIDTHS = 0.2, 0.5  # distance of a glyph that is drawn twice to look bold
_MIN_HEIGHT_PX = 4.0  # at 188 dpi 1.5 pt: nobody can read it
_MIN_CONTRAST = 24  # grey levels between the darkest and the brightest pixel of a run that can be seen
_MAX_ANGLE_DEGREES = 3.0  # from a multiple of 90; other text is left to recognition
_MAX_BROKEN_SHARE = 0.02  # of glyphs without a character; symbols of lists are rare, a broken font is not
_MAX_HIDDEN_SHARE = 0.2  # of glyphs that nobody sees; more is the text layer of a scan
_INVISIBLE_MODES = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
_REPLACEMENT = "\ufffd"
_SOFT_HYPHEN = 0xAD
_LINE_END_HYPHEN = 2  # PDFium's code for a hyphen at the end of a line
_BROKEN_CATEGORIES = frozenset({"Cc", "Cn", "Co", "Cs"})  # of Unicode: control, unassigned, private use, surrogate
_RIGHT_TO_LEFT = frozenset({"R", "AL"})  # bidirectional classes of Unicode


_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Glyph:
    """One character, in the upright frame of its direction: u along the line, v down; px."""

    char: str
    left: float
    right: float
    top: float
    bottom: float
    quarter_turns: int  # clockwise, from upright print on the page
    space_before: bool

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class TextLayer:
    """The visible lines of a page, and how many of its glyphs can be seen and cannot."""

    lines: tuple[EmbeddedLine, ...]
    visible: int = 0
    hidden: int = 0


def read_text_layer(text_page: Any, to_pixels: NDArray[np.float64], pixels: Page) -> TextLayer:
    """Return the text layer of a page. Its lines are () if it is broken, or is mostly invisible.

    text_page: a handle of PDFium. to_pixels: [2, 3], from points of the page to px of the drawn page.
    """
    count = pdfium.FPDFText_CountChars(text_page)
    if not 0 < count <= MAX_GLYPHS:
        return TextLayer(())
    height, width = pixels.shape[:2]
    glyphs: list[_Glyph] = []
    broken = hidden = 0
    for glyph in _read_glyphs(text_page, count, to_pixels):
        if glyph is None:
            hidden += 1
        elif glyph.char == _REPLACEMENT:
            broken += 1
        elif _lies_on_page(glyph, width, height) and glyph.height >= _MIN_HEIGHT_PX:
            glyphs.append(glyph)
        else:
            hidden += 1
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)
    runs = list(_split_into_runs(_without_duplicates(glyphs)))
    visible_runs = [run for run in runs if _has_ink(grey, run)]
    visible = sum(len(run) for run in visible_runs)
    hidden += sum(len(run) for run in runs) - visible
    if broken > _MAX_BROKEN_SHARE * (visible + broken) or hidden > _MAX_HIDDEN_SHARE * (visible + hidden):
        return TextLayer((), visible, hidden)
    return TextLayer(tuple(_make_line(line) for line in _join_runs(visible_runs)), visible, hidden)


def _read_glyphs(text_page: Any, count: int, to_pixels: NDArray[np.float64]) -> Iterator[_Glyph | None]:
    """Yield the glyphs in the order of the file; None for one that is drawn invisibly. A broken one has _REPLACEMENT.

    Of the characters of a ligature, each gets an equal part of its box.
    """
    box = pdfium.FS_RECTF()
    (a, b, left_px), (c, d, top_px) = to_pixels.tolist()  # plain numbers: arrays of two points took half of the time
    turns_by_object: dict[int, int | None] = {}  # None: invisible, or at an angle
    invisible: dict[int, bool] = {}
    space = True
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        char = _character(code)
        if char.isspace() or code == 0 or pdfium.FPDFText_IsGenerated(text_page, index) == 1:
            space = space or code != _SOFT_HYPHEN
            continue
        text_object = pdfium.FPDFText_GetTextObject(text_page, index)
        key = ctypes.cast(text_object, ctypes.c_void_p).value or 0
        if key not in invisible:
            invisible[key] = is_drawn_invisibly(text_object)
            # PDFium measures it clockwise, the points of the page have their y upwards.
            turns_by_object[key] = _quarter_turns(-pdfium.FPDFText_GetCharAngle(text_page, index), to_pixels)
        turns = turns_by_object[key]
        if invisible[key] or not pdfium.FPDFText_GetLooseCharBox(text_page, index, box):
            yield None
        elif turns is not None and not (code == _SOFT_HYPHEN and box.right <= box.left):
            has_no_character = pdfium.FPDFText_HasUnicodeMapError(text_page, index) == 1
            if has_no_character or unicodedata.category(char) in _BROKEN_CATEGORIES:
                char = _REPLACEMENT
            one = _turn_back(a * box.left + b * box.bottom + left_px, c * box.left + d * box.bottom + top_px, turns)
            other = _turn_back(a * box.right + b * box.top + left_px, c * box.right + d * box.top + top_px, turns)
            text = char if char.isascii() else unicodedata.normalize("NFKC", char)
            yield from _upright_glyphs(text, one, other, turns, space)
        space = False


def _character(code: int) -> str:
    """Return the character of a code of PDFium; surrogates and invalid codes are broken glyphs."""
    if code in (_LINE_END_HYPHEN, _SOFT_HYPHEN):  # some fonts have one glyph for both hyphens, and name it so
        return "-"
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else _REPLACEMENT


def is_drawn_invisibly(text_object: Any) -> bool:
    """Whether a text object of a page leaves no ink, as the text that scanning programs lay over their picture."""
    if not text_object:
        return False
    if pdfium.FPDFTextObj_GetTextRenderMode(text_object) in _INVISIBLE_MODES:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    known = pdfium.FPDFPageObj_GetFillColor(text_object, red, green, blue, alpha)
    return bool(known and alpha.value == 0)


def _quarter_turns(angle: float, to_pixels: NDArray[np.float64]) -> int | None:
    """Return the direction of print on the drawn page, in clockwise quarter turns; None if it is none of the four."""
    along = to_pixels[:, :2] @ np.array([math.cos(angle), math.sin(angle)])
    degrees = math.degrees(math.atan2(along[1], along[0]))
    turns = round(degrees / 90)
    return turns % 4 if abs(degrees - 90 * turns) <= _MAX_ANGLE_DEGREES else None


def _upright_glyphs(text: str, one: _Point, other: _Point, turns: int, space: bool) -> Iterator[_Glyph]:
    left, right = sorted((one[0], other[0]))
    top, bottom = sorted((one[1], other[1]))
    step = (right - left) / max(len(text), 1)
    for index, char in enumerate(text):
        place = left + index * step
        yield _Glyph(char, place, place + step, top, bottom, turns, space and index == 0)


def _turn_back(x: float, y: float, turns: int) -> _Point:
    """Turn px of the page into the frame in which print of this direction is upright."""
    return ((x, y), (y, -x), (-x, -y), (-y, x))[turns]


def _turn(points: NDArray[np.float64], turns: int) -> NDArray[np.float64]:
    """Turn points [N, 2] of that frame into px of the page."""
    return np.array([_turn_back(x, y, -turns % 4) for x, y in points.tolist()])


def _lies_on_page(glyph: _Glyph, width: int, height: int) -> bool:
    x, y = _turn_back((glyph.left + glyph.right) / 2, glyph.middle, -glyph.quarter_turns % 4)
    return 0 <= x < width and 0 <= y < height


def _without_duplicates(glyphs: Iterable[_Glyph]) -> Iterator[_Glyph]:
    """Leave out glyphs that are drawn a second time at nearly the same place, to look bold."""
    seen: dict[tuple[str, int], dict[tuple[int, int], _Point]] = {}
    for glyph in glyphs:
        places = seen.setdefault((glyph.char, glyph.quarter_turns), {})
        down = max(_DUPLICATE_HEIGHTS * glyph.height, 1e-6)
        width = glyph.right - glyph.left
        along = min(down, _DUPLICATE_WIDTHS * width) if width > 0 else down  # two narrow letters follow each other
        column, row = int(glyph.left // along), int(glyph.top // down)
        near = (places.get((column + one, row + other)) for one in (-1, 0, 1) for other in (-1, 0, 1))
        if not any(place and abs(place[0] - glyph.left) < along and abs(place[1] - glyph.top) < down for place in near):
            places[column, row] = (glyph.left, glyph.top)
            yield glyph


def _split_into_runs(glyphs: Iterable[_Glyph]) -> Iterator[list[_Glyph]]:
    """Yield glyphs that follow each other in the file and on the page, without a large gap."""
    run: list[_Glyph] = []
    for glyph in glyphs:
        if run and not _continues(run[-1], glyph):
            yield run
            run = []
        run.append(glyph)
    if run:
        yield run


def _continues(before: _Glyph, glyph: _Glyph) -> bool:
    height = max(before.height, glyph.height)
    gap = glyph.left - before.right
    return (
        before.quarter_turns == glyph.quarter_turns
        and abs(before.middle - glyph.middle) < _SAME_LINE_HEIGHTS * height
        and height < _MAX_HEIGHT_RATIO * min(before.height, glyph.height)
        and -0.5 * height < gap < MAX_GAP_HEIGHTS * height
    )


def _has_ink(grey: NDArray[np.uint8], run: Sequence[_Glyph]) -> bool:
    """Whether anything can be seen where the run is."""
    corners = np.array(
        [
            [min(glyph.left for glyph in run), min(glyph.top for glyph in run)],
            [max(glyph.right for glyph in run), max(glyph.bottom for glyph in run)],
        ]
    )
    page = _turn(corners, run[0].quarter_turns)
    (left, top), (right, bottom) = np.floor(page.min(axis=0)).astype(int), np.ceil(page.max(axis=0)).astype(int)
    inside = grey[max(top, 0) : bottom + 1, max(left, 0) : right + 1]
    return bool(inside.size and int(inside.max()) - int(inside.min()) >= _MIN_CONTRAST)


def _join_runs(runs: Sequence[list[_Glyph]]) -> Iterator[list[_Glyph]]:
    """Yield lines: runs side by side are joined, wherever they are in the file."""
    left_to_right = sorted(runs, key=lambda run: (run[0].quarter_turns, run[0].left))
    lines: list[list[_Glyph]] = []
    open_lines: list[list[_Glyph]] = []  # those that a run further right may continue
    for run in left_to_right:
        first = run[0]
        open_lines = [
            line
            for line in open_lines
            if line[-1].quarter_turns == first.quarter_turns
            and line[-1].right + MAX_GAP_HEIGHTS * _MAX_HEIGHT_RATIO * line[-1].height >= first.left
        ]
        matching = [line for line in open_lines if _continues(line[-1], first)]
        if matching:
            line = min(matching, key=lambda line: abs(line[-1].middle - first.middle))
            line += [replace(first, space_before=True), *run[1:]]
        else:
            line = list(run)
            lines.append(line)
            open_lines.append(line)
    yield from lines


def _make_line(glyphs: Sequence[_Glyph]) -> EmbeddedLine:
    """Return the line with its text in NFC. Borders between characters are halfway between their boxes.

    Print from right to left is returned in the order in which it is read, with borders at even distances: no order of
    its characters has borders that ascend along the line.
    """
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
            gap = glyph.left - before.right
            if glyph.space_before or gap > _SPACE_GAP_HEIGHTS * glyph.height:
                text += " "
                borders += [max(glyph.left, borders[-1])]
            else:
                borders[-1] = (before.right + glyph.left) / 2
        text += glyph.char
        borders.append(glyph.right)
    if _reads_right_to_left(text):
        text, borders = _read_order(text), np.linspace(left, right, len(text) + 1).tolist()
    places = np.clip((np.maximum.accumulate(borders) - left) / max(right - left, 1e-6), 0, 1)
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    polygon = _turn(corners, glyphs[0].quarter_turns).astype(np.float32)
    return EmbeddedLine(text, polygon, tuple(float(place) for place in places))


def _reads_right_to_left(text: str) -> bool:
    strong = [unicodedata.bidirectional(char) for char in text if char.isalpha()]
    return sum(kind in _RIGHT_TO_LEFT for kind in strong) > len(strong) / 2


def _read_order(text: str) -> str:
    """Reverse print from right to left; numbers and words from left to right in it keep their order."""
    return re.sub(r"[^\u0590-\u08ff\ufb1d-\ufefc\s]+", lambda run: run[0][::-1], text)[::-1]
