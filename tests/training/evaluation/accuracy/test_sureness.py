"""Whether confidences can be acted on."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from training.evaluation.accuracy import sureness
from training.evaluation.accuracy.sureness import (
    Judged,
    by_level,
    judged,
    reliability,
    risk_coverage,
    summary,
    surest_right,
)
from training.evaluation.metrics import Comparison


def fields(count, seed, shift=0.0):
    """Values that are right as often as they are sure, but for a shift."""
    dice = np.random.default_rng(seed)
    sure = dice.uniform(0.5, 1.0, count)
    return [Judged("total", float(one), bool(dice.random() < one - shift), True) for one in sure]


def test_true_confidences_have_no_error_but_chance():
    """The error by chance tells how much of an error means nothing; boasting stands out from it."""
    honest, boasting = summary(fields(2000, 0)), summary(fields(2000, 0, shift=0.2))

    assert honest["error"] < 2 * honest["by_chance"]
    assert boasting["error"] == pytest.approx(0.2, abs=0.03)


def test_what_should_have_a_value_and_has_none_is_a_miss():
    """Leaving out what is hard does not make the rest look surer."""
    some = [Comparison("total", 1, 1, 0.9), Comparison("total", 1, None), Comparison("tip", None, None)]

    counted = judged(some)

    assert [(one.confidence, one.right) for one in counted] == [(0.9, True), (0.0, False)]
    assert surest_right(counted, 1.0) == 0.5
    assert surest_right(counted, 0.5) == 1.0


def test_invented_values_are_wrong():
    """A confidence in what is not there counts in full."""
    (one,) = judged([Comparison("tip", None, 3, 0.99)])

    assert not one.right


def test_levels_are_those_of_the_answer():
    """From 0.98 and 0.9 on; a field without a value has none, and a level without values no line."""
    some = [Judged("total", 0.98, True, True), Judged("total", 0.99, False, True), Judged("tip", 0.9, True, True)]

    assert list(by_level([*some, Judged("tip", 0.0, False, False)])) == [("certain", 2, 0.5), ("high", 1, 1.0)]


def test_the_curve_ends_at_the_share_of_all_wrong_ones():
    """Taking everything risks what there is."""
    some = fields(500, 1)
    coverage, risk = risk_coverage(some)[-1]

    assert coverage == 1.0
    assert risk == pytest.approx(np.mean([not one.right for one in some]))


def test_pictures_show_every_line():
    """Both are SVG, and name what they show."""
    for drawn in (sureness.reliability_picture, sureness.risk_picture):
        texts = {one.text for one in ET.fromstring(drawn([("real", fields(50, 2))])).iter() if one.text}
        assert "real" in texts


def test_bins_are_of_equal_count():
    """Ten points, from the least sure up."""
    points = list(reliability(fields(200, 3)))

    assert len(points) == 10
    assert [x for x, _ in points] == sorted(x for x, _ in points)
