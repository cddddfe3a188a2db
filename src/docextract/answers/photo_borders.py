"""Values at the border of a photo: the rest of their text may be outside it.

Recognition sees a whole word in the visible part of a cut one, so the values are as certain as others. On 300 simulated
photos of documents of five types, 32 of 57 values at the border were wrong, and 9 of 27 with a confidence of 0.95 or
more; elsewhere 58 of 3,285 of these (2026-11-28).
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Polygon, project
from docextract.predictions import PagePrediction, PredictedValue

BORDER_DISTANCE = (
    0.1  # of the text's height: boxes of whole text at the border end further away, those of cut text on it
)
CUT_LOG_ODDS = -3.5  # fitted to the same values
MIN_CONFIDENCE, MAX_CONFIDENCE = 0.001, 0.999


def doubt_cut_values(prediction: PagePrediction, to_photo: NDArray[np.float64]) -> PagePrediction:
    """Return the prediction for a page of a photo, with less confidence in values that begin or end at its border.

    to_photo: [3, 3], from px of the page to coordinates relative to the photo, 0..1.
    """
    doubted = [_doubted(row, to_photo) for row in (prediction.fields, *_rows(prediction))]
    rows = iter(doubted[1:])
    groups = {name: tuple(next(rows) for _ in group) for name, group in prediction.groups.items()}
    return replace(prediction, fields=doubted[0], groups=groups)


def _rows(prediction: PagePrediction) -> list[dict[str, PredictedValue]]:
    return [row for group in prediction.groups.values() for row in group]


def _doubted(values: dict[str, PredictedValue], to_photo: NDArray[np.float64]) -> dict[str, PredictedValue]:
    return {
        name: replace(value, confidence=_confidence_if_cut(value.confidence))
        if any(_is_at_border(polygon, to_photo) for polygon in value.polygons)
        else value
        for name, value in values.items()
    }


def _is_at_border(polygon: Polygon, to_photo: NDArray[np.float64]) -> bool:
    """Whether one of the ends of a line of text is at the border of the photo, or outside it."""
    left, right = (polygon[0] + polygon[3]) / 2, (polygon[1] + polygon[2]) / 2
    height = (np.linalg.norm(polygon[3] - polygon[0]) + np.linalg.norm(polygon[2] - polygon[1])) / 2
    beyond = BORDER_DISTANCE * height * _direction(right - left)
    ends = project(np.stack([left - beyond, right + beyond]), to_photo)
    return bool(ends.min() < 0 or ends.max() > 1)


def _direction(along: NDArray[np.floating]) -> NDArray[np.floating]:
    length = float(np.linalg.norm(along))
    return along / length if length else along


def _confidence_if_cut(confidence: float) -> float:
    bounded = min(max(confidence, MIN_CONFIDENCE), MAX_CONFIDENCE)
    return 1 / (1 + (1 - bounded) / bounded * math.exp(-CUT_LOG_ODDS))
