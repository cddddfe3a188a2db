"""Counting zones that are right, marked, and, worst, wrong without a mark."""

from dataclasses import replace

import pytest

from training.datasets import LabelledPage
from training.evaluation.accuracy.answered import answered
from training.evaluation.accuracy.sets import Run, Sample
from training.evaluation.zones import count, main, orders, show

PRINTED = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
MISREAD = (PRINTED[0].replace("ANNA", "ANMA"), PRINTED[1])


def page(lines, valid=True, sex="F"):
    """A passport's answer."""
    fields = {"sex": {"value": sex, "content": sex, "confidence": 0.9}}
    if lines:
        fields["mrz"] = {"value": {"lines": list(lines), "valid": valid}, "content": "", "confidence": 0.9}
    label = LabelledPage("", "passport", {"sex": "F"}, key="one")
    return answered(Sample(label, zone=PRINTED), {"documents": [{"type": "passport", "fields": fields}]})


def test_a_zone_is_right_marked_wrong_or_missing():
    """Wrong is what nobody is warned of."""
    counts = count([page(PRINTED), page(MISREAD), page(MISREAD, valid=False), page(None, sex="M")])

    assert (counts.zones, counts.found, counts.right, counts.wrong, counts.marked) == (4, 3, 1, 1, 1)
    assert counts.shares() == pytest.approx(
        {"found": 75, "right": 25, "wrong": 25, "marked": 25, "right of whole": 25, "fields": 75}
    )


def test_what_lies_outside_the_picture_is_counted_apart():
    """Nobody can read it."""
    inside, outside = (
        replace(page(PRINTED), sample=replace(page(PRINTED).sample, runs=(Run(PRINTED[0], outline),)))
        for outline in (((0, 0.9), (1, 0.9), (1, 0.95), (0, 0.95)), ((0, 0.9), (1.1, 0.9), (1.1, 0.95), (0, 0.95)))
    )

    assert (count([inside, outside]).whole, count([inside, outside]).whole_right) == (1, 1)


def test_what_is_wrong_can_be_shown(capsys):
    """Both lines, and a mark below each character that differs."""
    show([page(PRINTED), page(MISREAD), page(None)])

    said = capsys.readouterr().out
    assert "ANMA" in said
    assert "^" in said
    assert "no zone" in said


def test_every_photograph_bears_a_zone():
    """Others would be made for nothing."""
    some = orders(8301, "good", 6)

    assert len(set(some)) == 6
    assert {order.plan for order in some} == {"good"}


def test_no_version_is_no_measure():
    """It takes at least one folder of weights."""
    with pytest.raises(SystemExit):
        main([])
