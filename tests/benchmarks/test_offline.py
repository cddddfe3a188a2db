"""Tests of the comparison of systems without HTTP."""

import os
import subprocess
from contextlib import contextmanager

import pytest

from benchmarks import offline
from benchmarks.offline import SystemUnderTest
from benchmarks.service_process import ServiceProcess
from tests.benchmarks.test_throughput import grey
from training.datasets import labelled_folder


@pytest.fixture
def pages(tmp_path):
    """Two receipts."""
    with labelled_folder.LabelledFolderWriter(tmp_path) as writer:
        for level, total in ((200, "1.00"), (220, "2.00")):
            writer.add(
                f"{level}", grey(level), "receipt", {"total": total, "merchant_name": "MOON MART", "tip": "1.00"}
            )
    return labelled_folder.load(tmp_path)[0]


def answer_with_total(total: str) -> dict:
    return {"documents": [{"type": "receipt", "fields": {"total": {"value": {"amount": total, "currency": None}}}}]}


def test_only_fields_of_the_rules_are_compared(pages):
    """The rules do not extract tips, so tips are not compared."""
    assert offline.correct_share(pages, [answer_with_total("1.00"), answer_with_total("9.00")]) == pytest.approx(1 / 4)


def test_system_is_warmed_up_and_timed_once(pages, monkeypatch):
    """Only the timed answers are compared with the labels."""
    batch_sizes = []

    @contextmanager
    def start():
        def read_pages(some):
            batch_sizes.append(len(some))
            return [answer_with_total("1.00")] * len(some), [0.25] * len(some)

        yield read_pages

    monkeypatch.setitem(offline.SYSTEMS, "one", SystemUnderTest("a contender", start))
    result = offline.run_system("one", pages)

    assert batch_sizes == [1, 2, 2]
    assert (result.pages, result.median_page_s, result.correct_share) == (2, 0.25, pytest.approx(1 / 4))
    assert result.pages_per_s == pytest.approx(2 / result.seconds)
    assert result.peak_mb > 10


def test_memory_of_a_child_is_its_own(pages, monkeypatch):
    """The child begins as a copy of a large process and then runs another program."""
    monkeypatch.setattr(offline, "MEMORY_INTERVAL_S", 0.02)

    @contextmanager
    def start():
        ballast = bytearray(b"x") * 300_000_000
        subprocess.run(["sleep", "0.2"], check=True)
        yield lambda some: ([answer_with_total("1.00")] * len(some), [0.25] * len(some))
        del ballast

    monkeypatch.setitem(offline.SYSTEMS, "one", SystemUnderTest("a contender", start))
    own_mb = ServiceProcess("", os.getpid()).memory_mb()
    result = offline.run_system("one", pages)

    assert own_mb + 290 < result.peak_mb < own_mb + 400


def test_failing_system_is_reported(tmp_path):
    """A failed run raises an error instead of returning a result."""
    with pytest.raises(RuntimeError, match=r"one: .*FileNotFoundError"):
        offline.measure_in_subprocess("one", tmp_path)
