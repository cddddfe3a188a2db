"""Geometry of pages: the pixels that both networks expect, and the mapping back to the photo.

Serving and training call the same functions, so that a network gets the same pixels from both. Pages are uint8
[H, W, 3], sRGB, upright. This module does not import torch.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Page = NDArray[np.uint8]  # [H, W, 3], sRGB
Polygon = NDArray[np.float32]  # [4, 2], x and y, clockwise from the document's own top-left corner
Box = tuple[int, int, int, int]  # left, top, right, bottom; px, the last two excluded

FRAME_PX = 384  # side of the square frame that the quality network gets
CROP_PX = 128  # side of a full-resolution crop, which shows fine blur
CROP_COUNT = 4
PAPER_WHITE = 255
MAX_ENLARGEMENT = 1.5  # of rectified documents; with 1.0 and 2.0 fewer values are right, see models/extraction/NOTES.md


@dataclass(frozen=True)
class FittedPage:
    """A page scaled into a square frame, with the scale to map positions back."""

    pixels: Page  # [side, side, 3]; content at the top left
    scale: float  # frame px per page px
    width: int  # of the content inside the frame, px
    height: int


@dataclass(frozen=True)
class Rectified:
    """The document cut out of its photo, flat and upright, with the homography back to the photo."""

    page: Page
    to_photo: NDArray[np.float64]  # [3, 3], from px of `page` to px of the photo


def fit_page(page: Page, side: int = FRAME_PX) -> FittedPage:
    """Scale a page to fit a square, aspect ratio kept, and pad with white at the right or bottom.

    returns: pixels uint8 [side, side, 3]; content at the top left.
    """
    height, width = page.shape[:2]
    scale = side / max(height, width)
    inner_size = (max(1, round(width * scale)), max(1, round(height * scale)))
    shrunk = cv2.resize(page, inner_size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    pixels = np.full((side, side, 3), PAPER_WHITE, np.uint8)
    pixels[: inner_size[1], : inner_size[0]] = shrunk
    return FittedPage(pixels, scale, *inner_size)


def shrink(page: Page, max_side_px: int, min_side_px: int) -> Page:
    """Reduce a page to a maximum of its long side, but no further than to a minimum of its short side."""
    height, width = page.shape[:2]
    scale = max(max_side_px / max(height, width), min_side_px / min(height, width))
    if scale >= 1:
        return page
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cv2.resize(page, size, interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def detail_crops(page: Page, count: int = CROP_COUNT, side: int = CROP_PX) -> Page:
    """Return full-resolution squares where the page has most detail, because blur and noise are invisible at 384 px.

    returns: uint8 [count, side, side, 3]. Pages smaller than a crop are padded with white. Crops overlap by at most a
             half if the page is large enough.
    """
    height, width = page.shape[:2]
    if height < side or width < side:
        padded = np.full((max(height, side), max(width, side), 3), PAPER_WHITE, np.uint8)
        padded[:height, :width] = page
        page, (height, width) = padded, padded.shape[:2]
    # The search runs on a small copy, so that its cost does not grow with the photo.
    shrink = min(1.0, 512 / max(height, width))
    grey = cv2.resize(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY), None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    energy = cv2.boxFilter(
        np.abs(cv2.Laplacian(grey, cv2.CV_32F)), -1, (max(3, round(side * shrink)),) * 2, borderType=cv2.BORDER_CONSTANT
    )
    taken = max(1, round(side * shrink / 2))
    crops = []
    for _ in range(count):
        y, x = np.unravel_index(int(energy.argmax()), energy.shape)
        top = int(np.clip(y / shrink - side / 2, 0, height - side))
        left = int(np.clip(x / shrink - side / 2, 0, width - side))
        crops.append(page[top : top + side, left : left + side])
        energy[max(0, y - taken) : y + taken + 1, max(0, x - taken) : x + taken + 1] = -1.0
    return np.stack(crops)


def rectify(page: Page, polygon: Polygon, longest_px: int = 2200, margin: float = 0.06) -> Rectified:
    """Cut the document out of a photo and flatten it.

    polygon: [4, 2], px of the page, clockwise from the document's own top-left corner, so that the result is upright
             however the phone was held. Corners may lie outside the photo.
    longest_px: maximum side of the document in the result, margin excluded. A smaller document is enlarged by at most
             MAX_ENLARGEMENT, so that thin print stays sharp when lines are cut out of the result.
    margin:  kept around the polygon, as a fraction of its longer side. Predicted corners are sometimes slightly inside
             the document: a strip of background costs nothing, but half a lost column of amounts costs its values.
    """
    width, height = longest_sides(polygon.astype(np.float64))
    scale = min(MAX_ENLARGEMENT, longest_px / max(width, height))
    inner_w, inner_h = max(1.0, width * scale), max(1.0, height * scale)
    pad = margin * max(inner_w, inner_h)
    target = np.array([[0, 0], [inner_w, 0], [inner_w, inner_h], [0, inner_h]], np.float32) + pad
    to_flat = cv2.getPerspectiveTransform(polygon.astype(np.float32), target.astype(np.float32))
    size = (max(1, round(inner_w + 2 * pad)), max(1, round(inner_h + 2 * pad)))
    flat = cv2.warpPerspective(page, to_flat, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return Rectified(flat.astype(np.uint8, copy=False), inverse(to_flat))


def cut_out(page: Page, box: Box, longest_px: int) -> Rectified:
    """Cut a box out of a page. longest_px: see `rectify`."""
    left, top, right, bottom = box
    part = page[top:bottom, left:right]
    scale = min(MAX_ENLARGEMENT, longest_px / max(part.shape[:2]))
    size = (max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale)))
    scaled = cv2.resize(part, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
    to_page = np.array([[1 / scale, 0, left], [0, 1 / scale, top], [0, 0, 1]], np.float64)
    return Rectified(scaled.astype(np.uint8, copy=False), to_page)


def warp_to_rectangle(page: Page, outline: Polygon, width: int, height: int) -> Page:
    """Warp the area within an outline, [4, 2] px of the page, to an upright rectangle of this size in px.

    Pixels outside the page repeat its border.
    """
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_rectangle = cv2.getPerspectiveTransform(outline.astype(np.float32), target)
    flat = cv2.warpPerspective(
        page, to_rectangle, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    return flat.astype(np.uint8, copy=False)


def longest_sides(outline: NDArray[np.floating]) -> tuple[float, float]:
    """Return width and height of an outline, [4, 2], clockwise from the top left: the longer of opposite sides."""
    top, right, bottom, left = np.linalg.norm(np.roll(outline, -1, axis=0) - outline, axis=1).tolist()
    return max(top, bottom), max(left, right)


def project(points: NDArray[np.floating], homography: NDArray[np.float64]) -> NDArray[np.float32]:
    """Map points [..., 2] through a homography [3, 3]."""
    flat = points.reshape(-1, 1, 2).astype(np.float64)
    return cv2.perspectiveTransform(flat, homography).reshape(points.shape).astype(np.float32)


def inverse(homography: NDArray[Any]) -> NDArray[np.float64]:
    """Return the homography [3, 3] that leads back."""
    return np.linalg.inv(homography).astype(np.float64, copy=False)


def size_of(page: Page) -> tuple[int, int]:
    """Return width and height of a page, px."""
    return page.shape[1], page.shape[0]


def turn_page(page: Page, quarter_turns: int) -> Page:
    """Turn a page counter-clockwise by quarter turns."""
    return np.ascontiguousarray(np.rot90(page, quarter_turns)) if quarter_turns % 4 else page


def turned_to_page(quarter_turns: int, width: float, height: float) -> NDArray[np.float64]:
    """Return the matrix [3, 3] from px of a page that `turn_page` has turned to px of the page before.

    width, height: of the page before, px.
    """
    cos, sin = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns % 4]
    x, y = width * (sin > 0 or cos < 0), height * (sin < 0 or cos < 0)
    return np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1]], np.float64)


def visible_center(outline: Polygon) -> tuple[float, float]:
    """Return the centre (x, y) of the visible part of an outline's bounding box.

    outline: [4, 2], relative to the picture; it may lie partly outside 0..1.
    """
    low, high = np.clip(outline.min(axis=0), 0, 1), np.clip(outline.max(axis=0), 0, 1)
    x, y = (low + high) / 2
    return float(x), float(y)


def visible_area(outline: Polygon, width: float, height: float) -> float:
    """Return the share of a picture, 0..1, that lies inside the convex hull of an outline, [4, 2].

    All in px: OpenCV's tolerances are too large for coordinates between 0 and 1.
    """
    picture = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    area, _ = cv2.intersectConvexConvex(cv2.convexHull(outline.astype(np.float32)), picture)
    return float(area) / (width * height)


@dataclass(frozen=True)
class Glimpse:
    """The input of the quality network for one photo."""

    frame: FittedPage
    crops: Page  # [CROPS, CROP_PX, CROP_PX, 3]
    width: int  # of the photo, px
    height: int


def take_glimpse(page: Page) -> Glimpse:
    """Return the whole photo at 384 px and its most detailed crops at full resolution."""
    height, width = page.shape[:2]
    return Glimpse(fit_page(page), detail_crops(page), width, height)
