"""Whether the outline that the quality network estimates is that of a document on a background.

The network was trained on photos. On pages that fill their picture, such as scans, drawn pages and cut-out cards, it
may estimate an outline with certainty where there is none; rectifying by it would bend and cut off print.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page, Polygon, visible_area
from docextract.sources import ImageSource

# A document with a larger share of the photo is not rectified. It is a scan or was photographed from very near: there
# is no background to remove, and a corner that was estimated outside the picture would only bend the text lines. On
# scans of SROIE's training part, rectifying lost 3.5 points of all fields.
MAX_RECTIFIED_SHARE = 0.85
# Of 106 scans and drawn pages with print up to their borders that had such an outline, 95 % had a support below 0.6; of
# 15 video frames of a page on a desk all were above 0.5, of 100 phone photos of receipts nine in ten above 0.6. Without
# these two conditions 3 of 60 values on pictures of invoices and 2 of 96 on scanned receipts were lost (2026-11-24).
MAX_FLAT_DEVIATION_DEG = 6.0  # of a corner from 90 degrees
MIN_EDGE_SUPPORT = 0.5
_MIN_SIDE_PX = 32  # nothing can be read in a narrower outline
_COPY_SIDE_PX = 640  # of the copy in which edges are looked for
_POINTS_PER_SIDE = 24
_NEAREST, _FARTHEST = 0.012, 0.04  # distances from the side that are compared; shares of the picture's diagonal
_MIN_DIFFERENCE = 14  # levels, of the channel that differs most


def can_rectify(page: Page, outline: Polygon, source: ImageSource) -> bool:
    """Whether the picture should be rectified by this outline.

    outline: [4, 2] in px, clockwise. It must be convex and leave a background. In a photo it must be a rectangle or
    have sides that can be seen; on a scan or a drawn page, which have no perspective, both.
    """
    sides_px = np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1)
    if not cv2.isContourConvex(outline) or sides_px.min() < _MIN_SIDE_PX:
        return False
    if visible_area(outline, page.shape[1], page.shape[0]) >= MAX_RECTIFIED_SHARE:
        return False
    is_rectangle = corner_deviation_deg(outline) <= MAX_FLAT_DEVIATION_DEG
    if source == "photo":
        return is_rectangle or edge_support(page, outline) >= MIN_EDGE_SUPPORT
    return is_rectangle and edge_support(page, outline) >= MIN_EDGE_SUPPORT


def corner_deviation_deg(outline: Polygon) -> float:
    """Return the greatest difference between a corner's angle and 90 degrees; 0 for a rectangle."""
    before, after = np.roll(outline, 1, axis=0) - outline, np.roll(outline, -1, axis=0) - outline
    cosines = (before * after).sum(axis=1) / (np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1))
    return float(np.abs(90 - np.degrees(np.arccos(np.clip(cosines, -1, 1)))).max())


def edge_support(page: Page, outline: Polygon) -> float:
    """Return at which share of the outline, 0..1, the colours inside and outside differ; 1 if none of it is visible.

    Colours are medians of small patches on both sides, so that print beside the edge does not count.
    """
    scale = min(1.0, _COPY_SIDE_PX / max(page.shape[:2]))
    copy = np.asarray(cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    corners = np.asarray(outline, np.float64) * scale
    ends = np.roll(corners, -1, axis=0)
    along = (ends - corners) / np.linalg.norm(ends - corners, axis=1, keepdims=True)  # [4, 2]
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1)  # of a clockwise outline, with y downwards
    shares = np.linspace(0.06, 0.94, _POINTS_PER_SIDE)[:, None, None]
    points = (corners + (ends - corners) * shares).reshape(-1, 2)  # [points, 2], by share and then by side
    diagonal = float(np.hypot(*copy.shape[:2]))
    across = np.linspace(_NEAREST, _FARTHEST, 5)[:, None, None] * diagonal
    beside = np.array([-0.008, 0.0, 0.008])[:, None] * diagonal
    outer, inner = (
        _colours(copy, points[:, None] + np.tile(offsets.reshape(4, -1, 2), (_POINTS_PER_SIDE, 1, 1)))
        for direction in (outward, -outward)
        for offsets in [direction[:, None, None] * across + along[:, None, None] * beside]
    )
    differences = np.abs(outer - inner).max(axis=1)
    visible = differences[~np.isnan(differences)]
    return float((visible > _MIN_DIFFERENCE).mean()) if len(visible) else 1.0


def _colours(picture: Page, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median colours at places, [patches, points, 2] to [patches, channels]; NaN for half-hidden patches."""
    height, width = picture.shape[:2]
    x, y = np.floor(places[..., 0]).astype(int), np.floor(places[..., 1]).astype(int)
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    colours = picture[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)].astype(np.float64)
    colours[~inside] = np.nan
    hidden = inside.mean(axis=1) <= 0.5
    colours[hidden] = 0  # a patch without any colour has no median
    found = np.asarray(np.nanmedian(colours, axis=1))
    found[hidden] = np.nan
    return found
