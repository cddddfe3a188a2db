"""Tests of deciding whether a picture is rectified by an estimated outline."""

import cv2
import numpy as np
import pytest

from docextract.images.outline import can_rectify, corner_deviation_deg, edge_support

TABLE, PAPER = (90, 60, 40), (235, 235, 230)
CARD = np.array([[200, 150], [600, 150], [600, 450], [200, 450]], np.float32)
BENT = np.array([[200, 150], [600, 150], [500, 450], [120, 420]], np.float32)


def picture(outline, background=TABLE):
    """A document with lines of print on a table."""
    pixels = np.full((600, 800, 3), background, np.uint8)
    cv2.fillConvexPoly(pixels, outline.astype(np.int32), PAPER)
    left, top = outline.min(axis=0).astype(int)
    for y in range(top + 60, top + 240, 20):
        cv2.line(pixels, (left + 110, y), (left + 300, y), (20, 20, 20), 4)
    return pixels


def printed_page():
    """A page that fills the picture."""
    pixels = np.full((600, 800, 3), 255, np.uint8)
    for y in range(20, 600, 20):
        cv2.putText(pixels, "Print of a page " * 4, (20, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1)
    return pixels


@pytest.mark.parametrize("outline", [CARD, BENT])
def test_outline_of_a_document_has_edges(outline):
    """All around, whatever its shape."""
    assert edge_support(picture(outline), outline) > 0.95


@pytest.mark.parametrize("outline", [CARD, BENT])
def test_outline_across_a_printed_page_has_none(outline):
    """Lines of print are not edges of paper."""
    assert edge_support(printed_page(), outline) < 0.2


def test_outline_outside_the_picture_is_not_doubted():
    """Nothing can be seen there."""
    around = np.array([[-80, -60], [880, -60], [880, 660], [-80, 660]], np.float32)

    assert edge_support(printed_page(), around) == 1.0


def test_only_visible_sides_count():
    """A document that is cut off at the left."""
    cut = np.array([[-60, 150], [600, 150], [600, 450], [-60, 450]], np.float32)

    assert edge_support(picture(cut), cut) > 0.95


def test_deviation_is_that_of_the_worst_corner():
    """A turned rectangle has none."""
    turned = cv2.boxPoints(((400, 300), (300, 200), 30)).astype(np.float32)

    assert corner_deviation_deg(turned) == pytest.approx(0, abs=0.1)
    assert corner_deviation_deg(BENT) > 15


@pytest.mark.parametrize(
    ("outline", "source", "rectified"),
    [
        (CARD, "photo", True),
        (BENT, "photo", True),
        (CARD, "scan", True),
        (BENT, "scan", False),
        (BENT, "digital", False),
    ],
)
def test_scans_and_drawn_pages_have_no_perspective(outline, source, rectified):
    """A small receipt on a scanner's glass is cut out, but never bent."""
    assert can_rectify(picture(outline), outline, source) is rectified


def test_page_that_fills_its_picture_is_not_cut():
    """An outline that nothing shows would cut off print, or bend it."""
    assert not can_rectify(printed_page(), CARD, "scan")
    assert not can_rectify(printed_page(), CARD, "digital")
    assert not can_rectify(printed_page(), BENT, "photo")


def test_rectangle_in_a_photo_needs_no_edges():
    """White paper on a white table; a rectangle does not bend print."""
    assert can_rectify(picture(CARD, PAPER), CARD, "photo")


@pytest.mark.parametrize(
    "outline",
    [
        np.array([[10, 10], [790, 10], [790, 590], [10, 590]], np.float32),  # there is no background
        np.array([[200, 150], [600, 150], [300, 200], [200, 450]], np.float32),  # not convex
        np.array([[200, 150], [600, 150], [600, 160], [200, 160]], np.float32),  # too narrow
    ],
)
def test_impossible_outlines_are_not_used(outline):
    """Not of photos either."""
    assert not can_rectify(picture(CARD), outline, "photo")
