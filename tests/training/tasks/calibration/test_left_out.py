"""Values that are judged with the confidences of fits without their page."""

from datetime import date

import pytest

from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.candidates import Candidate
from docextract.predictions import PredictedValue, PredictedZone
from training.tasks.calibration.examples import CalibrationExample
from training.tasks.calibration.left_out import cross_validate, given_value

AS_SUPPORTED = Calibration({"*": (0.0, 1.0)}, {"*": 0.0, "birth_date": 0.5}, ("support",))  # confidence: the support
BORN, OTHER = date(1974, 8, 12), date(1985, 1, 1)


def candidate(value, support, field="birth_date"):
    return Candidate(field, str(value), value, (0,), support, support, 1.0, 0.99)


def zone(born=BORN):
    found = PredictedValue("740812", born, 0.99, ())
    return PredictedZone("TD3", "P", ("", ""), True, {"birth_date": True}, False, 0.99, (), {"birth_date": found})


def test_a_value_alone_is_given_with_its_confidence():
    """Unless it is less likely than a field of this name must be."""
    likely, unlikely = (CalibrationExample("passport", "birth_date", candidate(BORN, s), BORN) for s in (0.9, 0.4))

    assert given_value(likely, AS_SUPPORTED).confidence == pytest.approx(0.9)
    assert given_value(unlikely, AS_SUPPORTED) is None


def test_of_several_pages_the_most_certain_value_is_given():
    """As in the answer of the service, where values of several pages support each other."""
    pages = (candidate(BORN, 0.8), candidate(OTHER, 0.9), candidate(BORN, 0.8))
    example = CalibrationExample("passport", "birth_date", pages[1], BORN, by_page=pages)

    assert given_value(example, AS_SUPPORTED).value == BORN


def test_a_zone_corrects_and_confirms_what_is_printed():
    """And it gives what is printed nowhere."""
    differs = CalibrationExample("passport", "birth_date", candidate(OTHER, 0.9), BORN, zone=zone())
    agrees = CalibrationExample("passport", "birth_date", candidate(BORN, 0.9), BORN, zone=zone())
    missing = CalibrationExample("passport", "birth_date", None, BORN, zone=zone())

    assert [given_value(one, AS_SUPPORTED).value for one in (differs, agrees, missing)] == [BORN] * 3
    assert given_value(agrees, AS_SUPPORTED).confidence > 0.99 > given_value(differs, AS_SUPPORTED).confidence


def test_what_is_given_is_judged():
    """The likeliest printed date is wrong, and the answer has that of the zone."""
    example = CalibrationExample("passport", "birth_date", candidate(OTHER, 0.9), BORN, zone=zone())
    others = [CalibrationExample("passport", "birth_date", candidate(BORN, 0.9), BORN, page=str(at)) for at in range(9)]

    (judged,) = (result for of, result in cross_validate([example, *others]) if of is example)

    assert (judged.right, judged.predicted) == (True, True)
