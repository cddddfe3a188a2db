"""Augmentation of text strips: each time a strip is trained on, it is cut and degraded differently."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX
from docextract.images.geometry import Page
from training.synth.camera import light
from training.tasks.ocr.strips import MARGIN_PX

HEIGHT_SIGMA, WIDTH_SIGMA = 0.07, 0.1  # of the logarithm of the box's scale error
SHIFT_SIGMA_PX, SLOPE_SIGMA = 1.2, 0.008
# Shares of strips.
SHRUNK, BLURRED, MOTION_BLURRED, DIMMED, NOISY, COMPRESSED = 0.35, 0.2, 0.08, 0.5, 0.3, 0.4
MIN_HEIGHT_PX = 11.0  # that a strip is shrunk to


def degrade(strip: Page, rng: np.random.Generator) -> Page:
    """Cut a strip out of its margins, not quite exactly, and degrade it.

    strip:   uint8 [TEXT_STRIP_HEIGHT_PX + 2 MARGIN_PX, w + 2 MARGIN_PX, 3]
    returns: uint8 [TEXT_STRIP_HEIGHT_PX, about w, 3]
    """
    cut = _cut(strip, rng).astype(np.float32)
    height, width = cut.shape[:2]
    if rng.random() < SHRUNK:
        scale = math.exp(rng.uniform(math.log(MIN_HEIGHT_PX / TEXT_STRIP_HEIGHT_PX), 0))
        small = cv2.resize(cut, (max(4, round(width * scale)), round(height * scale)), interpolation=cv2.INTER_AREA)
        cut = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    if rng.random() < BLURRED:
        cut = cv2.GaussianBlur(cut, (0, 0), float(rng.uniform(0.5, 3.0)))
    if rng.random() < MOTION_BLURRED:
        cut = light.motion_blur(cut, float(rng.uniform(2.0, 9.0)), rng)
    if rng.random() < DIMMED:
        cut = _dim(cut, rng)
    if rng.random() < NOISY:
        cut = roughen(cut, 14, rng)
    pixels = np.clip(cut, 0, 255).astype(np.uint8)
    return light.compress(pixels, int(rng.integers(25, 90))) if rng.random() < COMPRESSED else pixels


def _cut(strip: Page, rng: np.random.Generator) -> Page:
    """Cut by a box that is not quite exact."""
    width = strip.shape[1] - 2 * MARGIN_PX
    scale_y, scale_x = np.exp(rng.normal(0, HEIGHT_SIGMA)), np.exp(rng.normal(0, WIDTH_SIGMA))
    slope = rng.normal(0, SLOPE_SIGMA)
    shift_px = rng.normal(0, SHIFT_SIGMA_PX, 2)
    cut_width = max(8, round(width * scale_x))
    scale = np.array([[scale_x, 0], [slope * scale_x, scale_y]])
    center = np.array([strip.shape[1], strip.shape[0]]) / 2
    offset = np.array([cut_width, TEXT_STRIP_HEIGHT_PX]) / 2 + shift_px - scale @ center
    return cv2.warpAffine(
        strip, np.hstack([scale, offset[:, None]]), (cut_width, TEXT_STRIP_HEIGHT_PX), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.uint8, copy=False)  # fmt: skip


def fade(pixels: NDArray[np.float32], most: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Bring print nearer to the colour of its paper, by at most this share."""
    paper = float(np.percentile(pixels, 90))
    return np.asarray(pixels + (paper - pixels) * rng.uniform(0, most), np.float32)


def roughen(pixels: NDArray[np.float32], most: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Add grey noise with a standard deviation of 2 to `most` grey levels."""
    return pixels + rng.normal(0, rng.uniform(2, most), (*pixels.shape[:2], 1)).astype(np.float32)


def _dim(cut: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Change contrast and brightness; brightness varies along the line."""
    faded = fade(cut, 0.6, rng)
    brightness = np.linspace(rng.uniform(0.5, 1.15), rng.uniform(0.5, 1.15), cut.shape[1], dtype=np.float32)
    return np.asarray(faded * brightness[None, :, None], np.float32)
