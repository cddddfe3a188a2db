"""Tests of the accuracy metrics."""

from decimal import Decimal

import pytest

from training.metrics import Comparison, align_rows, by_field, calibration, summarize


def test_case_and_spaces_do_not_matter_to_exact():
    """SROIE's transcripts are in capitals; the print is not."""
    assert Comparison("merchant_name", "MR D.I.Y. SDN BHD", "Mr D.I.Y.  Sdn Bhd").exact


def test_punctuation_matters_to_exact_and_not_to_loose():
    """Loose compares letters and digits."""
    one = Comparison("merchant_name", "MR D.I.Y. SDN BHD", "MR DIY SDNBHD")

    assert not one.exact
    assert one.loose


def test_amounts_are_compared_by_value():
    """9.0 equals 9.00."""
    assert Comparison("total", Decimal("9.00"), Decimal("9.0")).exact


def test_precision_counts_predicted_and_recall_labelled_values():
    """Two right of five predicted of four labelled; one invented of two absent; an extra row is no absent field."""
    some = [
        Comparison("total", 1, 1), Comparison("total", 2, 2), Comparison("total", 3, 9), Comparison("total", 4, None),
        Comparison("total", None, 5), Comparison("total", None, None), Comparison("total", None, 6, row=1, extra=True),
    ]  # fmt: skip

    scores = summarize(some)

    assert scores["precision"] == pytest.approx(2 / 5, abs=1e-4)
    assert scores["recall"] == scores["exact"] == 0.5
    assert scores["f1"] == pytest.approx(4 / 9, abs=1e-4)
    assert (scores["absent"], scores["invented"], scores["extra"]) == (2, 0.5, 1)


def test_all_fields_together_come_last():
    """ "all" is the last row of a table."""
    table = by_field([Comparison("total", 1, 1), Comparison("tip", 2, 3)])

    assert list(table) == ["total", "tip", "all"]
    assert table["all"]["exact"] == 0.5


def test_calibration_compares_confidence_with_the_share_of_right_values():
    """Ten values with confidence 0.95, nine of them right, are calibrated; a wrong one with 0.55 adds its distance."""
    sure = [Comparison("total", 1, 1 if number else 2, 0.95) for number in range(10)]

    table = calibration([*sure, Comparison("tip", None, 3, 0.55), Comparison("tip", 1, None)])

    assert table["values"] == 11
    assert table["from 0.95"] == {"values": 10, "confidence": 0.95, "right": 0.9}
    assert table["from 0.5"] == {"values": 1, "confidence": 0.55, "right": 0.0}
    assert table["error"] == pytest.approx((10 * 0.05 + 0.55) / 11, abs=1e-4)


TEA, MILK, CAKE = ({"description": name, "amount": price} for name, price in (("TEA", 1), ("MILK", 2), ("CAKE", 3)))


@pytest.mark.parametrize(
    ("given", "partners"),
    [
        ([TEA, MILK, CAKE], [0, 1, 2]),
        ([MILK, CAKE], [None, 0, 1]),
        ([TEA, CAKE], [0, None, 1]),
        ([{"description": "HEADING"}, TEA, MILK, CAKE], [1, 2, 3]),
        ([TEA, {"amount": 2}, {"description": "MILK"}, CAKE], [0, 1, 3]),
        ([{"description": "T3A", "amount": 7}], [0, None, None]),
        ([], [None, None, None]),
    ],
    ids=["all", "first missed", "middle missed", "one too many", "one cut in two", "nothing right", "none"],
)
def test_a_missed_row_does_not_make_others_wrong(given, partners):
    """Rows are matched so that most values agree, in the order of the page."""
    assert align_rows([TEA, MILK, CAKE], given) == partners


def test_rows_keep_their_order():
    """An earlier row is never matched with a later one."""
    assert align_rows([TEA, MILK], [MILK, TEA]) in ([0, 1], [None, 0], [1, None])
    assert align_rows([TEA, MILK], [MILK, TEA]).count(None) == 1
