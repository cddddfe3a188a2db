"""Tests of the page docs/accuracy.md."""

from dataclasses import replace

import numpy as np
import pytest

from training.datasets import LabelledPage, pictures
from training.datasets.simulated_photos import NO_IMPAIRMENT
from training.evaluation.accuracy import page, robustness
from training.evaluation.accuracy.page import Goal, SetResult
from training.evaluation.accuracy.page_results import build_page_result
from training.evaluation.accuracy.sets import EvaluationPage, PageSet, PrintedRun
from training.evaluation.accuracy.zones import summarize_zones
from training.metrics import Comparison

ABOUT = {
    "command": "make accuracy", "date": "2026-01-01", "commit": "abc", "machine": "one core", "quality": "1",
    "extraction": "2", "took": "The run took no time.", "quick": False, "fonts": 3,
    "fonts_needed": 3, "fonts_learned": 1, "baselines": ["Tesseract 5"],
}  # fmt: skip
PLACE = ((0.2, 0.1), (0.8, 0.1), (0.8, 0.14), (0.2, 0.14))
ZONE = ("P<UTO", "L898")


@pytest.fixture
def photo(tmp_path):
    """A picture file of any content."""
    file = tmp_path / "photo.jpg"
    pictures.save(np.full((300, 200, 3), 220, np.uint8), file)
    return file


def set_result(photo, kind, name, real, values, zone=()):
    """The result of a set with one page. values: by field, the expected and the predicted value."""
    label = LabelledPage(photo, kind, {field: expected for field, (expected, _) in values.items()})
    runs = [PrintedRun(str(expected), PLACE, None if real else field) for field, (expected, _) in values.items()]
    fields = {
        field: {"type": "string", "value": given, "content": given, "confidence": 0.99, "polygon": PLACE}
        for field, (_, given) in values.items()
        if given
    }
    if zone:
        fields["mrz"] = {"value": {"format": "TD3", "lines": list(zone), "valid": True}}
    read = [{"text": run.text} for run in runs]
    body = {"documents": [{"type": kind, "fields": fields, "lines": read}]}
    sample = EvaluationPage(label, tuple(runs), ZONE if zone else (), {run.field or "": run.text for run in runs})
    one = build_page_result(sample, body)
    return SetResult(PageSet(name, f"Pages of {name}", real, (), photo.parent if real else None), [one],
                {"tesseract": [one.outcome]})  # fmt: skip


RECEIPT = {
    "merchant_name": ("SECRET SHOP", "SECRET STREET"), "merchant_address": ("1 ROAD", None),
    "document_date": ("2018-01-02", "2018-01-02"), "total": ("9.00", {"amount": "9.00", "currency": None}),
}  # fmt: skip
PASSPORT = {"family_name": ("ERIKSSON", "ERIKSEN")}


def test_all_measurements_are_on_the_page(photo, tmp_path):
    """Tables, goals and pictures are written; a real page's wrong value is counted and never shown."""
    sets = [
        set_result(photo, "receipt", "unseen_scans", True, RECEIPT),
        set_result(photo, "passport", "passport_good", False, PASSPORT, ZONE),
    ]
    graded = [
        robustness.grade_result(NO_IMPAIRMENT, 0, sets[0].results),
        robustness.grade_result("blur", 3, sets[0].results),
    ]

    page.write_page(tmp_path / "accuracy.md", sets, graded, ABOUT)

    text = (tmp_path / "accuracy.md").read_text()
    assert "### Pages of unseen_scans" in text
    assert "| `family_name` | 1 | 0 % | 0 % | 0.00 | 0 % | 0 % |" in text
    assert "Expected `ERIKSSON`, got `ERIKSEN` (confidence 99%)" in text
    assert "SECRET" not in text
    assert "| Pages of passport_good | 1 | 1 | 1 | 100.0 % |" in text
    assert "| fields of synthetic identity documents, exact, careful photos: ≥ 95.0 % | 0.0 % | **no** | 1 |" in text
    drawn = tmp_path / "images" / "accuracy"
    assert {file.name for file in drawn.iterdir()} == {
        "failure_01.jpg", "reliability.svg", "risk.svg", "robustness.svg",
    }  # fmt: skip
    assert all(file.stat().st_size < 60_000 for file in drawn.iterdir())


@pytest.mark.parametrize(("typefaces", "warns"), [(3, False), (2, True)])
def test_the_page_says_when_typefaces_were_few(photo, tmp_path, typefaces, warns):
    """Photos in a few typefaces are read too well."""
    sets = [set_result(photo, "receipt", "unseen_scans", True, RECEIPT)]

    page.write_page(tmp_path / "accuracy.md", sets, [], ABOUT | {"fonts": typefaces})

    assert ("Run `make fonts` before." in (tmp_path / "accuracy.md").read_text()) is warns


def test_pictures_of_an_earlier_run_are_deleted(photo, tmp_path):
    """Pictures that the page no longer shows are deleted."""
    drawn = tmp_path / "images" / "accuracy"
    drawn.mkdir(parents=True)
    (drawn / "failure_09.jpg").write_bytes(b"")

    right = {"family_name": ("ERIKSSON", "ERIKSSON")}
    page.write_page(tmp_path / "accuracy.md", [set_result(photo, "passport", "passport", False, right)], [], ABOUT)

    assert not (drawn / "failure_09.jpg").exists()


def test_a_field_of_extra_rows_only_has_no_share(photo):
    """Rows that are not on the pages cannot be right."""
    (result,) = set_result(photo, "receipt", "unseen_scans", True, RECEIPT).results
    extra = Comparison("line_items.amount", None, "1.00", row=0, extra=True)
    outcome = replace(result.outcome, comparisons=(*result.outcome.comparisons, extra))

    found = robustness.grade_result(NO_IMPAIRMENT, 0, [replace(result, outcome=outcome)])

    assert found.exact.keys() == RECEIPT.keys()


def test_a_set_without_fields_of_the_rules_has_dashes(photo, tmp_path):
    """None of its fields can be compared with a baseline."""
    sets = [set_result(photo, "receipt", "receipt", False, {"tip": ("1.00", None)})]

    page.write_page(tmp_path / "accuracy.md", sets, [], ABOUT)

    assert "| **all with a rule** | 0 | – | – | – | – | – |" in (tmp_path / "accuracy.md").read_text()


def test_goals_are_upper_or_lower_limits():
    """Errors must be at most the goal, shares of right values at least the goal."""
    assert Goal("error", 0.02, 0.03, 10, at_most=True).reached
    assert not Goal("right", 0.94, 0.95, 10).reached


@pytest.mark.parametrize(("lines", "right"), [(ZONE, 1), (("P<UTO", "L89B"), 0)])
def test_a_valid_zone_with_another_letter_is_not_right(photo, lines, right):
    """Check digits do not detect every error."""
    found = summarize_zones(set_result(photo, "passport", "passport", False, PASSPORT, lines).results)

    assert (found.printed, found.valid, found.right) == (1, 1, right)


@pytest.mark.parametrize(
    ("outline", "conditions", "whole"),
    [
        (PLACE, {}, 1),
        (PLACE, {"occluded_fraction": 0.01}, 0),
        (tuple((x + 0.9, y) for x, y in PLACE), {}, 0),
    ],
)
def test_a_whole_zone_is_inside_the_picture_and_not_covered(photo, outline, conditions, whole):
    """A zone that is cut off, or on a partly covered document, may be right without being whole."""
    (result,) = set_result(photo, "passport", "passport", False, PASSPORT, ZONE).results
    runs = tuple(PrintedRun(line, outline) for line in ZONE)
    found = summarize_zones([replace(result, page=replace(result.page, runs=runs, conditions=conditions))])

    assert (found.printed, found.right) == (1, 1)
    assert (found.whole, found.right_of_whole) == (whole, whole)
