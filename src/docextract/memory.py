"""How the C library keeps freed memory. Only glibc can be told; the functions return whether it was."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of mallopt(3)
LARGE_BLOCK_BYTES = 4 * 2**20
_UNTRIMMED_BYTES = 256 * 2**20


def share_one_pool() -> bool:
    """Have all threads of this process take memory from one pool.

    By default glibc has up to eight pools for each processor core. A network allocates other sizes for each size of
    picture, in the threads that run it, and each pool keeps what was freed in it: with one pool, the extraction runner
    needed 1.3 instead of 1.54 GB for 204 receipts and cards, and no more CPU time.
    """
    return _set_option(_M_ARENA_MAX, 1)


def return_only_large_blocks() -> bool:
    """Take large blocks from the system, and give them back as soon as they are freed.

    By default glibc keeps blocks of the sizes that have been freed before, up to 32 MB. OCR takes 2 % more CPU time for
    it, and 50 MB less. Small blocks are kept until `give_back_memory` is called; with glibc's default threshold,
    128 kB, the system clears the same memory again and again, which takes OCR 4 % more CPU time.
    """
    return _set_option(_M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES) and _set_option(_M_TRIM_THRESHOLD, _UNTRIMMED_BYTES)


def give_back_memory() -> bool:
    """Return to the system what has been freed.

    Batches need buffers of many sizes, and glibc keeps what is freed between two that are in use.
    """
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)
    return trim is not None


def _set_option(option: int, value: int) -> bool:
    mallopt = _of_glibc("mallopt")
    return mallopt is not None and bool(mallopt(option, value))


@cache
def _of_glibc(name: str) -> Callable[..., Any] | None:
    """Return a function of the C library; None if it has none of this name."""
    return getattr(ctypes.CDLL(None), name, None)
