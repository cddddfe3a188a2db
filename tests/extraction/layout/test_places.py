"""Where pieces stand to each other."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.extraction.layout.pieces import split_into_pieces
from docextract.extraction.layout.places import PrintedLines, box_of, is_right_below

UPPER = (0.0, 0.0, 100.0, 20.0)


@pytest.mark.parametrize(
    ("lower", "expected"),
    [
        ((0.0, 30.0, 90.0, 50.0), True),
        ((110.0, 30.0, 200.0, 50.0), False),
        ((0.0, 60.0, 90.0, 80.0), False),
        ((0.0, 5.0, 90.0, 25.0), False),
    ],
    ids=["below", "beside", "far below", "in the same row"],
)
def test_what_is_directly_below(lower, expected):
    assert is_right_below(UPPER, lower) is expected


def test_the_nearest_lines_above_and_below_are_found(line):
    """Not those in another column."""
    _, page = split_into_pieces([line("one", 0, 0), line("two", 0, 30), line("far", 0, 50), line("other", 400, 30)])
    lines = PrintedLines(page.pieces)
    texts = [piece.text for piece in page.pieces]
    one, two = texts.index("one"), texts.index("two")

    assert lines.below([one]) == [two]
    assert lines.above([two]) == [one]
    assert lines.above([one]) is None
    assert lines.of(one) == [one]
    assert box_of([one], page.pieces) == (0, 0, 30, 20)


@pytest.mark.parametrize("degrees", [-8, 8])
def test_rows_and_columns_of_a_tilted_page_are_found(line, degrees):
    """A value far to the right of its words is on their row, not on another one."""
    level = [one for at in range(8) for one in (line(f"ITEM {at}", 0, 30 * at), line(f"{at}.00", 700, 30 * at))]
    turn = np.radians(degrees)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]], np.float32)
    _, page = split_into_pieces([replace(one, polygon=one.polygon @ matrix) for one in level])
    lines, texts = PrintedLines(page.pieces), [piece.text for piece in page.pieces]
    item, amount, below = texts.index("3"), texts.index("3.00"), texts.index("4.00")

    assert lines.right_of([item]) == [amount]
    assert lines.below([amount]) == [below]


def test_lines_on_the_same_row_are_found(line):
    """The nearest on the right, or on the left; print further down may be allowed for below."""
    _, page = split_into_pieces([line("one", 0, 0), line("two", 200, 4), line("three", 400, 0), line("low", 0, 60)])
    lines = PrintedLines(page.pieces)
    one, two, three, low = (next(at for at, piece in enumerate(page.pieces) if piece.text == text)
                            for text in ("one", "two", "three", "low"))  # fmt: skip

    assert lines.right_of([one]) == [two]
    assert lines.right_of([three]) is None
    assert (lines.left_of([three]), lines.left_of([one])) == ([two], None)
    assert (lines.below([one]), lines.below([one], 4)) == (None, [low])
    assert sorted(map(tuple, lines)) == sorted([(one,), (two,), (three,), (low,)])
