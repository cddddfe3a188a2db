"""Tests of the comparison of scores that tell usable photos from spoilt ones."""

import numpy as np
import pytest

from docextract.predictions import Assessment, FieldLegibility, Legibility
from docextract.quality.criteria import CRITERIA
from docextract.quality.usability import UsabilityModel
from training.evaluation.risk import PhotoCase
from training.evaluation.usability import (
    ALL_FIELDS,
    BOTH,
    EVERYTHING,
    SERVED,
    WEAKEST,
    CheckedPhoto,
    build_scores,
    compare_scores,
    comparison_page,
    fields_of,
    fit_logistic,
    is_fitted,
)

NAMES = [criterion.name for criterion in CRITERIA]


def checked(number: int, usable: bool, fields: tuple[float, ...], detected: bool = True) -> CheckedPhoto:
    """A photo whose criteria say nothing about it."""
    scores = dict.fromkeys(NAMES, 0.9 if number % 3 else 0.8)
    if not detected:
        scores["document_absent"] = 0.1
    case = PhotoCase(str(number), detected, scores, usable, usable, 1.0, 1.0)
    return CheckedPhoto("cards, damaged", case, fields, fitted=number % 2 == 0)


def photos(count: int = 80) -> list[CheckedPhoto]:
    """Of spoilt photos one field is not legible; the other fields say nothing."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(count):
        usable = bool(rng.random() < 0.5)
        made.append(checked(number, usable, (float(rng.uniform(0.9, 1.0)), 0.95 if usable else 0.3)))
    return made


def test_a_map_that_knows_the_spoilt_field_wins():
    """The served score ranks these photos by chance, the map rightly; figures are of the other half."""
    figures = compare_scores(photos(), UsabilityModel())[EVERYTHING]

    assert figures["photos"] == 40
    assert figures["usable"] + figures["spoilt"] == 40
    assert figures[WEAKEST]["auroc"][0] == 1.0
    assert figures[BOTH]["auroc"][0] == 1.0
    assert figures[SERVED]["auroc"][1] < 0.5 < figures[SERVED]["auroc"][2]
    assert figures[BOTH]["against served"]["low"] > 0
    assert figures[BOTH]["normal"] == {"usable_passed": 1.0, "spoilt_stopped": 1.0}
    assert figures[BOTH]["mean_risk"] < figures[SERVED]["mean_risk"]
    assert figures[BOTH]["decisions"]["candidate"] == 1.0
    assert figures[BOTH]["decisions"]["low"] > 0
    assert figures[SERVED]["decisions"]["gain"] == 0


def test_the_page_has_a_row_for_each_collection():
    """And one for all of them."""
    made = {"date": "2026-01-01", "commit": "abc", "machine": "m"}

    page = comparison_page(compare_scores(photos(), UsabilityModel()), made, "command")

    assert "| cards, damaged | 40 |" in page
    assert "| all | 40 |" in page


def test_a_photo_without_a_document_scores_no_more_than_in_the_service():
    """Its map means nothing."""
    scores = build_scores(photos(), UsabilityModel())
    undetected = checked(1, False, (1.0, 1.0), detected=False)

    assert all(scores[name](undetected) <= scores[SERVED](undetected) for name in (WEAKEST, ALL_FIELDS, BOTH))
    assert scores[WEAKEST](checked(1, True, (1.0, 1.0))) == 1.0


def test_the_logistic_regression_finds_the_boundary():
    """The probability is one half where the classes meet."""
    rng = np.random.default_rng(1)
    values = rng.normal(0, 2, 2000)

    slope, intercept = fit_logistic(values[:, None], rng.random(2000) < 1 / (1 + np.exp(-(2 * values - 1))))

    assert slope == pytest.approx(2.0, rel=0.15)
    assert -intercept / slope == pytest.approx(0.5, abs=0.1)


def test_only_the_required_fields_of_the_predicted_type_count():
    """A receipt has no birth date; of a page of no known type the whole document counts."""
    fields = {
        "birth_date": FieldLegibility(0.1, 1.0, (0.5, 0.5)),
        "document_date": FieldLegibility(0.8, 1.0, (0.5, 0.5)),
        "total": FieldLegibility(0.9, 1.0, (0.5, 0.5)),
    }
    legibility = Legibility(np.ones((24, 24), np.float32), fields, document=0.7, required=np.ones((24, 24), np.float32))

    def of_type(name: str) -> tuple[float, ...]:
        return fields_of(Assessment(1.0, name, 1.0, "front", None, 0, {}, legibility=legibility))

    assert of_type("receipt") == (0.8, 0.9)
    assert of_type("other") == (0.7,)
    with pytest.raises(ValueError, match="no legibility map"):
        fields_of(Assessment(1.0, "receipt", 1.0, "front", None, 0, {}))


def test_the_halves_share_no_template_and_keep_the_development_photos():
    """The served score was fitted on srd's development half, whose numbers are even."""
    assert is_fitted("srd, damaged", "1000-receipt")
    assert not is_fitted("srd, as they are", "1001-receipt")
    assert len({is_fitted("ids, damaged", f"fr-2015--{number}") for number in range(20)}) == 1
    assert len({is_fitted("ids, damaged", f"fr-{number}--1") for number in range(20)}) == 2
