"""Where on a document required fields are least likely to be read right, in words for guidance."""

import numpy as np
from numpy.typing import NDArray

from docextract.predictions import Legibility
from docextract.sources import PLACES, Place

_THIRDS = 3
# A place is named if so much more of the required fields is misread there than on the whole document; otherwise the
# document is about equally legible, or illegible, everywhere. Chosen with training.evaluation.named_places.
MIN_DIFFERENCE = 0.2
MIN_SHARE_OF_FIELDS = 0.05  # of the required fields that probably stands there


def least_legible_place(legibility: Legibility, outline: NDArray[np.float32], width: int, height: int) -> Place | None:
    """Return the ninth of a document's bounding box in which its required fields are least legible.

    None if no place stands out. outline: [4, 2], relative to the photo (may lie slightly outside 0..1). width, height:
    of the photo, px.
    """
    rows, columns = legibility.cells.shape
    side = legibility.cell_side(width, height)
    y, x = (np.mgrid[:rows, :columns] + 0.5) * side
    place = place_of(np.stack([x / width, y / height], -1).reshape(-1, 2), outline)
    inside = place >= 0
    required, legible = legibility.required.ravel()[inside], legibility.cells.ravel()[inside]
    printed = np.bincount(place[inside], required, minlength=len(PLACES))
    lost = np.bincount(place[inside], required * (1 - legible), minlength=len(PLACES))
    if printed.sum() <= 0:
        return None
    lost_share = np.where(printed >= MIN_SHARE_OF_FIELDS * printed.sum(), lost / np.maximum(printed, 1e-9), 0)
    worst = int(lost_share.argmax())
    return PLACES[worst] if lost_share[worst] > lost.sum() / printed.sum() + MIN_DIFFERENCE else None


def place_of(points: NDArray[np.floating], outline: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the index in PLACES of each point, [N]; -1 outside the bounding box of the visible part of an outline.

    points: [N, 2], outline: [4, 2], both relative to the photo.
    """
    low, high = np.clip(outline.min(axis=0), 0, 1), np.clip(outline.max(axis=0), 0, 1)
    shares = (points - low) / np.maximum(high - low, 1e-6)
    column, row = np.clip(shares * _THIRDS, 0, _THIRDS - 1).astype(np.intp).T
    return np.where(((shares >= 0) & (shares < 1)).all(1), row * _THIRDS + column, -1)
