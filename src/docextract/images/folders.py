"""Finds the files in local folders that can be uploaded."""

import fnmatch
import glob
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

UPLOAD_SUFFIXES = frozenset(".jpg .jpeg .png .webp .tif .tiff .bmp .heic .heif .pdf .xml".split())


def list_uploads(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and below it that can be uploaded, sorted.

    Folders that cannot be listed, and links to missing files, are yielded, too: opening one gives the reason.
    Hidden files are left out: they are thumbnails and deleted files. Links to folders are not followed.
    """
    found: list[Path] = []
    unlisted: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [Path(parent, name) for name in names if not name.startswith(".")]
        found.extend(one for one in paths if one.suffix.lower() in UPLOAD_SUFFIXES and is_file_or_unknown(one))
    yield from sorted([*found, *(Path(error.filename) for error in unlisted)])


def list_closed_folders(pattern: str) -> Iterator[Path]:
    """Yield the folders that cannot be listed and in which a glob pattern may have files, sorted.

    glob leaves them out; opening one gives the reason. Links to folders are not followed. pattern: has a wildcard.
    """
    parts = Path(pattern).parts
    first = next(at for at, part in enumerate(parts) if glob.has_magic(part))
    base, wanted = Path(*parts[:first]), parts[first:]
    unlisted: list[OSError] = []
    for parent, folders, _ in os.walk(base, onerror=unlisted.append):
        within = Path(parent).relative_to(base).parts
        folders[:] = [name for name in folders if _may_enter(wanted, (*within, name))]
    absent = FileNotFoundError, NotADirectoryError
    closed = (Path(error.filename) for error in unlisted if not isinstance(error, absent))
    yield from sorted(one for one in closed if _is_searched(wanted, len(one.relative_to(base).parts)))


def _may_enter(pattern: Sequence[str], folder: Sequence[str]) -> bool:
    """Whether files below a folder may match a pattern; both as parts of paths below the same folder."""
    for at, (part, name) in enumerate(zip(pattern, folder, strict=False)):
        if part == "**":
            return not any(name.startswith(".") for name in folder[at:])
        if not fnmatch.fnmatchcase(name, part) or (name.startswith(".") and not part.startswith(".")):
            return False
    return len(folder) < len(pattern)


def _is_searched(pattern: Sequence[str], depth: int) -> bool:
    """Whether a folder of this depth is searched for names, and not for one name."""
    return "**" in pattern[:depth] or glob.has_magic(pattern[depth])


def is_file_or_unknown(path: Path) -> bool:
    """Whether it is no device or pipe, which may block its reader. Who opens a missing or closed file learns why."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True
