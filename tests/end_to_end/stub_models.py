"""Stub models that answer with the grey level of a page: small and quick to load, for tests that start the service.

A black page makes the extractor raise, also in a batch with other pages; a white page may take long. config.json in
their weights folder sets their delays, and marks their answers so that tests can identify the version.
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
class StubConfig:
    """Delays in seconds, and marks of the answers."""

    load_s: float = 0.0
    batch_s: float = 0.0
    white_s: float = 0.0  # of the extractor, additional for each white page
    hangs_at: int = -1  # grey level of a page for which the extractor never returns
    mark: str = ""  # of the extractor, added to the grey level and to the message of its exception
    detected: float = 0.9  # of the assessor, its confidence

    @classmethod
    def of(cls, folder: Path) -> "StubConfig":
        config = cls(**json.loads((folder / "config.json").read_text()))
        time.sleep(config.load_s)
        return config


class StubAssessor:
    """Detects no document, and finds no defect."""

    def __init__(self, config: StubConfig) -> None:
        self._config = config

    @classmethod
    def load(cls, folder: Path, device: str) -> "StubAssessor":
        return cls(StubConfig.of(folder))

    def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        time.sleep(self._config.batch_s)
        scores = {criterion.name: 0.9 for criterion in CRITERIA}
        return [Assessment(self._config.detected, "receipt", 0.9, None, None, 0, scores) for _ in glimpses]


class StubExtractor:
    """Returns the grey level of the page as the merchant's name."""

    def __init__(self, config: StubConfig) -> None:
        self._config = config

    @classmethod
    def load(cls, folder: Path, device: str) -> "StubExtractor":
        return cls(StubConfig.of(folder))

    def extract(self, pages: Sequence[Page], document_types: Sequence[str]) -> list[PagePrediction]:
        time.sleep(self._config.batch_s)
        if any(round(float(page.mean())) == self._config.hangs_at for page in pages):
            time.sleep(_FOR_EVER_S)
        time.sleep(self._config.white_s * sum(page.mean() >= WHITE_FROM for page in pages))
        return [_read(page, self._config.mark) for page in pages]


def _read(page: Page, mark: str) -> PagePrediction:
    grey = round(float(page.mean()))
    if grey < BLACK_BELOW:
        raise ValueError(f"nothing but night{mark}")
    name = PredictedValue(f"GREY {grey}{mark}", f"GREY {grey}{mark}", 0.9, ())
    return PagePrediction("receipt", 0.99, Conventions(), {"merchant_name": name}, error_bounds=((0.5, 0.001),))
