"""The text layer of a PDF page: its glyphs with their places, grouped into lines.

What a person cannot see is left out: glyphs that are drawn invisibly or transparently, lie outside the page, are tiny,
or leave no ink in the drawn page. What is struck out is kept in lines of its own.
"""

import ctypes
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import cv2
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from docextract.images.drawn_signs import GlyphBoxes, has_unknown_minus
from docextract.images.geometry import Page
from docextract.images.glyph_lines import (
    Glyph,
    Point,
    has_ink,
    join_runs,
    make_line,
    split_into_runs,
    turn_back,
    visible_parts,
)
from docextract.images.spaced_words import with_spaced_words
from docextract.images.struck import Boxes, drawn_lines, find_struck
from docextract.images.uploads import EmbeddedLine

MAX_GLYPHS = 50_000  # of a page; the densest real pages have 10,000
_DUPLICATE_HEIGHTS, _DUPLICATE_WIDTHS = 0.2, 0.5  # distance of a glyph that is drawn twice to look bold
_MIN_HEIGHT_PX = 4.0  # at 188 dpi 1.5 pt: nobody can read it
_MAX_ANGLE_DEGREES = 3.0  # from a multiple of 90; other text is left to recognition
_MAX_BROKEN_SHARE = 0.02  # of glyphs without a character; symbols of lists are rare, a broken font is not
_MAX_HIDDEN_SHARE = 0.2  # of glyphs that nobody sees; more is the text layer of a scan
_INVISIBLE_MODES = frozenset({pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP})
_REPLACEMENT = "\ufffd"
_NUMBER_KINDS = ("<super>", "<sub>", "<fraction>")  # of compatibility decompositions that change a number
_SOFT_HYPHEN = 0xAD
_LINE_BREAKS = "\r\n"
_LINE_END_HYPHEN = 2  # PDFium's code for a hyphen at the end of a line
_HYPHENS = frozenset({0x2010, 0x2011, 0x2012, 0x2212})  # typographic ones, and the minus; one sign for all of them
_BROKEN_CATEGORIES = frozenset({"Cc", "Cn", "Co", "Cs"})  # of Unicode: control, unassigned, private use, surrogate


@dataclass(frozen=True)
class TextLayer:
    """The visible lines of a page, and how many of its glyphs can be seen and cannot."""

    lines: tuple[EmbeddedLine, ...]
    visible: int = 0
    hidden: int = 0


def read_text_layer(text_page: Any, page: Any, to_pixels: NDArray[np.float64], pixels: Page) -> TextLayer:
    """Return the text layer of a page. Its lines are () if it is broken, or is mostly invisible.

    text_page, page: handles of PDFium. to_pixels: [2, 3], from points of the page to px of the drawn page.
    """
    count = pdfium.FPDFText_CountChars(text_page)
    if not 0 < count <= MAX_GLYPHS:
        return TextLayer(())
    height, width = pixels.shape[:2]
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.uint8, copy=False)
    glyphs: list[Glyph] = []
    broken = hidden = 0
    for glyph in _read_glyphs(text_page, count, to_pixels):
        if glyph is not None and glyph.char == _REPLACEMENT and not has_ink(grey, glyph):
            continue  # a space
        if glyph is not None and _lies_on_page(glyph, width, height) and glyph.height >= _MIN_HEIGHT_PX:
            glyphs.append(glyph)
            broken += glyph.char == _REPLACEMENT
        else:
            hidden += 1
    runs = list(split_into_runs(_without_duplicates(glyphs)))
    visible_runs = [part for run in runs for part in visible_parts(grey, run)]
    visible = sum(len(run) for run in visible_runs)
    hidden += sum(len(run) for run in runs) - visible
    if broken > _MAX_BROKEN_SHARE * visible or hidden > _MAX_HIDDEN_SHARE * (visible + hidden):
        return TextLayer((), visible, hidden)
    plain, struck = _split_struck(visible_runs, drawn_lines(page, to_pixels), grey)
    whole = filter(None, map(_without_broken, join_runs(plain)))
    boxes = GlyphBoxes(glyphs)
    lines = [make_line(with_spaced_words(line)) for line in whole if not has_unknown_minus(grey, line, boxes)]
    lines += [replace(make_line(line), is_struck=True) for line in join_runs(struck)]
    return TextLayer(tuple(lines), visible, hidden)


def _split_struck(
    runs: Sequence[list[Glyph]], lines: Boxes, grey: NDArray[np.uint8]
) -> tuple[list[list[Glyph]], list[list[Glyph]]]:
    """Return the parts of runs that are not struck out, and those that are. lines: that are drawn on the page."""
    struck = iter(find_struck(runs, lines, grey).tolist())
    parts: tuple[list[list[Glyph]], list[list[Glyph]]] = ([], [])
    for run in runs:
        for is_struck, part in groupby(zip(run, struck), key=itemgetter(1)):  # noqa: B905
            parts[is_struck].append([glyph for glyph, _ in part])
    return parts


def _without_broken(line: Sequence[Glyph]) -> Sequence[Glyph]:
    """Leave out a line with a broken glyph, which may be a minus or a decimal mark: it is left to recognition.

    Only the sign of a list is left out alone: it begins a line, with a space behind it, and then no amount.
    """
    is_list = len(line) > 1 and line[0].char == _REPLACEMENT and line[1].space_before
    rest = line[1:] if is_list and not _may_begin_amount(line[1].char) else line
    return () if any(glyph.char == _REPLACEMENT for glyph in rest) else rest


def _may_begin_amount(char: str) -> bool:
    return char.isdigit() or char in ".,(" or unicodedata.category(char) == "Sc"


def _read_glyphs(text_page: Any, count: int, to_pixels: NDArray[np.float64]) -> Iterator[Glyph | None]:
    """Yield the glyphs in the order of the file; None for one that is drawn invisibly. A broken one has _REPLACEMENT.

    Of the characters of a ligature, each gets an equal part of its box.
    """
    box = pdfium.FS_RECTF()
    (a, b, left_px), (c, d, top_px) = to_pixels.tolist()  # plain numbers: arrays of two points took half of the time
    turns_by_object: dict[int, int | None] = {}  # None: invisible, or at an angle
    invisible: dict[int, bool] = {}
    space, is_typed, is_after_break = True, False, False
    for index in range(count):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        char = _character(code)
        is_generated = pdfium.FPDFText_IsGenerated(text_page, index) == 1
        if char.isspace() or is_generated:
            space = space or code != _SOFT_HYPHEN
            is_typed = is_typed or not is_generated
            is_after_break = is_after_break or (is_generated and char in _LINE_BREAKS)
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
            one = turn_back(a * box.left + b * box.bottom + left_px, c * box.left + d * box.bottom + top_px, turns)
            other = turn_back(a * box.right + b * box.top + left_px, c * box.right + d * box.top + top_px, turns)
            yield from _upright_glyphs(_compatible(char), one, other, turns, (space, is_typed, is_after_break))
        space = is_typed = is_after_break = False


def _character(code: int) -> str:
    """Return the character of a code of PDFium; surrogates and invalid codes are broken glyphs."""
    if code in (_LINE_END_HYPHEN, _SOFT_HYPHEN):  # some fonts have one glyph for both hyphens, and name it so
        return "-"
    if code in _HYPHENS:
        return "-"
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else _REPLACEMENT


def _compatible(char: str) -> str:
    """Return the compatibility form, such as "fi" for its ligature; not of raised digits and fractions: ² is no 2."""
    is_other_number = unicodedata.category(char) == "No" and unicodedata.decomposition(char).startswith(_NUMBER_KINDS)
    return char if char.isascii() or is_other_number else unicodedata.normalize("NFKC", char)


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


def _upright_glyphs(
    text: str, one: Point, other: Point, turns: int, in_front: tuple[bool, bool, bool]
) -> Iterator[Glyph]:
    """Yield the glyphs of one character. in_front: whether there is a space, a typed one, and the end of a line."""
    left, right = sorted((one[0], other[0]))
    top, bottom = sorted((one[1], other[1]))
    step = (right - left) / max(len(text), 1)
    for index, char in enumerate(text):
        place = left + index * step
        yield Glyph(char, place, place + step, top, bottom, turns, *(in_front if index == 0 else (False,)))


def _lies_on_page(glyph: Glyph, width: int, height: int) -> bool:
    x, y = turn_back((glyph.left + glyph.right) / 2, glyph.middle, -glyph.quarter_turns % 4)
    return 0 <= x < width and 0 <= y < height


def _without_duplicates(glyphs: Iterable[Glyph]) -> Iterator[Glyph]:
    """Leave out glyphs that are drawn a second time at nearly the same place, to look bold."""
    seen: dict[tuple[str, int], dict[tuple[int, int], Point]] = {}
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
