"""Turns pages by quarter turns so that their print runs to the right.

Scans and pages of PDFs may lie on their side or upside down. The rules that take values from a page compare heights and
left edges, so everything after OCR works on the turned page; `PagePrediction.quarter_turns` says how it was turned.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from docextract.extraction.ocr.rows import main_angle
from docextract.images.geometry import inverse, project, turned_to_page
from docextract.predictions import TextLine


def turn_upright(lines: Sequence[TextLine], size: tuple[int, int] | None = None) -> tuple[Sequence[TextLine], int]:
    """Turn the lines of a page by the direction of most of its print.

    size: width and height of the page, px; without them, it ends where its lines do. Returns the lines and the number
    of quarter turns, 0..3, by which `turn_page` turns the page itself.
    """
    quarter_turns = round(main_angle(np.stack([line.polygon for line in lines])) / (np.pi / 2)) % 4 if lines else 0
    if not quarter_turns:
        return lines, 0
    width, height = size or np.max([line.polygon.max(axis=0) for line in lines], 0)
    to_turned = inverse(turned_to_page(quarter_turns, width, height))
    return [replace(line, polygon=project(line.polygon, to_turned)) for line in lines], quarter_turns
