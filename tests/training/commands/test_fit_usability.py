"""From trials to a usability, and what it is worth."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from docextract.quality.criteria import CRITERIA, DOCUMENT_ABSENT
from docextract.quality.usability import USABILITY_FILE, UsabilityModel
from training.commands import fit_usability
from training.commands.fit_usability import fit
from training.evaluation.metrics import spearman
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

NAMES = [criterion.name for criterion in CRITERIA]


def simulated(count: int, seed: int, deadly: str = "glare", harmless: str = "blurry") -> list[PhotoCase]:
    """Photos that are spoilt by one defect alone, whatever was guessed of it and of another."""
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


def test_costs_are_learned_from_what_extraction_makes_of_photos():
    """What spoils photos becomes an error, what spoils none a warning, and thresholds follow."""
    usability = fit(simulated(400, 0))

    assert usability.costs["glare"] > 0.7
    assert usability.costs["blurry"] < 0.4
    assert usability.costs[DOCUMENT_ABSENT] == 1.0
    scores = validation_scores(simulated(400, 1), usability)
    assert scores["normal"]["usable_passed"] > 0.9
    assert scores["normal"]["spoilt_stopped"] > 0.9
    assert scores["mean_risk"] < scores["mean_risk_minimum"]


def test_what_extraction_bears_of_a_defect_is_learned():
    """Where half of a defect spoils nothing, half of it is forgiven, and where none is borne, none is."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(400):
        scores = dict.fromkeys(NAMES, 0.97) | {"document_cutoff": float(rng.choice([0.01, 0.3, 0.97]))}
        usable = scores["document_cutoff"] > 0.1
        made.append(PhotoCase(str(number), True, scores, usable, usable, float(usable), float(usable)))

    leniency = fit(made).leniency

    assert leniency["document_cutoff"] > 0.35
    assert abs(leniency["tilted"]) < 0.15


def test_few_photos_move_little():
    """A defect that was never seen keeps the cost that was guessed."""
    usability = fit(simulated(40, 0))
    guessed = {criterion.name: criterion.cost for criterion in CRITERIA}

    assert usability.costs["tilted"] == pytest.approx(guessed["tilted"], abs=0.05)


def test_strictness_is_in_order():
    """Relaxed never asks more than normal, nor normal more than strict."""
    for seed in range(3):
        thresholds = fit(simulated(60, seed)).thresholds
        assert 0 < thresholds["relaxed"] <= thresholds["normal"] <= thresholds["strict"] < 1


def test_without_spoilt_photos_there_is_nothing_to_fit():
    """It says so instead of accepting everything."""
    good = [case for case in simulated(50, 0) if case.usable]

    with pytest.raises(ValueError, match="spoilt"):
        fit(good)


def trial(key: str, **right: bool) -> PhotoOutcome:
    return PhotoOutcome(
        key, "receipt", True, dict.fromkeys(NAMES, 0.9), right, {name: float(one) for name, one in right.items()}
    )


def test_a_field_counts_where_careful_pictures_are_read_right():
    """What the extractor cannot read on them either is not the photo's fault; where nothing counts nothing is said."""
    scans = [trial("a", total=True, merchant_name=False), trial("b", total=True, merchant_name=True)]
    photos = [trial("a", total=True, merchant_name=False), trial("b", total=True, merchant_name=False)]
    careful = [trial("a", total=False, merchant_name=True), trial("b", total=True, merchant_name=True)]

    first, second = build_cases(photos, scans)
    untold, spoilt = build_cases(photos, scans, careful)

    assert (first.usable, first.whole, first.kept, first.accuracy) == (True, False, 1.0, 0.5)
    assert (second.usable, second.whole, second.kept) == (False, False, 0.5)
    assert (untold.usable, untold.whole, untold.kept) == (None, False, 1.0)
    assert spoilt.usable is False
    with pytest.raises(ValueError, match="no careful picture of b"):
        build_cases(photos, scans[:1])


def test_of_photos_that_stand_alone_every_field_counts():
    """Nothing says that another picture would be read no better."""
    good, bad = build_cases([trial("a", total=True), trial("b", total=True, transaction_date=False)])

    assert (good.usable, good.whole, good.kept) == (True, True, 1.0)
    assert (bad.usable, bad.whole, bad.kept) == (False, False, 0.5)


def test_luck_is_what_careful_photos_lose():
    """Each is held against the scan and the other ones; without any there is none to tell of."""
    scans = [trial(key, total=True) for key in "ab"]
    unlucky = [trial("a", total=True), trial("b", total=False)]

    assert unusable_by_chance([[scans, scans, unlucky]]) == pytest.approx(1 / 3, abs=1e-4)
    assert unusable_by_chance([[scans]]) is None


def test_photos_that_tell_nothing_are_told_apart():
    """They count where everything has to be right, and in no other figure."""
    held = simulated(60, 7)
    silent = [replace(case, key=f"silent {case.key}", usable=None, whole=False) for case in held[:20]]
    usability = fit(simulated(100, 8) + silent)

    scores, without = (validation_scores(some, usability) for some in (held + silent, held))

    assert (scores["photos"], scores["told"], scores["usable"]) == (80, 60, without["usable"])
    assert scores["normal"]["spoilt_stopped"] == without["normal"]["spoilt_stopped"]
    assert scores["normal"]["any_wrong_stopped"] != without["normal"]["any_wrong_stopped"]


def test_risk_is_counted_from_the_best_score_down():
    """A perfect order risks nothing until only spoilt photos are left."""
    held = simulated(100, 2)
    best, worst = (risk_curve(held, lambda case, sign=sign: sign * case.usable) for sign in (1.0, -1.0))
    usable = sum(case.usable for case in held)

    assert best.risk[usable - 1] == 0
    assert best.risk[-1] == worst.risk[-1] == pytest.approx(1 - usable / 100)
    assert best.area < worst.area


def test_rank_correlation():
    """By order alone; equals share their rank; nothing to say where all are the same."""
    assert spearman([1, 2, 3, 4], [10, 20, 400, 8000]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 1, 2, 2], [1, 2, 3, 4]) == pytest.approx(0.8944, abs=1e-4)
    assert np.isnan(spearman([1, 1], [1, 2]))


def test_the_command_writes_usability_report_and_picture(tmp_path, monkeypatch):
    """Beside the weights what serving reads, in docs what people read; figures as JSON."""
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


def test_nothing_is_tuned_on_what_is_reported(monkeypatch):
    """A page on both sides stops the command."""
    monkeypatch.setattr(fit_usability, "_collect_cases", lambda groups, models: (simulated(20, 5), None))

    with pytest.raises(SystemExit, match="both"):
        fit_usability.main(["--tune", "a", "b", "--report", "c", "d"])


def test_a_goal_that_is_missed_is_said_to_be():
    """The report does not hide behind its table."""
    held = simulated(100, 6)
    usability = UsabilityModel(fitted={"photos": 1, "usable": 1, "alone": 7})
    made = {"date": "d", "commit": "c", "machine": "m"}
    scores = {"made": made, "careful_sets": 2, "spoilt_by_chance": 0.08, **validation_scores(held, usability)}

    told = validation_page(scores, usability, "command", "x.svg")
    assert "**not reached**" in told
    assert "8% are" in told
    assert "Of 7 of those" in told
    assert risk_plot(risk_curve(held, lambda case: case.accuracy), {}).startswith("<svg")
