"""What a photo says about the values that are read in it."""

import numpy as np
import pytest

from docextract.answers.photo_evidence import with_photo_evidence
from docextract.documents.values import Conventions
from docextract.predictions import Legibility, PagePrediction, PredictedValue

TO_PHOTO = np.diag([1 / 400, 1 / 300, 1.0])  # a page that is the whole photo


def value(left, right, confidence=0.99, middle=150.0, height=20.0):
    top, bottom = middle - height / 2, middle + height / 2
    polygon = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return PredictedValue("AMILTON", "AMILTON", confidence, (polygon,))


def doubted(*values, to_photo=TO_PHOTO, cells=None, height=300):
    fields = {str(number): one for number, one in enumerate(values)}
    page = PagePrediction("id_card", 1.0, Conventions(), fields, {"rows": tuple({"code": one} for one in values)})
    legibility = None if cells is None else Legibility(np.array(cells, np.float32), {}, 1.0, np.zeros_like(cells))
    found = with_photo_evidence(page, to_photo, legibility, 400, height)
    assert [row["code"] for row in found.groups["rows"]] == list(found.fields.values())
    return [one.confidence for one in found.fields.values()]


@pytest.mark.parametrize(("left", "right"), [(-3, 80), (1, 80), (300, 399), (-5, 405)])
def test_text_that_reaches_the_border_may_be_cut(left, right):
    """Where a box ends on the border, or hardly before it."""
    (confidence,) = doubted(value(left, right))
    assert 0.7 < confidence < 0.8


@pytest.mark.parametrize(("left", "right"), [(3, 80), (300, 397)])
def test_text_that_ends_before_the_border_is_whole(left, right):
    assert doubted(value(left, right)) == [0.99]


def test_text_along_a_border_is_whole():
    """Its ends are not at the border, and text that is cut along its length is not read."""
    assert doubted(value(100, 200, middle=8.0)) == [0.99]


def test_the_border_is_that_of_the_photo():
    """A page that is cut out of its photo has a margin; it ends where the photo does only where the document does."""
    inside = np.array([[1 / 800, 0, 0.25], [0, 1 / 600, 0.25], [0, 0, 1]])
    assert doubted(value(-3, 80), to_photo=inside) == [0.99]
    beyond = np.array([[1 / 400, 0, -0.25], [0, 1 / 300, 0], [0, 0, 1]])
    assert doubted(value(100, 180), value(180, 260), to_photo=beyond) == pytest.approx([0.75, 0.99], abs=0.01)


def test_certain_values_stay_likelier_than_uncertain_ones():
    confidences = doubted(*(value(0, 80, confidence) for confidence in (1.0, 0.99, 0.5, 0.0)))
    assert confidences == sorted(confidences, reverse=True)
    assert confidences[0] < 0.97
    assert confidences[-1] < 0.001


def test_a_value_without_a_place_is_left_alone():
    placeless = PredictedValue("7", "7", 0.9, ())
    assert doubted(placeless) == [0.9]


def test_a_line_without_extent_does_not_fail():
    assert doubted(value(100, 100, height=0.0)) == [0.99]


def test_values_on_print_that_is_probably_misread_are_less_certain():
    """The least legible place along the text counts."""
    cells = [[1.0, 1.0, 1.0, 1.0], [1.0, 0.5, 1.0, 1.0], [1.0, 1.0, 1.0, 0.0]]  # of 100 px each

    assert doubted(value(10, 90), value(10, 150), value(210, 390), cells=cells) == pytest.approx([0.99, 0.9405, 0.99])
    assert doubted(value(210, 390, middle=250.0), cells=cells) == pytest.approx([0.891])
    assert doubted(PredictedValue("7", "7", 0.9, ()), cells=cells) == [0.9]


def test_the_map_is_of_the_photo():
    """Text that is partly outside it is looked at where the photo ends."""
    inside = np.array([[1 / 800, 0, 0.5], [0, 1 / 600, 0.5], [0, 0, 1]])
    cells = [[0.5, 1.0], [1.0, 1.0]]  # of 200 px each

    assert doubted(value(10, 90), to_photo=inside, cells=cells) == [0.99]
    assert doubted(value(-50, 80), cells=np.zeros((3, 4))) == pytest.approx([0.9 * 0.7494], abs=0.001)


def test_cells_are_squares():
    """Of a wide photo, 4 cells wide, 2.2 fit into the height: the upper edge of the third row is at 200 of 220 px."""
    to_photo = np.diag([1 / 400, 1 / 220, 1.0])
    cells = [[1.0] * 4, [0.5] * 4, [1.0] * 4]

    for middle, confidence in ((80.0, 0.99), (110.0, 0.9405), (190.0, 0.9405), (210.0, 0.99)):
        found = doubted(value(110, 290, middle=middle), to_photo=to_photo, cells=cells, height=220)
        assert found == pytest.approx([confidence])
