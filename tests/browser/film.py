"""Write a film for the browser's fake camera: an empty table, then a receipt slides into view and stays.

The format is Motion JPEG, one JPEG after another, which Chromium plays in a loop as its camera.
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
FRAMES_PER_S = 30  # Chromium plays every Motion JPEG at this rate
EMPTY_TABLE_S, SLIDE_S, RECEIPT_AT_REST_S = 2.0, 0.8, 9.0
_SLIDE_FRAMES = 8  # frames while the receipt moves
_TABLE_SEED, _RECEIPT_SEED = 11, 4
_RECEIPT_HEIGHT_SHARE = 0.8
_LIGHT_LEFT_RIGHT = (
    0.72,
    0.86,
)  # brightness at the left and right; full light is overexposed after the browser's contrast stretch
_NOISE_SIGMA = 2.0  # in grey levels


def write_film(path: Path) -> None:
    """Write the film to a file."""
    table, receipt = _draw_table(), _draw_receipt()
    rest = ((WIDTH - receipt.shape[1]) // 2, (HEIGHT - receipt.shape[0]) // 2)
    empty, still = (
        _encode_jpeg(_light_and_noise(table)),
        _encode_jpeg(_light_and_noise(_place_receipt(table, receipt, *rest))),
    )
    slides = [
        _encode_jpeg(
            _light_and_noise(_place_receipt(table, receipt, *rest, right_px=round(WIDTH * (1 - step / _SLIDE_FRAMES))))
        )
        for step in range(_SLIDE_FRAMES)
    ]
    each = round(SLIDE_S * FRAMES_PER_S / _SLIDE_FRAMES)
    with path.open("wb") as film:
        film.write(empty * round(EMPTY_TABLE_S * FRAMES_PER_S))
        for slide in slides:
            film.write(slide * each)
        film.write(still * round(RECEIPT_AT_REST_S * FRAMES_PER_S))


def _draw_table() -> Page:
    dark = cv2.resize(surroundings.render_texture(np.random.default_rng(_TABLE_SEED)), (WIDTH, HEIGHT))
    return cv2.convertScaleAbs(dark, alpha=60 / max(1.0, float(dark.mean())))


def _draw_receipt() -> Page:
    rng = Random(_RECEIPT_SEED)
    page = printing.print_sheet(generator_of("receipt").draw(rng)[1], np.random.default_rng(_RECEIPT_SEED)).pixels
    scale = min(_RECEIPT_HEIGHT_SHARE * HEIGHT / page.shape[0], _RECEIPT_HEIGHT_SHARE * WIDTH / page.shape[1])
    return cv2.resize(page, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


def _place_receipt(table: Page, receipt: Page, left: int, top: int, right_px: int = 0) -> Page:
    """Place the receipt on the table, moved to the right by `right_px`; parts outside the frame are cut off."""
    scene = table.copy()
    start = left + right_px
    visible = receipt[:, : max(0, WIDTH - start)]
    scene[top : top + visible.shape[0], start : start + visible.shape[1]] = visible
    return scene


def _light_and_noise(scene: Page) -> Page:
    """Add light from one side and sensor noise."""
    light = np.linspace(*_LIGHT_LEFT_RIGHT, WIDTH)[None, :, None]
    noise = np.random.default_rng(0).normal(0, _NOISE_SIGMA, scene.shape)
    return np.clip(scene * light + noise, 0, 255).astype(np.uint8)


def _encode_jpeg(page: Page) -> bytes:
    out = io.BytesIO()
    Image.fromarray(page).save(out, "JPEG", quality=82)
    return out.getvalue()
