"""Decoding of one file for the pipeline, in a sandboxed process: `python -m docextract.images.decoder`.

A file of 200 kB can occupy a decoder for ten seconds, or all memory, and a thread cannot be stopped. So every file is
decoded in a process, which returns no more than the later steps need: of each page the glimpse for the quality network,
and the working copy for extraction. Between the processes there is JSON and pixels, nothing that is executed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import cv2
import numpy as np

from docextract.images import decoding, geometry, sandbox
from docextract.images.geometry import FittedPage, Glimpse, Page
from docextract.images.limits import DecodingLimits
from docextract.images.sandbox import Pages, SandboxError, SandboxProcess
from docextract.images.uploads import EmbeddedLine, FilePage, PageSelection, Refusal
from docextract.sources import ImageSource

# Limits for one file; twenty scanned pages take two or three seconds and 300 MB, a WebP of 50 Mpx 800 MB.
CPU_LIMIT_S = 10
WALL_LIMIT_S = 45  # a process that is stopped uses no CPU time
MEMORY_LIMIT_BYTES = 1_500_000_000
_MODULE = "docextract.images.decoder"

_MIN_PRINT_CONTRAST = 24  # grey levels on a page that is not blank
_BLANK_STEP = 4  # px between the pixels that are looked at; print is larger


@dataclass(frozen=True)
class WorkingSize:
    """Of working copies, px: the long side is at most max_side, unless the short one would be under min_side."""

    max_side: int
    min_side: int


@dataclass(frozen=True)
class PreparedPage:
    """One page, reduced to what the pipeline needs.

    number:        in its file, from 1.
    width, height: of the upright picture as it was sent, or of the page as it was drawn, px.
    pixels:        the working copy; None if only the glimpse was asked for.
    blank:         nothing is printed on it.
    lines:         of the text layer, px of the working copy.
    """

    number: int
    source: ImageSource
    width: int
    height: int
    glimpse: Glimpse
    pixels: Page | None
    blank: bool
    lines: tuple[EmbeddedLine, ...] = ()


@dataclass(frozen=True)
class PreparedFile:
    """A decoded file; see uploads.DecodedFile."""

    media_type: str
    page_count: int
    pages: tuple[PreparedPage, ...]
    invoice_xml: bytes | None = None


def new_process() -> SandboxProcess:
    """Return a process for `decode_in`; it starts with its first file."""
    return SandboxProcess(_MODULE, CPU_LIMIT_S, WALL_LIMIT_S, MEMORY_LIMIT_BYTES)


def decode_in(
    process: SandboxProcess,
    data: bytes,
    limits: DecodingLimits,
    selection: PageSelection | None,
    size: WorkingSize | None,
) -> PreparedFile | Refusal:
    """Decode a file in the process. size: of the working copies; None: none are made.

    Raises SandboxError if the file needs more than the limits of the process.
    """
    options = {
        "limits": asdict(limits),
        "selection": str(selection) if selection else None,
        "size": asdict(size) if size else None,
    }
    header, pixels = process.run(data, options)
    try:
        return _file_from_json(header, iter(pixels))
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise SandboxError("the sandboxed process returned something else") from error


def decode_and_prepare(
    data: bytes, limits: DecodingLimits, selection: PageSelection | None, size: WorkingSize | None
) -> PreparedFile | Refusal:
    """Decode a file in this process: for files that are trusted, such as one's own training data."""
    file = decoding.decode_upload(data, limits, selection)
    if isinstance(file, Refusal):
        return file
    pages = tuple(_prepare(page, size) for page in file.pages)
    return PreparedFile(file.media_type, file.page_count, pages, file.invoice_xml)


def _prepare(page: FilePage, size: WorkingSize | None) -> PreparedPage:
    height, width = page.pixels.shape[:2]
    copy = geometry.shrink(page.pixels, size.max_side, size.min_side) if size else None
    scale = np.float32(copy.shape[1] / width if copy is not None else 1)
    lines = tuple(replace(line, polygon=line.polygon * scale) for line in page.lines)
    seen = page.pixels[::_BLANK_STEP, ::_BLANK_STEP]
    blank = not lines and bool(np.ptp(seen) < _MIN_PRINT_CONTRAST)
    glimpse = geometry.take_glimpse(page.pixels)
    return PreparedPage(page.number, page.source, width, height, glimpse, copy, blank, lines)


def _task(data: bytes, options: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pages]:
    selection = PageSelection.parse(options["selection"]) if options["selection"] else None
    size = WorkingSize(**options["size"]) if options["size"] else None
    file = decode_and_prepare(data, DecodingLimits(**options["limits"]), selection, size)
    if isinstance(file, Refusal):
        return {"refusal": asdict(file)}, ()
    header = {
        "media_type": file.media_type,
        "page_count": file.page_count,
        "invoice_xml": None if file.invoice_xml is None else file.invoice_xml.decode("latin-1"),
        "file_pages": [_page_to_json(page) for page in file.pages],
    }
    return header, [pixels for page in file.pages for pixels in _pixels_of(page)]


def _page_to_json(page: PreparedPage) -> Mapping[str, Any]:
    frame = page.glimpse.frame
    return {
        "number": page.number,
        "source": page.source,
        "width": page.width,
        "height": page.height,
        "frame": [frame.scale, frame.width, frame.height],
        "has_copy": page.pixels is not None,
        "blank": page.blank,
        "lines": [
            [line.text, np.round(line.polygon, 2).tolist(), [round(cut, 4) for cut in line.cuts], line.is_struck]
            for line in page.lines
        ],
    }


def _pixels_of(page: PreparedPage) -> Iterator[Page]:
    """Yield the arrays of a page in the order in which `_page_from_json` takes them."""
    yield page.glimpse.frame.pixels
    yield page.glimpse.crops
    if page.pixels is not None:
        yield page.pixels


def _file_from_json(header: Mapping[str, Any], pixels: Iterator[Page]) -> PreparedFile | Refusal:
    if "refusal" in header:
        return Refusal(**header["refusal"])
    xml = header["invoice_xml"]
    pages = tuple(_page_from_json(page, pixels) for page in header["file_pages"])
    return PreparedFile(
        header["media_type"], header["page_count"], pages, None if xml is None else xml.encode("latin-1")
    )


def _page_from_json(page: Mapping[str, Any], pixels: Iterator[Page]) -> PreparedPage:
    scale, frame_width, frame_height = page["frame"]
    width, height = page["width"], page["height"]
    glimpse = Glimpse(FittedPage(next(pixels), scale, frame_width, frame_height), next(pixels), width, height)
    copy = next(pixels) if page["has_copy"] else None
    lines = tuple(
        EmbeddedLine(text, np.array(polygon, np.float32), tuple(cuts), is_struck)
        for text, polygon, cuts, is_struck in page["lines"]
    )
    return PreparedPage(page["number"], page["source"], width, height, glimpse, copy, page["blank"], lines)


if __name__ == "__main__":
    cv2.setNumThreads(1)  # one file uses one core
    sandbox.serve_requests(_task)
