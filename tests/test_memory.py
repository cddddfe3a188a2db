"""Freed memory goes back to the operating system."""

import subprocess
import sys

import pytest

KEPT_AND_FREED = """
import sys
import psutil
from docextract.memory import LARGE_BLOCK_BYTES, return_large_blocks
assert sys.argv[1] == "default" or return_large_blocks()
bytes([1]) * 16 * 1024**2  # by default, blocks of up to this size come from pools once one is freed
process = psutil.Process()
size, count = 4 * LARGE_BLOCK_BYTES, 100
blocks = [bytes([1]) * size for _ in range(count)]
before = process.memory_info().rss
del blocks[:-1]  # the last one would keep a pool from shrinking
print(before - process.memory_info().rss, size * count)
"""


def returned_share(setting: str) -> float:
    command = [sys.executable, "-c", KEPT_AND_FREED, setting]
    returned, allocated = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    return returned / allocated


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_large_blocks_are_returned_at_once():
    """Also if a later block is still in use; glibc's default keeps them. In processes of their own."""
    assert returned_share("large blocks") > 0.9
    assert returned_share("default") < 0.5
