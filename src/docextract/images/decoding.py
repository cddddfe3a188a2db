"""Uploaded bytes → pages, or a refusal: a stranger's file is opened here, and, if it is a PDF, in `pdfs`.

Every limit is checked on the header, before a pixel is decoded. A bad file is an ordinary answer here, a
`Refusal`, so that one of several can be named and no other is harmed.
"""

import ctypes
import io
import re
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import PIL
import pillow_heif
from PIL import Image, ImageCms, ImageOps, TiffImagePlugin, UnidentifiedImageError

from docextract.images import sandbox
from docextract.images.geometry import PAPER_WHITE, Page

RefusalCode = Literal["image_undecodable", "image_too_small", "image_too_large"]

FILE_FORMATS = ("JPEG", "PNG", "WebP", "TIFF", "BMP", "HEIC", "PDF")
UPLOAD_SUFFIXES = frozenset(".jpg .jpeg .png .webp .tif .tiff .bmp .heic .heif .pdf".split())  # taken from folders
_PILLOW_FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "HEIF")
_PDF_MARK = b"%PDF-"
# Of a JPEG: those that begin a segment, and the end. libjpeg passes over others, and would see the scans behind them.
_JPEG_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd9-\xfe]")
_SCAN, _END = b"\xff\xda", b"\xff\xd9"
_PDF_MARK_WITHIN = 1024  # bytes; readers accept rubbish before the mark, and scanners write it
_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
# Of a JPEG; cameras write one to ten. Each goes through all pixels: at 49 Mpx a scan of 75 bytes took 0.1 s.
_MOST_SCANS = 100
# Colours are changed in bands of so many pixels: the work of a whole picture at once took up to 1 GB at 49 Mpx.
_BAND_PX = 1_000_000
# For one file: ten pages of scans take a second or two, and 300 MB.
_PDFS = sandbox.SandboxProcess("docextract.images.pdf", cpu_s=10, memory_bytes=1_000_000_000)


def _hush() -> None:
    """Keep what libraries say of a stranger's file out of the log: nobody there can act on it, and one fax can fill it
    with ten thousand lines. libtiff writes them to standard error itself, and Pillow does not pass on how to stop it.
    """
    warnings.filterwarnings("ignore", module=r"PIL\.")
    for library in Path(PIL.__file__).parents[1].glob("pillow.libs/libtiff*"):
        tiff = ctypes.CDLL(str(library))
        tiff.TIFFSetErrorHandler(None)
        tiff.TIFFSetWarningHandler(None)


_hush()
Image.init()  # Pillow finds its plugins late, and only when it is not told which formats to expect
pillow_heif.register_heif_opener(thumbnails=False)


@dataclass(frozen=True)
class DecodingLimits:
    """What may be opened at all."""

    max_bytes: int = 10_000_000
    min_side_px: int = 64
    max_side_px: int = 10_000
    max_pixels: int = 50_000_000
    max_pdf_pages: int = 10


@dataclass(frozen=True)
class Refusal:
    """Why a file cannot be used: a code of the contract, and a sentence for the one who sent it."""

    code: RefusalCode
    detail: str


def decode_upload(data: bytes, limits: DecodingLimits) -> tuple[Page, ...] | Refusal:
    """Upright sRGB pages: one for a picture, up to `max_pdf_pages` for a PDF.

    The kind is told from the bytes, never from a name. EXIF orientation is honoured, transparency is laid on
    white, of animations and multi-page TIFFs the first picture is taken.
    """
    if len(data) > limits.max_bytes:
        return Refusal("image_too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are taken.")
    return _decode_pdf(data, limits) if is_pdf(data) else _decode_picture(data, limits)


def is_pdf(data: bytes) -> bool:
    """Whether a file is taken for one."""
    return _PDF_MARK in data[:_PDF_MARK_WITHIN]


def _decode_picture(data: bytes, limits: DecodingLimits) -> tuple[Page, ...] | Refusal:
    try:
        with Image.open(io.BytesIO(data), formats=_PILLOW_FORMATS) as picture:
            if refusal := check_size(picture.width, picture.height, limits):
                return refusal
            if picture.format in ("JPEG", "MPO") and _has_endless_scans(data):
                return Refusal("image_too_large", f"The JPEG has more than {_MOST_SCANS} scans.")
            return (_pixels(picture),)
    except UnidentifiedImageError:
        return Refusal("image_undecodable", f"The file is none of {', '.join(FILE_FORMATS)}.")
    except Image.DecompressionBombError:
        return Refusal("image_too_large", f"The picture has more than {limits.max_pixels:,} pixels.")
    except Exception:  # Pillow's plugins raise nearly every kind of error on a damaged file
        return Refusal("image_undecodable", "The file is damaged or cut short.")


def _has_endless_scans(jpeg: bytes) -> bool:
    """Whether the first picture has more than `_MOST_SCANS`. Motion photos have a video behind it: any bytes at all."""
    scans, at = 0, 0
    while scans <= _MOST_SCANS and (marker := _JPEG_MARKER.search(jpeg, at)) and marker[0] != _END:
        scans += marker[0] == _SCAN
        length = jpeg[marker.end() : marker.end() + 2]  # counts itself; the pixels behind a scan hold no markers
        at = marker.end() + int.from_bytes(length, "big")
    return scans > _MOST_SCANS


def check_size(width: int, height: int, limits: DecodingLimits) -> Refusal | None:
    """Why a picture of this size, in px, is not taken; None where it is."""
    size = f"The picture is {width} x {height} px"
    if min(width, height) < limits.min_side_px:
        return Refusal("image_too_small", f"{size}; each side needs at least {limits.min_side_px} px.")
    if max(width, height) > limits.max_side_px:
        return Refusal("image_too_large", f"{size}; a side may have at most {limits.max_side_px:,} px.")
    if width * height > limits.max_pixels:
        return Refusal("image_too_large", f"{size}; at most {limits.max_pixels:,} pixels are decoded.")
    return None


def _pixels(picture: Image.Image) -> Page:
    picture.load()
    ImageOps.exif_transpose(picture, in_place=True)
    negative = _is_sixteen_bit_negative(picture)
    profile = picture.info.get("icc_profile")
    page = np.empty((picture.height, picture.width, 3), np.uint8)
    rows = max(1, _BAND_PX // picture.width)
    for top in range(0, picture.height, rows):
        bottom = min(top + rows, picture.height)
        band = picture.crop((0, top, picture.width, bottom))
        page[top:bottom] = np.asarray(_to_srgb(_flattened(band, negative), profile))
    return page


def _is_sixteen_bit_negative(picture: Image.Image) -> bool:
    """A TIFF whose 0 is white. Pillow turns those of fewer bits around itself."""
    if not isinstance(picture, TiffImagePlugin.TiffImageFile) or not picture.mode.startswith("I"):
        return False
    return picture.tag_v2.get(TiffImagePlugin.PHOTOMETRIC_INTERPRETATION) == 0


def _flattened(picture: Image.Image, negative: bool) -> Image.Image:
    """8-bit L, RGB or CMYK without transparency; negative: of 16-bit grey, 0 is white."""
    if picture.mode.startswith("I"):
        return _from_sixteen_bits(picture, negative)
    if picture.mode == "F":
        raise ValueError("floating-point pixels have no agreed white")
    if picture.mode in ("PA", "LA", "RGBA", "RGBa", "La") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        white = Image.new("RGBA", layered.size, (PAPER_WHITE,) * 4)
        return Image.alpha_composite(white, layered).convert("RGB")
    return picture if picture.mode in ("L", "RGB", "CMYK") else picture.convert("RGB")


def _from_sixteen_bits(picture: Image.Image, negative: bool) -> Image.Image:
    wide = np.asarray(picture)  # 16-bit grey arrives as mode I;16 or I, either in 0..65535
    grey = (wide.clip(0, 65_535) >> 8).astype(np.uint8)
    return Image.fromarray(~grey if negative else grey)


def _to_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    if profile:
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            if "srgb" not in ImageCms.getProfileDescription(source).lower():
                converted = ImageCms.profileToProfile(picture, source, _SRGB, outputMode="RGB")
                return converted if converted is not None else picture.convert("RGB")
        except (ImageCms.PyCMSError, OSError):
            pass  # a broken or unfitting profile is common and says little; the colours as they stand will do
    return picture if picture.mode == "RGB" else picture.convert("RGB")  # convert would copy


def _decode_pdf(data: bytes, limits: DecodingLimits) -> tuple[Page, ...] | Refusal:
    try:
        told, pages = _PDFS.ask(data, asdict(limits))
    except sandbox.SandboxError:
        return Refusal("image_too_large", "The PDF takes more time or memory to draw than one file may have.")
    return Refusal(**told) if told else tuple(pages)
