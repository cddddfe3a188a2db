"""Tests of the SVG plots."""

import xml.etree.ElementTree as ET

from training.evaluation.plots import Axis, Dot, Line, svg


def test_points_are_placed_by_the_axes():
    """The origin is at the lower left, the end of both axes at the upper right."""
    drawn = ET.fromstring(svg(Axis("x"), Axis("y", high=0.5), [Line([(0, 0), (1, 0.5)])], [Dot(0.5, 0.25, "middle")]))
    line = drawn.find("{http://www.w3.org/2000/svg}polyline").get("points")
    dot = drawn.find("{http://www.w3.org/2000/svg}circle")

    assert line == "60.0,320.0 540.0,20.0"
    assert (dot.get("cx"), dot.get("cy")) == ("300.0", "170.0")


def test_names_are_escaped():
    """Special characters in a name are escaped."""
    drawn = ET.fromstring(svg(Axis("a < b"), Axis("y"), [Line([(0, 0)], "R&D")]))

    assert {"a < b", "R&D"} <= {one.text for one in drawn.iter()}
