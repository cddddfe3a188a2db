"""Pixels → lines of text with their places. The only module that knows which library reads print.

RapidOCR (PP-OCR detection and recognition, ONNX Runtime) carries its weights inside its package. Lines
of all pages of a batch are recognised together, sorted by width, so a batch costs less than its pages.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from docextract.findings import Line
from docextract.imaging import PAPER_WHITE, Page, Polygon

MIN_CONFIDENCE = 0.5  # below it PP-OCR's text is mostly texture and ruled lines
DOUBTFUL = 0.85  # mean confidence of a letter below which a page may be lying on its side or head
RECOGNITION_BATCH = 8  # lines; wider batches pad more than they save on a CPU
SHORT_SIDE_PX = 736  # pages are enlarged to this for detection: thin print is found there, as PP-OCR was trained
MOST_PIXELS = 4_000_000  # of the detection canvas; without a bound a strip one pixel wide would fill the memory
LEAST_SIDE_PX = 32  # detection works in steps of 32
EMISSION = (
    0.25  # of a column: where a letter's middle lies; with it, cuts on printed pages are off by a tenth of a letter
)
CHANNEL_SWAP = slice(None, None, -1)  # RapidOCR expects BGR


class Reader:
    """Reads upright pages. Holds two ONNX sessions; not for use by several threads at once."""

    def __init__(self, threads: int = -1, cuda: bool = False) -> None:
        """threads: for each session; -1 leaves it to ONNX Runtime."""
        from rapidocr import RapidOCR

        engine = RapidOCR(
            params={
                "Global.log_level": "error",
                "Global.use_cls": False,  # pages are upright here: the quality network turned them
                "Det.limit_type": "max",
                "Det.limit_side_len": MOST_PIXELS,  # scaled here, see _canvas
                "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                "EngineConfig.onnxruntime.use_cuda": cuda,
                "Rec.rec_batch_num": RECOGNITION_BATCH,
            }
        )
        self._detect = engine._load_det_model()
        self._recognise = engine._load_rec_model()

    def read(self, pages: Sequence[Page]) -> list[tuple[Line, ...]]:
        """The lines of each page, in no particular order; () where there is no print.

        A page that reads like nonsense is read the other three ways round too: a line's polygon begins at its own
        top left, so it tells which way the print runs.
        """
        first = self._read(pages)
        upright = [
            self._turned(page, lines) if lines and _clarity(lines) < DOUBTFUL else lines
            for page, lines in zip(pages, first, strict=True)
        ]
        return [tuple(line for line in lines if line.confidence >= MIN_CONFIDENCE) for lines in upright]

    def _turned(self, page: Page, lines: tuple[Line, ...]) -> tuple[Line, ...]:
        turns = (1, 2, 3)
        others = self._read([np.ascontiguousarray(np.rot90(page, turn)) for turn in turns])
        back = [_turned_back(some, turn, *page.shape[:2]) for turn, some in zip(turns, others, strict=True)]
        return max([lines, *back], key=lambda some: _clarity(some) * sum(len(line.text) for line in some))

    def _read(self, pages: Sequence[Page]) -> list[tuple[Line, ...]]:
        from rapidocr.ch_ppocr_rec.typings import TextRecInput

        boxes = [self._boxes(page) for page in pages]
        strips = [_cut(page, box) for page, found in zip(pages, boxes, strict=True) for box in found]
        if not strips:
            return [() for _ in pages]
        result = self._recognise(TextRecInput(img=strips, return_word_box=True))
        read = zip(itertools.chain(*boxes), result.txts, result.scores, result.word_results, strict=True)
        lines = [_line(*one) for one in read]
        counts = [len(found) for found in boxes]
        ends = list(itertools.accumulate(counts))
        return [
            tuple(line for line in lines[end - count : end] if line.text)
            for end, count in zip(ends, counts, strict=True)
        ]

    def _boxes(self, page: Page) -> list[np.ndarray]:
        canvas, scale = _canvas(page)
        found = self._detect(np.ascontiguousarray(canvas[..., CHANNEL_SWAP]))
        return [] if found.boxes is None else [(box / scale).astype(np.float32) for box in found.boxes]


def _clarity(lines: Sequence[Line]) -> float:
    """Mean confidence of a letter; 0 without any. Upright print has 0.95, print upside down 0.7."""
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


def _turned_back(lines: Sequence[Line], turns: int, height: int, width: int) -> tuple[Line, ...]:
    """Lines of np.rot90(page, turns) in px of the page itself, of this height and width."""

    def back(polygon: Polygon) -> Polygon:
        x, y = polygon.T
        return np.stack({1: (width - y, x), 2: (width - x, height - y), 3: (y, height - x)}[turns], axis=1)

    return tuple(replace(line, polygon=back(line.polygon)) for line in lines)


def _canvas(page: Page) -> tuple[Page, float]:
    """The page as detection wants it, and canvas px per page px."""
    down, right = (max(0, LEAST_SIDE_PX - side) for side in page.shape[:2])
    if down or right:
        page = np.pad(page, ((0, down), (0, right), (0, 0)), constant_values=PAPER_WHITE)
    height, width = page.shape[:2]
    scale = min(max(1.0, SHORT_SIDE_PX / min(height, width)), float(MOST_PIXELS / (height * width)) ** 0.5)
    if scale == 1.0:
        return page, scale
    size = (round(width * scale), round(height * scale))
    canvas = cv2.resize(page, size, interpolation=cv2.INTER_LINEAR if scale > 1 else cv2.INTER_AREA)
    return canvas.astype(np.uint8, copy=False), scale


def _cut(page: Page, box: np.ndarray) -> np.ndarray:
    """The line alone, level, BGR."""
    width = max(4, round(max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[3] - box[2]))))
    height = max(4, round(max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2]))))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    flat = cv2.warpPerspective(
        page, cv2.getPerspectiveTransform(box, target), (width, height),
        flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    return np.ascontiguousarray(flat[..., CHANNEL_SWAP])


def _line(box: np.ndarray, text: str, confidence: float, word_info: Any) -> Line:
    trimmed = " ".join(text.split())
    columns = list(itertools.chain(*word_info.word_cols))
    span = float(word_info.line_txt_len)
    if not columns or len(columns) != len(trimmed.replace(" ", "")) or span <= 0:
        return Line(trimmed, box, float(confidence))
    return Line(trimmed, box, float(confidence), _cuts(trimmed, columns, span))


def _cuts(text: str, columns: Sequence[int], span: float) -> tuple[float, ...]:
    """Borders between characters, 0..1 along the line, from the columns at which CTC emitted them."""
    emitted = iter(columns)
    centres = np.array([np.nan if char == " " else (next(emitted) + EMISSION) / span for char in text])
    known = ~np.isnan(centres)
    centres = np.interp(np.arange(len(text)), np.flatnonzero(known), centres[known])
    inner = (centres[1:] + centres[:-1]) / 2  # the line's box is tight: its ends are the text's
    return tuple(np.clip(np.concatenate([[0.0], inner, [1.0]]), 0, 1).tolist())
