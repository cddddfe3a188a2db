"""Search for lines of a zone that text detection missed, on paper that is not flat."""

import numpy as np
import pytest

from docextract.extraction.zones.decoding import ZONE_CHARACTERS
from docextract.extraction.zones.grids import FrameScores
from docextract.extraction.zones.network import STRIP_WIDTH_PX, ZONE_FRAME_PX
from docextract.extraction.zones.search import LEFT, LINE_HEIGHT, RIGHT, SEARCH_TOP, find_zone_lines

WIDTH, HEIGHT = 1000, 700


class InkReader:
    """A reader that reports characters in the frames whose middle rows are dark."""

    def __init__(self):
        self.strips = []

    def read_strips(self, strips):
        self.strips = list(strips)
        return [self.frames(strip) for strip in strips]

    @staticmethod
    def frames(strip):
        dark = (strip[10:22].mean(axis=0) < 128).reshape(-1, ZONE_FRAME_PX).mean(axis=1) > 0.5
        characters = np.full((STRIP_WIDTH_PX // ZONE_FRAME_PX, len(ZONE_CHARACTERS)), -9.0, np.float32)
        characters[:, 0] = np.where(dark, 0.0, -3.0)
        return FrameScores(np.where(dark, 2.0, -4.0).astype(np.float32), characters)


def page_with(*lines):
    """A white page with dark lines; each is a function from x to y."""
    page = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    half = 0.35 * LINE_HEIGHT["passport"] * WIDTH
    y = np.arange(HEIGHT)[:, None]
    for line in lines:
        page[np.abs(y - line(np.arange(WIDTH))[None]) < half] = 0
    return page


def arch(rise):
    return lambda x: rise * np.sin(np.pi * x / WIDTH)


def fold(at, slope):
    return lambda x: slope * (np.maximum(x - at, 0) - (WIDTH - at) / 2)


@pytest.mark.parametrize("bend", [arch(0), arch(30), arch(-40), fold(650, 0.25), fold(300, -0.15)])
def test_curved_and_folded_lines_are_found(bend):
    """Both lines are found, from top to bottom, and each strip follows the middle of its line."""
    lines = [lambda x, at=at: at + bend(x) for at in (560, 610)]
    reader = InkReader()

    found = find_zone_lines(page_with(*lines), "passport", reader)

    assert len(found) == 2
    ends = np.array([LEFT * WIDTH, RIGHT * WIDTH])
    for line, (_, outline) in zip(lines, found, strict=True):
        assert outline[:, 1].mean() == pytest.approx(line(ends).mean(), abs=12)
    for strip in reader.strips:  # the last strips that were read follow the lines
        assert (strip[12:20].mean(axis=0) < 128).mean() > 0.98
    assert (found[0][1][:, 0].min(), found[0][1][:, 0].max()) == (LEFT * WIDTH, RIGHT * WIDTH)


def test_pages_without_a_zone_give_no_lines():
    """Blank paper, print in the upper half only, a type without a zone, and a page of a few pixels."""
    upper = page_with(lambda x: np.full(len(x), 0.3 * SEARCH_TOP * HEIGHT))

    assert find_zone_lines(page_with(), "passport", InkReader()) == []
    assert find_zone_lines(upper, "passport", InkReader()) == []
    assert find_zone_lines(page_with(lambda x: np.full(len(x), 600)), "receipt", InkReader()) == []
    assert find_zone_lines(np.full((8, 40, 3), 255, np.uint8), "id_card", InkReader()) == []


@pytest.mark.parametrize("shape", [(2200, 14, 3), (8000, 300, 3)])
def test_a_page_too_narrow_for_a_zone_is_not_searched(shape):
    """The number of strips grows as the page gets narrower: a long picture 14 px wide would have 15,000 of them."""
    reader = InkReader()

    assert find_zone_lines(np.zeros(shape, np.uint8), "passport", reader) == []
    assert reader.strips == []
