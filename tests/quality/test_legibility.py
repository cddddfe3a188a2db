"""The legibility map and the places of required fields."""

import numpy as np
import pytest
import torch

from docextract.images.geometry import FRAME_PX, FittedPage
from docextract.quality.legibility import (
    LEGIBILITY_CELLS,
    LegibilityHead,
    describe_legibility,
    document_coordinates,
    field_legibility,
)


def corners_of(left: float, top: float, right: float, bottom: float) -> torch.Tensor:
    """An upright outline from its top left, [1, 4, 2] frame px."""
    return torch.tensor([[[left, top], [right, top], [right, bottom], [left, bottom]]])


def test_coordinates_run_from_the_top_left_of_the_document():
    """The head learns where a total stands on the page, not in the photo."""
    half = FRAME_PX / 2
    u, v = document_coordinates(corners_of(0, 0, half, FRAME_PX), torch.tensor([0]))[0]

    assert u[0, LEGIBILITY_CELLS // 4] == pytest.approx(0.5, abs=0.05)
    assert v[LEGIBILITY_CELLS // 2, 0] == pytest.approx(0.5, abs=0.05)
    assert u[0, -1] == 1.5  # far outside


def test_coordinates_turn_with_the_document():
    """A document that lies on its side has its own top left elsewhere: turned clockwise, at the photo's top right."""
    whole = corners_of(0, 0, FRAME_PX, FRAME_PX)
    upright = document_coordinates(whole, torch.tensor([0]))
    sideways = document_coordinates(whole, torch.tensor([1]))

    torch.testing.assert_close(sideways, upright.rot90(-1, (2, 3)))


def test_a_field_is_as_legible_as_the_cells_that_it_stands_in():
    """Half of the field stands where print is read right, half where it is not."""
    legibility = torch.full((1, LEGIBILITY_CELLS, LEGIBILITY_CELLS), 20.0)
    legibility[0, 0, 1] = -20.0
    places = torch.full((1, 1, LEGIBILITY_CELLS**2 + 1), -40.0)
    places[0, 0, [0, 1]] = 0.0

    assert field_legibility(legibility, places).item() == pytest.approx(0.5, abs=1e-4)


def test_a_field_outside_the_photo_is_not_legible():
    """However sharp the photo is."""
    legibility = torch.full((1, LEGIBILITY_CELLS, LEGIBILITY_CELLS), 20.0)
    places = torch.full((1, 1, LEGIBILITY_CELLS**2 + 1), -40.0)
    places[0, 0, -1] = 0.0

    assert field_legibility(legibility, places).item() == pytest.approx(0.0, abs=1e-4)


def test_the_head_has_an_output_for_each_cell_and_field():
    """And one more for a field that is outside the photo."""
    head = LegibilityHead((8, 16), maps=3, context=20, fields=4).eval()
    square = LEGIBILITY_CELLS
    maps = torch.zeros(2, 3, 4 * square, 4 * square)

    legibility, places = head(
        torch.zeros(2, 8, square, square), torch.zeros(2, 16, square // 2, square // 2), maps,
        torch.zeros(2, 2, square, square), torch.zeros(2, 20),
    )  # fmt: skip

    assert legibility.shape == (2, square, square)
    assert places.shape == (2, 4, square**2 + 1)


def test_the_map_covers_the_photo_only():
    """A landscape photo fills half of the frame; the total stands at the left end of its last row."""
    half, square = LEGIBILITY_CELLS // 2, LEGIBILITY_CELLS
    frame = FittedPage(np.zeros((FRAME_PX, FRAME_PX, 3), np.uint8), 1.0, FRAME_PX, FRAME_PX // 2)
    legibility = torch.full((square, square), -20.0)
    legibility[:half] = 20.0
    places = torch.full((2, square**2 + 1), -40.0)
    places[:, (half - 1) * square] = 0.0
    mask = torch.zeros(square, square)
    mask[: half + half // 2] = 1.0  # the document goes on below the photo

    described = describe_legibility(("total", "licence_number"), legibility, places, mask, frame, {"total"})

    assert described.cells.shape == (half, square)
    assert described.cells.min() > 0.99
    assert described.document == pytest.approx(2 / 3, abs=1e-4)
    total = described.fields["total"]
    assert (total.expected, total.visible) == (pytest.approx(1.0, abs=1e-4), pytest.approx(1.0, abs=1e-4))
    assert total.place == pytest.approx((0.5 / square, 1 - 0.5 / half))
    assert described.required_fields == (total.expected,)
    assert described.required.shape == described.cells.shape
    assert (
        described.required[-1, 0] == pytest.approx(described.required.sum(), abs=1e-4) == pytest.approx(1.0, abs=1e-4)
    )
