"""Confidences that mean what they say."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from PIL import Image

from docextract.extraction.spans import Candidate
from training.calibrate import Trial, expected_calibration_error, fit, pixel_trials
from training.datasets.page import LabelledPage


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


class SaysTheSame:
    """Of every page."""

    def candidates(self, pages):
        assert [page.shape for page in pages] == [(80, 90, 3)]
        total = Candidate("total", "9.00", Decimal("9.00"), (), 0.9, 0.9, 0.8, 0.95)
        tip = Candidate("tip", "1.00", Decimal("1.00"), (), 0.4, 0.4, 0.2, 0.5)
        return [{"total": total, "tip": tip}]


def test_a_network_that_reads_pixels_is_tried_on_labelled_pages(tmp_path):
    """What is labelled counts, also as absent; a picture that cannot be opened does not."""
    Image.new("RGB", (90, 80)).save(tmp_path / "1.png")
    (tmp_path / "2.png").write_text("no picture")
    fields = {"total": "9.00", "transaction_date": "2018-12-25", "tip": None}
    labels = [LabelledPage(tmp_path / name, "receipt", fields) for name in ("1.png", "2.png")]

    found = {trial.field: trial for trial in pixel_trials(SaysTheSame(), labels)}

    assert {name: (trial.right, trial.wanted) for name, trial in found.items()} == {
        "total": (True, Decimal("9.00")), "transaction_date": (False, date(2018, 12, 25)), "tip": (False, None),
    }  # fmt: skip
