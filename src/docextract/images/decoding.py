"""Decoding of uploads into pages. Untrusted files are decoded in a sandboxed process, see decoder.

Every limit is checked on the header, before any pixel is decoded. A file that cannot be used is a `Refusal` and not an
exception, so that the other files of a request are not affected.
"""

import ctypes
import io
import re
import warnings
from pathlib import Path

import numpy as np
import PIL
import pillow_heif
from PIL import ExifTags, Image, ImageCms, TiffImagePlugin, UnidentifiedImageError

from docextract.images import pdf
from docextract.images.geometry import PAPER_WHITE, Page
from docextract.images.invoice_xml import is_einvoice_xml
from docextract.images.limits import DecodingLimits, check_size
from docextract.images.source import FileHints, picture_source, read_exif
from docextract.images.uploads import DecodedFile, FilePage, PageSelection, Refusal, select_pages

FILE_FORMATS = ("JPEG", "PNG", "WebP", "TIFF", "BMP", "HEIC", "PDF", "XML")
_XML_MEDIA_TYPE = "application/xml"
_PILLOW_FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "HEIF")
_ANIMATED_FORMATS = ("WEBP", "PNG")  # MPO and HEIC have a primary picture; the pages of a TIFF are no animation
_NEW_SUBFILE_TYPE, _REDUCED_OR_MASK = 254, 0b101  # a tag of TIFF, and two of its bits
_MAX_TIFF_FRAMES = 10_000  # that are looked at; reading the directory of one takes 20 microseconds
_MAX_PIXELS_FACTOR = 2  # of the limit of one page, for all pages of a TIFF: 100 Mpx take 300 MB
_PDF_SIGNATURE = b"%PDF-"
# JPEG markers that begin a segment, and the end marker. libjpeg skips all others and would decode scans after them.
_JPEG_MARKER = re.compile(rb"\xff[\xc0-\xcf\xd9-\xfe]")
_SCAN_MARKER, _END_MARKER = b"\xff\xda", b"\xff\xd9"
_PDF_SIGNATURE_WITHIN = 1024  # bytes; PDF readers accept other bytes before the signature, and scanners write them
_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
# Of a progressive JPEG. Each scan processes all pixels: at 49 Mpx, 100 scans of 75 bytes each took 7.9 s. Cameras and
# programs write one to ten.
_MAX_SCANS = 100
_MAX_SCANNED_PIXELS = 500_000_000  # of all scans together
_TURNS = {  # that make a picture upright, by its EXIF orientation
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# Colours are converted in bands of this many pixels: converting a whole picture took up to 1 GB at 49 Mpx.
_BAND_PX = 1_000_000


def _silence_library_warnings() -> None:
    """Keep warnings about untrusted files out of the log: the operator cannot act on them.

    One fax can cause ten thousand lines. libtiff writes them to standard error itself, and Pillow has no option for it.
    """
    warnings.filterwarnings("ignore", module=r"PIL\.")
    for library in Path(PIL.__file__).parents[1].glob("pillow.libs/libtiff*"):
        tiff = ctypes.CDLL(str(library))
        tiff.TIFFSetErrorHandler(None)
        tiff.TIFFSetWarningHandler(None)


_silence_library_warnings()
Image.init()  # otherwise Pillow loads some plugins only when no list of formats is given
pillow_heif.register_heif_opener(thumbnails=False)


def decode_upload(data: bytes, limits: DecodingLimits, pages: PageSelection | None = None) -> DecodedFile | Refusal:
    """Decode the selected pages of a file into upright sRGB pixels: one of a picture, all of a PDF or a TIFF.

    The format is detected from the bytes, never from a file name. EXIF orientation is applied and transparency becomes
    white. Smaller copies of a picture in the same file (thumbnails, depth maps, the other pictures of an MPO or a HEIC)
    are no pages; an animation is refused, because none of its pictures is the document.
    """
    if not data:
        return Refusal("image_undecodable", "The file is empty.")
    if len(data) > limits.max_bytes:
        return Refusal(
            "image_too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are accepted."
        )
    if is_pdf(data):
        return pdf.read_pdf(data, limits, pages)
    if is_einvoice_xml(data):
        return DecodedFile(_XML_MEDIA_TYPE, 0, (), data)
    return _decode_picture(data, limits, pages)


def is_pdf(data: bytes) -> bool:
    """Whether a file is decoded as a PDF."""
    return _PDF_SIGNATURE in data[:_PDF_SIGNATURE_WITHIN]


def _decode_picture(data: bytes, limits: DecodingLimits, selection: PageSelection | None) -> DecodedFile | Refusal:
    try:
        with Image.open(io.BytesIO(data), formats=_PILLOW_FORMATS) as picture:
            max_scans = min(_MAX_SCANS, _MAX_SCANNED_PIXELS // max(1, picture.width * picture.height))
            if picture.format in ("JPEG", "MPO") and _has_more_scans(data, max(1, max_scans)):
                return Refusal(
                    "image_too_large", f"The JPEG has more than {max_scans} scans, too many for its number of pixels."
                )
            if picture.format in _ANIMATED_FORMATS and getattr(picture, "n_frames", 1) > 1:
                return Refusal("image_undecodable", "The file is an animation. Send the picture of the document alone.")
            return _decode_frames(picture, limits, selection)
    except UnidentifiedImageError:
        return Refusal("image_undecodable", f"The file format is not one of {', '.join(FILE_FORMATS)}.")
    except Image.DecompressionBombError:
        return Refusal("image_too_large", f"The picture has more than {limits.max_pixels:,} pixels.")
    except MemoryError:
        return Refusal("image_too_large", "The picture needs more memory than is allowed for one file.")
    except Exception:  # Pillow's plugins raise nearly every kind of error on a damaged file
        return Refusal("image_undecodable", "The file is damaged or cut short.")


def _decode_frames(
    picture: Image.Image, limits: DecodingLimits, selection: PageSelection | None
) -> DecodedFile | Refusal:
    # Pillow opens other files at their primary picture; in a HEIC that need not be the first.
    frames = _page_frames(picture) if picture.format == "TIFF" else [picture.tell()]
    numbers = select_pages(len(frames), selection, limits.max_pages)
    if isinstance(numbers, Refusal):
        return numbers
    pages: list[FilePage] = []
    left = limits.max_pixels * _MAX_PIXELS_FACTOR
    for number in numbers:
        picture.seek(frames[number - 1])
        if refusal := check_size(picture.width, picture.height, limits):
            return refusal
        left -= picture.width * picture.height
        if left < 0:
            return Refusal("image_too_large", "The pages of the file have too many pixels together.")
        hints = FileHints.of(picture)
        pixels = _decode_pixels(picture)
        pages.append(FilePage(number, pixels, picture_source(pixels, hints)))
    return DecodedFile(Image.MIME.get(picture.format or "", "image/jpeg"), len(frames), tuple(pages))


def _page_frames(picture: Image.Image) -> list[int]:
    """Return the indices of the frames of a TIFF that are pages, not reduced copies or masks of another frame."""
    assert isinstance(picture, TiffImagePlugin.TiffImageFile)
    frames = []
    for index in range(min(picture.n_frames, _MAX_TIFF_FRAMES)):
        picture.seek(index)
        if not picture.tag_v2.get(_NEW_SUBFILE_TYPE, 0) & _REDUCED_OR_MASK:
            frames.append(index)
    return frames or [0]


def _has_more_scans(jpeg: bytes, limit: int) -> bool:
    """Whether the first picture has more scans. Any bytes may follow the picture: motion photos append a video."""
    scans, at = 0, 0
    while scans <= limit and (marker := _JPEG_MARKER.search(jpeg, at)) and marker[0] != _END_MARKER:
        scans += marker[0] == _SCAN_MARKER
        length = jpeg[
            marker.end() : marker.end() + 2
        ]  # includes its own two bytes; the pixels after a scan header contain no markers
        at = marker.end() + int.from_bytes(length, "big")
    return scans > limit


def _decode_pixels(picture: Image.Image) -> Page:
    picture.load()
    _make_upright(picture)
    negative = _is_sixteen_bit_negative(picture)
    profile = picture.info.get("icc_profile")
    page = np.empty((picture.height, picture.width, 3), np.uint8)
    rows = max(1, _BAND_PX // picture.width)
    for top in range(0, picture.height, rows):
        bottom = min(top + rows, picture.height)
        band = picture.crop((0, top, picture.width, bottom))
        page[top:bottom] = np.asarray(_to_srgb(_flatten(band, negative), profile))
    return page


def _make_upright(picture: Image.Image) -> None:
    """Turn a loaded picture by its EXIF orientation. A TIFF was turned by Pillow, and a HEIC by libheif, when loaded.

    Not with ImageOps.exif_transpose: it also writes all tags again, and fails if one of them has an unusual value.
    """
    turn = _TURNS.get(read_exif(picture).get(ExifTags.Base.Orientation, 1))
    if turn is not None:
        picture.im = picture.im.transpose(turn)  # in place: a copy of the picture would take four more bytes per pixel
        picture._size = picture.im.size


def _is_sixteen_bit_negative(picture: Image.Image) -> bool:
    """Whether 0 is white, as in some TIFFs. Pillow inverts those with fewer bits itself."""
    if not isinstance(picture, TiffImagePlugin.TiffImageFile) or not picture.mode.startswith("I"):
        return False
    return picture.tag_v2.get(TiffImagePlugin.PHOTOMETRIC_INTERPRETATION) == 0


def _flatten(picture: Image.Image, negative: bool) -> Image.Image:
    """Convert to 8-bit L, RGB or CMYK without transparency. negative: in 16-bit grey, 0 is white."""
    if picture.mode.startswith("I"):
        return _from_sixteen_bits(picture, negative)
    if picture.mode == "F":
        raise ValueError("floating-point pixels have no defined white")
    if picture.mode in ("PA", "LA", "RGBA", "RGBa", "La") or "transparency" in picture.info:
        layered = picture.convert("RGBA")
        white = Image.new("RGBA", layered.size, (PAPER_WHITE,) * 4)
        return Image.alpha_composite(white, layered).convert("RGB")
    return picture if picture.mode in ("L", "RGB", "CMYK") else picture.convert("RGB")


def _from_sixteen_bits(picture: Image.Image, negative: bool) -> Image.Image:
    wide = np.asarray(picture)  # 16-bit grey has mode I;16 or I, both with values 0..65535
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
            pass  # broken and unsuitable profiles are common; the colours are then used without conversion
    return picture if picture.mode == "RGB" else picture.convert("RGB")  # convert would copy
