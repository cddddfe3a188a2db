"""Tests of the causes of wrong fields."""

import pytest

from training.evaluation.accuracy.causes import error_cause
from training.metrics import Comparison

LINES = ("CORNER SHOP SDN BHD", "NO. 1, HIGH STREET", "12345 TOWN", "25/12/2018", "TOTAL 9.00")


@pytest.mark.parametrize(
    ("expected", "given", "read", "why"),
    [
        ("CORNER SHOP SDN BHD", "CORNER SHOP SDN BHD", LINES, None),
        ("CORNER SHOP SDN. BHD.", "CORNER SHOP SDN BHD", LINES, "spelling"),
        ("CORNER SHOP LIMITED", "CORNER SHOP SDN BHD", LINES, "noise"),
        ("CORNER SHOP SDN BHD", "C0RNER SHOP SDN BHD", ("C0RNER SHOP SDN BHD",), "reading"),
        ("CORNER SHOP SDN BHD", None, LINES, "finding"),
        ("CORNER SHOP SDN BHD", "12345 TOWN", LINES, "finding"),
        ("CORNER SHOP SDN BHD", "CORNER SHOP", LINES, "joining"),
        ("NO. 1, HIGH STREET 12345 TOWN", "12345 TOWN NO. 1, HIGH STREET", LINES, "joining"),
    ],
)
def test_each_error_has_the_first_cause_that_applies(expected, given, read, why):
    """Label, then reading, then finding, then joining; spelling only if all letters and digits are right."""
    assert error_cause(Comparison("merchant_name", expected, given), expected, read, LINES) == why


def test_a_typed_value_is_never_a_joining_error():
    """A date that was read but not given was not found: dates have no parts to join."""
    one = Comparison("document_date", "2018-12-25", "2018-12-26", answer={"type": "date"})

    assert error_cause(one, "25/12/2018", LINES, LINES) == "finding"
    assert error_cause(one, "25/12/2018", ("26/12/2018",), LINES) == "reading"


def test_without_a_transcript_there_is_no_noise():
    """Labels of synthetic pages are always on the page."""
    one = Comparison("merchant_name", "UNREADABLE", None)

    assert error_cause(one, "UNREADABLE", LINES) == "reading"
