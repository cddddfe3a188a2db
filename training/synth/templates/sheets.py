"""Turns a printed template into sheets: the text layer of each page of its PDF, tagged with the fields that it prints.

The browser prints every value as a link, so that the PDF has a rectangle for each printed line of each value, on the
page where it really landed. The text is read as the service reads text layers, so that lines end where they end there.
"""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pypdfium2
import pypdfium2.raw as pdfium

from docextract.images.limits import DecodingLimits
from docextract.images.pdf import read_pdf
from docextract.images.uploads import EmbeddedLine, Refusal
from training.synth.sheet import Sheet, Text

LINK = "https://field.invalid/"
_MM_PER_PT = 25.4 / 72
_TOLERANCE = 0.001  # of the page: rectangles of links are rounded


@dataclass(frozen=True)
class PrintedValue:
    """A rectangle in which one value is printed. box: x0, y0, x1, y1, relative to the page, origin at the top left."""

    field: str  # "total", or "items.2.description" within a list
    box: tuple[float, float, float, float]

    @property
    def area(self) -> float:
        """Its share of the page."""
        return (self.box[2] - self.box[0]) * (self.box[3] - self.box[1])

    def contains(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        left, top, right, bottom = self.box
        return left - _TOLERANCE <= x <= right + _TOLERANCE and top - _TOLERANCE <= y <= bottom + _TOLERANCE


def read_sheets(pdf: bytes, fields: Sequence[str]) -> list[Sheet]:
    """Return a sheet for each page. fields: of the values, in the order of the numbers in their links.

    Raises ValueError where a page has no text layer, or where a value has no place.
    """
    decoded = read_pdf(pdf, DecodingLimits(max_pages=50))
    if isinstance(decoded, Refusal):
        raise ValueError(decoded.detail)
    document = pypdfium2.PdfDocument(pdf)
    try:
        sheets, found = [], set()
        for page, file_page in zip(document, decoded.pages, strict=True):
            links = list(_links(page))
            found |= {number for number, _ in links}
            values = [PrintedValue(fields[number], box) for number, box in links]
            sheets.append(tagged_sheet(file_page.lines, values, page.get_size(), file_page.pixels.shape[:2]))
    finally:
        document.close()
    if missing := sorted({name for number, name in enumerate(fields) if number not in found}):
        raise ValueError(f"these values are not on any page: {', '.join(missing)}")
    return sheets


def tagged_sheet(
    lines: Sequence[EmbeddedLine], values: Sequence[PrintedValue], size_pt: tuple[float, float],
    pixels: tuple[int, int],
) -> Sheet:  # fmt: skip
    """Return the sheet of one page. pixels: height and width of the page that the lines' polygons refer to."""
    if not lines:
        raise ValueError("a page has no text layer that can be used")
    width_mm, height_mm = (side * _MM_PER_PT for side in size_pt)
    scale_x, scale_y = width_mm / pixels[1], height_mm / pixels[0]
    texts: list[Text] = []
    for line in lines:
        (left, top), (right, bottom) = line.polygon.min(axis=0), line.polygon.max(axis=0)
        if line.polygon[1][0] - line.polygon[0][0] < 0.9 * (right - left):
            continue  # sideways or upside down
        borders = [float(left + cut * (right - left)) for cut in line.cuts]
        middle = float(top + bottom) / 2 / pixels[0]
        owners = [_owner(values, (start + end) / 2 / pixels[1], middle) for start, end in pairwise(borders)]
        for start, end in _runs(line.text, owners):
            owner = owners[start]
            texts.append(
                Text(
                    line.text[start:end],
                    borders[start] * scale_x,
                    float(top) * scale_y,
                    (borders[end] - borders[start]) * scale_x,
                    float(bottom - top) * scale_y,
                    owner.field if owner else None,
                    face="sans",
                )
            )
    texts.sort(key=lambda text: (text.y_mm + text.height_mm / 2, text.x_mm))  # lines of one value follow each other
    return Sheet(width_mm, height_mm, tuple(texts))


def _owner(values: Sequence[PrintedValue], x: float, y: float) -> PrintedValue | None:
    """The smallest value around a point."""
    return min((value for value in values if value.contains(x, y)), key=lambda value: value.area, default=None)


def _runs(text: str, owners: Sequence[PrintedValue | None]) -> Iterator[tuple[int, int]]:
    """Yield start and end of characters of one owner; a space belongs to the run before it."""
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or (owners[index] is not owners[start] and text[index] != " "):
            yield start, index
            start = index


def _links(page: pypdfium2.PdfPage) -> Iterator[tuple[int, tuple[float, float, float, float]]]:
    """Yield the number and the rectangle of each link to a value; the rectangle as in PrintedValue."""
    width, height = page.get_size()
    position, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(link)):
        action = pdfium.FPDFLink_GetAction(link)
        size = pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, None, 0)
        address = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(page.pdf.raw, action, address, size)
        number = re.fullmatch(re.escape(LINK) + r"(\d+)", address.value.decode("ascii", "replace"))
        if number:
            box = pdfium.FS_RECTF()
            pdfium.FPDFLink_GetAnnotRect(link, ctypes.byref(box))
            yield int(number[1]), (box.left / width, 1 - box.top / height, box.right / width, 1 - box.bottom / height)


def rows_of(texts: Sequence[Text]) -> Mapping[str, int]:
    """Return the number of printed rows of each list."""
    rows: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        group, _, rest = (text.field or "").partition(".")
        if rest:
            rows[group].add(rest.partition(".")[0])
    return {group: len(found) for group, found in rows.items()}
