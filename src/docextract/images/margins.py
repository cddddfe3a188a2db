"""Finds the part of a scan or drawn page that has print.

Text is detected in every page at the same size. On a sheet that is mostly blank, such as the scan of a receipt or card,
print would become too small.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Box, Page, shrink

_COPY_SIDE_PX = 800  # of the copy that is looked at
_BACKGROUND_PX = 31  # of the copy: larger than letters and gaps between lines
_MIN_DIFFERENCE = 8  # levels between print and the paper around it, in the copy
_MIN_MARK_PX = 4  # of the copy: smaller marks are dust
_KEPT = 0.025  # of the page's longer side, kept around print
_MAX_SHARE = 0.75  # of the page's longer side: where print takes more, nothing is gained


def printed_box(page: Page) -> Box | None:
    """Return the part of a page that has all of its print; None if that is most of the page."""
    height, width = page.shape[:2]
    longest = max(height, width)
    copy = shrink(page, _COPY_SIDE_PX, min_side_px=1)
    marks, scale = _marks(copy), max(copy.shape[:2]) / longest
    if not len(marks):
        return None
    (left, top), (right, bottom) = marks[:, 0].min(axis=0) / scale, marks[:, 1].max(axis=0) / scale
    kept = _KEPT * longest
    box = (
        max(0, int(left - kept)),
        max(0, int(top - kept)),
        min(width, int(right + kept)),
        min(height, int(bottom + kept)),
    )
    return box if max(box[2] - box[0], box[3] - box[1]) <= _MAX_SHARE * longest else None


def _marks(copy: Page) -> NDArray[np.int32]:
    """Return the boxes of marks that are darker than the paper around them, [N, 2, 2]: left top, right bottom.

    In any colour: black on yellow differs in red and green alone, blue on red in red alone.
    """
    paper = cv2.morphologyEx(copy, cv2.MORPH_CLOSE, np.ones((_BACKGROUND_PX, _BACKGROUND_PX), np.uint8))
    is_mark = (cv2.subtract(paper, copy).max(axis=2) >= _MIN_DIFFERENCE).astype(np.uint8)
    _, _, found, _ = cv2.connectedComponentsWithStats(is_mark, connectivity=8)
    marks = found[1:][found[1:, cv2.CC_STAT_AREA] >= _MIN_MARK_PX]  # the first is the paper
    corners = marks[:, [cv2.CC_STAT_LEFT, cv2.CC_STAT_TOP]]
    return np.stack([corners, corners + marks[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]]], axis=1)
