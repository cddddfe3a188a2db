"""The child processes that a test looks for."""

import contextlib
from collections.abc import Callable

import psutil


def children_where(condition: Callable[[list[str]], bool], pid: int | None = None) -> list[psutil.Process]:
    """The processes below one, this process if None, whose command meets a condition; those that end are left out."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if condition(process.cmdline()):
                found.append(process)
    return found
