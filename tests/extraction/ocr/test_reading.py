"""Reading of parts of a page."""

import cv2
import numpy as np

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
