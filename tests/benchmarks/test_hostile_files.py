import asyncio
from dataclasses import replace

from benchmarks.hostile_files import HostileFileResult, measure


def test_damaged_files_get_only_answers_of_the_contract():
    """All files are counted, and every status is part of the contract."""
    result = asyncio.run(measure(40, seed=1, warm_up=5))

    assert sum(result.statuses.values()) == 40
    assert result.violations == []


def test_violations_are_reported():
    """A 5xx status, growing memory and a slow answer are violations."""
    valid = HostileFileResult(9, 1, {"422 image_undecodable": 9}, 80, 100.0, 101.0)

    assert valid.violations == []
    assert replace(valid, statuses={"500 internal_error": 2}).violations == ["2 files were answered 500 internal_error"]
    assert replace(valid, rss_end_mb=190.0).violations == ["memory grew by 90 MB"]
    assert replace(valid, slowest_ms=60_000).violations == ["an answer took 60000 ms"]
