"""Tests of counting zones that are right, marked as invalid, or wrong without a mark."""

from dataclasses import replace
from pathlib import Path

import pytest

from training.datasets import LabelledPage
from training.evaluation.accuracy.page_results import build_page_result
from training.evaluation.accuracy.sets import EvaluationPage, PrintedRun
from training.evaluation.zones import count_zones, main, photo_specs, print_wrong_zones

PRINTED = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
MISREAD = (PRINTED[0].replace("ANNA", "ANMA"), PRINTED[1])


def page(lines, valid=True, sex="F"):
    """The result of a passport with this zone in its answer."""
    fields = {"sex": {"value": sex, "content": sex, "confidence": 0.9}}
    if lines:
        fields["mrz"] = {"value": {"lines": list(lines), "valid": valid}, "content": "", "confidence": 0.9}
    label = LabelledPage(Path("page.jpg"), "passport", {"sex": "F"}, key="one")
    return build_page_result(
        EvaluationPage(label, zone=PRINTED), {"documents": [{"type": "passport", "fields": fields}]}
    )


def test_a_zone_is_right_marked_wrong_or_missing():
    """A wrong zone is valid in the answer, so the caller gets no warning."""
    counts = count_zones([page(PRINTED), page(MISREAD), page(MISREAD, valid=False), page(None, sex="M")])

    assert (counts.zones, counts.found, counts.right, counts.wrong, counts.marked) == (4, 3, 1, 1, 1)
    assert counts.shares() == pytest.approx(
        {"found": 75, "right": 25, "wrong": 25, "marked": 25, "right of whole": 25, "fields": 75}
    )


def test_a_zone_outside_the_picture_is_not_whole():
    """Zones that are cut off are not counted as whole."""
    inside, outside = (
        replace(page(PRINTED), page=replace(page(PRINTED).page, runs=(PrintedRun(PRINTED[0], outline),)))
        for outline in (((0, 0.9), (1, 0.9), (1, 0.95), (0, 0.95)), ((0, 0.9), (1.1, 0.9), (1.1, 0.95), (0, 0.95)))
    )

    assert (count_zones([inside, outside]).whole, count_zones([inside, outside]).whole_right) == (1, 1)


def test_wrong_zones_are_printed_with_marks(capsys):
    """Both lines, and a mark below each character that differs."""
    print_wrong_zones([page(PRINTED), page(MISREAD), page(None)])

    printed = capsys.readouterr().out
    assert "ANMA" in printed
    assert "^" in printed
    assert "no zone" in printed


def test_every_simulated_photo_shows_a_zone():
    """Photos of pages without a zone are not simulated."""
    some = photo_specs(8301, "good", 6)

    assert len(set(some)) == 6
    assert {order.plan for order in some} == {"good"}


def test_the_command_needs_a_version():
    """The command needs at least one folder of weights."""
    with pytest.raises(SystemExit):
        main([])
