"""Scores become probabilities."""

from dataclasses import replace

import pytest

from docextract.extraction.calibration import UNCALIBRATED, Calibration
from docextract.extraction.spans import Candidate

CANDIDATE = Candidate("total", "9.00", 9, (0,), probability=0.8, support=0.8, margin=1.0, confidence=0.99)


def test_uncalibrated_confidence_is_the_support():
    """Without a fit, the network's own probability stands."""
    assert UNCALIBRATED.confidence(CANDIDATE) == pytest.approx(0.8)


def test_more_support_is_more_confidence():
    """The order of candidates survives calibration."""
    surer = replace(CANDIDATE, support=0.95)

    assert UNCALIBRATED.confidence(surer) > UNCALIBRATED.confidence(CANDIDATE)


def test_a_field_without_a_fit_of_its_own_uses_the_common_one():
    """Every field has a confidence."""
    fitted = Calibration({"*": (9.0, 0, 0, 0, 0, 0), "tip": (-9.0, 0, 0, 0, 0, 0)}, {"*": 0.5, "tip": 0.9})

    assert fitted.confidence(CANDIDATE) > 0.99
    assert fitted.confidence(replace(CANDIDATE, field="tip")) < 0.01


def test_what_is_hardly_supported_counts_as_absent():
    """Honest emptiness: each field has its own bar."""
    fitted = Calibration(UNCALIBRATED.weights, {"*": 0.5, "tip": 0.9})

    assert fitted.accepts(CANDIDATE)
    assert not fitted.accepts(replace(CANDIDATE, field="tip"))
    assert not fitted.accepts(replace(CANDIDATE, support=0.4))
