"""Stub models for browser tests: they answer at once, and raise errors on request.

The assessor takes the bright part of the picture for the document. The extractor returns the same receipt or passport
for each page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import cv2
import numpy as np

from docextract.documents.values import Conventions
from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.models import ExtractionTask, UnderstandingTask
from docextract.predictions import Assessment, Legibility, PagePrediction, PredictedValue, PredictedZone, TextLine
from docextract.quality.criteria import CRITERIA

_PAPER_MIN_GREY = 150  # grey level above which a pixel is paper, not table
_MIN_PAPER_SHARE = 0.1  # share of the picture that paper must cover to be detected
_CENTRAL_POLYGON = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.9], [0.1, 0.9]], np.float32)

ZONE = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")


@dataclass
class PlainModels:
    """Models that return one document type. `trouble` is raised if set; `verdicts` says which photos are accepted."""

    reads: str = "receipt"
    trouble: Exception | None = None
    verdicts: Iterator[bool] | None = None
    legibility: Legibility | None = None  # of photos for which there is a verdict
    asked: int = 0  # number of calls of assess
    tasks: list[ExtractionTask] = field(default_factory=list)
    parts: tuple[tuple[TextLine, ...], ...] = ()  # of each page of the next call alone

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Detect the bright part, and whether it is completely inside the picture."""
        self.asked += 1
        if self.trouble is not None:
            raise self.trouble
        if self.verdicts is not None:
            found = [_assessment_with_glare(not next(self.verdicts, True)) for _ in glimpses]
            return [replace(one, legibility=self.legibility) for one in found]
        return [_assessment(glimpse.frame.pixels, glimpse) for glimpse in glimpses]

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Return the requested document type, or `reads` by default."""
        self.tasks += tasks
        if self.trouble is not None:
            raise self.trouble
        names = [self.reads if task.document_type == "auto" else task.document_type for task in tasks]
        parts, self.parts = self.parts, ()
        return [replace(_predict(name, task), parts=parts) for name, task in zip(names, tasks, strict=True)]

    async def understand(self, tasks: Sequence[UnderstandingTask]) -> list[tuple[PagePrediction, ...]]:
        """Return the pages as they are."""
        return [task.pages for task in tasks]


def _predict(name: str, task: ExtractionTask) -> PagePrediction:
    """The prediction of the type; its text is from the text layer if there is one."""
    prediction = _PREDICTIONS.get(name, _other)(task.page)
    return replace(prediction, text_source="embedded") if task.lines else prediction


def _assessment_with_glare(glare: bool) -> Assessment:
    """An assessment without defects except, optionally, glare."""
    scores = {criterion.name: 0.95 for criterion in CRITERIA} | ({"glare": 0.02} if glare else {})
    return Assessment(0.97, "receipt", 0.95, "front", _CENTRAL_POLYGON, 0, scores)


def _assessment(pixels: Page, glimpse: Glimpse) -> Assessment:
    scale = max(pixels.shape[:2]) / max(glimpse.width, glimpse.height)
    height, width = round(glimpse.height * scale), round(glimpse.width * scale)
    bright = cv2.cvtColor(pixels[:height, :width], cv2.COLOR_RGB2GRAY) > _PAPER_MIN_GREY
    scores = {criterion.name: 0.95 for criterion in CRITERIA}
    if bright.mean() < _MIN_PAPER_SHARE:
        return Assessment(0.05, None, 0.0, None, None, 0, scores | {"document_absent": 0.05})
    left, top, wide, high = cv2.boundingRect(bright.astype(np.uint8))
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]], np.float32)
    if left + wide >= width - 1:
        scores["document_cutoff"] = 0.02
    return Assessment(0.97, "receipt", 0.95, "front", corners / np.float32([width, height]), 0, scores)


def _value(page: Page, content: str, value: Any, confidence: float, box: tuple[float, float, float, float] | None):
    """box: left, top, width and height as shares of the page; None for a value without a place."""
    if box is None:
        return PredictedValue(content, value, confidence, ())
    height, width = page.shape[:2]
    left, top, wide, high = box
    corners = np.array([[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]])
    return PredictedValue(content, value, confidence, ((corners * [width, height]).astype(np.float32),))


def _receipt(page: Page) -> PagePrediction:
    def row(at: int, text: str, quantity: str, price: str, confidence: float) -> dict[str, PredictedValue]:
        top = 0.46 + 0.04 * at
        return {
            "description": _value(page, text, text, confidence, (0.1, top, 0.4, 0.03)),
            "quantity": _value(page, quantity, Decimal(quantity), 0.97, (0.55, top, 0.1, 0.03)),
            "amount": _value(page, price, Decimal(price), confidence, (0.75, top, 0.15, 0.03)),
        }

    fields = {
        "merchant_name": _value(page, "CORNER BAKERY", "CORNER BAKERY", 0.99, (0.2, 0.08, 0.6, 0.05)),
        "merchant_address": _value(page, "1 High Street", "1 High Street", 0.82, (0.2, 0.15, 0.6, 0.04)),
        "document_number": _value(page, "=A1", "=A1", 0.52, (0.1, 0.25, 0.2, 0.03)),
        "document_date": _value(page, "25/12/2018", date(2018, 12, 25), 0.995, (0.6, 0.25, 0.3, 0.03)),
        "transaction_time": _value(page, "8:13", time(8, 13), 0.93, None),
        "total": _value(page, "9.00", Decimal("9.00"), 0.98, (0.7, 0.62, 0.2, 0.04)),
    }
    rows = (row(0, "WALNUT BREAD", "1", "6.50", 0.98), row(1, "R0LL", "3", "2.40", 0.41))
    return PagePrediction(
        "receipt", 0.99, Conventions(currency="MYR"), fields, {"line_items": rows}, error_bounds=((0.5, 0.001),)
    )


def _passport(page: Page) -> PagePrediction:
    def both(content: str, value: Any, top: float) -> PredictedValue:
        return _value(page, content, value, 0.96, (0.4, top, 0.4, 0.03))

    names = {
        "family_name": both("ERIKSSON", "ERIKSSON", 0.3),
        "given_name": both("ANNA MARIA", "ANNA MARIA", 0.35),
        "birth_date": both("12 AUG/AOÛT 74", date(1974, 8, 12), 0.4),
    }
    zone = PredictedZone(
        "TD3", "P", ZONE, True, {"birth_date": True, "composite": True}, False, 0.97,
        (np.array([[0.05, 0.8], [0.95, 0.8], [0.95, 0.9], [0.05, 0.9]], np.float32) * np.float32(page.shape[1::-1]),),
        names,
    )  # fmt: skip
    printed = names | {
        "family_name": both("Eriksson", "Eriksson", 0.3),
        "given_name": both("ANNE MARIA", "ANNE MARIA", 0.35),
    }
    return PagePrediction("passport", 0.98, Conventions(), printed, zone=zone, error_bounds=((0.5, 0.001),))


def _other(page: Page) -> PagePrediction:
    return PagePrediction("other", 0.97, Conventions())


_PREDICTIONS = {"receipt": _receipt, "passport": _passport}
