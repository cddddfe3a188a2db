"""The place of a document in which print is least legible."""

import numpy as np
import pytest

from docextract.predictions import Legibility
from docextract.quality.places import MIN_DIFFERENCE, least_legible_place
from docextract.sources import PLACES

WHOLE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)


def legible(rows: int = 24, columns: int = 18, value: float = 0.9) -> np.ndarray:
    return np.full((rows, columns), value, np.float32)


def place(cells: np.ndarray, outline: np.ndarray = WHOLE, required: np.ndarray | None = None, height: int = 1600):
    required = np.ones_like(cells) if required is None else required
    return least_legible_place(Legibility(cells, {}, float(cells.mean()), required), outline, 1200, height)


@pytest.mark.parametrize("at", range(9))
def test_each_ninth_has_its_name(at):
    """They are named row by row."""
    cells, (row, column) = legible(), divmod(at, 3)
    cells[row * 8 : (row + 1) * 8, column * 6 : (column + 1) * 6] = 0.2

    assert place(cells) == PLACES[at]


def test_no_place_is_named_where_all_are_alike():
    """A picture that is blurred throughout has no worst place."""
    cells = legible(value=0.2)
    cells[:8, :6] -= MIN_DIFFERENCE / 2

    assert place(cells) is None


def test_places_are_those_of_the_document():
    """What lies beside it does not count, however illegible."""
    cells = legible()
    cells[:, :9] = 0.0
    cells[16:, 15:] = 0.2
    right_half = np.array([[0.5, 0], [1, 0], [1, 1], [0.5, 1]], np.float32)

    assert place(cells, right_half) == "bottom_right"


def test_directions_are_those_of_the_picture():
    """The outline of a turned document begins at another corner."""
    cells = legible()
    cells[:8, 12:] = 0.1

    assert place(cells, np.roll(WHOLE, 1, axis=0)) == place(cells) == "top_right"


def test_places_without_required_fields_are_not_named():
    """A reflection on blank paper does not matter."""
    cells, required = legible(), np.zeros((24, 18), np.float32)
    cells[:8, :6] = 0.1
    required[16:] = 1.0

    assert place(cells, required=required) is None
    required[:8, :6] = 1.0
    assert place(cells, required=required) == "top_left"
    assert place(cells, required=required * 0) is None


def test_cells_may_reach_beyond_the_photo():
    """Of a wide photo, 24 cells wide, 13.5 fit into the height; the lower half of the last row lies below it."""
    cells = legible(14, 24)
    cells[9:] = 0.1

    assert place(cells, height=675) in ("bottom_left", "bottom", "bottom_right")
    cells = legible(14, 24)
    cells[4:9, 8:16] = 0.1  # 0.3 to 0.67 of the height
    assert place(cells, height=675) == "middle"


def test_a_document_outside_the_picture_has_no_place():
    """Nor has one that is smaller than a cell."""
    assert place(legible(), WHOLE + 2) is None
    assert place(legible(), WHOLE * 0.01 + 0.5) is None
