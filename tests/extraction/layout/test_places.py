"""Where pieces stand to each other."""

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
