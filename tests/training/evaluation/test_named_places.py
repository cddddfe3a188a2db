"""Tests of the measurement of places that guidance names."""

from pathlib import Path

import numpy as np
import pytest

from docextract.sources import PLACES
from training.datasets.legibility import LegibilityPhoto, ReadLine
from training.evaluation.named_places import NamedPlace, compare_places, letters_by_place

WHOLE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def photo_of(*lines: ReadLine) -> LegibilityPhoto:
    return LegibilityPhoto(Path("none.jpg"), "receipt", "one", lines, {})


def line(text: str, left: float, top: float, right: str) -> ReadLine:
    """A line of a third of the width. right: 1 for each letter that is read right."""
    outline = np.array([[left, top], [left + 0.3, top], [left + 0.3, top + 0.1], [left, top + 0.1]], np.float32)
    return ReadLine(text, outline, None, np.array([one == "1" for one in right]))


def test_letters_are_counted_in_their_ninth():
    """Letters outside the document do not count."""
    right, letters = letters_by_place(
        photo_of(line("ABC", 0.02, 0.02, "101"), line("DE", 0.68, 0.85, "11"), line("F", 0.5, 1.2, "1")), WHOLE
    )

    assert letters.tolist() == [3, 0, 0, 0, 0, 0, 0, 0, 2]
    assert right.tolist() == [2, 0, 0, 0, 0, 0, 0, 0, 2]


def test_named_places_are_compared_with_the_rest():
    """A photo without a named place, or without print there, is counted but not compared."""
    letters = np.full(len(PLACES), 10.0)
    right = letters - np.eye(len(PLACES))[0] * 8  # eight of ten are misread in the first
    photos = [NamedPlace("one", 0, right, letters), NamedPlace("two", 1, right, letters)]
    found = compare_places(
        [*photos, NamedPlace("three", None, right, letters), NamedPlace("four", 0, right, right * 0)]
    )

    assert (found["refused"], found["with a named place"], found["of these with print there"]) == (4, 3, 2)
    assert found["misread there"][0] == pytest.approx(0.4)
    assert found["misread elsewhere"][0] == pytest.approx((0 + 8 / 80) / 2)
    assert found["misread in the worst place"][0] == pytest.approx(0.8)
    assert found["more misread there than elsewhere"] == 0.5
