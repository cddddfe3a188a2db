import asyncio
from dataclasses import replace

from benchmarks.hostile_files import Figures, measure


def test_damaged_files_break_no_promise():
    """All are counted, and none is answered with what the contract does not know."""
    figures = asyncio.run(measure(40, seed=1, warm_up=5))

    assert sum(figures.statuses.values()) == 40
    assert figures.faults == []


def test_a_broken_promise_is_told():
    """A 5xx, memory that grows, an answer that takes too long."""
    sound = Figures(9, 1, {"422 image_undecodable": 9}, 80, 100.0, 101.0)

    assert sound.faults == []
    assert replace(sound, statuses={"500 internal_error": 2}).faults == ["2 files were answered 500 internal_error"]
    assert replace(sound, rss_end_mb=190.0).faults == ["memory grew by 90 MB"]
    assert replace(sound, slowest_ms=60_000).faults == ["an answer took 60000 ms"]
