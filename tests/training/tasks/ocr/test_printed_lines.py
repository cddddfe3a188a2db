"""Pages of lines that are drawn one by one."""

import numpy as np
import pytest

from training.tasks.ocr import strips
from training.tasks.ocr.accents import accented_line
from training.tasks.ocr.numbers import line_of_numbers
from training.tasks.ocr.printed_lines import pages_of_lines


@pytest.mark.parametrize("draw_line", [accented_line, line_of_numbers])
def test_a_page_says_where_each_line_is_printed(draw_line):
    """The same for the same seed and number."""
    pixels, lines = pages_of_lines(draw_line, 1, "all")(0)
    again, _ = pages_of_lines(draw_line, 1, "all")(0)

    assert np.array_equal(pixels, again)
    assert len(lines) > 20
    for polygon, text in lines:
        left, top = polygon.min(axis=0).astype(int)
        right, bottom = polygon.max(axis=0).astype(int)
        assert pixels[top:bottom, left:right].min() < 140, text


def test_a_photo_of_a_page_has_the_same_lines():
    printed = pages_of_lines(line_of_numbers, 1, "all")
    photo, lines = strips.photos_of(printed, "good", 2, ())(0)

    assert [text for _, text in lines] == [text for _, text in printed(0)[1]]
    assert all((polygon.min(axis=0) > -5).all() and (polygon < photo.shape[1::-1]).all() for polygon, _ in lines)
