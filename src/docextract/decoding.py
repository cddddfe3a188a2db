"""Uploaded bytes → pages, or a refusal: the only place where a stranger's file is opened.

Every limit is checked on the header, before a pixel is decoded. A bad file is an ordinary answer here, a
`Refusal`, so that one of several can be named and no other is harmed.
"""

import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pillow_heif
import pypdfium2
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from docextract.imaging import PAPER_WHITE, Page

Code = Literal["image_undecodable", "image_too_small", "image_too_large"]

KINDS = ("JPEG", "PNG", "WebP", "TIFF", "BMP", "HEIC", "PDF")
SUFFIXES = frozenset(".jpg .jpeg .png .webp .tif .tiff .bmp .heic .heif .pdf".split())  # taken from folders
_PILLOW_FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "HEIF")
_PDF_MARK = b"%PDF-"
_PDF_MARK_WITHIN = 1024  # bytes; readers accept rubbish before the mark, and scanners write it
_POINTS_PER_INCH = 72
_PDF_LONG_SIDE_PX = 2200  # what extraction looks at; an A4 page at 188 dpi
_PDF_MAX_DPI = 300  # a tiny page is not blown up beyond this
_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
_PDFIUM = threading.Lock()  # PDFium is not thread-safe

Image.init()  # Pillow finds its plugins late, and only when it is not told which formats to expect
pillow_heif.register_heif_opener(thumbnails=False)


@dataclass(frozen=True)
class Limits:
    """What may be opened at all."""

    max_bytes: int = 10_000_000
    min_side_px: int = 64
    max_side_px: int = 10_000
    max_pixels: int = 50_000_000
    max_pdf_pages: int = 10


@dataclass(frozen=True)
class Refusal:
    """Why a file cannot be used: a code of the contract, and a sentence for the one who sent it."""

    code: Code
    detail: str


def decode(data: bytes, limits: Limits) -> tuple[Page, ...] | Refusal:
    """Upright sRGB pages: one for a picture, up to `max_pdf_pages` for a PDF.

    The kind is told from the bytes, never from a name. EXIF orientation is honoured, transparency is laid on
    white, of animations and multi-page TIFFs the first picture is taken.
    """
    if len(data) > limits.max_bytes:
        return Refusal("image_too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are taken.")
    if _PDF_MARK in data[:_PDF_MARK_WITHIN]:
        return _decode_pdf(data, limits)
    return _decode_picture(data, limits)


def _decode_picture(data: bytes, limits: Limits) -> tuple[Page, ...] | Refusal:
    try:
        with Image.open(io.BytesIO(data), formats=_PILLOW_FORMATS) as picture:
            if refusal := _outside(picture.width, picture.height, limits):
                return refusal
            return (_pixels(picture),)
    except UnidentifiedImageError:
        return Refusal("image_undecodable", f"The file is none of {', '.join(KINDS)}.")
    except Image.DecompressionBombError:
        return Refusal("image_too_large", f"The picture has more than {limits.max_pixels:,} pixels.")
    except Exception:  # Pillow's plugins raise nearly every kind of error on a damaged file
        return Refusal("image_undecodable", "The file is damaged or cut short.")


def _outside(width: int, height: int, limits: Limits) -> Refusal | None:
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
    return np.array(_to_srgb(_flattened(picture), picture.info.get("icc_profile")))


def _flattened(picture: Image.Image) -> Image.Image:
    """8-bit L, RGB or CMYK without transparency."""
    if picture.mode.startswith("I"):
        return _from_sixteen_bits(picture)
    if picture.mode == "F":
        raise ValueError("floating-point pixels have no agreed white")
    if picture.mode in ("PA", "LA", "RGBA", "RGBa", "La") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        white = Image.new("RGBA", layered.size, (PAPER_WHITE,) * 4)
        return Image.alpha_composite(white, layered).convert("RGB")
    return picture if picture.mode in ("L", "RGB", "CMYK") else picture.convert("RGB")


def _from_sixteen_bits(picture: Image.Image) -> Image.Image:
    wide = np.asarray(picture).astype(np.int64)  # 16-bit grey arrives as mode I;16 or I, either in 0..65535
    return Image.fromarray((wide.clip(0, 65_535) >> 8).astype(np.uint8))


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


def _decode_pdf(data: bytes, limits: Limits) -> tuple[Page, ...] | Refusal:
    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            locked = "password" in str(error).lower()
            return Refusal("image_undecodable", "The PDF asks for a password." if locked else "The PDF is damaged.")
        try:
            pages: list[Page] = []
            for page in _first_pages(document, limits.max_pdf_pages):
                drawn = _draw(page, limits)
                if isinstance(drawn, Refusal):
                    return drawn
                pages.append(drawn)
        except pypdfium2.PdfiumError:
            return Refusal("image_undecodable", "The PDF is damaged.")
        finally:
            document.close()
    return tuple(pages) or Refusal("image_undecodable", "The PDF has no pages.")


def _first_pages(document: Any, count: int) -> Iterator[Any]:
    for index in range(min(len(document), count)):
        yield document[index]


def _draw(page: Any, limits: Limits) -> Page | Refusal:
    width_pt, height_pt = page.get_size()
    if not (width_pt > 0 and height_pt > 0):
        return Refusal("image_undecodable", "A page of the PDF has no size.")
    scale = min(_PDF_LONG_SIDE_PX / max(width_pt, height_pt), _PDF_MAX_DPI / _POINTS_PER_INCH)
    if refusal := _outside(round(width_pt * scale), round(height_pt * scale), limits):
        return refusal
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    return np.array(bitmap.to_numpy()[..., :3])
