"""Tests of calibration error, levels and risk-coverage curves."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from training.evaluation import confidence_curves
from training.evaluation.confidence_curves import (
    FieldConfidence,
    by_level,
    confidence_summary,
    field_confidences,
    reliability,
    right_of_most_confident,
    risk_coverage,
)
from training.metrics import Comparison


def fields(count, seed, shift=0.0):
    """Values that are right as often as their confidence says, minus `shift`."""
    rng = np.random.default_rng(seed)
    sure = rng.uniform(0.5, 1.0, count)
    return [FieldConfidence("total", float(one), bool(rng.random() < one - shift), True) for one in sure]


def test_calibrated_confidences_have_only_the_error_by_chance():
    """Calibrated confidences stay near the error by chance; overconfidence stands out."""
    calibrated, overconfident = confidence_summary(fields(2000, 0)), confidence_summary(fields(2000, 0, shift=0.2))

    assert calibrated["error"] < 2 * calibrated["by_chance"]
    assert overconfident["error"] == pytest.approx(0.2, abs=0.03)


def test_a_missing_value_counts_as_wrong_with_confidence_0():
    """Leaving out difficult fields does not improve the figures."""
    some = [Comparison("total", 1, 1, 0.9), Comparison("total", 1, None), Comparison("tip", None, None)]

    counted = field_confidences(some)

    assert [(one.confidence, one.right) for one in counted] == [(0.9, True), (0.0, False)]
    assert right_of_most_confident(counted, 1.0) == 0.5
    assert right_of_most_confident(counted, 0.5) == 1.0


def test_invented_values_are_wrong():
    """A value for an absent field is wrong, with its full confidence."""
    (one,) = field_confidences([Comparison("tip", None, 3, 0.99)])

    assert not one.right


def test_levels_are_the_same_as_in_the_answer():
    """Limits are 0.98 and 0.9; fields without a value and levels without values are left out."""
    some = [
        FieldConfidence("total", 0.98, True, True),
        FieldConfidence("total", 0.99, False, True),
        FieldConfidence("tip", 0.9, True, True),
    ]

    assert list(by_level([*some, FieldConfidence("tip", 0.0, False, False)])) == [("certain", 2, 0.5), ("high", 1, 1.0)]


def test_the_risk_curve_ends_at_the_share_of_wrong_values():
    """At full coverage the risk is the share of all wrong values."""
    some = fields(500, 1)
    coverage, risk = risk_coverage(some)[-1]

    assert coverage == 1.0
    assert risk == pytest.approx(np.mean([not one.right for one in some]))


def test_plots_name_every_line():
    """Both plots are SVG and name their lines."""
    for drawn in (confidence_curves.reliability_plot, confidence_curves.confidence_risk_plot):
        texts = {one.text for one in ET.fromstring(drawn([("real", fields(50, 2))])).iter() if one.text}
        assert "real" in texts


def test_reliability_bins_have_equal_counts():
    """Ten points, the least confident first."""
    points = list(reliability(fields(200, 3)))

    assert len(points) == 10
    assert [x for x, _ in points] == sorted(x for x, _ in points)
