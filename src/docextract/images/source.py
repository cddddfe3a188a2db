"""Whether an uploaded picture is a photo, a scan, or was drawn by a program."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from docextract.images.geometry import Page
from docextract.sources import ImageSource

# Measured on 100 phone photos of receipts, 124 without a document, 22 specimen cards and 18 video frames (none of them
# is called a scan or digital), 621 and 48 scanned receipts, and 41 invoices of which most were drawn by programs.
_SIDE_PX = 512  # of the copy that is looked at
_TILES = 8  # along each side
_MIN_DIGITAL_SHARE = 0.7  # of pixels with exactly the colour of the background
_DIGITAL_TOLERANCE = 2  # grey levels; JPEG changes flat colour by one or two
# Of the other pixels, nearly the colour of the background: where light was too bright for the camera or the scanner,
# the background is flat, too, but its edges are not sharp.
_MAX_NEAR_SHARE = 0.5
_NEAR_LEVELS = 40
_MIN_INK_SHARE = 0.001  # a picture of one colour says nothing
_MIN_PAPER_LEVEL = 200  # a dark background is a covered lens more often than a page
_MIN_SCAN_BRIGHTNESS = 215  # of the background of each tile
_MAX_SCAN_SPREAD = 14  # grey levels between the backgrounds of tiles
_MAX_SCAN_SATURATION = 16  # difference between the colour channels of the background
_MIN_CONTRAST = 32  # grey levels in the picture; without print it may be anything
_MIN_SCAN_TILES = 0.9  # share of tiles with such a background; the rest are logos and pictures
# Of certain photos. Of the pictures named above, no scan of a receipt is one; all video frames are, 82 of 100 phone
# photos of receipts, and 21 of 22 cards. Of 144 scans of one or two cards on white paper none is (2026-11-29).
_MAX_DARK_LEVEL = 130  # of the brightest print or paper: no scanner makes such a picture
_MIN_PHOTO_SATURATION = 20  # difference between the colour channels that a tenth of the picture exceeds
_EVEN_LEVELS = 3  # between the backgrounds of neighbouring tiles
_MAX_EVEN_SHARE = 0.7  # of neighbouring tiles: scanners have even light, and coloured paper fills the picture


@dataclass(frozen=True)
class FileHints:
    """What the file itself says. camera: the maker of a camera. bilevel: one bit per pixel, as fax."""

    camera: bool = False
    bilevel: bool = False

    @classmethod
    def of(cls, picture: Image.Image) -> "FileHints":
        """Read the hints of an opened picture, before it is converted."""
        exif = read_exif(picture)
        camera = bool(exif.get(ExifTags.Base.Make)) and bool(exif.get_ifd(ExifTags.IFD.Exif))
        return cls(camera, picture.mode == "1")


def read_exif(picture: Image.Image) -> Image.Exif:
    """Return the EXIF data of an opened picture; none if they cannot be read, which says nothing about its pixels."""
    try:
        return picture.getexif()
    except Exception:  # Pillow raises nearly every kind of error on damaged data
        return Image.Exif()


def picture_source(pixels: Page, hints: FileHints = FileHints()) -> ImageSource:
    """Return where a picture comes from. In doubt it is a photo, which is checked most thoroughly."""
    if hints.camera:
        return "photo"
    if hints.bilevel:
        return "scan"
    sample = _sample(pixels)
    if _is_drawn(sample):
        return "digital"
    return "scan" if _has_scanner_background(sample[::2, ::2]) else "photo"  # percentiles need fewer pixels


def is_certainly_photo(pixels: Page) -> bool:
    """Whether a picture is a photo even where most pictures are scans, such as on the pages of PDFs.

    In `picture_source`, scans of grey or coloured paper, or with the dark bed of the scanner, count as photos.
    """
    if not pixels.size or picture_source(pixels) != "photo":
        return False
    sample = _sample(pixels)[::2, ::2]
    brightness = sample.max(axis=2)
    if np.percentile(brightness, 95) < _MAX_DARK_LEVEL:
        return True
    saturation = np.percentile(brightness - sample.min(axis=2), 90)
    return bool(saturation > _MIN_PHOTO_SATURATION and _even_share(sample) < _MAX_EVEN_SHARE)


def _sample(pixels: Page) -> Page:
    """Return a copy of reduced size. No averaging: it would make noise look like flat colour. Contiguous, for speed."""
    step = max(1, max(pixels.shape[:2]) // _SIDE_PX)
    return np.ascontiguousarray(pixels[::step, ::step])


def _even_share(sample: Page) -> float:
    """Return the share of neighbouring tiles whose backgrounds are about equally bright, 0..1."""
    rows, columns = (min(_TILES, side) for side in sample.shape[:2])
    levels = _backgrounds(sample).mean(axis=1).reshape(rows, columns)
    steps = np.concatenate([np.diff(levels, axis=0).ravel(), np.diff(levels, axis=1).ravel()])
    return float((np.abs(steps) <= _EVEN_LEVELS).mean()) if len(steps) else 1.0


def _is_drawn(sample: Page) -> bool:
    """Whether the background has one bright colour up to the borders, and print on it has sharp edges."""
    grey = cv2.cvtColor(sample, cv2.COLOR_RGB2GRAY)
    level = int(cv2.calcHist([grey], [0], None, [256], [0, 256]).argmax())
    if level < _MIN_PAPER_LEVEL:
        return False
    background = np.median(sample[grey == level], axis=0).astype(np.int16)
    flat, near = (_is_within(sample, background, levels) for levels in (_DIGITAL_TOLERANCE, _NEAR_LEVELS))
    border = np.concatenate([flat[0], flat[-1], flat[:, 0], flat[:, -1]])
    ink = 1 - flat.mean()
    return bool(
        min(flat.mean(), border.mean()) >= _MIN_DIGITAL_SHARE
        and ink >= _MIN_INK_SHARE
        and (near & ~flat).mean() <= _MAX_NEAR_SHARE * ink
    )


def _is_within(sample: Page, colour: NDArray[np.int16], levels: int) -> NDArray[np.bool_]:
    """Return where every channel differs from a colour by at most so many grey levels."""
    low, high = (np.clip(colour + sign * levels, 0, 255).astype(np.float64) for sign in (-1, 1))
    return cv2.inRange(sample, low, high) > 0


def _has_scanner_background(sample: Page) -> bool:
    """Whether the picture is bright paper without shadows up to its borders."""
    if np.ptp(sample) < _MIN_CONTRAST:
        return False
    # One channel first: most photos fail already, and each channel takes as long.
    first = _backgrounds(sample[..., :1])
    if (first >= _MIN_SCAN_BRIGHTNESS).mean() < _MIN_SCAN_TILES:
        return False
    backgrounds = np.concatenate([first, _backgrounds(sample[..., 1:])], axis=1)
    brightness = backgrounds.min(axis=1)
    paper = np.percentile(brightness, 60)
    alike = (
        (np.abs(brightness - paper) <= _MAX_SCAN_SPREAD)
        & (brightness >= _MIN_SCAN_BRIGHTNESS)
        & (np.ptp(backgrounds, axis=1) <= _MAX_SCAN_SATURATION)
    )
    return bool(alike.mean() >= _MIN_SCAN_TILES)


def _backgrounds(sample: Page) -> NDArray[np.float64]:
    """Return the colour of the paper in each of N tiles, [N, C]: the brightest that is common, per channel."""
    rows, columns = (min(_TILES, side) for side in sample.shape[:2])
    height, width = sample.shape[0] // rows, sample.shape[1] // columns
    # Evenly, up to the borders, so that all tiles have one size.
    y, x = (
        np.linspace(0, side - 1, count).astype(np.intp)
        for side, count in zip(sample.shape[:2], (rows * height, columns * width), strict=True)
    )
    tiles = sample[np.ix_(y, x)].reshape(rows, height, columns, width, -1)
    flat = tiles.transpose(0, 2, 4, 1, 3).reshape(rows * columns, sample.shape[2], -1)
    return np.asarray(np.percentile(flat, 80, axis=2), np.float64)
