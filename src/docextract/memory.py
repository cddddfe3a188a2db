"""Freed memory goes back to the operating system."""

import ctypes

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of mallopt(3)
LARGE_BLOCK_BYTES = 256 * 1024
ARENAS = 2


def return_large_blocks() -> bool:
    """Have the C library return each block of at least LARGE_BLOCK_BYTES as soon as it is freed.

    Networks allocate other sizes for each size of picture. By default, glibc keeps blocks of up to 32 MB in pools, two
    for each thread of a processor core, in which they leave gaps: after 60 pages, a quarter of the memory of the
    extraction runner. Returns whether it was done: only glibc has the function.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(
        mallopt(name, value) for name, value in ((_M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES), (_M_ARENA_MAX, ARENAS))
    )
