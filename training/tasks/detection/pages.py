"""Pages for training the detector, with what PP-OCR's own detector says of each place: how likely it is print."""

import logging
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.extraction.ocr.ppocr import Detector, Engine, canvas_size
from docextract.extraction.ocr.reading import canvas_scale
from docextract.files import whole_file
from docextract.images.geometry import Page
from training.tasks.ocr import augmentation
from training.tasks.ocr.strips import PageSource

log = logging.getLogger(__name__)

CANVAS_JPEG_QUALITY = 95
FADED, DIMMED, BLURRED, NOISY = 0.4, 0.4, 0.25, 0.3  # shares of crops
TextMap = NDArray[np.uint8]  # [H, W], 255 for print


class PageFolder:
    """Canvases and their maps, each made once: NAME-00000.jpg and NAME-00000.png. A map that exists is whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @cached_property
    def _teacher(self) -> Detector:
        return Detector(Engine())

    def collect(self, name: str, source: PageSource, count: int) -> list[Path]:
        """The canvases of a source's first pages."""
        files = [self._folder / f"{name}-{number:05}.jpg" for number in range(count)]
        for number, file in enumerate(files):
            if not map_of(file).exists():
                page, _ = source(number)
                scale = canvas_scale(page)
                (text_map,) = self._teacher.text_maps([page], [scale])
                canvas = cv2.resize(page, canvas_size(page, scale), interpolation=cv2.INTER_AREA)
                quality = [cv2.IMWRITE_JPEG_QUALITY, CANVAS_JPEG_QUALITY]
                cv2.imwrite(str(file), cv2.cvtColor(canvas, cv2.COLOR_RGB2BGR), quality)
                with whole_file(map_of(file)) as unfinished:
                    cv2.imwrite(str(unfinished), np.round(text_map * 255).astype(np.uint8))
            if number % 100 == 99:
                log.info("%s: %d of %d pages", name, number + 1, count)
        return files


def map_of(canvas: Path) -> Path:
    """The map of a stored canvas."""
    return canvas.with_suffix(".png")


def load(file: Path) -> tuple[Page, TextMap]:
    """A canvas, uint8 [H, W, 3], RGB, and its map."""
    return (
        np.asarray(cv2.imread(str(file), cv2.IMREAD_COLOR_RGB), np.uint8),
        np.asarray(cv2.imread(str(map_of(file)), cv2.IMREAD_GRAYSCALE), np.uint8),
    )


def weaken_print(part: Page, rng: np.random.Generator) -> Page:
    """Fade, dim, blur and roughen a part of a canvas. Its map stays: the print is to be found all the same."""
    pixels = part.astype(np.float32)
    if rng.random() < FADED:
        pixels = augmentation.fade(pixels, 0.75, rng)
    if rng.random() < DIMMED:
        corners = rng.uniform(0.25, 1.15, (2, 2)).astype(np.float32)
        pixels *= cv2.resize(corners, pixels.shape[1::-1], interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < BLURRED:
        pixels = cv2.GaussianBlur(pixels, (0, 0), float(rng.uniform(0.4, 1.5)))
    if rng.random() < NOISY:
        pixels = augmentation.roughen(pixels, 12, rng)
    return np.clip(pixels, 0, 255).astype(np.uint8)


def crop(canvas: Page, text_map: TextMap, side_px: int, scale: float, rng: np.random.Generator) -> tuple[Page, TextMap]:
    """A random part of a canvas, scaled, [side_px, side_px, 3], and of its map; white where the canvas ends.

    Half of the parts are turned by a quarter, a half or three quarters, so that print is found in any direction.
    """
    wanted = round(side_px / scale)
    down, right = (max(0, wanted - side) for side in canvas.shape[:2])
    canvas = np.pad(canvas, ((0, down), (0, right), (0, 0)), constant_values=255)
    text_map = np.pad(text_map, ((0, down), (0, right)))
    top, left = (int(rng.integers(side - wanted + 1)) for side in canvas.shape[:2])
    turns = int(rng.integers(1, 4)) if rng.random() < 0.5 else 0

    def cut(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        part = image[top : top + wanted, left : left + wanted]
        part = cv2.resize(part, (side_px, side_px), interpolation=cv2.INTER_AREA)
        return np.asarray(np.rot90(part, turns), np.uint8)

    return cut(canvas), cut(text_map)
