"""Confidences that mean what they say."""

import numpy as np
import pytest

from docextract.extraction.spans import Candidate
from training.calibrate import Trial, expected_calibration_error, fit


def trials(count, field="total", overconfident=True):
    """Candidates of a network that is right less often than it thinks."""
    rng = np.random.default_rng(4)
    made = []
    for _ in range(count):
        support = float(rng.uniform(0.5, 0.999))
        right = rng.random() < (support**3 if overconfident else support)
        candidate = Candidate(field, "9.00", 9 if right else 8, (0,), support, support, 1.0, 0.99)
        made.append(Trial(field, candidate, 9, 1.0))
    return made


def test_an_overconfident_network_is_put_right():
    """Of the values given 0.9, nine in ten are right."""
    some = trials(3000)
    fitted = fit(some)

    right = [trial.right for trial in some]
    before = expected_calibration_error([trial.candidate.support for trial in some], right)
    after = expected_calibration_error([fitted.confidence(trial.candidate) for trial in some], right)
    assert before > 0.1
    assert after < 0.03


def test_a_field_with_few_examples_shares_the_common_weights():
    """Ten examples would fit anything."""
    fitted = fit([*trials(500), *trials(10, field="tip")])

    assert "tip" not in fitted.weights
    assert {"*", "total"} <= fitted.weights.keys()


def test_values_for_absent_fields_are_kept_rare():
    """The bar is set where at most two in a hundred absent fields would get a value."""
    rng = np.random.default_rng(1)
    absent = [
        Trial("tip", Candidate("tip", "1", 1, (0,), s, s, 1.0, 0.99), None, 1.0) for s in rng.uniform(0, 0.6, 1000)
    ]
    fitted = fit([*trials(200), *absent])

    assert sum(fitted.accepts(trial.candidate) for trial in absent) <= 20


def test_the_error_of_a_calibrated_guess_is_none():
    """And that of a wrong one is its distance."""
    assert expected_calibration_error([0.5] * 100, [True, False] * 50) == pytest.approx(0.0)
    assert expected_calibration_error([0.9] * 100, [True, False] * 50) == pytest.approx(0.4)
