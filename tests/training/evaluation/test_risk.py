"""Tests of what makes a photo usable, and of the risk of passing photos."""

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA
from docextract.quality.usability import UsabilityModel
from training.evaluation.photo_outcomes import PhotoOutcome
from training.evaluation.risk import CheckedPhoto, choose_threshold, is_usable, risk_curve, risk_plot

NAMES = [criterion.name for criterion in CRITERIA]


def outcome(**right: bool) -> PhotoOutcome:
    return PhotoOutcome("a", "receipt", True, dict.fromkeys(NAMES, 0.9), right, 0.9)


def test_a_field_counts_if_careful_pictures_are_read_right():
    """A value that is wrong on a careful picture, too, is not the photo's fault."""
    photo = outcome(total=True, merchant_name=False)

    assert is_usable(photo, [outcome(total=True, merchant_name=False)]) is True
    assert is_usable(photo, [outcome(total=True, merchant_name=True)]) is False
    assert is_usable(photo, [outcome(total=False, merchant_name=False)]) is None


def test_without_careful_pictures_every_required_field_counts():
    """Nothing excuses a wrong value, but one that is not required does not matter."""
    assert is_usable(outcome(total=True, tip=False), []) is True
    assert is_usable(outcome(total=True, document_date=False), []) is False


def test_the_map_is_part_of_the_verdict():
    """As in the service, where it comes with the assessment of the photo."""
    legible, illegible = (
        CheckedPhoto("c", "receipt", "g", True, dict.fromkeys(NAMES, 0.99), fields, 0.9, usable=True)
        for fields in ((0.99, 0.98), (0.99, 0.2))
    )
    usability = UsabilityModel(legibility=(2.0, 0.0))

    assert legible.verdict(usability).accepted
    assert not illegible.verdict(usability).accepted


def test_risk_is_counted_from_the_best_score():
    """A perfect order has no risk until only spoilt photos are left."""
    usable = np.arange(100) < 70
    best, worst = (risk_curve(sign * usable.astype(float), usable) for sign in (1, -1))

    assert best.risk[69] == 0
    assert best.risk[-1] == worst.risk[-1] == pytest.approx(0.3)
    assert best.area < worst.area
    assert risk_plot({"best": best}, {"normal": 0.5}).startswith("<svg")


def test_the_normal_threshold_balances_both_errors():
    """The lower of the two shares is as high as it can be."""
    scores = np.array([0.1, 0.2, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9])
    usable = np.array([False, False, False, False, True, True, True, True])

    assert 0.3 < choose_threshold("normal", scores, usable) < 0.6
    assert choose_threshold("relaxed", scores, usable) < 0.4
    assert choose_threshold("strict", scores, usable) > 0.6
