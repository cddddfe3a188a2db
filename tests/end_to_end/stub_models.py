"""Models that answer from a page's grey level: small, real and quick to load, for tests that start the service.

A black page makes the model raise, on its own or in company, and a white one may take it long. config.json beside
them sets how slow they are, and by what their answers can be told from those of another version.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docextract.documents.values import Conventions
from docextract.images.geometry import Glimpse, Page
from docextract.predictions import Assessment, PagePrediction, PredictedValue
from docextract.quality.criteria import CRITERIA

BLACK_BELOW, WHITE_FROM = 8, 250
_FOR_EVER_S = 3600.0


@dataclass(frozen=True)
class Pace:
    """Seconds that things take, and what marks the answers."""

    load_s: float = 0.0
    batch_s: float = 0.0
    white_s: float = 0.0  # of the extractor, more for each white page
    hangs_at: int = -1  # the grey level of a page over which the extractor never ends
    mark: str = ""  # of the extractor, after the grey level, and in what it raises
    detected: float = 0.9  # of the assessor

    @classmethod
    def of(cls, folder: Path) -> "Pace":
        pace = cls(**json.loads((folder / "config.json").read_text()))
        time.sleep(pace.load_s)
        return pace


class StubAssessor:
    """Sees no document anywhere, and finds nothing wrong."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    @classmethod
    def load(cls, folder: Path, device: str) -> "StubAssessor":
        return cls(Pace.of(folder))

    def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        time.sleep(self._pace.batch_s)
        scores = {criterion.name: 0.9 for criterion in CRITERIA}
        return [Assessment(self._pace.detected, "receipt", 0.9, None, None, 0, scores) for _ in glimpses]


class StubExtractor:
    """Reads the page's grey level as the merchant's name."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    @classmethod
    def load(cls, folder: Path, device: str) -> "StubExtractor":
        return cls(Pace.of(folder))

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        time.sleep(self._pace.batch_s)
        if any(round(float(page.mean())) == self._pace.hangs_at for page in pages):
            time.sleep(_FOR_EVER_S)
        time.sleep(self._pace.white_s * sum(page.mean() >= WHITE_FROM for page in pages))
        return [_read(page, self._pace.mark) for page in pages]


def _read(page: Page, mark: str) -> PagePrediction:
    grey = round(float(page.mean()))
    if grey < BLACK_BELOW:
        raise ValueError(f"nothing but night{mark}")
    name = PredictedValue(f"GREY {grey}{mark}", f"GREY {grey}{mark}", 0.9, ())
    return PagePrediction("receipt", 0.99, Conventions(), {"merchant_name": name})
