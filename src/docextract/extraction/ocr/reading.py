"""Pixels → lines of text with their places.

Detecting and recognising print is PP-OCR's part, see ppocr.py; single digits that it does not find are looked for here.
Lines of all pages of a batch are recognised together, sorted by width, so a batch costs less than its pages.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from docextract.extraction.ocr import lone_digits, recogniser_graph
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.ppocr import Detector, Engine, RecognisedText, Recogniser
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from docextract.images.geometry import PAPER_WHITE, Page, Polygon, warp_to_rectangle
from docextract.predictions import CharacterAlternative, TextLine

MIN_CONFIDENCE = 0.5  # below it PP-OCR's text is mostly texture and ruled lines
DOUBTFUL = 0.85  # mean confidence of a letter below which a page may be lying on its side or head
SAMPLE = 8  # lines that tell which way round a page is
DETECTION_SHORT_SIDE_PX = (
    736  # pages are enlarged to this for detection: thin print is found there, as PP-OCR was trained
)
DETECTION_LONG_SIDE_PX = 1280  # of the detection canvas; at 960 some small print is lost, see docs/reading-speed.md
LONG_PAGE_PIXELS = (
    900_000  # of the canvas of a page so long and narrow that the other bound would make its print too small
)
LEAST_SIDE_PX = 32  # detection works in steps of 32
LEAST_ODDS = 0.005  # of another character over the one that was read; below, it is not worth knowing
EMISSION = (
    0.25  # of a column: where a letter's middle lies; with it, cuts on printed pages are off by a tenth of a letter
)


class Reader:
    """Reads upright pages. Not for use by several threads at once. The networks are loaded with the first page."""

    def __init__(
        self, threads: int = 1, cuda: bool = False, engine: Engine | None = None, long_side_px: int = DETECTION_LONG_SIDE_PX,
        layers: RecogniserLayers | None = None, language: LanguageModel | None = None,
    ) -> None:  # fmt: skip
        """engine: all about what runs the networks, in the place of the first two. long_side_px: see DETECTION_LONG_SIDE_PX.

        layers: the recogniser's, where PP-OCR's own are not meant. language: see Recogniser.
        """
        self._engine = engine or Engine(threads=threads, cuda=cuda)
        self._layers, self._language = layers, language
        self._long_side_px = long_side_px

    @classmethod
    def load(cls, folder: Path, threads: int = 1, cuda: bool = False) -> "Reader":
        """As a version of extraction reads, from its folder of weights."""
        return cls(threads, cuda, layers=recogniser_graph.load_layers(folder), language=LanguageModel.load(folder))

    @property
    def digest(self) -> str:
        """Of what was learned here: "" for PP-OCR's own, without a language."""
        return "".join(learned.digest for learned in (self._layers, self._language) if learned)

    @cached_property
    def _detector(self) -> Detector:
        return Detector(self._engine)

    @cached_property
    def _recogniser(self) -> Recogniser:
        return Recogniser(self._engine, self._layers, self._language)

    def read(self, pages: Sequence[Page]) -> list[tuple[TextLine, ...]]:
        """The lines of each page, in no particular order; () where there is no print.

        A page that reads like nonsense is read the way round in which its print makes most sense: a line's polygon
        begins at its own top left, so it tells which way the print runs.
        """
        upright = [
            self._turned(page, lines) if lines and _clarity(lines) < DOUBTFUL else lines
            for page, lines in zip(pages, self._read(pages), strict=True)
        ]
        return [tuple(line for line in lines if line.confidence >= MIN_CONFIDENCE) for lines in upright]

    def cut_lines(self, page: Page) -> list[tuple[Polygon, Page]]:
        """Where print is found, and the strip that the recogniser gets of it."""
        return [(box, _cut(page, box)) for box in self._boxes(page)]

    def _turned(self, page: Page, lines: tuple[TextLine, ...]) -> tuple[TextLine, ...]:
        """The lines of a page that may be lying on its side or head."""
        turn = self._turn(page, lines)
        if turn == 0:
            return lines
        (again,) = self._read([np.ascontiguousarray(np.rot90(page, turn))])
        return max(lines, _turned_back(again, turn, *page.shape[:2]), key=_sense)

    def _turn(self, page: Page, lines: Sequence[TextLine]) -> int:
        """Quarter turns counter-clockwise after which some of the lines make most sense."""
        largest = sorted(lines, key=lambda line: cv2.contourArea(line.polygon), reverse=True)[:SAMPLE]
        strips = [_cut(page, line.polygon) for line in largest]
        senses = []
        for turn in range(4):
            turned = [np.ascontiguousarray(np.rot90(strip, turn)) for strip in strips]
            said = self._recogniser.read(turned, by_pixels=True)
            senses.append(_sense([TextLine(one.text, line.polygon, one.confidence)
                                  for line, one in zip(largest, said, strict=True)]))  # fmt: skip
        return int(np.argmax(senses))

    def _read(self, pages: Sequence[Page]) -> list[tuple[TextLine, ...]]:
        """Those that say nothing among them."""
        found = [self._boxes(page) for page in pages]
        lone = [lone_digits.find_lone_digits(page, boxes) for page, boxes in zip(pages, found, strict=True)]
        places = list(zip(pages, found, lone, strict=True))
        strips = [_cut(page, box) for page, boxes, alone in places for box in (*boxes, *alone)]
        said = iter(self._recogniser.read(strips))
        return [
            (
                *[_line(box, next(said)) for box in boxes],
                *filter(_is_lone_digit, [_line(box, next(said)) for box in alone]),
            )
            for _, boxes, alone in places
        ]

    def _boxes(self, page: Page) -> list[Polygon]:
        down, right = (max(0, LEAST_SIDE_PX - side) for side in page.shape[:2])
        if down or right:
            page = np.pad(page, ((0, down), (0, right), (0, 0)), constant_values=PAPER_WHITE)
        height, width = page.shape[:2]
        return self._detector.find(page, _scale(height, width, self._long_side_px))


def _is_lone_digit(line: TextLine) -> bool:
    return line.text.isdigit() and line.confidence >= lone_digits.SURE


def _clarity(lines: Sequence[TextLine]) -> float:
    """Mean confidence of a letter; 0 without any. Upright print has 0.95, print upside down 0.7."""
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


def _sense(lines: Sequence[TextLine]) -> float:
    """How much is read, and how clearly."""
    return _clarity(lines) * sum(len(line.text) for line in lines)


def _turned_back(lines: Sequence[TextLine], turns: int, height: int, width: int) -> tuple[TextLine, ...]:
    """Lines of np.rot90(page, turns) in px of the page itself, of this height and width."""

    def back(polygon: Polygon) -> Polygon:
        x, y = polygon.T
        return np.stack({1: (width - y, x), 2: (width - x, height - y), 3: (y, height - x)}[turns], axis=1)

    return tuple(replace(line, polygon=back(line.polygon)) for line in lines)


def _scale(height: int, width: int, long_side_px: int) -> float:
    """Canvas px per page px for detection."""
    enlarged = max(1.0, DETECTION_SHORT_SIDE_PX / min(height, width))
    return min(enlarged, max(long_side_px / max(height, width), math.sqrt(LONG_PAGE_PIXELS / (height * width))))


def _cut(page: Page, box: np.ndarray) -> np.ndarray:
    """The line alone, level."""
    width = max(4, round(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[3] - box[2]))))
    height = max(4, round(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2]))))
    return warp_to_rectangle(page, box, width, height)


def _line(box: Polygon, said: RecognisedText) -> TextLine:
    text = " ".join(said.text.split())
    columns = [column for column, char in zip(said.columns, said.text, strict=True) if not char.isspace()]
    cuts = _cuts(text, columns, said.span) if columns else None
    return TextLine(text, box, said.confidence, cuts, _doubts(text, said))


def _doubts(text: str, said: RecognisedText) -> tuple[CharacterAlternative, ...]:
    """Where something else than what was read is not out of the question. text: what was said, squeezed."""
    emitted = [at for at, char in enumerate(said.text) if not char.isspace()]
    places = (at for at, char in enumerate(text) if char != " ")
    return tuple(
        CharacterAlternative(place, said.others[at], round(float(said.odds[at]), 4))
        for place, at in zip(places, emitted, strict=True)
        if said.odds[at] >= LEAST_ODDS and not said.others[at].isspace()
    )


def _cuts(text: str, columns: Sequence[int], span: float) -> tuple[float, ...]:
    """Borders between characters, 0..1 along the line, from the columns at which CTC emitted them."""
    emitted = iter(columns)
    centres = np.array([np.nan if char == " " else (next(emitted) + EMISSION) / span for char in text])
    known = ~np.isnan(centres)
    centres = np.interp(np.arange(len(text)), np.flatnonzero(known), centres[known])
    inner = (centres[1:] + centres[:-1]) / 2  # the line's box is tight: its ends are the text's
    return tuple(np.clip(np.concatenate([[0.0], inner, [1.0]]), 0, 1).tolist())
