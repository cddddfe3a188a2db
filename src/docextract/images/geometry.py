"""Geometry on pages: the pixels both networks expect, and the way back to the photo.

Serving and training call the same functions, so a photo looks the same to a network whichever side it
came from. Pages are uint8 [H, W, 3], sRGB, upright. No torch here.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Page = NDArray[np.uint8]  # [H, W, 3], sRGB
Polygon = NDArray[np.float32]  # [4, 2], x and y, clockwise from the document's own top-left corner

FRAME_PX = 384  # side of the square frame the quality network looks at
CROP_PX = 128  # side of a full-resolution crop, where fine blur can be seen
CROP_COUNT = 4
PAPER_WHITE = 255


@dataclass(frozen=True)
class FittedPage:
    """A page scaled into a square frame, and how to get back."""

    pixels: Page  # [side, side, 3]; content at the top left
    scale: float  # frame px per page px
    width: int  # of the content inside the frame, px
    height: int


@dataclass(frozen=True)
class Rectified:
    """The document alone, flat and upright, and the homography back to the photo."""

    page: Page
    to_photo: NDArray[np.float64]  # [3, 3], rectified px → photo px


def fit_page(page: Page, side: int = FRAME_PX) -> FittedPage:
    """Scale a page to lie inside a square and fill the rest with paper white, aspect kept."""
    height, width = page.shape[:2]
    scale = side / max(height, width)
    inner = (max(1, round(width * scale)), max(1, round(height * scale)))
    shrunk = cv2.resize(page, inner, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    pixels = np.full((side, side, 3), PAPER_WHITE, np.uint8)
    pixels[: inner[1], : inner[0]] = shrunk
    return FittedPage(pixels, scale, *inner)


def detail_crops(page: Page, count: int = CROP_COUNT, side: int = CROP_PX) -> Page:
    """Full-resolution squares where the page has most detail: blur and noise show there, not at 384 px.

    returns: uint8 [count, side, side, 3]. Pages smaller than a crop are padded with paper white; crops
    do not overlap by more than a half where the page is large enough.
    """
    height, width = page.shape[:2]
    if height < side or width < side:
        padded = np.full((max(height, side), max(width, side), 3), PAPER_WHITE, np.uint8)
        padded[:height, :width] = page
        page, (height, width) = padded, padded.shape[:2]
    # The search for detail runs on a small copy: its cost does not grow with the photo.
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

    polygon: px on the page, clockwise from the document's own top-left corner, so that the result is
             upright whichever way the phone was held. Corners may lie outside the photo.
    longest_px: the document is never larger than this in the result, nor than it is in the photo; the margin is extra.
    margin: kept around the polygon, as a share of its longer side: corners are found a little inside at times,
            and a strip of table costs nothing where half a column of amounts costs all.
    """
    top_left, top_right, bottom_right, bottom_left = polygon.astype(np.float64)
    width = max(_distance(top_left, top_right), _distance(bottom_left, bottom_right))
    height = max(_distance(top_left, bottom_left), _distance(top_right, bottom_right))
    scale = min(1.0, longest_px / max(width, height))
    inner_w, inner_h = max(1.0, width * scale), max(1.0, height * scale)
    pad = margin * max(inner_w, inner_h)
    target = np.array([[0, 0], [inner_w, 0], [inner_w, inner_h], [0, inner_h]], np.float32) + pad
    to_flat = cv2.getPerspectiveTransform(polygon.astype(np.float32), target.astype(np.float32))
    size = (max(1, round(inner_w + 2 * pad)), max(1, round(inner_h + 2 * pad)))
    flat = cv2.warpPerspective(page, to_flat, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Rectified(flat.astype(np.uint8, copy=False), np.linalg.inv(to_flat).astype(np.float64, copy=False))


def warp_to_rectangle(page: Page, outline: Polygon, width: int, height: int) -> Page:
    """What lies within an outline, as an upright rectangle of this size in px. Past the page its edge goes on."""
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_level = cv2.getPerspectiveTransform(outline.astype(np.float32), target)
    flat = cv2.warpPerspective(page, to_level, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return flat.astype(np.uint8, copy=False)


def _distance(start: NDArray[np.float64], end: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(end - start))


def project(points: NDArray[np.floating], homography: NDArray[np.float64]) -> NDArray[np.float32]:
    """Map points [..., 2] through a homography [3, 3]."""
    flat = points.reshape(-1, 1, 2).astype(np.float64)
    return cv2.perspectiveTransform(flat, homography).reshape(points.shape).astype(np.float32)


def visible_center(outline: Polygon) -> tuple[float, float]:
    """Of the box around an outline, as far as the picture shows it. The points are shares of the picture's sides."""
    low, high = np.clip(outline.min(axis=0), 0, 1), np.clip(outline.max(axis=0), 0, 1)
    x, y = (low + high) / 2
    return float(x), float(y)


@dataclass(frozen=True)
class Glimpse:
    """All that the quality network sees of a photo."""

    frame: FittedPage
    crops: Page  # [CROPS, CROP_PX, CROP_PX, 3]
    width: int  # of the photo, px
    height: int


def take_glimpse(page: Page) -> Glimpse:
    """The whole photo at 384 px, and its most detailed places at full resolution."""
    height, width = page.shape[:2]
    return Glimpse(fit_page(page), detail_crops(page), width, height)
