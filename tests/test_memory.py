"""How the C library keeps freed memory, each in a process of its own."""

import re
import subprocess
import sys

import pytest

from docextract import memory

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")

MEASURED = """
import ctypes, sys, tempfile, threading
from docextract import memory
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
def allocate(count, size):
    return [ctypes.c_void_p(libc.malloc(size)) for _ in range(count)]
def free(blocks):
    for block in blocks:
        libc.free(block)
def describe_memory():
    with tempfile.NamedTemporaryFile() as file:
        stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
        libc.malloc_info(0, stream)
        libc.fclose(stream)
        print(open(file.name).read())
"""
EIGHT_THREADS = """
started = threading.Barrier(9)
def work():
    allocate(1, 1000)
    started.wait()
for _ in range(8):
    threading.Thread(target=work).start()
started.wait()
describe_memory()
"""
A_LARGE_BLOCK_AGAIN = """
free(allocate(1, 8 << 20))
allocate(1, 8 << 20)
describe_memory()
"""
FREED_SMALL_BLOCKS = """
free(allocate(1000, 64 << 10))
describe_memory()
"""
FREED_SMALL_BLOCKS_GIVEN_BACK = """
free(allocate(1000, 64 << 10))
assert memory.give_back_memory()
describe_memory()
"""


def malloc_info(setting: str, work: str) -> str:
    """The description of the memory of a process that has done this work; see malloc_info(3)."""
    command = [sys.executable, "-c", MEASURED + setting + work]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def from_system(info: str) -> int:
    """Number of the blocks that are taken from the system one by one."""
    return int(re.findall(r'<total type="mmap" count="(\d+)"', info)[-1])


def pool_bytes(info: str) -> int:
    return int(re.findall(r'<system type="current" size="(\d+)"', info)[-1])


def test_threads_share_one_pool():
    """By default, threads that allocate at the same time have pools of their own."""
    assert malloc_info("assert memory.share_one_pool()", EIGHT_THREADS).count("<heap nr=") == 1
    assert malloc_info("", EIGHT_THREADS).count("<heap nr=") > 1


def test_large_blocks_are_returned():
    """By default, the second block of a size comes from the pool, which keeps it."""
    by_default = from_system(malloc_info("", A_LARGE_BLOCK_AGAIN))
    assert from_system(malloc_info("assert memory.return_only_large_blocks()", A_LARGE_BLOCK_AGAIN)) == by_default + 1


def test_small_blocks_are_kept_until_they_are_given_back():
    setting = "assert memory.return_only_large_blocks()"
    kept = pool_bytes(malloc_info(setting, FREED_SMALL_BLOCKS))
    assert kept > 60_000_000 > pool_bytes(malloc_info("", FREED_SMALL_BLOCKS))
    assert pool_bytes(malloc_info(setting, FREED_SMALL_BLOCKS_GIVEN_BACK)) < 30_000_000


def test_other_c_libraries_are_left_alone(monkeypatch):
    monkeypatch.setattr(memory, "_of_glibc", lambda name: None)
    settings = memory.share_one_pool, memory.return_only_large_blocks, memory.give_back_memory
    assert not any(setting() for setting in settings)
