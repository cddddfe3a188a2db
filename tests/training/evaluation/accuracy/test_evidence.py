"""Whether a place that is given for a value is where it is printed."""

import numpy as np
import pytest

from training.datasets import LabelledPage
from training.evaluation.accuracy.answered import Answered, answered
from training.evaluation.accuracy.evidence import common_area, evidence, occurrences
from training.evaluation.accuracy.sets import Run, Sample


def box(left, top, right, bottom):
    """Clockwise from the top left."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def page(fields, runs, polygons, printed=None, zone=()) -> Answered:
    """A receipt on which every field was given as it is, at these places."""
    label = LabelledPage("", "receipt", fields)
    given = {
        name: {"value": fields[name], "content": fields[name], "confidence": 0.9, "polygon": polygons[name]}
        for name in polygons
    }
    body = {"documents": [{"type": "receipt", "fields": given}]}
    return answered(Sample(label, tuple(runs), tuple(zone), printed or {}), body)


NAME = Run("CORNER SHOP", box(0.2, 0.1, 0.8, 0.14), "merchant_name")


@pytest.mark.parametrize(
    ("polygon", "covered", "right"),
    [
        (box(0.2, 0.1, 0.8, 0.14), 1.0, True),
        (box(0.2, 0.11, 0.8, 0.135), 0.625, True),  # ink alone
        (box(0.2, 0.1, 0.44, 0.14), 0.4, False),  # the first word
        (box(0.2, 0.2, 0.8, 0.24), 0.0, False),  # the line below
    ],
)
def test_covering_is_the_share_of_the_texts_own_area(polygon, covered, right):
    """A tight box is right, half a name is not, nor is another line."""
    (found,) = evidence([page({"merchant_name": "CORNER SHOP"}, [NAME], {"merchant_name": polygon})])

    assert found.covered == pytest.approx(covered, abs=1e-3)
    assert found.right is right


def test_a_box_around_everything_gives_itself_away():
    """It covers the text, and is told to be many times its size."""
    (found,) = evidence([page({"merchant_name": "CORNER SHOP"}, [NAME], {"merchant_name": box(0, 0, 1, 1)})])

    assert found.right
    assert found.size > 40


def test_a_text_on_two_lines_is_covered_when_both_are():
    """One line of an address is not where the address is; a line that repeats all of it is."""
    runs = [
        Run("1 High Street", box(0.1, 0.2, 0.5, 0.24), "merchant_address"),
        Run("12345 Town", box(0.1, 0.26, 0.5, 0.3), "merchant_address"),
    ]
    fields = {"merchant_address": "1 High Street 12345 Town"}

    one_line = page(fields, runs, {"merchant_address": box(0.1, 0.2, 0.5, 0.238)})
    both = page(fields, runs, {"merchant_address": box(0.1, 0.2, 0.5, 0.3)})

    assert [found.right for found in evidence([one_line, both])] == [False, True]


def test_on_real_lines_the_value_is_cut_out_by_its_letters():
    """Of "TOTAL RM 9.00" only the right end is the total's place."""
    line = Run("TOTAL RM 9.00", box(0.0, 0.5, 0.52, 0.54))
    (place,) = occurrences("900", [line])

    assert place[0][:, 0].min() == pytest.approx(0.52 * 9 / 13, abs=1e-3)
    assert place[0][:, 0].max() == pytest.approx(0.52, abs=1e-3)

    found = page(
        {"merchant_name": "9.00"}, [line], {"merchant_name": box(0.36, 0.5, 0.52, 0.54)}, {"merchant_name": "9.00"}
    )
    assert next(evidence([found])).covered == pytest.approx(1.0, abs=1e-3)


def test_wrong_values_have_no_true_place():
    """Only of what is right it is asked where it stands."""
    wrong = answered(
        Sample(LabelledPage("", "receipt", {"merchant_name": "CORNER SHOP"}), (NAME,)),
        {"documents": [{"type": "receipt", "fields": {"merchant_name": {"value": "OTHER", "content": "OTHER"}}}]},
    )

    assert list(evidence([wrong])) == []


def test_a_right_value_without_a_polygon_counts_against_us():
    """No place is a wrong place."""
    given = {"merchant_name": {"value": "CORNER SHOP", "content": "CORNER SHOP"}}
    without = answered(
        Sample(LabelledPage("", "receipt", {"merchant_name": "CORNER SHOP"}), (NAME,)),
        {"documents": [{"type": "receipt", "fields": given}]},
    )

    assert [found.right for found in evidence([without])] == [False]


def test_areas_are_true_for_tilted_polygons():
    """A square and itself turned by an eighth share an octagon."""
    square = np.array(box(-1, -1, 1, 1), np.float32) / 1e2
    turned = square @ np.array([[1, 1], [-1, 1]], np.float32) / np.sqrt(2)

    assert common_area(square, turned) == pytest.approx(8 * (np.sqrt(2) - 1) / 1e4 * 1e8, rel=1e-3)
