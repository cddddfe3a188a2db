"""Tests of finding the part of a page that has print."""

from functools import cache

import cv2
import numpy as np
import pytest

from docextract.images.margins import printed_box

HEIGHT, WIDTH = 2200, 1600


def sheet():
    """A scan of blank paper, with the noise of a scanner and light that decreases to one side."""
    return _blank_scan().copy()


@cache
def _blank_scan():
    light = np.linspace(250, 236, WIDTH)[None, :, None]
    noise = np.random.default_rng(0).normal(0, 3, (HEIGHT, WIDTH, 3))
    return np.clip(light + noise, 0, 255).astype(np.uint8)


def with_print(page, left, top, lines, level=30):
    """Write lines of text, 40 px apart."""
    for number in range(lines):
        place = (left, top + 40 * number)
        cv2.putText(page, "Print on a receipt 12.50", place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, (level,) * 3, 2)
    return page


def test_box_is_around_all_print():
    """With some paper around it, so that no letter is cut."""
    left, top, right, bottom = printed_box(with_print(sheet(), 300, 200, 20))
    assert 200 <= left <= 290
    assert 100 <= top <= 180
    assert 645 <= right <= 800
    assert 960 <= bottom <= 1060


@pytest.mark.parametrize("level", [30, 130, 200])
def test_box_has_pale_print_too(level):
    """A pale line far below the others belongs to the document."""
    page = with_print(with_print(sheet(), 300, 200, 5), 300, 1300, 1, level)
    assert printed_box(page)[3] >= 1305


@pytest.mark.parametrize(
    ("paper", "ink"), [((255, 255, 0), (0, 0, 0)), ((0, 160, 60), (0, 0, 0)), ((250, 60, 60), (60, 60, 250))]
)
def test_box_has_print_on_coloured_paper(paper, ink):
    """Of which one colour is as dark as the print: in a coloured part of the page below the others."""
    page = with_print(sheet(), 300, 200, 5)
    page[1000:1500] = paper
    cv2.putText(page, "Total 12.50", (300, 1300), cv2.FONT_HERSHEY_SIMPLEX, 0.9, ink, 2)
    assert printed_box(page)[3] >= 1305


def test_dust_is_no_print():
    """Single specks do not keep the whole sheet."""
    page = with_print(sheet(), 300, 200, 10)
    page[2100, 1500], page[1800, 100] = 0, 0
    assert printed_box(page)[3] < 800


@pytest.mark.parametrize(
    "page",
    [
        sheet(),
        with_print(sheet(), 100, 100, 50),
        np.full((1, 1, 3), 255, np.uint8),
        np.zeros((9, 4000, 3), np.uint8),
        np.full((1, 4000, 3), 255, np.uint8),
    ],
    ids=["blank", "full", "one pixel", "dark strip", "one row"],
)
def test_other_pages_stay_whole(page):
    """Without print, or with print on most of the page."""
    assert printed_box(page) is None
