"""Cuts one of several documents out of a page, by the places of its lines."""

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.images.geometry import Page, Polygon, Rectified, inverse, project, rectify

Lines = NDArray[np.float32]  # [L, 4, 2]: the polygon of each

_MIN_COMMON_DIRECTION = 0.1  # length of the sum of the directions of lines, as a share of all lengths


def cut_out_part(page: Page, lines: Lines, others: Lines, longest_px: int) -> Rectified:
    """Cut a document out of a page, turned so that its lines run to the right.

    lines: of the document, at least one, px of the page. others: lines of other documents, which may lie in the margin;
    they are covered with the colour of the paper. longest_px: see `rectify`.
    """
    cut_out = rectify(page, _outline(lines.astype(np.float64)), longest_px)
    paper = [int(level) for level in np.median(cut_out.page.reshape(-1, 3), axis=0)]
    for corners in project(others, inverse(cut_out.to_photo)).round().astype(np.int32):
        cv2.fillConvexPoly(cut_out.page, corners, paper)
    return cut_out


def _outline(lines: NDArray[np.float64]) -> Polygon:
    """Return the rectangle around lines, [L, 4, 2], in their mean direction, to which long lines contribute most.

    It is level if they have none in common, as lines that run to and fro. Its sides are not shorter than a pixel.
    """
    directions = lines[:, 1] - lines[:, 0]
    along, length = directions.sum(axis=0), np.linalg.norm(directions, axis=1).sum()
    is_common = np.linalg.norm(along) > _MIN_COMMON_DIRECTION * length
    along = along / np.linalg.norm(along) if is_common else np.array([1.0, 0.0])
    axes = np.stack([along, [-along[1], along[0]]])
    places = lines.reshape(-1, 2) @ axes.T
    left, top = places.min(axis=0)
    right, bottom = np.maximum(places.max(axis=0), [left + 1, top + 1])
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    return np.asarray(corners @ axes, np.float32)
