"""The page on load is written whole."""

import pytest

from loadtests import steps
from loadtests.steps import Row, Step
from tests.benchmarks.test_reliability import ABOUT


def step(batching, users, p99_ms):
    times = {"50%": 900.0, "95%": 1900.0, "99%": p99_ms}
    rows = {
        "/extraction": Row(30, 1, times),
        "/extraction, refused": Row(7, 0, {"50%": 5.0, "95%": 12.0, "99%": 20.0}),
        "/validation, broken": Row(3, 0, times),
    }
    return Step(batching, users, 30.0, rows, {"extraction": 3.5})


def test_waits_refusals_batches_and_failures_are_told(tmp_path):
    """By operation; what there was none of is a dash."""
    found = [step("on", 1, 2000.0), step("on", 64, 21000.0), step("off", 1, 2500.0)]

    steps.write(tmp_path / "load.md", found, {**ABOUT, "seconds": 30.0})

    page = (tmp_path / "load.md").read_text(encoding="utf-8")
    assert "| on | 64 | 1.00 | 900 | 1900 | 21000 | 30 | 7 | 12 | 3.5 |" in page
    assert "| on | 64 | 0.00 | – | – | – | 0 | 0 | – | – |" in page
    assert "| off | 1 | 3 | 1 |" in page
    assert "99 in 100, off" in (tmp_path / "images" / "load.svg").read_text(encoding="utf-8")


def test_batches_are_those_of_the_step_alone():
    """A model that had no work has no batches."""
    before = {"quality": (10.0, 10.0), "extraction": (4.0, 2.0)}
    after = {"quality": (40.0, 20.0), "extraction": (4.0, 2.0)}

    assert steps._pages_a_batch(before, after) == pytest.approx({"quality": 3.0})
