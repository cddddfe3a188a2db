"""PDFs → pages, drawn by PDFium in a process of its own: `python -m docextract.images.pdf`, asked by `decoding`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pypdfium2

from docextract.images import sandbox
from docextract.images.decoding import DecodingLimits, Refusal, check_size
from docextract.images.geometry import Page

_POINTS_PER_INCH = 72
_LONG_SIDE_PX = 2200  # what extraction looks at; an A4 page at 188 dpi
_MAX_DPI = 300  # a tiny page is not blown up beyond this


def render_pdf(data: bytes, limits: DecodingLimits) -> Sequence[Page] | Refusal:
    """Up to `max_pdf_pages` pages, or why there are none."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return Refusal("image_undecodable", "The PDF asks for a password." if locked else "The PDF is damaged.")
    try:
        pages: list[Page] = []
        for index in range(min(len(document), limits.max_pdf_pages)):
            drawn = _draw(document[index], limits)
            if isinstance(drawn, Refusal):
                return drawn
            pages.append(drawn)
    except pypdfium2.PdfiumError:
        return Refusal("image_undecodable", "The PDF is damaged.")
    finally:
        document.close()
    return pages or Refusal("image_undecodable", "The PDF has no pages.")


def _draw(page: Any, limits: DecodingLimits) -> Page | Refusal:
    width_pt, height_pt = page.get_size()
    if not (width_pt > 0 and height_pt > 0):
        return Refusal("image_undecodable", "A page of the PDF has no size.")
    scale = min(_LONG_SIDE_PX / max(width_pt, height_pt), _MAX_DPI / _POINTS_PER_INCH)
    if refusal := check_size(round(width_pt * scale), round(height_pt * scale), limits):
        return refusal
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    return np.array(bitmap.to_numpy()[..., :3])


def _work(data: bytes, limits: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[Page]]:
    drawn = render_pdf(data, DecodingLimits(**limits))
    return (asdict(drawn), ()) if isinstance(drawn, Refusal) else ({}, drawn)


if __name__ == "__main__":
    sandbox.serve_requests(_work)
