"""Tests of the load steps and their page."""

import pytest

from loadtests import steps
from loadtests.steps import LoadStep, RequestStats
from tests.benchmarks.test_reliability import ENVIRONMENT


def step(batching, users, p99_ms):
    times = {"50%": 900.0, "95%": 1900.0, "99%": p99_ms}
    rows = {
        "/extraction": RequestStats(30, 1, times),
        "/extraction, refused": RequestStats(7, 0, {"50%": 5.0, "95%": 12.0, "99%": 20.0}),
        "/validation, broken": RequestStats(3, 0, times),
    }
    return LoadStep(batching, users, 30.0, rows, {"extraction": 3.5})


def test_page_shows_latency_refusals_batches_and_failures(tmp_path):
    """One table per operation; a dash stands for a value without requests."""
    found = [step("on", 1, 2000.0), step("on", 64, 21000.0), step("off", 1, 2500.0)]

    steps.write(tmp_path / "load.md", found, {**ENVIRONMENT, "seconds": 30.0})

    page = (tmp_path / "load.md").read_text(encoding="utf-8")
    assert "| on | 64 | 1.00 | 900 | 1900 | 21000 | 30 | 7 | 12 | 3.5 |" in page
    assert "| on | 64 | 0.00 | – | – | – | 0 | 0 | – | – |" in page
    assert "| off | 1 | 3 | 1 |" in page
    assert "p99, batching off" in (tmp_path / "images" / "load.svg").read_text(encoding="utf-8")


def test_mean_batch_size_counts_only_the_step():
    """A model without requests in the step has no mean batch size."""
    before = {"quality": (10.0, 10.0), "extraction": (4.0, 2.0)}
    after = {"quality": (40.0, 20.0), "extraction": (4.0, 2.0)}

    assert steps._mean_batch_sizes(before, after) == pytest.approx({"quality": 3.0})
