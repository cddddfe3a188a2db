"""The interface through which the pipeline calls the two models, and the errors of these calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docextract.images.geometry import Glimpse, Page
from docextract.predictions import Assessment, PagePrediction


@dataclass(frozen=True)
class ExtractionTask:
    """One page to extract from."""

    page: Page
    document_type: str  # "auto", or the name of a document type


class Models(Protocol):
    """The two models, wherever they run. Both methods return one result per item, in input order."""

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return the quality network's assessment of each photo. Raises RunnerError."""

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Return the field values predicted for each page. Raises RunnerError."""


class RunnerError(Exception):
    """A call to a runner that returned no usable result."""


class OverloadedError(RunnerError):
    """The queue of the runner is full."""


class UnavailableError(RunnerError):
    """The runner is starting, or has just died."""


class TooSlowError(RunnerError):
    """The runner did not answer within its time limit."""


class ModelFailedError(RunnerError):
    """The model failed on one of the items, or the runner's results do not belong to the items."""
