"""A strip of print cut and spoilt a little differently each time it is learned from."""

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX
from docextract.images.geometry import Page
from training.synth.camera import light
from training.tasks.ocr.strips import MARGIN_PX

TALLER, WIDER = 0.07, 0.1  # spread of the logarithms of what a box is off
AWAY_PX, SLOPE = 1.2, 0.008  # spread
SMALL, BLURRED, MOVED, DIMMED, GRAINED, PACKED = 0.35, 0.2, 0.08, 0.5, 0.3, 0.4  # shares of strips
LEAST_HEIGHT_PX = 11.0  # that a strip is shrunk to


def varied(strip: Page, rng: np.random.Generator) -> Page:
    """strip: [TEXT_STRIP_HEIGHT_PX + 2 MARGIN_PX, w + 2 MARGIN_PX, 3] → [TEXT_STRIP_HEIGHT_PX, w', 3], w' about w."""
    cut = _cut(strip, rng).astype(np.float32)
    height, width = cut.shape[:2]
    if rng.random() < SMALL:
        scale = math.exp(rng.uniform(math.log(LEAST_HEIGHT_PX / TEXT_STRIP_HEIGHT_PX), 0))
        small = cv2.resize(cut, (max(4, round(width * scale)), round(height * scale)), interpolation=cv2.INTER_AREA)
        cut = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    if rng.random() < BLURRED:
        cut = cv2.GaussianBlur(cut, (0, 0), float(rng.uniform(0.5, 3.0)))
    if rng.random() < MOVED:
        cut = light.motion_blur(cut, float(rng.uniform(2.0, 9.0)), rng)
    if rng.random() < DIMMED:
        cut = _dimmed(cut, rng)
    if rng.random() < GRAINED:
        cut = cut + rng.normal(0, rng.uniform(2, 14), (*cut.shape[:2], 1)).astype(np.float32)
    done = np.clip(cut, 0, 255).astype(np.uint8)
    return light.compress(done, int(rng.integers(25, 90))) if rng.random() < PACKED else done


def _cut(strip: Page, rng: np.random.Generator) -> Page:
    """As by a box that is a little off."""
    width = strip.shape[1] - 2 * MARGIN_PX
    down, across = np.exp(rng.normal(0, TALLER)), np.exp(rng.normal(0, WIDER))
    slope = rng.normal(0, SLOPE)
    away = rng.normal(0, AWAY_PX, 2)
    target = max(8, round(width * across))
    scale = np.array([[across, 0], [slope * across, down]])
    middle = np.array([strip.shape[1], strip.shape[0]]) / 2
    moved = np.array([target, TEXT_STRIP_HEIGHT_PX]) / 2 + away - scale @ middle
    return cv2.warpAffine(
        strip, np.hstack([scale, moved[:, None]]), (target, TEXT_STRIP_HEIGHT_PX), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.uint8, copy=False)  # fmt: skip


def _dimmed(cut: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Another contrast and brightness, the latter changing along the line."""
    paper = float(np.percentile(cut, 90))
    pale = cut + (paper - cut) * rng.uniform(0, 0.6)
    along = np.linspace(rng.uniform(0.5, 1.15), rng.uniform(0.5, 1.15), cut.shape[1], dtype=np.float32)
    return np.asarray(pale * along[None, :, None], np.float32)
