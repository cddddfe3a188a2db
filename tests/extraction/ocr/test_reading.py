"""Reading of parts of a page."""

import cv2
import numpy as np
import pytest

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX
from docextract.extraction.ocr.reading import Reader


def test_boxes_are_read_together_and_their_lines_are_where_they_were():
    """Print outside the boxes is not read; a box without print has no lines."""
    page = np.full((1100, 800, 3), 255, np.uint8)
    for text, x, y in (("HARBOUR", 60, 90), ("Elsewhere", 60, 500), ("Invoice 4711", 420, 1000)):
        cv2.putText(page, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (0, 0, 0), 2, cv2.LINE_AA)
    boxes = [(40, 50, 320, 110), (40, 600, 700, 640), (400, 960, 760, 1020)]

    lines = Reader().read_boxes(page, boxes)

    found = {line.text.replace(" ", ""): line.polygon for line in lines}
    assert found.keys() == {"HARBOUR", "Invoice4711"}
    for text, (left, top, right, bottom) in (("HARBOUR", boxes[0]), ("Invoice4711", boxes[2])):
        assert (found[text] >= (left, top)).all()
        assert (found[text] <= (right, bottom)).all()
    assert Reader().read_boxes(page, []) == []


def test_small_print_is_cut_out_as_high_as_it_is_recognised():
    """It is enlarged once, from the page: enlarged in two steps it would be blurred."""
    page = np.full((800, 800, 3), 255, np.uint8)
    cv2.putText(page, "Invoice 4711", (60, 90), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1, cv2.LINE_AA)

    ((polygon, strip),) = Reader().cut_lines(page)

    width, height = polygon.max(axis=0) - polygon.min(axis=0)
    assert height < TEXT_STRIP_HEIGHT_PX / 2
    assert strip.shape[0] == TEXT_STRIP_HEIGHT_PX
    assert strip.shape[1] / strip.shape[0] == pytest.approx(width / height, rel=0.05)
