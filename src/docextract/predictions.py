"""What the two models found, as plain values that cross the border between processes.

The runners return these; the front turns them into answers. One item in, one finding out: a page on which
nothing is found has an empty finding, it does not raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from docextract.documents.values import Conventions
from docextract.images.geometry import Polygon

OTHER_TYPE = "other"  # the type of pages that are none of ours


@dataclass(frozen=True)
class Assessment:
    """The quality network's view of one photo. Every score is a probability in 0..1, calibrated.

    polygon: [4, 2], relative to the photo (0..1, may lie a little outside), clockwise from the document's
             own top-left corner; None where no document is seen.
    scores: for each criterion of `docextract.quality.criteria`, the probability that the photo is free of it.
    """

    detected: float
    type: str | None
    type_confidence: float
    side: str | None
    polygon: NDArray[np.float32] | None
    rotation_degrees: int  # 0, 90, 180, 270: how far the document is turned clockwise in the photo
    scores: dict[str, float]
    version: str = ""  # of the model that says so, see `signed`


@dataclass(frozen=True)
class CharacterAlternative:
    """A character that the reader wavered on: `at` in the text of its line, what else it may be, and the odds of that.

    `odds`: the other's probability over that of what was read, 0..1.
    """

    at: int
    other: str
    odds: float


@dataclass(frozen=True)
class TextLine:
    """One line of text as it was read: `polygon` in px of the page, clockwise from the line's own top left.

    `cuts` are the x positions between characters along the line, 0..1, len(text) + 1 of them, rising.
    """

    text: str
    polygon: Polygon
    confidence: float
    cuts: tuple[float, ...] | None = None
    alternatives: tuple[CharacterAlternative, ...] = ()


@dataclass(frozen=True)
class PredictedValue:
    """One value: what is printed, what it means, how sure, and where."""

    content: str
    value: Any  # str, Decimal, date, time: as the field's Kind parses it
    confidence: float
    polygons: tuple[Polygon, ...]  # one for each printed line it stands on, px of the page


@dataclass(frozen=True)
class PredictedZone:
    """A machine-readable zone (ICAO Doc 9303) that was read by rule.

    fields: by the names of identity documents' fields; `optional_data` is at the issuing state's discretion.
    checks: by field, and "composite": whether the check digit agrees.
    """

    format: str  # TD1, TD2, TD3
    document_code: str  # "P", "ID", …
    lines: tuple[str, ...]
    valid: bool
    checks: dict[str, bool]
    names_truncated: bool  # the names fill their line: the printed ones may go on
    confidence: float  # that every character is right
    polygons: tuple[Polygon, ...]  # one for each line as read, px of the page
    fields: dict[str, PredictedValue]


@dataclass(frozen=True)
class PagePrediction:
    """All that was found on one page."""

    type: str  # a document type's name, or OTHER
    type_confidence: float  # 0..1; of a type that was asked for: how much the page looks like it
    conventions: Conventions
    fields: dict[str, PredictedValue] = field(default_factory=dict)  # "total" → …; absent fields are not here
    groups: dict[str, tuple[dict[str, PredictedValue], ...]] = field(
        default_factory=dict
    )  # "line_items" → rows, by leaf
    lines: tuple[TextLine, ...] = ()
    zone: PredictedZone | None = None
    version: str = ""  # of the model that says so, see `signed`


Prediction = TypeVar("Prediction", Assessment, PagePrediction)


def with_version(findings: Sequence[Prediction], version: str) -> list[Prediction]:
    """The same with the version of the model that made them: only the process that holds the model knows it."""
    return [replace(finding, version=version) for finding in findings]
