"""Calibration of confidences."""

import json
from dataclasses import replace

import pytest

from docextract.extraction.layout.calibration import UNCALIBRATED, Calibration
from docextract.extraction.layout.candidates import Candidate

CANDIDATE = Candidate("total", "9.00", 9, (0,), probability=0.8, support=0.8, margin=1.0, confidence=0.99)


def test_uncalibrated_confidence_is_the_support():
    """Without fitted weights, the network's own probability is the confidence."""
    assert UNCALIBRATED.confidence(CANDIDATE) == pytest.approx(0.8)


def test_more_support_is_more_confidence():
    """Calibration keeps the order of candidates."""
    better = replace(CANDIDATE, support=0.95)

    assert UNCALIBRATED.confidence(better) > UNCALIBRATED.confidence(CANDIDATE)


def test_a_field_without_its_own_weights_uses_the_common_ones():
    """Every field has a confidence."""
    fitted = Calibration({"*": (9.0, 0.0), "tip": (-9.0, 0.0)}, {"*": 0.5}, ("whole",))

    assert fitted.confidence(CANDIDATE) > 0.99
    assert fitted.confidence(replace(CANDIDATE, field="tip")) < 0.01


def test_a_field_with_little_support_counts_as_absent():
    """Each field has its own threshold."""
    fitted = replace(UNCALIBRATED, accept={"*": 0.5, "tip": 0.9})

    assert fitted.accepts(CANDIDATE)
    assert not fitted.accepts(replace(CANDIDATE, field="tip"))
    assert not fitted.accepts(replace(CANDIDATE, support=0.4))


def test_a_file_without_input_names_uses_the_five_original_inputs():
    """Old weights keep the confidences that they were promoted with."""
    fitted = Calibration(**json.loads('{"weights": {"*": [-1.0, 0.5, 2.0, 0.25, -0.5, -0.3]}, "accept": {"*": 0.3}}'))

    assert fitted.confidence(replace(CANDIDATE, confidence=0.9)) == pytest.approx(0.9601, abs=1e-4)


def test_unknown_calibration_inputs_are_refused():
    """The error names the input, and is raised when the model is loaded."""
    with pytest.raises(ValueError, match="unknown inputs: weather; known: support"):
        Calibration({"*": (0.0, 1.0)}, {"*": 0.5}, ("weather",))


def test_one_uncertain_piece_makes_the_value_uncertain():
    """It does not matter how many certain pieces the value has."""
    fitted = Calibration({"*": (0.0, 1.0, -1.0)}, {"*": 0.5}, ("whole", "misread"))

    assert fitted.confidence(replace(CANDIDATE, whole=0.9)) == pytest.approx(0.9)
    assert fitted.confidence(replace(CANDIDATE, whole=0.3)) == pytest.approx(0.3)
    assert fitted.confidence(replace(CANDIDATE, whole=0.9, misread=2.0)) < 0.6


@pytest.mark.parametrize(
    ("bounds", "of_receipts", "of_others"),
    [
        ({"receipt": [[0.9, 0.01]], "*": [[0.8, 0.02]]}, ((0.9, 0.01),), ((0.8, 0.02),)),
        ([[0.7, 0.03]], ((0.7, 0.03),), ((0.7, 0.03),)),  # as up to 2.17.0
        ({"receipt": [[0.9, 0.01]]}, ((0.9, 0.01),), ()),
    ],
)
def test_a_type_without_its_own_error_bounds_uses_the_common_ones(tmp_path, bounds, of_receipts, of_others):
    """Files with one list for all types still load."""
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"weights": {"*": [0.0] * 6}, "accept": {"*": 0.3}, "error_bounds": bounds}))

    loaded = Calibration.load(file)

    assert loaded.error_bounds_of("receipt") == of_receipts
    assert loaded.error_bounds_of("invoice") == of_others
