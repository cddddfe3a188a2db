"""Tests of the positions that are given for values."""

from pathlib import Path

import numpy as np
import pytest

from training.datasets import LabelledPage
from training.evaluation.accuracy.page_results import PageResult, build_page_result
from training.evaluation.accuracy.sets import EvaluationPage, PrintedRun
from training.evaluation.accuracy.value_positions import intersection_area, measure_positions, occurrences


def box(left, top, right, bottom):
    """Corners clockwise from the top left."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def page(fields, runs, polygons, printed=None, zone=()) -> PageResult:
    """The result of a receipt on which every field was read right, with these polygons."""
    label = LabelledPage(Path("page.jpg"), "receipt", fields)
    given = {
        name: {"value": fields[name], "content": fields[name], "confidence": 0.9, "polygon": polygons[name]}
        for name in polygons
    }
    body = {"documents": [{"type": "receipt", "fields": given}]}
    return build_page_result(EvaluationPage(label, tuple(runs), tuple(zone), printed or {}), body)


NAME = PrintedRun("CORNER SHOP", box(0.2, 0.1, 0.8, 0.14), "merchant_name")


@pytest.mark.parametrize(
    ("polygon", "covered", "right"),
    [
        (box(0.2, 0.1, 0.8, 0.14), 1.0, True),
        (box(0.2, 0.11, 0.8, 0.135), 0.625, True),  # tight box around the ink
        (box(0.2, 0.1, 0.44, 0.14), 0.4, False),  # the first word
        (box(0.2, 0.2, 0.8, 0.24), 0.0, False),  # the line below
    ],
)
def test_covered_is_a_share_of_the_true_texts_area(polygon, covered, right):
    """A tight box is right; half a name or another line is not."""
    (found,) = measure_positions([page({"merchant_name": "CORNER SHOP"}, [NAME], {"merchant_name": polygon})])

    assert found.covered == pytest.approx(covered, abs=1e-3)
    assert found.right is right


def test_a_box_around_the_page_has_a_large_size():
    """It covers the text, but its relative size is large."""
    (found,) = measure_positions([page({"merchant_name": "CORNER SHOP"}, [NAME], {"merchant_name": box(0, 0, 1, 1)})])

    assert found.right
    assert found.size > 40


def test_a_text_on_two_lines_needs_both_lines_covered():
    """One line of an address is not the address's position."""
    runs = [
        PrintedRun("1 High Street", box(0.1, 0.2, 0.5, 0.24), "merchant_address"),
        PrintedRun("12345 Town", box(0.1, 0.26, 0.5, 0.3), "merchant_address"),
    ]
    fields = {"merchant_address": "1 High Street 12345 Town"}

    one_line = page(fields, runs, {"merchant_address": box(0.1, 0.2, 0.5, 0.238)})
    both = page(fields, runs, {"merchant_address": box(0.1, 0.2, 0.5, 0.3)})

    assert [found.right for found in measure_positions([one_line, both])] == [False, True]


def test_a_value_in_a_longer_line_is_located_by_its_characters():
    """Only the right end of "TOTAL RM 9.00" is the total's position."""
    line = PrintedRun("TOTAL RM 9.00", box(0.0, 0.5, 0.52, 0.54))
    (place,) = occurrences("900", [line])

    assert place[0][:, 0].min() == pytest.approx(0.52 * 9 / 13, abs=1e-3)
    assert place[0][:, 0].max() == pytest.approx(0.52, abs=1e-3)

    found = page(
        {"merchant_name": "9.00"}, [line], {"merchant_name": box(0.36, 0.5, 0.52, 0.54)}, {"merchant_name": "9.00"}
    )
    assert next(measure_positions([found])).covered == pytest.approx(1.0, abs=1e-3)


def test_wrong_values_are_not_measured():
    """Only right values are measured."""
    wrong = build_page_result(
        EvaluationPage(LabelledPage(Path("page.jpg"), "receipt", {"merchant_name": "CORNER SHOP"}), (NAME,)),
        {"documents": [{"type": "receipt", "fields": {"merchant_name": {"value": "OTHER", "content": "OTHER"}}}]},
    )

    assert list(measure_positions([wrong])) == []


def test_a_right_value_without_a_polygon_counts_as_wrong_position():
    """No polygon counts as a wrong position."""
    given = {"merchant_name": {"value": "CORNER SHOP", "content": "CORNER SHOP"}}
    without = build_page_result(
        EvaluationPage(LabelledPage(Path("page.jpg"), "receipt", {"merchant_name": "CORNER SHOP"}), (NAME,)),
        {"documents": [{"type": "receipt", "fields": given}]},
    )

    assert [found.right for found in measure_positions([without])] == [False]


def test_intersection_area_of_rotated_polygons():
    """A square and the same square rotated by 45 degrees intersect in an octagon."""
    square = np.array(box(-1, -1, 1, 1), np.float32) / 1e2
    turned = square @ np.array([[1, 1], [-1, 1]], np.float32) / np.sqrt(2)

    assert intersection_area(square, turned) == pytest.approx(8 * (np.sqrt(2) - 1) / 1e4 * 1e8, rel=1e-3)
