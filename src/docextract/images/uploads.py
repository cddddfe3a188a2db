"""What an uploaded file contains once it is decoded: its pages, their text layer, and an embedded e-invoice."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from docextract.images.geometry import Page, Polygon
from docextract.sources import ImageSource

RefusalCode = Literal["image_undecodable", "image_too_small", "image_too_large", "too_many_pages", "invalid_parameter"]

_SELECTION = re.compile(r"[0-9]{1,6}(-[0-9]{1,6})?(,[0-9]{1,6}(-[0-9]{1,6})?)*")


@dataclass(frozen=True)
class Refusal:
    """Why a file cannot be used: an error code of the API, and a sentence for the caller."""

    code: RefusalCode
    detail: str


@dataclass(frozen=True)
class EmbeddedLine:
    """One line of the text layer of a page.

    polygon: [4, 2], px of the drawn page, clockwise from the line's own top-left corner.
    cuts:    positions of the character borders along the line, 0..1, ascending, len(text) + 1 of them.
    is_struck: it is struck out; only its place is of use.
    """

    text: str
    polygon: Polygon
    cuts: tuple[float, ...]
    is_struck: bool = False


@dataclass(frozen=True)
class FilePage:
    """One page of a file. number: from 1. lines: of the text layer; () where there is none that can be used."""

    number: int
    pixels: Page
    source: ImageSource
    lines: tuple[EmbeddedLine, ...] = ()


@dataclass(frozen=True)
class DecodedFile:
    """A decoded file.

    page_count:  all pages of the file, of which `pages` may be a selection.
    invoice_xml: the e-invoice that the file contains or is; an e-invoice that was sent as XML has no pages.
    """

    media_type: str
    page_count: int
    pages: tuple[FilePage, ...]
    invoice_xml: bytes | None = None


@dataclass(frozen=True)
class PageSelection:
    """The pages of a file that a caller wants. ranges: first and last page of each, from 1, in ascending order."""

    ranges: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, text: str) -> "PageSelection":
        """Parse "1-3,5". Raises ValueError if it is written otherwise."""
        compact = text.replace(" ", "")
        if not _SELECTION.fullmatch(compact):
            raise ValueError("must be page numbers and ranges such as 1-3,5")
        ranges = [tuple(map(int, part.split("-"))) for part in compact.split(",")]
        pairs = sorted((bounds[0], bounds[-1]) for bounds in ranges)
        if any(first < 1 or last < first for first, last in pairs):
            raise ValueError("pages count from 1, and a range ends after its beginning")
        return cls(tuple(pairs))

    def __str__(self) -> str:
        """Return the selection as it is written in a request."""
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in self.ranges)


def select_pages(page_count: int, selection: PageSelection | None, max_pages: int) -> Sequence[int] | Refusal:
    """Return the numbers of the pages to decode, from 1, ascending; a Refusal if there are too many or none of them."""
    if selection is None:
        if page_count > max_pages:
            return Refusal(
                "too_many_pages",
                f"The file has {page_count:,} pages; at most {max_pages} are read. Name the wanted ones with `pages`, "
                f"for example pages=1-{max_pages}.",
            )
        return range(1, page_count + 1)
    if (last_page := max(last for _, last in selection.ranges)) > page_count:
        return Refusal("invalid_parameter", f"`pages` names page {last_page:,}; the file has {page_count:,} pages.")
    numbers = sorted({number for first, last in selection.ranges for number in range(first, last + 1)})
    if len(numbers) > max_pages:
        return Refusal("too_many_pages", f"`pages` names {len(numbers):,} pages; at most {max_pages} are read.")
    return numbers
