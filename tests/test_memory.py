"""How the C library keeps freed memory."""

import subprocess
import sys

import pytest

POOLS_OF_EIGHT_THREADS = """
import ctypes, sys, tempfile, threading
from docextract.memory import keep_little
assert sys.argv[1] == "default" or keep_little()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
started = threading.Barrier(9)
def allocate():
    libc.malloc(1000)
    started.wait()
for _ in range(8):
    threading.Thread(target=allocate).start()
started.wait()
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(open(file.name).read().count("<heap nr="))
"""


def pool_count(setting: str) -> int:
    command = [sys.executable, "-c", POOLS_OF_EIGHT_THREADS, setting]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc only")
def test_threads_share_one_pool():
    """By default, threads that allocate at the same time have pools of their own. In processes of their own."""
    assert pool_count("one pool") == 1
    assert pool_count("default") > 1
