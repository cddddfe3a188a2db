"""Rendering of PDF pages by PDFium, in a sandboxed process: `python -m docextract.images.pdf`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pypdfium2

from docextract.images import sandbox
from docextract.images.decoding import DecodingLimits, Refusal, check_size
from docextract.images.geometry import Page

_POINTS_PER_INCH = 72
_LONG_SIDE_PX = 2200  # the resolution of extraction; an A4 page at 188 dpi
_MAX_DPI = 300  # limit for small pages


def render_pdf(data: bytes, limits: DecodingLimits) -> Sequence[Page] | Refusal:
    """Render up to `max_pdf_pages` pages; a Refusal if that is not possible."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        locked = "password" in str(error).lower()
        return Refusal("image_undecodable", "The PDF is protected by a password." if locked else "The PDF is damaged.")
    try:
        pages: list[Page] = []
        for index in range(min(len(document), limits.max_pdf_pages)):
            page = _render_page(document[index], limits)
            if isinstance(page, Refusal):
                return page
            pages.append(page)
    except pypdfium2.PdfiumError:
        return Refusal("image_undecodable", "The PDF is damaged.")
    finally:
        document.close()
    return pages or Refusal("image_undecodable", "The PDF has no pages.")


def _render_page(page: Any, limits: DecodingLimits) -> Page | Refusal:
    width_pt, height_pt = page.get_size()
    if not (width_pt > 0 and height_pt > 0):
        return Refusal("image_undecodable", "A page of the PDF has no size.")
    scale = min(_LONG_SIDE_PX / max(width_pt, height_pt), _MAX_DPI / _POINTS_PER_INCH)
    if refusal := check_size(round(width_pt * scale), round(height_pt * scale), limits):
        return refusal
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    return np.array(bitmap.to_numpy()[..., :3])


def _task(data: bytes, limits: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[Page]]:
    rendered = render_pdf(data, DecodingLimits(**limits))
    return (asdict(rendered), ()) if isinstance(rendered, Refusal) else ({}, rendered)


if __name__ == "__main__":
    sandbox.serve_requests(_task)
