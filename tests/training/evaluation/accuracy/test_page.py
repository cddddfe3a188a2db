"""The page that people read."""

from dataclasses import replace

import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.evaluation.accuracy import page, robustness
from training.evaluation.accuracy.answered import answered
from training.evaluation.accuracy.page import Goal, Told
from training.evaluation.accuracy.photographs import CLEAN
from training.evaluation.accuracy.sets import PageSet, Run, Sample
from training.evaluation.accuracy.zones import zones

ABOUT = {
    "command": "make accuracy", "date": "2026-01-01", "commit": "abc", "machine": "one core", "quality": "1",
    "extraction": "2", "took": "It took no time.", "quick": False, "fonts": 3, "fonts_learned": 1,
    "readers": ["Tesseract 5"],
}  # fmt: skip
PLACE = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.14), (0.2, 0.14))
ZONE = ("P<UTO", "L898")


@pytest.fixture
def photo(tmp_path):
    """Any picture."""
    file = tmp_path / "photo.jpg"
    pictures.save(np.full((300, 200, 3), 220, np.uint8), file)
    return file


def told(photo, kind, name, real, said, zone=()):
    """A set of one page. said: by field, what is wanted and what was given."""
    label = LabelledPage(photo, kind, {field: wanted for field, (wanted, _) in said.items()})
    runs = [Run(str(wanted), PLACE, None if real else field) for field, (wanted, _) in said.items()]
    fields = {
        field: {"type": "string", "value": given, "content": given, "confidence": 0.99, "polygon": PLACE}
        for field, (_, given) in said.items()
        if given
    }
    if zone:
        fields["mrz"] = {"value": {"format": "TD3", "lines": list(zone), "valid": True}}
    read = [{"text": run.text} for run in runs]
    body = {"documents": [{"type": kind, "fields": fields, "raw": {"lines": read}}]}
    sample = Sample(label, tuple(runs), ZONE if zone else (), {run.field or "": run.text for run in runs})
    one = answered(sample, body)
    return Told(PageSet(name, f"Pages of {name}", real, (), photo.parent if real else None), [one],
                {"tesseract": [one.outcome]})  # fmt: skip


RECEIPT = {
    "merchant_name": ("SECRET SHOP", "SECRET STREET"), "merchant_address": ("1 ROAD", None),
    "transaction_date": ("2018-01-02", "2018-01-02"), "total": ("9.00", {"amount": "9.00", "currency": None}),
}  # fmt: skip
PASSPORT = {"family_name": ("ERIKSSON", "ERIKSEN")}


def test_everything_measured_is_told(photo, tmp_path):
    """Tables, goals, pictures; a real page's wrong value is counted and never shown."""
    sets = [
        told(photo, "receipt", "unseen_scans", True, RECEIPT),
        told(photo, "passport", "passport_good", False, PASSPORT, ZONE),
    ]
    graded = [robustness.graded(CLEAN, 0, sets[0].answered), robustness.graded("blur", 3, sets[0].answered)]

    page.write(tmp_path / "accuracy.md", sets, graded, ABOUT)

    text = (tmp_path / "accuracy.md").read_text()
    assert "### Pages of unseen_scans" in text
    assert "| `family_name` | 1 | 0 % | 0 % | 0.00 | 0 % | 0 % |" in text
    assert "Wanted `ERIKSSON`, given `ERIKSEN` (99% sure)" in text
    assert "SECRET" not in text
    assert "| Pages of passport_good | 1 | 1 | 1 | 100.0 % |" in text
    assert "| identity fields, exact, careful photographs of synthetic pages: ≥ 95.0 % | 0.0 % | **no** | 1 |" in text
    drawn = tmp_path / "images" / "accuracy"
    assert {file.name for file in drawn.iterdir()} == {
        "failure_01.jpg", "reliability.svg", "risk.svg", "robustness.svg",
    }  # fmt: skip
    assert all(file.stat().st_size < 60_000 for file in drawn.iterdir())


def test_pictures_of_an_earlier_page_are_gone(photo, tmp_path):
    """What the page no longer shows does not lie about in the repository."""
    drawn = tmp_path / "images" / "accuracy"
    drawn.mkdir(parents=True)
    (drawn / "failure_09.jpg").write_bytes(b"")

    right = {"family_name": ("ERIKSSON", "ERIKSSON")}
    page.write(tmp_path / "accuracy.md", [told(photo, "passport", "passport", False, right)], [], ABOUT)

    assert not (drawn / "failure_09.jpg").exists()


def test_goals_know_their_direction():
    """Errors are to be small, shares of right ones large."""
    assert Goal("error", 0.02, 0.03, 10, at_most=True).reached
    assert not Goal("right", 0.94, 0.95, 10).reached


@pytest.mark.parametrize(("lines", "right"), [(ZONE, 1), (("P<UTO", "L89B"), 0)])
def test_a_valid_zone_with_another_letter_is_not_right(photo, lines, right):
    """Check digits do not see everything."""
    found = zones(told(photo, "passport", "passport", False, PASSPORT, lines).answered)

    assert (found.printed, found.valid, found.right) == (1, 1, right)


@pytest.mark.parametrize(
    ("outline", "conditions", "whole"),
    [
        (PLACE, {}, 1),
        (PLACE, {"occluded_fraction": 0.01}, 0),
        (tuple((x + 0.9, y) for x, y in PLACE), {}, 0),
    ],
)
def test_a_zone_is_whole_inside_the_picture_with_nothing_over_it(photo, outline, conditions, whole):
    """What is cut off, or on a document that something lies over, may be right all the same."""
    (page,) = told(photo, "passport", "passport", False, PASSPORT, ZONE).answered
    runs = tuple(Run(line, outline) for line in ZONE)
    found = zones([replace(page, sample=replace(page.sample, runs=runs, conditions=conditions))])

    assert (found.printed, found.right) == (1, 1)
    assert (found.whole, found.right_of_whole) == (whole, whole)
