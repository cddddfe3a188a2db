"""Cutting one of several documents out of a page."""

import cv2
import numpy as np
import pytest

from docextract.images.geometry import PAPER_WHITE, project
from docextract.images.parts import cut_out_part

PAPER, PRINT, OTHER_PRINT = PAPER_WHITE, (20, 20, 20), (200, 30, 30)


def lines_at(x, y, count, degrees=0.0, length=300.0):
    """The polygons of lines, 20 px high and 40 px apart, of which the first begins at x and y."""
    tops = y + 40.0 * np.arange(count)
    lines = np.stack([[[x, top], [x + length, top], [x + length, top + 20], [x, top + 20]] for top in tops])
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return ((lines - [x, y]) @ np.array([[cos, sin], [-sin, cos]]) + [x, y]).astype(np.float32)


def printed(*parts):
    """A white page with the lines of each part in its colour."""
    page = np.full((1000, 1200, 3), PAPER, np.uint8)
    for lines, colour in parts:
        for polygon in lines:
            cv2.fillConvexPoly(page, polygon.round().astype(np.int32), colour)
    return page


@pytest.mark.parametrize("degrees", [0, 12, -7])
def test_a_part_is_upright_and_has_its_own_print_alone(degrees):
    """However it lies on the page; print of another document in its margin is covered."""
    own, other = lines_at(150, 300, 10, degrees), lines_at(480, 300, 14)
    page = printed((own, PRINT), (other, OTHER_PRINT))

    part = cut_out_part(page, own, other, longest_px=2200)

    upright = project(own, np.linalg.inv(part.to_photo))
    np.testing.assert_allclose(upright[:, 0, 1], upright[:, 1, 1], atol=0.1)
    centres = upright.mean(axis=1).round().astype(int)
    assert (np.abs(part.page[centres[:, 1], centres[:, 0]].astype(int) - PRINT) < 10).all()
    is_red = part.page[..., 0].astype(int) - part.page[..., 1] > 100
    assert is_red.mean() < 0.002  # the rims of the covered lines


def test_an_upside_down_part_is_turned():
    """A line begins at its own left top corner."""
    lines = lines_at(800, 800, 6, 180)

    part = cut_out_part(printed((lines, PRINT)), lines, lines_at(100, 100, 5), longest_px=2200)

    upright = project(lines, np.linalg.inv(part.to_photo))
    assert (upright[:, 1, 0] > upright[:, 0, 0]).all()
    assert (upright[:-1, 0, 1] < upright[1:, 0, 1]).all()


@pytest.mark.parametrize(
    "lines",
    [
        np.concatenate([lines_at(100, 100, 4), lines_at(400, 380, 4, 180)]),
        np.tile(np.float32([100, 100]), (5, 4, 1)),
    ],
    ids=["to and fro", "one point"],
)
def test_a_part_without_a_direction_or_extent_is_cut_out_level(lines):
    """The text layer of a PDF may have such lines."""
    part = cut_out_part(printed(), lines, lines_at(600, 600, 2), longest_px=2200)

    corners = project(np.float32([[0, 0], [10, 0]]), part.to_photo)
    np.testing.assert_allclose(corners[0, 1], corners[1, 1], atol=0.01)
