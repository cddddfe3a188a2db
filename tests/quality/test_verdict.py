"""The verdict: acceptance, failed criteria and guidance."""

import dataclasses
import json
import math

import numpy as np
import pytest

from docextract.predictions import Assessment, Legibility
from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import PhotoVerdict, SkippedCriterion, VerdictOptions, judge_photo, tilt_degrees

NAMES = [criterion.name for criterion in CRITERIA]


def assessment(detected: bool = True, **scores: float) -> Assessment:
    """A photo without a defect, except for the given scores."""
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


def test_a_photo_without_defects_is_accepted_without_guidance():
    """Every criterion passes."""
    found = verdict(assessment())

    assert found.accepted
    assert all(criterion.passed for criterion in found.criteria)
    assert found.guidance == ()


@pytest.mark.parametrize("criterion", CRITERIA, ids=NAMES)
def test_a_defect_fails_its_group_and_gives_guidance(criterion):
    """Only an error rejects the photo."""
    found = verdict(assessment(**{criterion.name: 0.05}))

    assert found.accepted == (criterion.severity == "warning")
    assert not found.groups[criterion.group].passed
    assert criterion.guidance in codes(found)


def test_accepted_only_if_the_score_reaches_its_threshold():
    """The usability score and the verdict do not contradict each other."""
    for blurry in np.linspace(0.0, 1.0, 41):
        for strictness in ("relaxed", "normal", "strict"):
            found = verdict(assessment(blurry=float(blurry)), strictness)
            failed = any(not one.passed and one.severity == "error" for one in found.criteria)
            assert found.accepted == (found.score >= found.threshold and not failed)


def test_several_small_defects_reject_a_photo_together():
    """No single criterion fails; the guidance names the largest defect."""
    small = {"blurry": 0.72, "too_far": 0.55, "dark": 0.75, "text_too_small": 0.8, "noisy": 0.6, "faint": 0.6}

    together = verdict(assessment(**small))

    assert all(criterion.passed for criterion in together.criteria)
    assert not together.accepted
    assert codes(together) == ["hold_steady"]
    for name, score in small.items():
        assert verdict(assessment(**{name: score})).accepted


def test_a_higher_strictness_never_accepts_more():
    """What strict accepts, normal accepts, and what normal accepts, relaxed accepts."""
    seen = assessment(blurry=0.5, glare=0.75)

    assert [verdict(seen, how).accepted for how in ("relaxed", "normal", "strict")] == [True, False, False]


def test_without_a_document_nothing_else_is_assessed():
    """A photo of a table is not reported as off-centre."""
    found = verdict(assessment(detected=False, document_absent=0.04, blurry=0.1))

    assert not found.accepted
    assert codes(found) == ["show_document"]
    assert [criterion.name for criterion in found.criteria] == [DOCUMENT_ABSENT]
    assert {(one.name, one.reason) for one in found.not_assessed} == {(name, "no_document") for name in NAMES[1:]}
    assert found.groups["readable"].passed is None
    assert found.groups["readable"].score is None
    assert not found.document.detected


def test_a_document_without_a_polygon_counts_as_absent():
    """A high detection score without a polygon is not accepted."""
    found = verdict(assessment(detected=False, document_absent=0.8))

    assert not found.accepted
    assert codes(found) == ["show_document"]


def test_the_most_useful_guidance_comes_first():
    """It is sorted by expected gain."""
    found = verdict(assessment(blurry=0.1, off_center=0.05, glare=0.05))

    assert codes(found) == ["hold_steady", "avoid_glare", "center_document"]


def test_equal_guidance_is_given_once():
    """ "Too far" and "text too small" have the same guidance."""
    assert codes(verdict(assessment(too_far=0.1, text_too_small=0.1))) == ["move_closer"]


def test_the_area_is_that_of_the_visible_part():
    """A document that lies half outside the photo; its corners stay where they are."""
    polygon = np.array([[-0.5, 0.2], [0.5, 0.2], [0.5, 0.8], [-0.5, 0.8]], np.float32)
    document = verdict(dataclasses.replace(assessment(), polygon=polygon)).document

    assert document.area_ratio == pytest.approx(0.3)
    assert document.polygon[0] == pytest.approx((-0.5, 0.2))


def test_center_offset_is_measured_on_the_visible_part():
    """Parts of the document outside the photo do not count."""
    polygon = np.array([[0.6, 0.1], [2.6, 0.1], [2.6, 0.9], [0.6, 0.9]], np.float32)
    document = verdict(dataclasses.replace(assessment(), polygon=polygon)).document

    assert document.center_offset == pytest.approx((0.3, 0.0), abs=1e-6)


def test_a_verdict_is_plain_data():
    """It can be converted to JSON."""
    body = json.loads(json.dumps(dataclasses.asdict(verdict(assessment(blurry=0.1)))))

    assert body["document"]["area_ratio"] == pytest.approx(0.56)
    assert body["document"]["center_offset"] == pytest.approx([0.0, -0.05], abs=1e-6)
    assert body["groups"]["readable"] == {"passed": False, "score": 0.1}


def test_severity_can_be_lowered_and_raised():
    """A criterion that the caller makes a warning never rejects a photo; one that it makes an error does."""
    blurred, turned = assessment(blurry=0.05), assessment(rotated=0.4)

    assert not verdict(blurred).accepted
    lowered = verdict(blurred, severity={"blurry": "warning"})
    assert lowered.accepted
    assert codes(lowered) == ["hold_steady"]
    assert verdict(turned).accepted
    assert not verdict(turned, severity={"rotated": "error"}).accepted


def test_a_criterion_that_is_off_is_not_assessed():
    """It is listed as skipped and does not affect the score."""
    found = verdict(assessment(blurry=0.05), severity={"blurry": "off"})

    assert found.accepted
    assert found.guidance == ()
    assert SkippedCriterion("blurry", "off") in found.not_assessed
    assert found.score == pytest.approx(verdict(assessment(blurry=1.0)).score)


def test_a_preview_skips_criteria_that_need_full_resolution():
    """Blur and small text are visible only at full resolution."""
    found = verdict(assessment(blurry=0.05, text_too_small=0.05, dark=0.05), preview=True)

    assert {one.name for one in found.not_assessed} == {
        criterion.name for criterion in CRITERIA if criterion.full_resolution
    }
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
def test_an_unexpected_document_type_is_reported(asked, known, told):
    """If the caller expects an invoice, a receipt gives guidance; it is rejected only on request."""
    options = {"document_type": asked, "known_types": known}
    found = verdict(assessment(), **options)

    assert found.accepted
    assert codes(found) == (["show_requested_document"] if told else [])
    assert verdict(assessment(), **options, severity={"unexpected_document": "error"}).accepted != told


def test_a_type_unknown_to_the_network_is_not_assessed():
    """A network that knows only receipts predicts `other` for an invoice, so the criterion is skipped."""
    other = dataclasses.replace(assessment(), type="other")

    found = verdict(other, document_type="invoice", known_types=["receipt"])
    assert found.guidance == ()
    assert SkippedCriterion("unexpected_document", "untrained") in found.not_assessed
    assert codes(verdict(other, document_type="receipt", known_types=["receipt"])) == ["show_requested_document"]


def test_every_criterion_is_assessed_or_listed_as_skipped():
    """None is missing."""
    for options in ({}, {"preview": True}, {"severity": {"glare": "off"}}):
        found = verdict(assessment(), **options)
        assert sorted([one.name for one in (*found.criteria, *found.not_assessed)]) == sorted(NAMES)


def test_a_fitted_usability_model_changes_the_verdict():
    """The same photo with two usability models."""
    seen = assessment(blurry=0.5)
    robust = UsabilityModel(costs={"blurry": 0.1})

    assert not judge_photo(seen, 0, 1000, 1300, VerdictOptions("strict")).accepted
    assert judge_photo(seen, 0, 1000, 1300, VerdictOptions("strict"), robust).accepted


def with_illegible_total(**scores: float) -> Assessment:
    """A photo of which the map says that the total, at the bottom right, cannot be read."""
    cells, required = np.ones((24, 18), np.float32), np.zeros((24, 18), np.float32)
    cells[16:, 12:] = 0.05
    required[2:4], required[16:18, 12:15] = 1.0, 1.0
    return dataclasses.replace(assessment(**scores), legibility=Legibility(cells, {}, 0.9, required, (0.95, 0.05)))


def test_a_photo_with_an_illegible_field_is_refused():
    """No criterion says why and no defect is large, so the advice is to take it again, with the place."""
    usability = UsabilityModel(legibility=(3.0, 0.0))

    found = judge_photo(with_illegible_total(), 0, 1000, 1300, VerdictOptions(), usability)

    assert not found.accepted
    assert found.score < judge_photo(assessment(), 0, 1000, 1300, VerdictOptions(), usability).score
    assert [(advice.code, advice.place) for advice in found.guidance] == [("retake_photo", "bottom_right")]


def test_what_does_not_refuse_a_photo_is_no_advice():
    """A document was detected, and the type is not part of the score; the small blur is the likeliest reason."""
    usability = UsabilityModel(legibility=(3.0, 0.0))
    options = VerdictOptions(document_type="receipt", known_types=["receipt"])
    seen = dataclasses.replace(with_illegible_total(document_absent=0.7, blurry=0.85), type_confidence=0.6)

    found = judge_photo(seen, 0, 1000, 1300, options, usability)

    assert all(one.passed for one in found.criteria)
    assert codes(found) == ["hold_steady"]


def test_a_tolerated_defect_is_no_advice():
    """Several small defects refuse the photo; the largest does not count."""
    small = {"blurry": 0.5, "too_far": 0.55, "dark": 0.7, "text_too_small": 0.75, "noisy": 0.6, "faint": 0.6}

    found = verdict(assessment(**small), severity={"blurry": "warning"})

    assert not found.accepted
    assert codes(found) == ["move_closer"]


@pytest.mark.parametrize(
    "options",
    [
        {"preview": True}, {"source": "scan"},
        *({"severity": {name: severity}} for name, severity in (("blurry", "warning"), ("noisy", "off"))),
    ],
)  # fmt: skip
def test_the_map_does_not_count_where_it_knows_less_or_more(options):
    """A preview shows no print, a caller tolerates a defect that the map sees, and of scans it has learned nothing."""
    usability = UsabilityModel(legibility=(3.0, 0.0))
    photos = with_illegible_total(), assessment()

    found, without = (judge_photo(photo, 0, 1000, 1300, VerdictOptions(**options), usability) for photo in photos)

    assert found.score == without.score


@pytest.mark.parametrize("tilt", [0, 10, 30, 50])
def test_tilt_is_measured_from_perspective(tilt):
    """A page that leans back by 30 degrees has a tilt of 30 degrees."""
    angle = math.radians(tilt)
    page = np.array([[-1, -1.4, 0], [1, -1.4, 0], [1, 1.4, 0], [-1, 1.4, 0]])
    lean = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
    placed = page @ lean.T + [0.2, 0.1, 5.0]
    photographed = placed[:, :2] / placed[:, 2:] * 0.6 * math.hypot(1000, 1300) + [500, 650]

    assert tilt_degrees(photographed, 1000, 1300) == pytest.approx(tilt, abs=0.1)


@pytest.mark.parametrize("source", ["scan", "digital"])
def test_empty_pages_beside_others_are_accepted(source):
    """The empty backs of a duplex scan; a file without any print shows no document."""
    alone = verdict(assessment(), source=source, blank=True)
    found = verdict(assessment(), source=source, blank=True, beside_others=True, severity={"glare": "off"})

    assert (alone.accepted, codes(alone)) == (False, ["show_document"])
    assert (found.accepted, found.score, codes(found), found.criteria) == (True, 1.0, [], ())
    assert not found.document.detected
    assert {one.name: one.reason for one in found.not_assessed} == dict.fromkeys(NAMES, "no_document") | {
        "glare": "off"
    }


def test_an_empty_photo_beside_others_is_no_empty_page():
    """What a photo shows is judged by the network."""
    assert verdict(assessment(), blank=True, beside_others=True).criteria
