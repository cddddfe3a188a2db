"""Contenders on labelled photographs, and what they get right."""

from contextlib import contextmanager

import pytest

from benchmarks import offline
from benchmarks.offline import Contender
from tests.benchmarks.test_throughput import grey
from training.datasets import labelled_folder


@pytest.fixture
def pages(tmp_path):
    """Two receipts."""
    with labelled_folder.Writer(tmp_path) as writer:
        for level, total in ((200, "1.00"), (220, "2.00")):
            writer.add(
                f"{level}", grey(level), "receipt", {"total": total, "merchant_name": "MOON MART", "tip": "1.00"}
            )
    return labelled_folder.load(tmp_path)[0]


def said(total: str) -> dict:
    return {"documents": [{"type": "receipt", "fields": {"total": {"value": {"amount": total, "currency": None}}}}]}


def test_only_what_all_look_for_is_compared(pages):
    """The rules know no tips, so tips count for nobody."""
    assert offline.right(pages, [said("1.00"), said("9.00")]) == pytest.approx(1 / 4)


def test_a_contender_is_asked_warm_and_timed_once(pages, monkeypatch):
    """What it said by the clock is what is compared; starting is told by itself."""
    asked = []

    @contextmanager
    def start():
        def work(some):
            asked.append(len(some))
            return [said("1.00")] * len(some), [0.25] * len(some)

        yield work

    monkeypatch.setitem(offline.CONTENDERS, "one", Contender("a contender", start))
    found = offline.run("one", pages)

    assert asked == [1, 2, 2]
    assert (found.pages, found.median_s, found.right) == (2, 0.25, pytest.approx(1 / 4))
    assert found.per_second == pytest.approx(2 / found.seconds)
    assert found.peak_mb > 10


def test_a_contender_that_fails_is_named(tmp_path):
    """No figure is made up for it."""
    with pytest.raises(RuntimeError, match=r"one: .*FileNotFoundError"):
        offline.measure("one", tmp_path)
