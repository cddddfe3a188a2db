"""Whether an uploaded picture is a photo, a scan, or was drawn by a program."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from docextract.images.geometry import Page
from docextract.images.uploads import ImageSource

_SIDE_PX = 512  # of the copy that is looked at
_TILES = 8  # along each side
_MIN_DIGITAL_SHARE = 0.5  # of pixels with exactly the colour of the background
_DIGITAL_TOLERANCE = 2  # grey levels; JPEG changes flat colour by one or two
_MIN_SCAN_BRIGHTNESS = 215  # of the background of each tile
_MAX_SCAN_SPREAD = 14  # grey levels between the backgrounds of tiles
_MAX_SCAN_SATURATION = 16  # difference between the colour channels of the background
_MIN_SCAN_TILES = 0.9  # share of tiles with such a background; the rest are logos and pictures


@dataclass(frozen=True)
class FileHints:
    """What the file itself says. camera: the maker of a camera. bilevel: one bit per pixel, as fax."""

    camera: bool = False
    bilevel: bool = False

    @classmethod
    def of(cls, picture: Image.Image) -> "FileHints":
        """Read the hints of an opened picture, before it is converted."""
        exif = picture.getexif()
        camera = bool(exif.get(ExifTags.Base.Make)) and bool(exif.get_ifd(ExifTags.IFD.Exif))
        return cls(camera, picture.mode == "1")


def picture_source(pixels: Page, hints: FileHints = FileHints()) -> ImageSource:
    """Return where a picture comes from. In doubt it is a photo, which is checked most thoroughly."""
    if hints.camera:
        return "photo"
    if hints.bilevel:
        return "scan"
    height, width = pixels.shape[:2]
    step = max(1, max(height, width) // _SIDE_PX)
    sample = pixels[::step, ::step]  # no averaging: it would make noise look like flat colour
    if _digital_share(sample) >= _MIN_DIGITAL_SHARE:
        return "digital"
    return "scan" if _has_scanner_background(sample) else "photo"


def _digital_share(sample: Page) -> float:
    """Return the share of pixels that have the commonest colour, if the border of the picture has it, too."""
    grey = cv2.cvtColor(sample, cv2.COLOR_RGB2GRAY)
    background = int(np.bincount(grey.ravel(), minlength=256).argmax())
    is_flat = (
        np.abs(sample.astype(np.int16) - _median_colour(sample, grey, background)).max(axis=2) <= _DIGITAL_TOLERANCE
    )
    border = np.concatenate([is_flat[0], is_flat[-1], is_flat[:, 0], is_flat[:, -1]])
    return float(min(is_flat.mean(), border.mean()))


def _median_colour(sample: Page, grey: NDArray[np.uint8], level: int) -> NDArray[np.int16]:
    return np.median(sample[grey == level], axis=0).astype(np.int16)


def _has_scanner_background(sample: Page) -> bool:
    """Whether the picture is bright paper without shadows up to its borders."""
    backgrounds = np.array([_background(tile) for row in np.array_split(sample, _TILES) for tile in _columns(row)])
    brightness = backgrounds.min(axis=1)
    paper = np.percentile(brightness, 60)
    alike = (
        (np.abs(brightness - paper) <= _MAX_SCAN_SPREAD)
        & (brightness >= _MIN_SCAN_BRIGHTNESS)
        & (np.ptp(backgrounds, axis=1) <= _MAX_SCAN_SATURATION)
    )
    return bool(alike.mean() >= _MIN_SCAN_TILES)


def _columns(row: Page) -> list[Page]:
    return np.array_split(row, _TILES, axis=1)


def _background(tile: Page) -> NDArray[np.float64]:
    """Return the colour of the paper in a tile: the brightest that is common, per channel."""
    return np.percentile(tile.reshape(-1, 3), 80, axis=0)
