"""Strips and what is printed on them: only where that is sure."""

import numpy as np
import pytest

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from training.tasks.ocr import strips
from training.tasks.ocr.strips import MARGIN_PX, Gatherer, text_within


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


LINE = box(100, 100, 400, 130)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ([(box(102, 103, 398, 127), "TOTAL 9.00")], "TOTAL 9.00"),
        ([(box(300, 103, 398, 127), "9.00"), (box(102, 103, 200, 127), " TOTAL ")], "TOTAL 9.00"),
        ([(box(102, 103, 398, 127), "TOTAL 9.00"), (box(102, 143, 398, 167), "CASH 10.00")], "TOTAL 9.00"),
        ([(box(102, 103, 480, 127), "TOTAL 9.00")], None),  # runs out of it
        ([(box(102, 115, 398, 145), "TOTAL 9.00")], None),  # between two lines
        ([(box(102, 103, 300, 127), "TOTAL"), (box(200, 103, 398, 127), "9.00")], None),  # over each other
        ([(box(102, 143, 398, 167), "CASH 10.00")], None),
        ([], None),
    ],
)
def test_a_strip_says_what_is_printed_within_it(runs, text):
    """And nothing where print runs out of it, or lies across its edge."""
    assert text_within(LINE, runs) == text


def test_a_turned_line_is_read_along_itself():
    """Its outline begins at the print's own top left."""
    turned = LINE[:, ::-1] * [1, -1] + [0, 1000]  # quarter turn
    runs = [(box(300, 103, 398, 127)[:, ::-1] * [1, -1] + [0, 1000], "9.00"),
            (box(102, 103, 200, 127)[:, ::-1] * [1, -1] + [0, 1000], "TOTAL")]  # fmt: skip

    assert text_within(turned, runs) == "TOTAL 9.00"


def test_pages_are_looked_at_once(tmp_path):
    """What was seen of them is kept; what the reader takes for other words than the transcript's is left out."""
    asked = []
    synthetic = strips.synthetic("good", 5, (), "known")

    def source(number: int):
        asked.append(number)
        page, runs = synthetic(number)
        return page, [(place, "QQQQQQQQQQQQ" if number else text) for place, text in runs]

    found = Gatherer(tmp_path).gather("synthetic", source, 2, cased=True)
    again = Gatherer(tmp_path).gather("synthetic", source, 2, cased=True)

    assert asked == [0, 1]
    assert len(found) > 5
    assert found.texts == again.texts
    assert found.packed == again.packed
    assert set(found.texts) <= {text for _, text in synthetic(0)[1]} | {" ".join(text.split()) for text in found.texts}
    assert not any("QQQ" in text for text in found.texts)
    assert found.cased.all()
    for at, width in enumerate(found.widths.tolist()):
        assert found.pixels(at).shape == (TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX, width + 2 * MARGIN_PX, 3)
    assert found.of([2, 0]).texts == (found.texts[2], found.texts[0])
    assert 0.3 < float(np.median(found.heights)) < 3


def test_a_strip_is_kept_with_its_margin(tmp_path):
    """What lies within is what the reader would cut out."""
    page, runs = strips.synthetic("good", 5, (), "known")(0)
    found = Gatherer(tmp_path).gather("one", lambda _: (page, runs), 1, cased=True)
    said = Recogniser(Engine()).read([found.line(at) for at in range(len(found))])

    right = sum("".join(one.text.split()) == "".join(text.split()) for one, text in zip(said, found.texts, strict=True))
    assert right >= 0.7 * len(found)
