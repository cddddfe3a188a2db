"""Tests of fitting the usability model and of its report."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import USABILITY_FILE, UsabilityModel
from training.commands import fit_usability
from training.commands.fit_usability import fit_usability_model
from training.evaluation.photo_outcomes import PhotoOutcome
from training.evaluation.risk import (
    PhotoCase,
    build_cases,
    risk_curve,
    risk_plot,
    unusable_by_chance,
    validation_page,
    validation_scores,
)
from training.metrics import spearman

NAMES = [criterion.name for criterion in CRITERIA]


def simulated(count: int, seed: int, deadly: str = "glare", harmless: str = "blurry") -> list[PhotoCase]:
    """Photos that are unusable because of one defect only; another defect is harmless."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(count):
        scores = dict.fromkeys(NAMES, 0.97)
        for name in (deadly, harmless):
            scores[name] = float(rng.choice([0.03, 0.97]))
        usable = bool(rng.random() < (0.95 if scores[deadly] > 0.5 else 0.05))
        likeness = 0.9 if usable else 0.3
        made.append(PhotoCase(f"{seed}-{number}", True, scores, usable, usable, likeness, likeness))
    return made


def test_costs_are_learned_from_usable_and_unusable_photos():
    """A fatal defect becomes an error, a harmless one a warning, and the thresholds fit_usability_model."""
    usability = fit_usability_model(simulated(400, 0))

    assert usability.costs["glare"] > 0.7
    assert usability.costs["blurry"] < 0.4
    assert usability.costs[DOCUMENT_ABSENT] == 1.0
    scores = validation_scores(simulated(400, 1), usability)
    assert scores["normal"]["usable_passed"] > 0.9
    assert scores["normal"]["spoilt_stopped"] > 0.9
    assert scores["mean_risk"] < scores["mean_risk_minimum"]


def test_tolerated_defects_are_learned():
    """If a moderate score of a defect is harmless, the leniency rises; for others it stays at 0."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(400):
        scores = dict.fromkeys(NAMES, 0.97) | {"document_cutoff": float(rng.choice([0.01, 0.3, 0.97]))}
        usable = scores["document_cutoff"] > 0.1
        made.append(PhotoCase(str(number), True, scores, usable, usable, float(usable), float(usable)))

    leniency = fit_usability_model(made).leniency

    assert leniency["document_cutoff"] > 0.35
    assert abs(leniency["tilted"]) < 0.15


def test_rare_defects_keep_their_initial_cost():
    """A defect that never occurs keeps the cost of its initial guess."""
    usability = fit_usability_model(simulated(40, 0))
    guessed = {criterion.name: criterion.cost for criterion in CRITERIA}

    assert usability.costs["tilted"] == pytest.approx(guessed["tilted"], abs=0.05)


def test_thresholds_rise_with_strictness():
    """Relaxed needs at most the score of normal, normal at most that of strict."""
    for seed in range(3):
        thresholds = fit_usability_model(simulated(60, seed)).thresholds
        assert 0 < thresholds["relaxed"] <= thresholds["normal"] <= thresholds["strict"] < 1


def test_fitting_needs_unusable_photos():
    """An error is raised instead of accepting everything."""
    good = [case for case in simulated(50, 0) if case.usable]

    with pytest.raises(ValueError, match="spoilt"):
        fit_usability_model(good)


def outcome(key: str, **right: bool) -> PhotoOutcome:
    likeness = {name: float(one) for name, one in right.items()}
    return PhotoOutcome(key, "receipt", True, dict.fromkeys(NAMES, 0.9), right, likeness, likeness)


def test_a_field_counts_if_careful_pictures_are_read_right():
    """Values that are wrong on careful pictures, too, are not the photo's fault; without a counting field usable is
    None.
    """
    scans = [outcome("a", total=True, merchant_name=False), outcome("b", total=True, merchant_name=True)]
    photos = [outcome("a", total=True, merchant_name=False), outcome("b", total=True, merchant_name=False)]
    careful = [outcome("a", total=False, merchant_name=True), outcome("b", total=True, merchant_name=True)]

    first, second = build_cases(photos, scans)
    undecided, unusable = build_cases(photos, scans, careful)

    assert (first.usable, first.whole, first.kept, first.accuracy) == (True, False, 1.0, 0.5)
    assert (second.usable, second.whole, second.kept) == (False, False, 0.5)
    assert (undecided.usable, undecided.whole, undecided.kept) == (None, False, 1.0)
    assert unusable.usable is False
    with pytest.raises(ValueError, match="no careful picture of b"):
        build_cases(photos, scans[:1])


def test_without_careful_pictures_every_field_counts():
    """Without careful pictures nothing excuses a wrong value."""
    good, bad = build_cases([outcome("a", total=True), outcome("b", total=True, document_date=False)])

    assert (good.usable, good.whole, good.kept) == (True, True, 1.0)
    assert (bad.usable, bad.whole, bad.kept) == (False, False, 0.5)


def test_chance_is_the_share_of_unusable_careful_photos():
    """Each careful photo is compared with the scan and the others; None without careful photos."""
    scans = [outcome(key, total=True) for key in "ab"]
    unlucky = [outcome("a", total=True), outcome("b", total=False)]

    assert unusable_by_chance([[scans, scans, unlucky]]) == pytest.approx(1 / 3, abs=1e-4)
    assert unusable_by_chance([[scans]]) is None


def test_photos_without_a_counting_field_are_excluded():
    """Photos without a counting field appear only in the figures over all fields."""
    reported = simulated(60, 7)
    undecided = [replace(case, key=f"silent {case.key}", usable=None, whole=False) for case in reported[:20]]
    usability = fit_usability_model(simulated(100, 8) + undecided)

    scores, without = (validation_scores(some, usability) for some in (reported + undecided, reported))

    assert (scores["photos"], scores["told"], scores["usable"]) == (80, 60, without["usable"])
    assert scores["normal"]["spoilt_stopped"] == without["normal"]["spoilt_stopped"]
    assert scores["normal"]["any_wrong_stopped"] != without["normal"]["any_wrong_stopped"]


def test_risk_is_counted_from_the_best_score():
    """A perfect order has no risk until only unusable photos are left."""
    reported = simulated(100, 2)
    best, worst = (risk_curve(reported, lambda case, sign=sign: sign * case.usable) for sign in (1.0, -1.0))
    usable = sum(case.usable for case in reported)

    assert best.risk[usable - 1] == 0
    assert best.risk[-1] == worst.risk[-1] == pytest.approx(1 - usable / 100)
    assert best.area < worst.area


def test_rank_correlation():
    """It depends on order only; equal values share their rank; nan if all values are equal."""
    assert spearman([1, 2, 3, 4], [10, 20, 400, 8000]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 2, 2], [1, 2, 3, 4]) == pytest.approx(0.8944, abs=1e-4)
    assert np.isnan(spearman([1, 1], [1, 2]))


def test_the_command_writes_model_report_and_plot(tmp_path, monkeypatch):
    """The model next to the weights, the report and its plot, and the figures as JSON."""
    kept = {"tuned": simulated(80, 3), "held": simulated(80, 4)}
    monkeypatch.setattr(fit_usability, "_collect_cases", lambda groups, models: (kept[groups[0][0].name], 0.1))
    files = {name: tmp_path / name for name in ("validation.md", "scores.json")}

    fit_usability.main(
        ["--tune", "tuned", "x", "--report", "held", "x", "--save", str(tmp_path), "--out", str(files["validation.md"]),
         "--scores", str(files["scores.json"])]
    )  # fmt: skip

    assert UsabilityModel.load(tmp_path).fitted["photos"] == 80
    assert (tmp_path / USABILITY_FILE).is_file()
    scores = json.loads(files["scores.json"].read_text())
    assert str(scores["spearman"]) in files["validation.md"].read_text()
    assert "glare" in files["validation.md"].read_text()
    drawn = ET.fromstring((tmp_path / "validation.svg").read_text())
    assert {one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")} >= {"relaxed", "normal", "strict"}


def test_a_page_cannot_be_tuned_and_reported(monkeypatch):
    """A page on both sides stops the command."""
    monkeypatch.setattr(fit_usability, "_collect_cases", lambda groups, models: (simulated(20, 5), None))

    with pytest.raises(SystemExit, match="both"):
        fit_usability.main(["--tune", "a", "b", "--report", "c", "d"])


def test_a_missed_goal_is_marked():
    """A missed goal is marked in the report."""
    reported = simulated(100, 6)
    usability = UsabilityModel(fitted={"photos": 1, "usable": 1, "alone": 7})
    made = {"date": "d", "commit": "c", "machine": "m"}
    scores = {"made": made, "careful_sets": 2, "spoilt_by_chance": 0.08, **validation_scores(reported, usability)}

    text = validation_page(scores, usability, "command", "x.svg")
    assert "**not reached**" in text
    assert "Chance plays a part: 8% of" in text
    assert "7 of these photos are phone photos" in text
    assert risk_plot(risk_curve(reported, lambda case: case.accuracy), {}).startswith("<svg")
