"""The two models as the pipeline calls them, wherever they run, and what may go wrong in a call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docextract.images.geometry import Glimpse, Page
from docextract.predictions import Assessment, PagePrediction


@dataclass(frozen=True)
class ExtractionTask:
    """One page to extract from."""

    page: Page
    document_type: str  # "auto", or a type's name


class Models(Protocol):
    """The two models as the HTTP layer sees them. An answer for each item, in order."""

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """What the quality network makes of each photo."""

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """What stands on each page."""


class RunnerTroubleError(Exception):
    """A call that got no usable answer."""


class OverloadedError(RunnerTroubleError):
    """The runner's queue is full."""


class UnavailableError(RunnerTroubleError):
    """The runner is starting, or has just died."""


class TooSlowError(RunnerTroubleError):
    """No answer in time."""


class ModelFailedError(RunnerTroubleError):
    """The model failed on one of these items, or the runner broke its promise."""
