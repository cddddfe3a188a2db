"""Runs of glyphs, joined to lines wherever they are on the page."""

import pytest

from docextract.images.glyph_lines import Glyph, join_runs


def run(text, left, top, height=10.0, turns=0):
    """Letters side by side, each half as wide as it is high."""
    width = height / 2
    return [
        Glyph(char, left + at * width, left + (at + 1) * width, top, top + height, turns, False)
        for at, char in enumerate(text)
    ]


def joined(*runs):
    return ["".join(glyph.char for glyph in line) for line in join_runs(runs)]


@pytest.mark.parametrize("heights", [(15.5, 16.5), (9.0, 16.0), (16.0, 9.0), (33.0, 31.0)])
@pytest.mark.parametrize("middle", [-0.5, 0.0, 15.9, 16.0, 32.1, 47.5])
@pytest.mark.parametrize("shift", [-2.5, 0.0, 2.5])
def test_runs_of_other_heights_and_a_little_higher_or_lower_join(heights, middle, shift):
    first, second = heights
    one = run("ab", 0, middle - first / 2, first)

    assert joined(run("c", first, middle + shift - second / 2, second), one) == ["abc"]


def test_runs_join_the_nearest_line():
    """Of two at the same distance, the one further left."""
    upper, lower = run("a", 0, 0), run("b", 1, 4)

    assert joined(lower, upper, run("c", 7, 1)) == ["ac", "b"]
    assert joined(lower, upper, run("c", 7, 3)) == ["a", "bc"]
    assert joined(lower, upper, run("c", 7, 2)) == ["ac", "b"]


def test_runs_of_another_line_or_size_or_direction_stay_apart():
    assert joined(run("a", 0, 0), run("b", 6, 5)) == ["a", "b"]
    assert joined(run("a", 0, 0), run("b", 6, -5, 20.0)) == ["a", "b"]
    assert joined(run("a", 0, 0), run("b", 6, 0, turns=1)) == ["a", "b"]
    assert joined(run("a", 0, 0), run("b", 30, 0)) == ["a", "b"]


def test_gaps_in_one_column_are_filled_each_in_its_line():
    """Letters of a second font, drawn after all others."""
    tops = [12.0 * row for row in range(20)]
    first = [run("a", 0, top) + run("c", 10, top) for top in tops]
    second = [run("b", 5, top) for top in tops[::2]]

    assert sorted(joined(*first, *second)) == ["abc"] * 10 + ["ac"] * 10
