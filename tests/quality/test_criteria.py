"""The verdict: what is accepted, why not, and what to do about it."""

import dataclasses
import json
import math

import numpy as np
import pytest

from docextract.findings import Assessment
from docextract.quality.criteria import ABSENT, CRITERIA, GROUPS, MESSAGES, Verdict, judge, overall, tilt_degrees

NAMES = [criterion.name for criterion in CRITERIA]


def assessment(detected: bool = True, **scores: float) -> Assessment:
    """A photo without a fault, but for the scores given."""
    everything = dict.fromkeys(NAMES, 0.95) | scores
    polygon = np.array([[0.1, 0.1], [0.9, 0.1], [0.9, 0.8], [0.1, 0.8]], np.float32) if detected else None
    return Assessment(
        detected=everything[ABSENT], type="receipt", type_confidence=0.9, side="front", polygon=polygon,
        rotation_degrees=0, scores=everything, overall=overall(everything),
    )  # fmt: skip


def verdict(seen: Assessment, strictness: str = "normal") -> Verdict:
    return judge(seen, 0, 1000, 1300, strictness)


def codes(found: Verdict) -> list[str]:
    return [guidance.code for guidance in found.guidance]


def test_faultless_photo_is_accepted_without_advice():
    """A good photo passes everything and nobody is told to do anything."""
    found = verdict(assessment())

    assert found.accepted
    assert all(criterion.passed for criterion in found.criteria)
    assert found.guidance == ()


@pytest.mark.parametrize("criterion", CRITERIA, ids=NAMES)
def test_one_fault_fails_its_group_and_says_what_to_do(criterion):
    """Whatever is wrong, its group fails and there is advice; only an error refuses the photo."""
    found = verdict(assessment(**{criterion.name: 0.2}))

    assert found.accepted == (criterion.severity == "warning")
    assert not found.groups[criterion.group].passed
    assert criterion.guidance in codes(found)


def test_every_guidance_has_words():
    """No criterion fails without a sentence for the person holding the phone, in every language we speak."""
    for messages in MESSAGES.values():
        assert {criterion.guidance for criterion in CRITERIA} == set(messages)


def test_three_groups_cover_all_criteria():
    """Visible, readable, centered: the specification's three words, and nothing outside them."""
    assert len(set(NAMES)) == len(NAMES)
    assert {criterion.group for criterion in CRITERIA} == set(GROUPS)


def test_accepted_exactly_if_score_reaches_threshold():
    """The whole photo's score and the verdict never contradict each other."""
    for blurry in np.linspace(0.05, 0.9, 18):
        seen = assessment(blurry=float(blurry))
        for strictness, threshold in (("relaxed", 0.3), ("normal", 0.5), ("strict", 0.7)):
            assert verdict(seen, strictness).accepted == (seen.overall >= threshold)


def test_strictness_only_ever_refuses_more():
    """What strict accepts, normal accepts, and what normal accepts, relaxed accepts."""
    seen = assessment(blurry=0.4, glare=0.6)

    assert [verdict(seen, how).accepted for how in ("relaxed", "normal", "strict")] == [True, False, False]


def test_without_a_document_nothing_else_is_judged():
    """A photo of a table is not blamed for being off-centre."""
    found = verdict(assessment(detected=False, document_absent=0.04, blurry=0.1))

    assert not found.accepted
    assert codes(found) == ["show_document"]
    assert [criterion.name for criterion in found.criteria] == [ABSENT]
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
    found = verdict(assessment(blurry=0.1, off_center=0.05, glare=0.4))

    assert codes(found) == ["hold_steady", "avoid_glare", "center_document"]


def test_same_advice_is_given_once():
    """Too far and too small have one cure; it is not said twice."""
    assert codes(verdict(assessment(too_far=0.1, text_too_small=0.1))) == ["move_closer"]


def test_verdict_is_plain_data():
    """A verdict can be written as JSON as it stands."""
    body = json.loads(json.dumps(dataclasses.asdict(verdict(assessment(blurry=0.1)))))

    assert body["document"]["area_ratio"] == pytest.approx(0.56)
    assert body["document"]["center_offset"] == pytest.approx([0.0, -0.05], abs=1e-6)
    assert body["groups"]["readable"] == {"passed": False, "score": 0.1}


@pytest.mark.parametrize("tilt", [0, 10, 30, 50])
def test_tilt_is_what_a_camera_makes_of_a_leaning_page(tilt):
    """A page leaning back by 30 degrees is said to lean by 30 degrees."""
    angle = math.radians(tilt)
    page = np.array([[-1, -1.4, 0], [1, -1.4, 0], [1, 1.4, 0], [-1, 1.4, 0]])
    lean = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
    placed = page @ lean.T + [0.2, 0.1, 5.0]
    photographed = placed[:, :2] / placed[:, 2:] * 0.6 * math.hypot(1000, 1300) + [500, 650]

    assert tilt_degrees(photographed, 1000, 1300) == pytest.approx(tilt, abs=0.1)
