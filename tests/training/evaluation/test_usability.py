"""Tests of the figures that tell how well photos are checked."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA
from docextract.quality.usability import UsabilityModel
from training.evaluation.risk import CheckedPhoto, readable_score
from training.evaluation.usability import (
    EVERYTHING,
    JudgedPhoto,
    cross_judge,
    usability_figures,
    validation_page,
)
from training.tasks.quality.usability import fit_usability_model

NAMES = [criterion.name for criterion in CRITERIA]


def photos(count: int = 120) -> list[CheckedPhoto]:
    """Of spoilt photos one field is not legible; the criteria say nothing about it, confidences little."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(count):
        usable = bool(rng.random() < 0.5)
        scores = dict.fromkeys(NAMES, float(rng.uniform(0.8, 0.95)))
        fields = (float(rng.uniform(0.9, 1.0)), 0.95 if usable else 0.3)
        sure = float(rng.uniform(0.5, 1.0))
        made.append(CheckedPhoto(f"set {number % 2}", "receipt", f"g{number // 2}", True, scores, fields, sure, usable))
    return made


@pytest.fixture(scope="module")
def judged() -> list[JudgedPhoto]:
    """All photos, judged by fitted models."""
    return cross_judge(photos(), fit_usability_model)


def test_a_map_that_knows_the_spoilt_field_wins(judged):
    """The criteria rank these photos by chance, the map rightly."""
    figures = usability_figures(judged)[EVERYTHING]

    assert figures["usable"] + figures["spoilt"] == 120
    assert figures["auroc"]["score"][0] > 0.99
    assert figures["auroc"]["criteria"][1] < 0.5 < figures["auroc"]["criteria"][2]
    assert figures["gain"][1] > 0
    assert figures["normal"]["passed"][0] == figures["normal"]["stopped"][0] == 1.0
    assert figures["mean_risk"]["score"] < figures["mean_risk"]["criteria"]


def test_no_photo_is_judged_by_a_model_that_was_fitted_on_its_document():
    """Nor on another photo of it, nor on one of the same template."""
    fitted: list[set[str]] = []

    def fit(others: list[CheckedPhoto]) -> UsabilityModel:
        fitted.append({photo.group for photo in others})
        return UsabilityModel()

    judged = cross_judge(photos(), fit)

    parts = fitted[::2]  # each part is fitted twice, with the map and without
    everything = set().union(*parts)
    left_out = [everything - part for part in parts]
    assert sorted(group for some in left_out for group in some) == sorted(everything)
    assert len(judged) == 120


def test_a_photo_that_shows_no_document_is_refused_before_it_is_read():
    """However sure the values that were read on it are."""
    photo = photos()[0]
    absent = replace(photo, detected=False, scores=photo.scores | {"document_absent": 0.1}, sure=1.0)

    assert readable_score(absent, UsabilityModel()) == 0.0
    assert readable_score(photo, UsabilityModel()) > 0.0


def test_the_page_has_a_row_for_each_collection(judged):
    """And one for all of them; a share without photos is a dash."""
    usable_only = [one for one in judged if one.photo.usable or one.photo.collection == "set 0"]
    made = {"date": "2026-01-01", "commit": "abc", "machine": "m"}

    page = validation_page(usability_figures(usable_only), UsabilityModel(), made, "command", "x.svg")

    rows = [line for line in page.splitlines() if line.startswith(("| set", "| all"))]
    assert len(rows) == 6
    assert any("–" in row for row in rows if row.startswith("| set 1"))
    assert pytest.approx(120) == sum(1 for _ in judged)
