"""A film for the browser's pretended camera: an empty table, then a receipt slides into view and stays.

The form is Motion JPEG, one JPEG after the other, which Chromium takes for a camera and plays in a circle.
"""

import io
from pathlib import Path
from random import Random

import cv2
import numpy as np
from PIL import Image

from docextract.images.geometry import Page
from training.synth import printing
from training.synth.camera import surroundings
from training.synth.documents import generator_of

WIDTH, HEIGHT = 960, 1280
FRAMES_PER_S = 30  # Chromium takes every Motion JPEG for that
EMPTY_S, SLIDING_S, STILL_S = 2.0, 0.8, 9.0
_SLIDES = 8  # pictures while it moves
_TABLE_SEED, _RECEIPT_SEED = 11, 4
_SHARE_OF_HEIGHT = 0.8
_LIGHT = (0.72, 0.86)  # left and right; full light is overexposed once the browser has stretched its contrast
_NOISE = 2.0  # sigma, grey levels


def shoot(path: Path) -> None:
    """Write the film."""
    table, receipt = _table(), _receipt()
    rest = ((WIDTH - receipt.shape[1]) // 2, (HEIGHT - receipt.shape[0]) // 2)
    empty, still = _jpeg(_lit(table)), _jpeg(_lit(_laid(table, receipt, *rest)))
    slides = [
        _jpeg(_lit(_laid(table, receipt, *rest, right_px=round(WIDTH * (1 - step / _SLIDES)))))
        for step in range(_SLIDES)
    ]
    each = round(SLIDING_S * FRAMES_PER_S / _SLIDES)
    with path.open("wb") as film:
        film.write(empty * round(EMPTY_S * FRAMES_PER_S))
        for slide in slides:
            film.write(slide * each)
        film.write(still * round(STILL_S * FRAMES_PER_S))


def _table() -> Page:
    dark = cv2.resize(surroundings.render_texture(np.random.default_rng(_TABLE_SEED)), (WIDTH, HEIGHT))
    return cv2.convertScaleAbs(dark, alpha=60 / max(1.0, float(dark.mean())))


def _receipt() -> Page:
    dice = Random(_RECEIPT_SEED)
    page = printing.print_sheet(generator_of("receipt").draw(dice)[1], np.random.default_rng(_RECEIPT_SEED)).pixels
    scale = min(_SHARE_OF_HEIGHT * HEIGHT / page.shape[0], _SHARE_OF_HEIGHT * WIDTH / page.shape[1])
    return cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _laid(table: Page, receipt: Page, left: int, top: int, right_px: int = 0) -> Page:
    """The receipt on the table, so many px further right; what lies outside the picture is not seen."""
    scene = table.copy()
    start = left + right_px
    seen = receipt[:, : max(0, WIDTH - start)]
    scene[top : top + seen.shape[0], start : start + seen.shape[1]] = seen
    return scene


def _lit(scene: Page) -> Page:
    """As a lamp at one side lights it, and as a sensor takes it: white paper is grey, and no two pixels are alike."""
    light = np.linspace(*_LIGHT, WIDTH)[None, :, None]
    noise = np.random.default_rng(0).normal(0, _NOISE, scene.shape)
    return np.clip(scene * light + noise, 0, 255).astype(np.uint8)


def _jpeg(page: Page) -> bytes:
    out = io.BytesIO()
    Image.fromarray(page).save(out, "JPEG", quality=82)
    return out.getvalue()
