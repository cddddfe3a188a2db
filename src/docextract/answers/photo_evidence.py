"""What a photo says about the values that are read in it, beyond what recognition sees.

Text at the border of a photo may go on outside it: recognition sees a whole word in the visible part of a cut one. On
300 simulated photos of documents of five types, 32 of 57 values at the border were wrong, and 9 of 27 with a confidence
of 0.95 or more; elsewhere 58 of 3,285 of these (2026-11-28).

Where the legibility map expects misread print, some of it is misread unnoticed. With it, the confidences of 4,379
values on these photos tell right from wrong ones with an AUROC of 0.935 instead of 0.932, and 76 instead of 73 % of
them are surer than all but one in a hundred that are wrong; on 117 simulated photos of receipts (SROIE) the AUROC is
0.870 instead of 0.856, on 97 real phone photos, with 14 wrong values, 0.949 instead of 0.950.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docextract.answers.odds import confidence_of, log_odds
from docextract.images.geometry import Polygon, project
from docextract.predictions import Legibility, PagePrediction, PredictedValue

BORDER_DISTANCE = 0.1  # of the height of text: boxes of whole text end further from the border, those of cut text on it
CUT_LOG_ODDS = -3.5  # fitted to the same values
UNNOTICED_SHARE = 0.1  # of print that the legibility map expects to be misread
MAX_CONFIDENCE = 0.99  # before text is taken to be cut
_PLACES_PER_LINE = 9  # along a line of text, at which the map is looked at


def with_photo_evidence(
    prediction: PagePrediction, to_photo: NDArray[np.float64], legibility: Legibility | None, width: int, height: int
) -> PagePrediction:
    """Return the prediction for a page of a photo, with less confidence in values that the photo makes doubtful.

    to_photo: [3, 3], from px of the page to coordinates relative to the photo, 0..1. width, height: of the photo, px.
    """
    cells = legibility.cells if legibility else None
    side = legibility.cell_side(width, height) if legibility else 1.0
    to_cells = np.diag([width / side, height / side, 1.0]) @ to_photo
    return prediction.with_values(lambda value: _doubted(value, to_photo, cells, to_cells))


def _doubted(
    value: PredictedValue,
    to_photo: NDArray[np.float64],
    cells: NDArray[np.float32] | None,
    to_cells: NDArray[np.float64],
) -> PredictedValue:
    confidence = value.confidence
    if any(_is_at_border(polygon, to_photo) for polygon in value.polygons):
        confidence = confidence_of(log_odds(min(confidence, MAX_CONFIDENCE)) + CUT_LOG_ODDS)
    if cells is not None and value.polygons:
        least = min(_least_legibility(polygon, to_cells, cells) for polygon in value.polygons)
        confidence *= 1 - UNNOTICED_SHARE * (1 - least)
    return replace(value, confidence=confidence)


def _is_at_border(polygon: Polygon, to_photo: NDArray[np.float64]) -> bool:
    """Whether one of the ends of a line of text is at the border of the photo, or outside it."""
    left, right = _ends(polygon)
    height = (np.linalg.norm(polygon[3] - polygon[0]) + np.linalg.norm(polygon[2] - polygon[1])) / 2
    length = float(np.linalg.norm(right - left))
    beyond = (right - left) * (BORDER_DISTANCE * height / length) if length else np.zeros(2)
    ends = project(np.stack([left - beyond, right + beyond]), to_photo)
    return bool(ends.min() < 0 or ends.max() > 1)


def _least_legibility(polygon: Polygon, to_cells: NDArray[np.float64], cells: NDArray[np.float32]) -> float:
    """Return the least probability along a line of text that print there is read right, 0..1."""
    left, right = _ends(polygon)
    along = left + (right - left) * np.linspace(0, 1, _PLACES_PER_LINE)[:, None]
    columns, rows = np.clip(project(along, to_cells), 0, np.subtract(cells.shape[::-1], 1)).T
    return float(cells[rows.astype(np.intp), columns.astype(np.intp)].min())


def _ends(polygon: Polygon) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return the centres of the left and the right edge of a line of text."""
    return (polygon[0] + polygon[3]) / 2, (polygon[1] + polygon[2]) / 2
