"""The verdict: what is accepted, why not, and what to do about it."""

import dataclasses
import json
import math

import numpy as np
import pytest

from docextract.predictions import Assessment
from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import PhotoVerdict, SkippedCriterion, VerdictOptions, judge_photo, tilt_degrees

NAMES = [criterion.name for criterion in CRITERIA]


def assessment(detected: bool = True, **scores: float) -> Assessment:
    """A photo without a fault, but for the scores given."""
    everything = dict.fromkeys(NAMES, 0.99) | scores
    polygon = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.8], [0.1, 0.8]], np.float32) if detected else None
    return Assessment(
        detected=everything[DOCUMENT_ABSENT],
        type="receipt",
        type_confidence=0.9,
        side="front",
        polygon=polygon,
        rotation_degrees=0,
        scores=everything,
    )


def verdict(seen: Assessment, strictness: str = "normal", **options) -> PhotoVerdict:
    return judge_photo(seen, 0, 1000, 1300, VerdictOptions(strictness=strictness, **options))


def codes(found: PhotoVerdict) -> list[str]:
    return [guidance.code for guidance in found.guidance]


def test_faultless_photo_is_accepted_without_advice():
    """A good photo passes everything and nobody is told to do anything."""
    found = verdict(assessment())

    assert found.accepted
    assert all(criterion.passed for criterion in found.criteria)
    assert found.guidance == ()


@pytest.mark.parametrize("criterion", CRITERIA, ids=NAMES)
def test_one_fault_fails_its_group_and_says_what_to_do(criterion):
    """Whatever is certainly wrong, its group fails and there is advice; only an error refuses the photo."""
    found = verdict(assessment(**{criterion.name: 0.05}))

    assert found.accepted == (criterion.severity == "warning")
    assert not found.groups[criterion.group].passed
    assert criterion.guidance in codes(found)


def test_accepted_only_if_the_score_reaches_its_threshold():
    """The whole photo's score and the verdict do not contradict each other."""
    for blurry in np.linspace(0.0, 1.0, 41):
        for strictness in ("relaxed", "normal", "strict"):
            found = verdict(assessment(blurry=float(blurry)), strictness)
            failed = any(not one.passed and one.severity == "error" for one in found.criteria)
            assert found.accepted == (found.score >= found.threshold and not failed)


def test_several_small_faults_refuse_what_none_of_them_would():
    """A little far, a little dim, a little blurred: no single one fails, and the greatest is named."""
    small = {"blurry": 0.72, "too_far": 0.55, "dark": 0.75, "text_too_small": 0.8, "noisy": 0.6, "faint": 0.6}

    together = verdict(assessment(**small))

    assert all(criterion.passed for criterion in together.criteria)
    assert not together.accepted
    assert codes(together) == ["hold_steady"]
    for name, score in small.items():
        assert verdict(assessment(**{name: score})).accepted


def test_strictness_only_ever_refuses_more():
    """What strict accepts, normal accepts, and what normal accepts, relaxed accepts."""
    seen = assessment(blurry=0.5, glare=0.75)

    assert [verdict(seen, how).accepted for how in ("relaxed", "normal", "strict")] == [True, False, False]


def test_without_a_document_nothing_else_is_judged():
    """A photo of a table is not blamed for being off-centre."""
    found = verdict(assessment(detected=False, document_absent=0.04, blurry=0.1))

    assert not found.accepted
    assert codes(found) == ["show_document"]
    assert [criterion.name for criterion in found.criteria] == [DOCUMENT_ABSENT]
    assert {(one.name, one.reason) for one in found.not_assessed} == {(name, "no_document") for name in NAMES[1:]}
    assert found.groups["readable"].passed is None
    assert found.groups["readable"].score is None
    assert not found.document.detected


def test_unlocated_document_counts_as_absent():
    """Being fairly sure of a document without knowing where it is gives no polygon and no acceptance."""
    found = verdict(assessment(detected=False, document_absent=0.8))

    assert not found.accepted
    assert codes(found) == ["show_document"]


def test_worst_problem_is_named_first():
    """The advice that helps most comes first."""
    found = verdict(assessment(blurry=0.1, off_center=0.05, glare=0.05))

    assert codes(found) == ["hold_steady", "avoid_glare", "center_document"]


def test_same_advice_is_given_once():
    """Too far and too small have one cure; it is not said twice."""
    assert codes(verdict(assessment(too_far=0.1, text_too_small=0.1))) == ["move_closer"]


def test_middle_is_of_what_the_photo_shows():
    """A document that reaches far beyond the photo's right side is off its middle by what is seen of it."""
    polygon = np.array([[0.6, 0.1], [2.6, 0.1], [2.6, 0.9], [0.6, 0.9]], np.float32)
    document = verdict(dataclasses.replace(assessment(), polygon=polygon)).document

    assert document.center_offset == pytest.approx((0.3, 0.0), abs=1e-6)


def test_verdict_is_plain_data():
    """A verdict can be written as JSON as it stands."""
    body = json.loads(json.dumps(dataclasses.asdict(verdict(assessment(blurry=0.1)))))

    assert body["document"]["area_ratio"] == pytest.approx(0.56)
    assert body["document"]["center_offset"] == pytest.approx([0.0, -0.05], abs=1e-6)
    assert body["groups"]["readable"] == {"passed": False, "score": 0.1}


def test_severity_can_be_lowered_and_raised():
    """What the caller calls a warning refuses nothing, alone or together with others; what it calls an error does."""
    blurred, turned = assessment(blurry=0.05), assessment(rotated=0.4)

    assert not verdict(blurred).accepted
    lowered = verdict(blurred, severity={"blurry": "warning"})
    assert lowered.accepted
    assert codes(lowered) == ["hold_steady"]
    assert verdict(turned).accepted
    assert not verdict(turned, severity={"rotated": "error"}).accepted


def test_what_is_switched_off_is_neither_judged_nor_told():
    """It says so, and takes nothing from the score."""
    found = verdict(assessment(blurry=0.05), severity={"blurry": "off"})

    assert found.accepted
    assert found.guidance == ()
    assert SkippedCriterion("blurry", "off") in found.not_assessed
    assert found.score == pytest.approx(verdict(assessment(blurry=1.0)).score)


def test_a_preview_is_not_asked_what_it_cannot_show():
    """Blur and small print show at full resolution only; the rest is judged as ever."""
    found = verdict(assessment(blurry=0.05, text_too_small=0.05, dark=0.05), preview=True)

    assert {one.name for one in found.not_assessed} == {criterion.name for criterion in CRITERIA if criterion.full_resolution}
    assert codes(found) == ["more_light"]


@pytest.mark.parametrize(
    ("asked", "known", "told"),
    [
        ("receipt", ["receipt"], False),
        ("invoice", ["receipt", "invoice"], True),
        ("invoice", ["receipt"], True),
        (None, [], False),
    ],
)
def test_another_document_than_was_asked_for_is_told(asked, known, told):
    """The photo shows a receipt; whoever waits for an invoice hears of it, and is refused only if that is wanted."""
    options = {"document_type": asked, "known_types": known}
    found = verdict(assessment(), **options)

    assert found.accepted
    assert codes(found) == (["show_requested_document"] if told else [])
    assert verdict(assessment(), **options, severity={"unexpected_document": "error"}).accepted != told


def test_an_unknown_kind_of_document_is_not_called_a_wrong_one():
    """A network that knows receipts alone calls an invoice `other`: that it is none cannot be said."""
    other = dataclasses.replace(assessment(), type="other")

    found = verdict(other, document_type="invoice", known_types=["receipt"])
    assert found.guidance == ()
    assert SkippedCriterion("unexpected_document", "untrained") in found.not_assessed
    assert codes(verdict(other, document_type="receipt", known_types=["receipt"])) == ["show_requested_document"]


def test_every_criterion_is_judged_or_said_not_to_be():
    """None is left out without a word."""
    for options in ({}, {"preview": True}, {"severity": {"glare": "off"}}):
        found = verdict(assessment(), **options)
        assert sorted([one.name for one in (*found.criteria, *found.not_assessed)]) == sorted(NAMES)


def test_a_fitted_usability_model_moves_the_verdict():
    """The same photo, held against models that read better."""
    seen = assessment(blurry=0.5)
    robust = UsabilityModel(costs={"blurry": 0.1})

    assert not judge_photo(seen, 0, 1000, 1300, VerdictOptions("strict")).accepted
    assert judge_photo(seen, 0, 1000, 1300, VerdictOptions("strict"), robust).accepted


@pytest.mark.parametrize("tilt", [0, 10, 30, 50])
def test_tilt_is_what_a_camera_makes_of_a_leaning_page(tilt):
    """A page leaning back by 30 degrees is said to lean by 30 degrees."""
    angle = math.radians(tilt)
    page = np.array([[-1, -1.4, 0], [1, -1.4, 0], [1, 1.4, 0], [-1, 1.4, 0]])
    lean = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
    placed = page @ lean.T + [0.2, 0.1, 5.0]
    photographed = placed[:, :2] / placed[:, 2:] * 0.6 * math.hypot(1000, 1300) + [500, 650]

    assert tilt_degrees(photographed, 1000, 1300) == pytest.approx(tilt, abs=0.1)
