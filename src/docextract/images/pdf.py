"""Reading of PDFs by PDFium; of untrusted ones in a sandboxed process, see decoder: a page of a PDF is a program.

Of each page: its drawing with form fields and annotations, the lines of its text layer, and whether it is a photo, a
scan, or drawn by a program. Of the file: the number of its pages, and the e-invoice that it contains.
"""

import ctypes
import re
from contextlib import closing
from typing import Any

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from docextract.images.geometry import Page
from docextract.images.invoice_xml import MAX_XML_BYTES, is_einvoice_xml
from docextract.images.limits import DecodingLimits, check_size
from docextract.images.page_objects import MAX_OBJECTS, PageObject, objects_of
from docextract.images.source import is_certainly_photo
from docextract.images.text_layer import TextLayer, is_drawn_invisibly, read_text_layer
from docextract.images.uploads import (
    DecodedFile,
    FilePage,
    PageSelection,
    Refusal,
    select_pages,
)
from docextract.sources import ImageSource

PDF_MEDIA_TYPE = "application/pdf"
_POINTS_PER_INCH = 72
_LONG_SIDE_PX = 2200  # the resolution of extraction; an A4 page at 188 dpi
# Of long and narrow pages: a till's roll of 200 x 2,500 pt would otherwise be drawn with print of 6 px.
_MIN_SHORT_SIDE_PX = 700
_MAX_DPI = 300  # limit for small pages
# Of the long side, points. No document is smaller: the page has a larger unit (/UserUnit), which PDFium does not tell.
_MIN_LONG_SIDE_PT = 110
_SCAN_IMAGE_SHARE = 0.7  # of the page that one image covers
_MAX_SCAN_MARKS = 20  # glyphs that can be seen, or objects drawn: a stamp of the scanning program, or a frame
_MIN_PHOTO_SHARE = 0.05  # of the page; a card of natural size takes 0.07 of A4, logos are smaller
_MAX_ATTACHMENTS = 100
_DRAWN_TYPES = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_SHADING)
_PICTURE_TYPES = (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
_INVOICE_NAMES = re.compile(r"(factur-x|zugferd-invoice|xrechnung)\.xml", re.IGNORECASE)


def read_pdf(data: bytes, limits: DecodingLimits, selection: PageSelection | None = None) -> DecodedFile | Refusal:
    """Read the selected pages; a Refusal if that is not possible."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return Refusal("image_undecodable", "The PDF is protected by a password." if locked else "The PDF is damaged.")
    try:
        return _read_document(document, limits, selection)
    except pypdfium2.PdfiumError:
        return Refusal("image_undecodable", "The PDF is damaged.")
    finally:
        document.close()


def _read_document(document: Any, limits: DecodingLimits, selection: PageSelection | None) -> DecodedFile | Refusal:
    page_count = len(document)
    if not page_count:
        return Refusal("image_undecodable", "The PDF has no pages.")
    numbers = select_pages(page_count, selection, limits.max_pages)
    if isinstance(numbers, Refusal):
        return numbers
    if document.get_formtype() != pdfium.FORMTYPE_NONE:
        document.init_forms()
    pages: list[FilePage] = []
    for number in numbers:
        page = _read_page(document, number, limits)
        if isinstance(page, Refusal):
            return page
        pages.append(page)
    return DecodedFile(PDF_MEDIA_TYPE, page_count, tuple(pages), embedded_invoice(document))


def _read_page(document: Any, number: int, limits: DecodingLimits) -> FilePage | Refusal:
    page = document[number - 1]
    if document.get_formtype() == pdfium.FORMTYPE_NONE and pdfium.FPDF_ANNOT_WIDGET in _annotations(page):
        page = _flattened(document, number - 1, page)  # fields without a form are drawn in no other way
    width_pt, height_pt = page.get_size()
    if not (width_pt > 0 and height_pt > 0):
        return Refusal("image_undecodable", f"Page {number} of the PDF has no size.")
    scale = _drawing_scale(width_pt, height_pt, limits)
    if refusal := check_size(round(width_pt * scale), round(height_pt * scale), limits):
        return refusal
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=True)
    pixels: Page = np.array(bitmap.to_numpy()[..., :3])
    if _has_damaged_image(page, pixels):
        return Refusal("image_undecodable", f"Page {number} of the PDF is a picture that is damaged.")
    to_pixels = _points_to_pixels(page, pixels)
    flattened = _flattened(document, number - 1, page)
    with closing(flattened.get_textpage()) as text_page:
        layer = read_text_layer(text_page.raw, flattened.raw, to_pixels, pixels)
    return FilePage(number, pixels, _source(page, layer, pixels, width_pt * height_pt), layer.lines)


def _flattened(document: Any, index: int, page: Any) -> Any:
    """Return a page with its form fields and annotations as part of its content, so that their text can be read.

    PDFium loses the size and the fonts of such a page if it has them from its parent, so it is not drawn.
    """
    if _annotations(page) <= {pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP}:
        return page
    pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
    return document[index]


def _annotations(page: Any) -> set[int]:
    """Return the kinds of a page's annotations."""
    kinds = set()
    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page), MAX_OBJECTS)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        kinds.add(int(pdfium.FPDFAnnot_GetSubtype(annotation)))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return kinds


def _drawing_scale(width_pt: float, height_pt: float, limits: DecodingLimits) -> float:
    long_pt, short_pt = max(width_pt, height_pt), min(width_pt, height_pt)
    wanted = max(_LONG_SIDE_PX / long_pt, _MIN_SHORT_SIDE_PX / short_pt)
    allowed = min(limits.max_side_px / long_pt, (limits.max_pixels / (long_pt * short_pt)) ** 0.5)
    if long_pt >= _MIN_LONG_SIDE_PT:
        wanted = min(wanted, _MAX_DPI / _POINTS_PER_INCH)
    return float(min(wanted, allowed * 0.999))


def _points_to_pixels(page: Any, pixels: Page) -> NDArray[np.float64]:
    """Return the affine map, [2, 3], from points of the page to px of its drawing."""
    fine = 1000  # PDFium rounds to integers
    height, width = pixels.shape[:2]
    x, y = ctypes.c_int(), ctypes.c_int()
    mapped = []
    for point in ((0.0, 0.0), (100.0, 0.0), (0.0, 100.0)):
        pdfium.FPDF_PageToDevice(page, 0, 0, width * fine, height * fine, 0, *point, x, y)
        mapped.append((x.value / fine, y.value / fine))
    origin, right, up = map(np.array, mapped)
    return np.stack([(right - origin) / 100, (up - origin) / 100, origin], axis=1)


def _source(page: Any, layer: TextLayer, pixels: Page, page_area: float) -> ImageSource:
    """Return `digital` for a page with text or other print of a program, else what its pictures show."""
    if layer.visible > _MAX_SCAN_MARKS:
        return "digital"
    objects = list(objects_of(page))
    shares = [one.area / page_area for one in objects if one.type == pdfium.FPDF_PAGEOBJ_IMAGE]
    marks = sum(map(_is_mark, objects))
    if shares and marks <= _MAX_SCAN_MARKS and is_certainly_photo(_pictured_part(page, pixels)):
        return "photo"
    is_scan = bool(shares) and (not marks or max(shares) >= _SCAN_IMAGE_SHARE)
    return "scan" if is_scan else "digital"


def _is_mark(one: PageObject) -> bool:
    """Whether an object is print of a program: drawn, or text that is not laid invisibly over a scan."""
    return one.type in _DRAWN_TYPES or (one.type == pdfium.FPDF_PAGEOBJ_TEXT and not is_drawn_invisibly(one.handle))


def _pictured_part(page: Any, pixels: Page) -> Page:
    """Return the part of a drawn page with its images and forms; nothing of it if that is too small for a photo."""
    pictures = (one for one in objects_of(page, form_depth=0) if one.type in _PICTURE_TYPES)
    bounds = np.array([one.bounds for one in pictures]).reshape(-1, 2, 2)
    if not len(bounds):
        return pixels[:0]
    corners = np.stack([bounds.min(axis=(0, 1)), bounds.max(axis=(0, 1))])  # (x, y), points
    to_pixels = _points_to_pixels(page, pixels)
    ends = np.clip(corners @ to_pixels[:, :2].T + to_pixels[:, 2], 0, pixels.shape[1::-1])
    (left, top), (right, bottom) = np.sort(ends.round().astype(int), axis=0)
    part = pixels[top:bottom, left:right]
    return part if part.size >= _MIN_PHOTO_SHARE * pixels.size else pixels[:0]


def _has_damaged_image(page: Any, pixels: Page) -> bool:
    """Whether the page is blank because an image on it cannot be decoded."""
    if int(pixels.max()) != int(pixels.min()):
        return False
    images = (one.handle for one in objects_of(page) if one.type == pdfium.FPDF_PAGEOBJ_IMAGE)
    return not all(map(_can_be_decoded, images))


def _can_be_decoded(image: Any) -> bool:
    bitmap = pdfium.FPDFImageObj_GetBitmap(image)  # belongs to the caller
    if bitmap:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return bool(bitmap)


def embedded_invoice(document: Any) -> bytes | None:
    """Return the first attachment with the name of an e-invoice, else the first that begins like one."""
    count = min(pdfium.FPDFDoc_GetAttachmentCount(document), _MAX_ATTACHMENTS)
    attachments = [pdfium.FPDFDoc_GetAttachment(document, index) for index in range(count)]
    files = [(_attachment_name(one), one) for one in attachments]
    for name, attachment in sorted(files, key=lambda file: not _INVOICE_NAMES.fullmatch(file[0])):
        content = _attachment_content(attachment) if name.lower().endswith(".xml") else None
        if content and (_INVOICE_NAMES.fullmatch(name) or is_einvoice_xml(content)):
            return content
    return None


def _attachment_name(attachment: Any) -> str:
    length = pdfium.FPDFAttachment_GetName(attachment, None, 0)
    name = ctypes.create_string_buffer(length)
    pdfium.FPDFAttachment_GetName(attachment, ctypes.cast(name, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    return name.raw.decode("utf-16-le", "replace").rstrip("\0")


def _attachment_content(attachment: Any) -> bytes | None:
    length = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, length) or not 0 < length.value <= MAX_XML_BYTES:
        return None
    content = ctypes.create_string_buffer(length.value)
    return content.raw if pdfium.FPDFAttachment_GetFile(attachment, content, length.value, length) else None
