"""What stood in the way of a field."""

import pytest

from training.evaluation.accuracy.causes import cause
from training.evaluation.metrics import Comparison

LINES = ("CORNER SHOP SDN BHD", "NO. 1, HIGH STREET", "12345 TOWN", "25/12/2018", "TOTAL 9.00")


@pytest.mark.parametrize(
    ("wanted", "given", "read", "why"),
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
def test_each_miss_has_the_first_cause_that_holds(wanted, given, read, why):
    """Label, then reader, then finder, then joiner; spelling only where all letters are right."""
    assert cause(Comparison("merchant_name", wanted, given), wanted, read, LINES) == why


def test_a_typed_value_is_found_or_not():
    """A date that was read and is not given was put elsewhere: there is nothing to join."""
    one = Comparison("transaction_date", "2018-12-25", "2018-12-26", answer={"type": "date"})

    assert cause(one, "25/12/2018", LINES, LINES) == "finding"
    assert cause(one, "25/12/2018", ("26/12/2018",), LINES) == "reading"


def test_where_labels_are_true_there_is_no_noise():
    """Made-up pages say what stands on them."""
    one = Comparison("merchant_name", "UNREADABLE", None)

    assert cause(one, "UNREADABLE", LINES) == "reading"
