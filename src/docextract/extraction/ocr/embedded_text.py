"""Text layers of pages: comparison with what is visible, and the print that they leave out.

A text layer can say anything: it may be hidden, belong to covered print, or map its glyphs to other characters. So the
lines from which values are taken are recognised in the drawn page and compared before they are used. Logos, stamps and
print that was converted to outlines are visible, but in no text layer; they are found by their ink and recognised.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.documents.accents import letters_and_digits
from docextract.images.geometry import Box, Page, Polygon
from docextract.predictions import PredictedValue, TextLine

Agreement = Literal["matches", "differs", "unclear"]

MIN_SAMPLE_LINES = 4  # of a page that are compared, if values stand on fewer
_UNCOMPARED_CONFIDENCE = 0.5  # at most, of a value that is found later, where nothing was compared
_MIN_PART_CHARACTERS = 6  # of a part of a line that is compared; a shorter one is hard to recognise
_PART_MARGIN = 0.12  # beside a part, of the height of its line: less than a space
_MIN_CERTAIN_CONFIDENCE = 0.93  # of a recognised line that is believed rather than the text layer
_MIN_SIMILARITY = 0.75  # of letters and digits; display type and long lines are misread in places
_MAX_DIFFERENT_SIMILARITY = 0.5  # below it the recognised line is another one
_MIN_CLEAR_SHARE = 0.6  # of sampled lines that recognition can compare
_MAX_FOREIGN_SHARE = 0.2  # of letters that recognition does not know
_LATIN_END = 0x0250
_CURRENCIES = frozenset("$€£")  # recognition confused none of them in 771 lines
# Recognition confuses these in some typefaces; they are never two different digits.
_LOOK_ALIKE = str.maketrans("oliszbgq", "01152899")

_MIN_DIVIDED_CHARACTERS = 3  # of each part of a recognised word of which some is struck out
_END_OF_STRIKE = re.compile(r"(?<=\0)[-\u2010-\u2015]+|[-\u2010-\u2015]+(?=\0)")  # recognised as a dash
_INK_CONTRAST = 40  # grey levels of an edge
_WORD_GAP_PX = 12  # between letters of one word in a logo, at half resolution
_MIN_REGION_HEIGHT_PX, _MAX_REGION_HEIGHT_PX = 7, 150  # of words outside the text layer, at half resolution
_MIN_REGION_ASPECT = 1.2  # a word is wider than high; signs and check boxes are not
_MIN_EDGE_SHARE, _MAX_EDGE_SHARE = 0.12, 0.85  # of a region; rules have few edges, dot codes only edges
_REGION_MARGIN_PX = 16
_MAX_REGIONS = 40  # more are a picture, a map or a screen
_MAX_REGION_SHARE = 0.25  # of the page; with more, most of its print is outside the text layer


def sample_lines(lines: Sequence[TextLine], values: Iterable[PredictedValue]) -> list[TextLine]:
    """Return what to compare: the part of every line on which values stand, else of the longest lines.

    A part has all values that stand on its line. There is no largest number: a line that is left out could say anything
    without being found, and recognition of the parts costs less than that of the page.
    """
    parts: dict[int, tuple[int, int]] = {}
    for content, polygon in [(value.content, polygon) for value in values for polygon in value.polygons]:
        for at, (start, end) in _parts_at(lines, polygon, content).items():
            known_start, known_end = parts.get(at, (start, end))
            parts[at] = min(start, known_start), max(end, known_end)
    by_length = sorted(range(len(lines)), key=lambda index: -len(lines[index].text))
    for index in by_length:
        if len(parts) >= MIN_SAMPLE_LINES:
            break
        parts.setdefault(index, (0, len(lines[index].text)))
    return [_part(lines[index], *_whole_words(lines[index].text, *part)) for index, part in parts.items()]


def with_doubt(value: PredictedValue, compared: Sequence[Polygon]) -> PredictedValue:
    """Return a value with a low confidence, if it stands where a text layer was not compared with the page."""
    middles = [_middle(polygon) for polygon in value.polygons]
    if all(any(cv2.pointPolygonTest(part, middle, False) >= 0 for part in compared) for middle in middles):
        return value
    return replace(value, confidence=min(value.confidence, _UNCOMPARED_CONFIDENCE))


def _parts_at(lines: Sequence[TextLine], polygon: Polygon, content: str) -> dict[int, tuple[int, int]]:
    """Return the ranges of the characters of a value on its line, by index of the line.

    If lines lie over each other, as hidden text may over print, it is those with words of the value, else all of them.
    """
    middle = _middle(polygon)
    found = {
        index: _extent(line, polygon)
        for index, line in enumerate(lines)
        if cv2.pointPolygonTest(line.polygon, middle, False) >= 0
    }
    words = set(content.split())
    own = {at: part for at, part in found.items() if words.intersection(lines[at].text[slice(*part)].split())}
    return own or found


def _extent(line: TextLine, polygon: Polygon) -> tuple[int, int]:
    """Return the range of the characters of a line whose middle lies within a polygon, along the line."""
    origin, along = line.polygon[0], line.polygon[1] - line.polygon[0]
    places = (np.asarray(polygon) - origin) @ along / max(float(along @ along), 1.0)
    cuts = _cuts_of(line)
    middles = (cuts[1:] + cuts[:-1]) / 2
    inside = np.flatnonzero((middles >= places.min()) & (middles <= places.max()))
    return (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (0, len(line.text))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a range to whole words, and to further ones until it is long enough to be recognised with certainty."""
    while True:
        start = text.rfind(" ", 0, start) + 1
        end = text.find(" ", end) if " " in text[end:] else len(text)
        if end - start >= _MIN_PART_CHARACTERS or end - start == len(text):
            return start, end
        start, end = max(0, start - 1), min(len(text), end + 1)


def _part(line: TextLine, start: int, end: int) -> TextLine:
    """Return some characters of a line as a line, with a margin where more follow."""
    if (start, end) == (0, len(line.text)):
        return line
    cuts = _cuts_of(line)
    top_left, top_right, bottom_right, bottom_left = line.polygon
    top, bottom = top_right - top_left, bottom_right - bottom_left
    margin = _PART_MARGIN * np.linalg.norm(bottom_left - top_left) / max(float(np.linalg.norm(top)), 1.0)
    left, right = max(0.0, cuts[start] - margin), min(1.0, cuts[end] + margin)
    corners = (top_left + left * top, top_left + right * top, bottom_left + right * bottom, bottom_left + left * bottom)
    return TextLine(line.text[start:end], np.array(corners, np.float32), line.confidence)


def _cuts_of(line: TextLine) -> NDArray[np.float64]:
    if line.cuts is not None:
        return np.asarray(line.cuts)
    return np.linspace(0.0, 1.0, len(line.text) + 1)


def compare_page(sample: Sequence[tuple[str, str, float]]) -> Agreement:
    """Compare a text layer with its page. sample: embedded text, recognised text, and confidence of each line.

    One line that certainly reads otherwise is enough to differ. A page is unclear if recognition can compare too few
    of its lines, if it finds no print where one of them is, or if a number remains in doubt.
    """
    results = [compare_line(*line) for line in sample]
    if "differs" in results:
        return "differs"
    unclear = [line for line, result in zip(sample, results, strict=True) if result == "unclear"]
    in_doubt = any(_is_in_doubt(embedded, recognised) for embedded, recognised, _ in unclear)
    clear_share = 1 - len(unclear) / max(len(sample), 1)
    return "unclear" if in_doubt or clear_share < _MIN_CLEAR_SHARE else "matches"


def _is_in_doubt(embedded: str, recognised: str) -> bool:
    """Whether an unclear line must not be used: it has digits, or may be covered."""
    is_empty = not any(map(str.isalnum, recognised))
    return not _is_foreign(embedded) and (is_empty or any(map(str.isdigit, embedded)))


def compare_line(embedded: str, recognised: str, confidence: float) -> Agreement:
    """Compare one line by its letters and digits, of which every digit counts, and by its currency.

    Raised digits and fractions may be missing: recognition leaves them out, or takes them for digits.
    """
    if confidence >= _MIN_CERTAIN_CONFIDENCE and _have_other_currencies(embedded, recognised):
        return "differs"
    plain = "".join(char for char in embedded if unicodedata.category(char) != "No")
    results = [_compare_letters(text, recognised, confidence) for text in dict.fromkeys((embedded, plain))]
    return "matches" if "matches" in results else results[0]


def _have_other_currencies(embedded: str, recognised: str) -> bool:
    one, other = _CURRENCIES.intersection(embedded), _CURRENCIES.intersection(recognised)
    return bool(one and other) and one.isdisjoint(other)


def _compare_letters(embedded: str, recognised: str, confidence: float) -> Agreement:
    one, other = letters_and_digits(embedded), letters_and_digits(recognised)
    if one.translate(_LOOK_ALIKE) == other.translate(_LOOK_ALIKE):
        return "matches"
    if _is_foreign(embedded):
        return "unclear"
    matcher = SequenceMatcher(None, one.translate(_LOOK_ALIKE), other.translate(_LOOK_ALIKE), autojunk=False)
    similarity = matcher.ratio()
    edits = [(one[a:b], other[c:d]) for kind, a, b, c, d in matcher.get_opcodes() if kind != "equal"]
    digits_differ = any(any(map(str.isdigit, before + after)) for before, after in edits)
    if not digits_differ and similarity >= _MIN_SIMILARITY:
        return "matches"
    is_certain = confidence >= _MIN_CERTAIN_CONFIDENCE and (digits_differ or similarity < _MAX_DIFFERENT_SIMILARITY)
    return "differs" if is_certain else "unclear"


def _is_foreign(text: str) -> bool:
    """Whether recognition does not know the script."""
    letters = [char for char in text if char.isalpha()]
    return sum(ord(char) >= _LATIN_END for char in letters) > _MAX_FOREIGN_SHARE * len(letters)


def find_uncovered_boxes(page: Page, lines: Sequence[TextLine]) -> list[Box] | None:
    """Return boxes around print outside the text layer; None if it is so much that the page should be recognised."""
    small = cv2.resize(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    edges = (cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)) >= _INK_CONTRAST).astype(np.uint8)
    for line in lines:
        (left, top), (right, bottom) = line.polygon.min(axis=0) / 2 - 2, line.polygon.max(axis=0) / 2 + 2
        edges[max(0, int(top)) : max(0, int(bottom) + 1), max(0, int(left)) : max(0, int(right) + 1)] = 0
    words = cv2.dilate(edges, np.ones((3, _WORD_GAP_PX), np.uint8))
    _, _, found, _ = cv2.connectedComponentsWithStats(words)
    regions = [one for one in found[1:] if _looks_like_print(one, edges)]
    if len(regions) > _MAX_REGIONS:
        return None
    height, width = page.shape[:2]
    boxes = [_with_margin(one, width, height) for one in regions]
    area = sum((right - left) * (bottom - top) for left, top, right, bottom in boxes)
    return None if area > _MAX_REGION_SHARE * width * height else list(_merged(boxes))


def _looks_like_print(component: NDArray[np.int32], edges: NDArray[np.uint8]) -> bool:
    left, top, width, height, _ = component.tolist()
    if not _MIN_REGION_HEIGHT_PX <= height <= _MAX_REGION_HEIGHT_PX or width < _MIN_REGION_ASPECT * height:
        return False
    share = float(edges[top : top + height, left : left + width].mean())
    return _MIN_EDGE_SHARE <= share <= _MAX_EDGE_SHARE


def _with_margin(component: NDArray[np.int32], width: int, height: int) -> Box:
    left, top, wide, high, _ = (2 * component).tolist()
    return (
        max(0, left - _REGION_MARGIN_PX),
        max(0, top - _REGION_MARGIN_PX),
        min(width, left + wide + _REGION_MARGIN_PX),
        min(height, top + high + _REGION_MARGIN_PX),
    )


def _merged(boxes: Sequence[Box]) -> Iterator[Box]:
    """Yield boxes that do not overlap: each is the union of overlapping ones."""
    left = list(boxes)
    while left:
        box = left.pop()
        while near := [other for other in left if _overlap(box, other)]:
            for other in near:
                left.remove(other)
                box = (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
        yield box


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def outside(found: Sequence[TextLine], lines: Sequence[TextLine]) -> list[TextLine]:
    """Return the found lines whose middle lies in none of the lines."""
    return [
        one
        for one in found
        if not any(cv2.pointPolygonTest(line.polygon, _middle(one.polygon), False) >= 0 for line in lines)
    ]


def without_struck(found: Sequence[TextLine], layer: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Return the found lines without their parts that stand on struck lines of a text layer."""
    struck = [line.polygon for line in layer if line.is_struck]
    if not struck:
        return tuple(found)
    boxes = np.array([(*polygon.min(axis=0), *polygon.max(axis=0)) for polygon in struck])
    return tuple(part for line in found for part in _parts_outside(line, boxes))


def _parts_outside(line: TextLine, boxes: NDArray[np.float64]) -> Iterator[TextLine]:
    """Yield the parts of a line outside boxes; the line itself if all of it is.

    A word is divided only into longer parts: where characters begin and end is known roughly.
    """
    cuts = _cuts_of(line)
    top_left, top_right, bottom_right, bottom_left = line.polygon
    left, right = (top_left + bottom_left) / 2, (top_right + bottom_right) / 2
    middles = (left + (cuts[1:] + cuts[:-1])[:, None] / 2 * (right - left))[:, None]
    inside = ((middles >= boxes[:, :2]) & (middles <= boxes[:, 2:])).all(axis=2).any(axis=1)
    for start, end in [word.span() for word in re.finditer(r"\S+", line.text)]:
        lengths = [len(list(run)) for _, run in groupby(inside[start:end])]
        if min(lengths) < _MIN_DIVIDED_CHARACTERS:
            inside[start:end] = inside[start:end].mean() > 0.5
    left_over = "".join("\0" if is_inside else char for char, is_inside in zip(line.text, inside, strict=True))
    for part in re.finditer(r"[^\0\s]([^\0]*[^\0\s])?", _END_OF_STRIKE.sub(lambda end: "\0" * len(end[0]), left_over)):
        yield _part(line, *part.span())


def _middle(polygon: Polygon) -> tuple[float, float]:
    x, y = polygon.mean(axis=0)
    return float(x), float(y)
