"""Pages in memory that the front shares with a runner, so that a call tells where its page lies and does not send it.

A page has up to 15 MB. To send it, both processes copy it several times through buffers of some kilobytes. The memory
is that of an anonymous file, which ends with the processes that use it; no name of it is left behind, and the small
/dev/shm of a container does not limit it.
"""

import logging
import mmap
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

import numpy as np

from docextract.images.geometry import Page

log = logging.getLogger("docextract.serving")


class _SharedPage(np.ndarray[Any, np.dtype[np.uint8]]):
    """A page whose pickle says where its pixels are. Its slices and copies are pickled as usual."""

    place: tuple[str, str, tuple[int, ...]] | None = None  # arguments of _open_page

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (_open_page, self.place) if self.place else super().__reduce_ex__(protocol)


@contextmanager
def shared(page: Page) -> Iterator[Page]:
    """Yield a read-only view of the page, to be pickled and unpickled within this context.

    Its pickle has the pixels only where they cannot be shared, see `can_share`. Raises OSError without memory.
    """
    if not can_share():
        yield page
        return
    with _in_anonymous_file(page) as one:
        yield one


@cache
def can_share() -> bool:
    """Whether other processes of this user can read the anonymous files of this one; a warning is logged if not.

    They cannot outside Linux, without /proc, and if this process may not be inspected, such as by file capabilities of
    the Python program.
    """
    if sys.platform != "linux":
        return False
    try:
        with _in_anonymous_file(np.zeros((1, 1, 3), np.uint8)) as page:
            assert page.place is not None
            path, name, _ = page.place
            script = "import os, sys; open(sys.argv[1]); sys.exit(sys.argv[2] not in os.readlink(sys.argv[1]))"
            subprocess.run([sys.executable, "-S", "-c", script, path, name], check=True, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        log.warning("pages are sent to the runner, which takes more time", extra={"reason": type(error).__name__})
        return False
    return True


@contextmanager
def _in_anonymous_file(page: Page) -> Iterator[_SharedPage]:
    name = secrets.token_hex(8)
    with os.fdopen(os.memfd_create(name), "wb") as file:
        file.write(np.ascontiguousarray(page).data)
        file.flush()
        one = page.view(_SharedPage)
        one.flags.writeable = False  # changes would not reach the file
        one.place = (f"/proc/{os.getpid()}/fd/{file.fileno()}", name, page.shape)
        yield one


def _open_page(path: str, name: str, shape: tuple[int, ...]) -> Page:
    """Return the page in memory that is shared until the last process frees it; changes of it stay in this process.

    Raises OSError if its caller has left: the file is closed, and another may have its number.
    """
    with open(path, "rb") as file:
        if os.readlink(f"/proc/self/fd/{file.fileno()}") != f"/memfd:{name} (deleted)":
            raise FileNotFoundError(path)
        memory = mmap.mmap(file.fileno(), prod(shape), access=mmap.ACCESS_COPY)
    return np.frombuffer(memory, np.uint8).reshape(shape)
