"""Tests of fitting the usability model."""

from dataclasses import replace

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from training.evaluation.risk import CheckedPhoto
from training.tasks.quality.usability import fit_usability_model

NAMES = [criterion.name for criterion in CRITERIA]


def simulated(count: int, seed: int, deadly: str = "glare", harmless: str = "blurry") -> list[CheckedPhoto]:
    """Photos that are unusable because of one defect only; another defect is harmless."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        scores = dict.fromkeys(NAMES, 0.97)
        for name in (deadly, harmless):
            scores[name] = float(rng.choice([0.03, 0.97]))
        usable = bool(rng.random() < (0.95 if scores[deadly] > 0.5 else 0.05))
        made.append(CheckedPhoto("cards, damaged", "receipt", f"{seed}-{number}", True, scores, (), 0.9, usable))
    return made


def with_map(photos: list[CheckedPhoto], seed: int = 0) -> list[CheckedPhoto]:
    """The same photos, with a map that knows the field that is lost; the other field says nothing."""
    rng = np.random.default_rng(seed)
    return [replace(photo, fields=(float(rng.uniform(0.9, 1.0)), 0.95 if photo.usable else 0.3)) for photo in photos]


def test_costs_are_learned_from_usable_and_unusable_photos():
    """A fatal defect becomes an error, a harmless one a warning, and the thresholds fit."""
    usability = fit_usability_model(simulated(400, 0))

    assert usability.costs["glare"] > 0.7
    assert usability.costs["blurry"] < 0.4
    assert usability.costs[DOCUMENT_ABSENT] == 1.0
    others = simulated(400, 1)
    right = [photo.verdict(usability).accepted == photo.usable for photo in others]
    assert np.mean(right) > 0.9


def test_tolerated_defects_are_learned():
    """If a moderate score of a defect is harmless, the leniency rises; for others it stays at 0."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(400):
        scores = dict.fromkeys(NAMES, 0.97) | {"document_cutoff": float(rng.choice([0.01, 0.3, 0.97]))}
        made.append(CheckedPhoto("c", "receipt", str(number), True, scores, (), 0.9, scores["document_cutoff"] > 0.1))

    leniency = fit_usability_model(made).leniency

    assert leniency["document_cutoff"] > 0.35
    assert abs(leniency["tilted"]) < 0.15


def test_rare_defects_keep_their_initial_cost():
    """A defect that never occurs keeps the cost of its initial guess."""
    usability = fit_usability_model(simulated(40, 0))
    guessed = {criterion.name: criterion.cost for criterion in CRITERIA}

    assert usability.costs["tilted"] == pytest.approx(guessed["tilted"], abs=0.05)


def test_a_map_that_knows_the_lost_field_gets_weight():
    """Photos with equal scores of all criteria are told apart by it."""
    equal = [replace(photo, scores=dict.fromkeys(NAMES, 0.9)) for photo in with_map(simulated(200, 0))]

    usability = fit_usability_model(equal)

    assert sum(usability.legibility) > 1
    assert all(photo.verdict(usability).accepted == photo.usable for photo in equal)


def test_thresholds_rise_with_strictness():
    """Relaxed needs at most the score of normal, normal at most that of strict; so does validation=enforce."""
    for seed in range(3):
        usability = fit_usability_model(simulated(60, seed))
        for limits in (usability.thresholds, *usability.readable.values()):
            assert 0 < limits["relaxed"] <= limits["normal"] <= limits["strict"] < 1


def test_fitting_needs_unusable_photos():
    """An error is raised instead of accepting everything."""
    good = [photo for photo in simulated(50, 0) if photo.usable]

    with pytest.raises(ValueError, match="spoilt"):
        fit_usability_model(good)


def test_types_whose_fields_are_less_certain_are_refused_from_a_lower_confidence():
    """A type with few photos has the threshold of the others."""
    kinds = {"receipt": (0.8, 200), "invoice": (0.2, 200), "passport": (0.8, 10)}
    photos = [
        replace(photo, type=kind, sure=sure if photo.usable else sure / 2)
        for kind, (sure, count) in kinds.items()
        for photo in simulated(count, 0)
    ]

    usability = fit_usability_model(photos)

    assert usability.min_readable("invoice", "normal") < usability.min_readable("receipt", "normal") - 0.1
    assert set(usability.readable) == {"any", "receipt", "invoice"}
    assert usability.min_readable("passport", "normal") == usability.readable["any"]["normal"]
