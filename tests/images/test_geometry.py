"""Geometry of pages."""

import cv2
import numpy as np
import pytest

from docextract.images.geometry import (
    CROP_COUNT,
    CROP_PX,
    FRAME_PX,
    MAX_ENLARGEMENT,
    PAPER_WHITE,
    cut_out,
    detail_crops,
    fit_page,
    project,
    rectify,
    take_glimpse,
    turn_page,
    turned_to_page,
    visible_center,
)

# The corners of `marked_page`, clockwise from its own top left.
RED, GREEN, BLUE, BLACK = (220, 30, 30), (30, 160, 30), (30, 30, 220), (10, 10, 10)


def marked_page(width=300, height=420):
    """Grey paper with a different colour in each corner."""
    page = np.full((height, width, 3), 200, np.uint8)
    for colour, x, y in zip((RED, GREEN, BLUE, BLACK), (0, 1, 1, 0), (0, 0, 1, 1), strict=True):
        left, top = x * (width - 60), y * (height - 60)
        page[top : top + 60, left : left + 60] = colour
    return page


def photographed(page, corners, width=900, height=900):
    """The page on a dark table, with its corners at the given places."""
    source = np.array([[0, 0], [page.shape[1], 0], [page.shape[1], page.shape[0]], [0, page.shape[0]]], np.float32)
    to_photo = cv2.getPerspectiveTransform(source, np.asarray(corners, np.float32))
    return cv2.warpPerspective(page, to_photo, (width, height), borderValue=(60, 40, 20))


def corner_colours(page):
    """Return the colour slightly inside each corner, clockwise from the top left."""
    height, width = page.shape[:2]
    dx, dy = width // 12, height // 12
    return [tuple(map(int, page[y, x])) for x, y in ((dx, dy), (-dx, dy), (-dx, -dy), (dx, -dy))]


def close(colours, expected):
    """Whether all colours are as expected, up to interpolation."""
    return np.abs(np.array(colours) - np.array(expected)).max() < 12


@pytest.mark.parametrize(("width", "height"), [(300, 200), (200, 300), (4000, 3000), (50, 70), (384, 384), (5000, 40)])
def test_a_fitted_page_keeps_its_aspect_ratio(width, height):
    """The network gets the whole page without distortion."""
    fitted = fit_page(np.full((height, width, 3), 90, np.uint8))

    assert fitted.pixels.shape == (FRAME_PX, FRAME_PX, 3)
    assert fitted.pixels.dtype == np.uint8
    assert max(fitted.width, fitted.height) == FRAME_PX
    assert fitted.width == pytest.approx(width * fitted.scale, abs=0.51)
    assert fitted.height == pytest.approx(height * fitted.scale, abs=0.51)
    assert (fitted.pixels[: fitted.height, : fitted.width] == 90).all()
    assert (fitted.pixels[fitted.height :] == PAPER_WHITE).all()
    assert (fitted.pixels[:, fitted.width :] == PAPER_WHITE).all()


def test_points_in_the_frame_map_back_to_the_page():
    """The outputs of the network can be shown in the photo."""
    page = np.full((1000, 1600, 3), 255, np.uint8)
    page[596:604, 1196:1204] = 0  # centred on (1200, 600)
    fitted = fit_page(page)

    y, x = np.argwhere(fitted.pixels[..., 0] < 128).mean(axis=0)

    assert (x + 0.5) / fitted.scale == pytest.approx(1200, abs=2)
    assert (y + 0.5) / fitted.scale == pytest.approx(600, abs=2)


def test_crops_are_taken_where_the_page_has_detail():
    """Blur is assessed in text and not on the table."""
    rng = np.random.default_rng(1)
    page = np.full((1500, 2000, 3), 180, np.uint8)
    page[900:1200, 1400:1700] = rng.integers(0, 256, (300, 300, 3), np.uint8)

    crops = detail_crops(page)

    assert crops.shape == (CROP_COUNT, CROP_PX, CROP_PX, 3)
    assert crops.reshape(CROP_COUNT, -1).std(axis=1).min() > 20


def test_crops_are_not_resampled():
    """Fine blur is assessed on the original pixels."""
    y, x = np.mgrid[:400, :500]
    page = np.stack([x % 256, y % 256, x // 256 * 2 + y // 256], axis=-1).astype(
        np.uint8
    )  # each pixel says where it is

    for crop in detail_crops(page):
        low_x, low_y, high = map(int, crop[0, 0])
        left, top = low_x + 256 * (high // 2), low_y + 256 * (high % 2)
        assert np.array_equal(crop, page[top : top + CROP_PX, left : left + CROP_PX])


def test_crops_of_one_page_are_different_places():
    """Four equal crops would give no more information than one."""
    rng = np.random.default_rng(3)
    crops = detail_crops(rng.integers(0, 256, (900, 900, 3), np.uint8))

    assert len({crop.tobytes() for crop in crops}) == CROP_COUNT


@pytest.mark.parametrize(("width", "height"), [(64, 64), (100, 900), (900, 100), (128, 128)])
def test_a_page_smaller_than_a_crop_is_padded(width, height):
    """It is not enlarged."""
    seen = take_glimpse(np.zeros((height, width, 3), np.uint8))

    assert seen.crops.shape == (CROP_COUNT, CROP_PX, CROP_PX, 3)
    assert (seen.width, seen.height) == (width, height)
    assert seen.crops.min() == 0


def test_a_blank_page_has_crops_too():
    """Without detail, any place is used."""
    assert detail_crops(np.full((700, 700, 3), 255, np.uint8)).shape == (CROP_COUNT, CROP_PX, CROP_PX, 3)


UPRIGHT = [(250, 200), (640, 240), (620, 760), (210, 700)]


@pytest.mark.parametrize("quarter_turns", [0, 1, 2, 3])
def test_the_rectified_document_is_upright_for_any_phone_orientation(quarter_turns):
    """The polygon starts at the document's own top-left corner, wherever that is in the photo."""
    corners = UPRIGHT[quarter_turns:] + UPRIGHT[:quarter_turns]
    photo = photographed(marked_page(), corners)

    flat = rectify(photo, np.array(corners, np.float32))

    assert close(corner_colours(flat.page), (RED, GREEN, BLUE, BLACK))


def test_a_small_document_is_enlarged():
    """Lines are cut out of the result: with as many pixels as in the photo, thin print would be blurred."""
    square_on = np.array([(100, 100), (400, 100), (400, 520), (100, 520)], np.float32)
    photo = photographed(marked_page(300, 420), square_on)

    flat = rectify(photo, square_on, margin=0.0)

    assert flat.page.shape == (420 * MAX_ENLARGEMENT, 300 * MAX_ENLARGEMENT, 3)
    assert close(corner_colours(flat.page), (RED, GREEN, BLUE, BLACK))


def test_a_document_of_the_largest_size_keeps_its_pixels():
    """It is neither enlarged nor reduced."""
    square_on = np.array([(100, 100), (400, 100), (400, 520), (100, 520)], np.float32)
    photo = photographed(marked_page(300, 420), square_on)

    flat = rectify(photo, square_on, longest_px=420, margin=0.0)

    assert np.array_equal(flat.page, photo[100:520, 100:400])


def test_an_enlarged_document_is_not_larger_than_the_limit():
    """A document just below the limit is enlarged up to it."""
    square_on = np.array([(100, 100), (400, 100), (400, 520), (100, 520)], np.float32)

    flat = rectify(photographed(marked_page(300, 420), square_on), square_on, longest_px=504, margin=0.0)

    assert flat.page.shape == (504, 360, 3)


def test_the_margin_keeps_pixels_just_outside_the_polygon():
    """A corner that is predicted slightly inside the page loses no letter."""
    square_on = np.array([(100, 100), (400, 100), (400, 500), (100, 500)], np.float32)
    photo = photographed(marked_page(300, 400), square_on)

    flat = rectify(photo, square_on, longest_px=400, margin=0.05)

    assert flat.page.shape == (440, 340, 3)
    assert np.array_equal(flat.page, photo[80:520, 80:420])


def test_a_large_document_is_scaled_to_the_limit():
    """The time of OCR does not grow with the resolution of the camera."""
    corners = np.array([(0, 0), (3000, 0), (3000, 4000), (0, 4000)], np.float32)

    flat = rectify(np.full((4000, 3000, 3), 128, np.uint8), corners, longest_px=1000, margin=0.0)

    assert flat.page.shape == (1000, 750, 3)


def test_points_on_the_rectified_document_map_back_to_the_photo():
    """Polygons in answers refer to the photo."""
    corners = np.array(UPRIGHT, np.float32)
    flat = rectify(photographed(marked_page(), corners), corners, margin=0.02)
    height, width = flat.page.shape[:2]
    pad = 0.02 * max(width, height) / 1.04
    on_flat = np.array([[pad, pad], [width - pad, pad], [width - pad, height - pad], [pad, height - pad]], np.float32)

    assert project(on_flat, flat.to_photo) == pytest.approx(corners, abs=1.5)


def test_a_document_partly_outside_the_photo_is_rectified():
    """A missing corner is filled from the border of the photo and changes no other corner."""
    corners = np.array([(-80, 150), (600, 200), (620, 780), (-60, 700)], np.float32)

    flat = rectify(photographed(marked_page(), corners), corners)

    assert close(corner_colours(flat.page)[1:3], (GREEN, BLUE))


def test_projection_keeps_the_shape_of_its_input():
    """One point, a polygon or many polygons."""
    shift = np.array([[1, 0, 5], [0, 1, -3], [0, 0, 1]], np.float64)

    for shape in ((2,), (4, 2), (7, 4, 2)):
        moved = project(np.zeros(shape, np.float32), shift)
        assert moved.shape == shape
        assert moved.dtype == np.float32
        assert (moved == np.array([5, -3])).all()


@pytest.mark.parametrize("quarter_turns", range(5))
def test_points_of_a_turned_page_map_back_to_the_page(quarter_turns):
    """The middle of every pixel lies on the same pixel before."""
    page = np.arange(5 * 3 * 3, dtype=np.uint8).reshape(5, 3, 3)

    turned = turn_page(page, quarter_turns)

    rows, columns = np.indices(turned.shape[:2])
    middles = np.stack([columns, rows], axis=-1).astype(np.float32) + 0.5
    x, y = np.moveaxis(project(middles, turned_to_page(quarter_turns, width=3, height=5)).astype(int), -1, 0)
    assert (turned == page[y, x]).all()
    assert (turned[0, 0] == page[[(0, 0), (0, 2), (4, 2), (4, 0)][quarter_turns % 4]]).all()


@pytest.mark.parametrize(
    ("left", "right", "middle"), [(0.2, 0.8, 0.5), (-0.6, 0.4, 0.2), (0.7, 1.9, 0.85), (-0.5, 1.2, 0.5)]
)
def test_the_visible_center_ignores_parts_outside_the_photo(left, right, middle):
    """A document that fills the photo is in its centre."""
    outline = np.array([[left, 0.1], [right, 0.1], [right, 0.7], [left, 0.7]], np.float32)

    assert visible_center(outline) == pytest.approx((middle, 0.4), abs=1e-6)


@pytest.mark.parametrize(("longest_px", "size"), [(2200, (360, 450)), (150, (120, 150))])
def test_a_part_is_cut_out_at_its_own_size(longest_px, size):
    """Enlarged a little or reduced, with the way back to its place in the page."""
    page = np.full((1000, 800, 3), 255, np.uint8)
    page[300:600, 500:740] = marked_page(240, 300)

    part = cut_out(page, (500, 300, 740, 600), longest_px)

    assert (part.page.shape[1], part.page.shape[0]) == size
    assert close(corner_colours(part.page), (RED, GREEN, BLUE, BLACK))
    corners = np.array([[0, 0], size], np.float32)
    np.testing.assert_allclose(project(corners, part.to_photo), [[500, 300], [740, 600]], atol=0.01)
