"""Scores become probabilities."""

import json
from dataclasses import replace

import pytest

from docextract.extraction.layout.calibration import UNCALIBRATED, Calibration
from docextract.extraction.layout.spans import Candidate

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
    fitted = Calibration({"*": (9.0, 0.0), "tip": (-9.0, 0.0)}, {"*": 0.5}, ("whole",))

    assert fitted.confidence(CANDIDATE) > 0.99
    assert fitted.confidence(replace(CANDIDATE, field="tip")) < 0.01


def test_what_is_hardly_supported_counts_as_absent():
    """Honest emptiness: each field has its own bar."""
    fitted = replace(UNCALIBRATED, accept={"*": 0.5, "tip": 0.9})

    assert fitted.accepts(CANDIDATE)
    assert not fitted.accepts(replace(CANDIDATE, field="tip"))
    assert not fitted.accepts(replace(CANDIDATE, support=0.4))


def test_a_file_that_names_no_inputs_means_the_five_of_before():
    """Weights that were promoted long ago are served with the confidences they were promoted with."""
    fitted = Calibration(**json.loads('{"weights": {"*": [-1.0, 0.5, 2.0, 0.25, -0.5, -0.3]}, "accept": {"*": 0.3}}'))

    assert fitted.confidence(replace(CANDIDATE, confidence=0.9)) == pytest.approx(0.9601, abs=1e-4)


def test_confidences_fitted_to_something_unknown_are_refused():
    """By name, when the model is loaded and not when it is asked."""
    with pytest.raises(ValueError, match="unknown inputs: weather; known: support"):
        Calibration({"*": (0.0, 1.0)}, {"*": 0.5}, ("weather",))


def test_one_doubtful_piece_makes_the_whole_doubtful():
    """However many sure ones stand beside it."""
    fitted = Calibration({"*": (0.0, 1.0, -1.0)}, {"*": 0.5}, ("whole", "misread"))

    assert fitted.confidence(replace(CANDIDATE, whole=0.9)) == pytest.approx(0.9)
    assert fitted.confidence(replace(CANDIDATE, whole=0.3)) == pytest.approx(0.3)
    assert fitted.confidence(replace(CANDIDATE, whole=0.9, misread=2.0)) < 0.6
