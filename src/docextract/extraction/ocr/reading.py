"""OCR: finds and recognises the text lines of pages.

Text detection and recognition are PP-OCR's (`ppocr`); single digits that detection misses are searched for here. The
lines of all pages of a batch are recognised together, sorted by width, so that a batch costs less than its pages.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.detector_weights import DetectorWeights
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.lone_digits import MIN_LONE_DIGIT_CONFIDENCE, find_lone_digits
from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Detector, Engine, RecognisedText, Recogniser
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from docextract.images.geometry import PAPER_WHITE, Box, Page, Polygon, longest_sides, warp_to_rectangle
from docextract.predictions import CharacterAlternative, TextLine

MIN_LINE_CONFIDENCE = 0.5  # below it, recognised text is mostly texture and ruled lines
MIN_UPRIGHT_CONFIDENCE = 0.85  # mean confidence of a character below which a page may be sideways or upside down
ROTATION_SAMPLE_LINES = 8  # lines from which the rotation of a page is estimated
SHEET_GAP_PX, SHEET_STEP_PX = 24, 256  # between boxes that are read together, and of the height of their sheet
DETECTION_SHORT_SIDE_PX = 736  # pages are enlarged to this for detection: PP-OCR was trained so, and finds thin print
DETECTION_LONG_SIDE_PX = 1280  # of the detection canvas; at 960 some small print is missed, see docs/reading-speed.md
LONG_PAGE_PIXELS = 900_000  # of the canvas of a page so long and narrow that its print would otherwise be too small
MIN_PAGE_SIDE_PX = 32  # detection works in steps of 32
MIN_ALTERNATIVE_ODDS = 0.005  # of another character over the recognised one; smaller odds are not reported
DEFAULT_ENGINE = Engine()
# Position of a character's centre within the column that emits it. With it, character borders on printed pages are off
# by a tenth of a character.
EMISSION_OFFSET_COLUMNS = 0.25


class Reader:
    """Reads upright pages. Not thread-safe. The networks are loaded when the first page is read."""

    def __init__(
        self,
        engine: Engine = DEFAULT_ENGINE,
        long_side_px: int = DETECTION_LONG_SIDE_PX,
        layers: RecogniserLayers | None = None,
        language_model: LanguageModel | None = None,
        detector: DetectorWeights | None = None,
    ) -> None:
        """long_side_px: see DETECTION_LONG_SIDE_PX. layers, language_model: see Recogniser. detector: see Detector."""
        self._engine = engine
        self._layers, self._language_model = layers, language_model
        self._detector_weights = detector
        self._canvas_share = detector.scale if detector else 1.0
        self._long_side_px = long_side_px

    @classmethod
    def load(cls, folder: Path, engine: Engine = DEFAULT_ENGINE) -> "Reader":
        """Load the reader of an extraction version from its folder of weights."""
        layers, language_model = recogniser_graph.load_layers(folder), LanguageModel.load(folder, engine.device)
        detector = DetectorWeights.load(folder)
        return cls(engine, layers=layers, language_model=language_model, detector=detector)

    @property
    def digest(self) -> str:
        """Digest of the fine-tuned weights; "" for PP-OCR's own without a language model."""
        parts = (self._layers, self._language_model, self._detector_weights)
        return "".join(weights.digest for weights in parts if weights)

    @cached_property
    def _detector(self) -> Detector:
        return Detector(self._engine, self._detector_weights)

    @cached_property
    def _recogniser(self) -> Recogniser:
        return Recogniser(self._engine, self._layers, self._language_model)

    def read(self, pages: Sequence[Page]) -> list[tuple[TextLine, ...]]:
        """Return the lines of each page, in input order; () for a page without print. A page's lines are unordered.

        A page with a low mean confidence is also read in the rotation in which its print makes most sense. Polygons
        are in px of the page as given, each from the line's own top left, so they show the direction of the print.
        """
        by_page = [
            self._read_rotated(page, lines) if lines and _mean_confidence(lines) < MIN_UPRIGHT_CONFIDENCE else lines
            for page, lines in zip(pages, self._read_all(pages), strict=True)
        ]
        return [tuple(line for line in lines if line.confidence >= MIN_LINE_CONFIDENCE) for lines in by_page]

    def read_strips(self, page: Page, polygons: Sequence[Polygon]) -> list[tuple[str, float]]:
        """Return text and confidence of the print within each polygon, px of the page, from its pixels alone."""
        texts = self._recogniser.read([_cut(page, polygon) for polygon in polygons], pixels_only=True)
        return [(one.text, one.confidence) for one in texts]

    def read_boxes(self, page: Page, boxes: Sequence[Box]) -> list[TextLine]:
        """Return the lines within boxes of the page; polygons in px of the page.

        The boxes are detected together on one sheet: alone, each would be enlarged to the size of a page.
        """
        if not boxes:
            return []
        sheet, corners = _sheet_of(page, boxes)
        found: list[TextLine] = []
        for line in self._read_detected([sheet], self._detector.detect([sheet], [self._scale(page)]))[0]:
            at = _box_at(line.polygon, boxes, corners)
            if at is not None and line.confidence >= MIN_LINE_CONFIDENCE:
                moved = np.subtract(boxes[at][:2], corners[at]).astype(np.float32)
                found.append(replace(line, polygon=line.polygon + moved))
        return found

    def cut_lines(self, page: Page) -> list[tuple[Polygon, Page]]:
        """Return the detected lines, each with the strip that the recogniser gets."""
        return [(polygon, _cut(page, polygon)) for polygons in self._detect([page]) for polygon in polygons]

    def _read_rotated(self, page: Page, lines: tuple[TextLine, ...]) -> tuple[TextLine, ...]:
        """Read a page again in its likeliest rotation. Returns the better of the two readings."""
        quarter_turns = self._best_rotation(page, lines)
        if quarter_turns == 0:
            return lines
        (again,) = self._read_all([np.ascontiguousarray(np.rot90(page, quarter_turns))])
        return max(lines, _rotate_back(again, quarter_turns, *page.shape[:2]), key=_legibility)

    def _best_rotation(self, page: Page, lines: Sequence[TextLine]) -> int:
        """Return the counter-clockwise quarter turns after which the largest lines are most legible."""
        largest = sorted(lines, key=lambda line: cv2.contourArea(line.polygon), reverse=True)[:ROTATION_SAMPLE_LINES]
        strips = [_cut(page, line.polygon) for line in largest]
        legibilities = []
        for quarter_turns in range(4):
            rotated = [np.ascontiguousarray(np.rot90(strip, quarter_turns)) for strip in strips]
            texts = self._recogniser.read(rotated, pixels_only=True)
            legibilities.append(
                _legibility(
                    [TextLine(one.text, line.polygon, one.confidence) for line, one in zip(largest, texts, strict=True)]
                )
            )
        return int(np.argmax(legibilities))

    def _read_all(self, pages: Sequence[Page]) -> list[tuple[TextLine, ...]]:
        """Read pages as they are; lines without text and with low confidence are included."""
        return self._read_detected(pages, self._detect(pages))

    def _read_detected(
        self, pages: Sequence[Page], detected: Iterable[Sequence[Polygon]]
    ) -> list[tuple[TextLine, ...]]:
        by_page = [
            (page, polygons, find_lone_digits(page, polygons)) for page, polygons in zip(pages, detected, strict=True)
        ]
        strips = [_cut(page, polygon) for page, polygons, digits in by_page for polygon in (*polygons, *digits)]
        texts = iter(self._recogniser.read(strips))
        return [
            (
                *[_text_line(polygon, next(texts)) for polygon in polygons],
                *filter(_is_lone_digit, [_text_line(polygon, next(texts)) for polygon in digits]),
            )
            for _, polygons, digits in by_page
        ]

    def _detect(self, pages: Sequence[Page]) -> Iterator[list[Polygon]]:
        enlarged = [_with_smallest_size(page) for page in pages]
        return self._detector.detect(enlarged, [self._scale(page) for page in enlarged])

    def _scale(self, page: Page) -> float:
        return canvas_scale(page, self._long_side_px) * self._canvas_share


def _with_smallest_size(page: Page) -> Page:
    """Return a page with white on the right and below, if it is too small for detection."""
    down, right = (max(0, MIN_PAGE_SIDE_PX - side) for side in page.shape[:2])
    if not (down or right):
        return page
    return np.pad(page, ((0, down), (0, right), (0, 0)), constant_values=PAPER_WHITE)


def _sheet_of(page: Page, boxes: Sequence[Box]) -> tuple[Page, list[tuple[int, int]]]:
    """Return boxes of a page on a white sheet, in rows from the highest box on, and the upper left corner of each."""
    width = max(page.shape[1], *(right - left for left, _, right, _ in boxes))
    corners: dict[int, tuple[int, int]] = {}
    x = y = row_height = 0
    for at in sorted(range(len(boxes)), key=lambda at: boxes[at][1] - boxes[at][3]):
        left, top, right, bottom = boxes[at]
        if x + right - left > width:
            x, y, row_height = 0, y + row_height + SHEET_GAP_PX, 0
        corners[at] = (x, y)
        x, row_height = x + right - left + SHEET_GAP_PX, max(row_height, bottom - top)
    # Few sizes: each new one costs the runtime seconds once.
    height = -(-max(y + row_height, MIN_PAGE_SIDE_PX) // SHEET_STEP_PX) * SHEET_STEP_PX
    sheet = np.full((height, width, 3), PAPER_WHITE, np.uint8)
    for at, (x, y) in corners.items():
        left, top, right, bottom = boxes[at]
        sheet[y : y + bottom - top, x : x + right - left] = page[top:bottom, left:right]
    return sheet, [corners[at] for at in range(len(boxes))]


def _box_at(polygon: Polygon, boxes: Sequence[Box], corners: Sequence[tuple[int, int]]) -> int | None:
    """Return the box in which the middle of a line lies on the sheet."""
    x, y = polygon.mean(axis=0)
    for at, ((left, top, right, bottom), (x0, y0)) in enumerate(zip(boxes, corners, strict=True)):
        if x0 <= x <= x0 + right - left and y0 <= y <= y0 + bottom - top:
            return at
    return None


def _is_lone_digit(line: TextLine) -> bool:
    return line.text.isdigit() and line.confidence >= MIN_LONE_DIGIT_CONFIDENCE


def _mean_confidence(lines: Sequence[TextLine]) -> float:
    """Return the mean confidence of a character, or 0. Upright print has 0.95, print upside down 0.7."""
    characters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / characters if characters else 0.0


def _legibility(lines: Sequence[TextLine]) -> float:
    """Return the number of characters times their mean confidence."""
    return _mean_confidence(lines) * sum(len(line.text) for line in lines)


def _rotate_back(lines: Sequence[TextLine], quarter_turns: int, height: int, width: int) -> tuple[TextLine, ...]:
    """Map lines of np.rot90(page, quarter_turns) to px of the page, which has this height and width."""

    def to_page(polygon: Polygon) -> Polygon:
        x, y = polygon.T
        by_turns = {1: (width - y, x), 2: (width - x, height - y), 3: (y, height - x)}
        return np.stack(by_turns[quarter_turns], axis=1)

    return tuple(replace(line, polygon=to_page(line.polygon)) for line in lines)


def canvas_scale(page: Page, long_side_px: int = DETECTION_LONG_SIDE_PX) -> float:
    """Return canvas px per page px, for detection with PP-OCR's own weights."""
    height, width = int(page.shape[0]), int(page.shape[1])
    enlarged = max(1.0, DETECTION_SHORT_SIDE_PX / min(height, width))
    return min(enlarged, max(long_side_px / max(height, width), math.sqrt(LONG_PAGE_PIXELS / (height * width))))


def _cut(page: Page, polygon: Polygon) -> Page:
    """Cut a line out of a page, level; at least as high as the recogniser's input, so that it is resampled once."""
    width, height = (max(4.0, side) for side in longest_sides(polygon))
    scale = max(1.0, TEXT_STRIP_HEIGHT_PX / height)
    return warp_to_rectangle(page, polygon, round(width * scale), round(height * scale))


def _text_line(polygon: Polygon, recognised: RecognisedText) -> TextLine:
    text = " ".join(recognised.text.split())
    columns = [column for column, char in zip(recognised.columns, recognised.text, strict=True) if not char.isspace()]
    cuts = _cuts(text, columns, recognised.column_count) if columns else None
    return TextLine(text, polygon, recognised.confidence, cuts, _alternatives(text, recognised))


def _alternatives(text: str, recognised: RecognisedText) -> tuple[CharacterAlternative, ...]:
    """Return the alternatives of uncertain characters. text: the recognised text with single spaces."""
    sources = [index for index, char in enumerate(recognised.text) if not char.isspace()]
    places = (index for index, char in enumerate(text) if char != " ")
    return tuple(
        CharacterAlternative(place, recognised.alternatives[source], round(float(recognised.odds[source]), 4))
        for place, source in zip(places, sources, strict=True)
        if recognised.odds[source] >= MIN_ALTERNATIVE_ODDS and not recognised.alternatives[source].isspace()
    )


def _cuts(text: str, columns: Sequence[int], column_count: float) -> tuple[float, ...]:
    """Return the borders between characters, 0..1 along the line, from the columns at which CTC emitted them."""
    emitted = iter(columns)
    centres = np.array(
        [np.nan if char == " " else (next(emitted) + EMISSION_OFFSET_COLUMNS) / column_count for char in text]
    )
    known = ~np.isnan(centres)
    centres = np.interp(np.arange(len(text)), np.flatnonzero(known), centres[known])
    inner = (centres[1:] + centres[:-1]) / 2  # the box of a line is tight, so its ends are those of the text
    return tuple(np.clip(np.concatenate([[0.0], inner, [1.0]]), 0, 1).tolist())
