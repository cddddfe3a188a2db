"""Folders that cannot be listed, for tests that may run as root."""

import errno
import os
from pathlib import Path


def closed_folder(name):
    """A replacement of os.scandir that fails for folders of this name."""
    scandir = os.scandir

    def scan(path="."):
        if Path(os.fspath(path)).name == name:
            raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
        return scandir(path)

    return scan
