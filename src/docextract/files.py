"""Names of files as text, digests of files, and files that are complete if they exist."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path


def printable_name(name: str) -> str:
    """Return a file's name as valid text: bytes that are not UTF-8 become escape sequences."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def escape_surrogates(text: str) -> str:
    r"""Return text that can be encoded: lone surrogates, as in a name that is not UTF-8, become "\udcfc" as in JSON."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file as it is now, hexadecimal. Raises OSError if it cannot be read."""
    found = path.stat()
    return _digest(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1024)
def _digest(path: Path, changed_ns: int, size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield another path of the same suffix, to be written; it is renamed to `path` when all has been written.

    It is written to the disk first, so that after a kill or a power failure the old or the new file is there. After an
    exception the other path is removed. If `path` is a symbolic link, the file that it leads to is written.
    """
    path = path.resolve()
    with _replacing(path, path.with_name(f"{path.stem}.part{path.suffix}")) as unfinished:
        yield unfinished


def write_atomically(path: Path, text: str) -> None:
    """Replace a file as `whole_file` does. Meanwhile no other file of its suffix is in its folder."""
    path = path.resolve()
    with _replacing(path, path.with_name(f".{path.name}.new")) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


@contextmanager
def _replacing(path: Path, unfinished: Path) -> Iterator[Path]:
    try:
        yield unfinished
        sync(unfinished)
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Write one file, or the names in one folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if path.is_file():  # some network file systems cannot do it for folders
            raise
    finally:
        os.close(handle)
