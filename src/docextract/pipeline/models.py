"""The interface through which the pipeline calls the two models, and the errors of these calls."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from docextract.images.geometry import Glimpse, Page
from docextract.pipeline.problems import ProblemError
from docextract.predictions import Assessment, PagePrediction, TextLine


@dataclass(frozen=True)
class ExtractionTask:
    """One page to extract from.

    document_type: "auto", or the name of a document type.
    lines:         the text layer of the page with its struck lines, px of `page`; () for pages to be recognised.
    """

    page: Page
    document_type: str
    lines: tuple[TextLine, ...] = ()


@dataclass(frozen=True)
class UnderstandingTask:
    """The pages of one document, as `extract` predicted them one by one, to be understood together.

    document_type: "auto", or the name of a document type.
    """

    pages: tuple[PagePrediction, ...]
    document_type: str


class Models(Protocol):
    """The two models, wherever they run. All methods return one result per item, in input order."""

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return the quality network's assessment of each photo. Raises RunnerError."""

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        """Return the field values predicted for each page. Raises RunnerError."""

    async def understand(self, tasks: Sequence[UnderstandingTask]) -> list[tuple[PagePrediction, ...]]:
        """Return the predictions for the pages of each document, which are understood together. Raises RunnerError."""


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


@contextmanager
def runner_errors_as_problems(model: str) -> Iterator[None]:
    """Convert the RunnerErrors of the enclosed calls to ProblemErrors. model: its name, for the detail."""
    try:
        yield
    except OverloadedError:
        raise ProblemError("overloaded", "The server is at capacity. Try again shortly.") from None
    except UnavailableError:
        raise ProblemError("model_not_ready", f"The {model} model is starting. Try again shortly.") from None
    except TooSlowError:
        raise ProblemError("timeout", f"The {model} model took too long.") from None
    except RunnerError:
        raise ProblemError("internal_error", "The model failed on this request.") from None
