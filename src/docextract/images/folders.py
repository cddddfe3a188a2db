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

    Folders that cannot be listed, and links to missing files, are yielded, too: who opens them learns the reason.
    Hidden files are left out: they are thumbnails and deleted files. Links to folders are not followed.
    """
    found: list[Path] = []
    unlisted: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [Path(parent, name) for name in names if not name.startswith(".")]
        found.extend(one for one in paths if one.suffix.lower() in UPLOAD_SUFFIXES and _is_file_or_unknown(one))
    yield from sorted([*found, *(Path(error.filename) for error in unlisted)])


def list_closed_folders(pattern: str) -> Iterator[Path]:
    """Yield the folders that cannot be listed and in which a glob pattern may have files, sorted.

    glob leaves them out. Who opens them learns the reason.
    """
    parts = Path(pattern).parts
    first = next(at for at, part in enumerate(parts) if glob.has_magic(part))
    base = Path(*parts[:first])
    unlisted: list[OSError] = []
    for parent, folders, _ in os.walk(base, onerror=unlisted.append):
        within = Path(parent).relative_to(base).parts
        folders[:] = [name for name in folders if _may_enter(parts[first:], (*within, name))]
    absent = FileNotFoundError, NotADirectoryError
    yield from sorted(Path(error.filename) for error in unlisted if not isinstance(error, absent))


def _may_enter(pattern: Sequence[str], folder: Sequence[str]) -> bool:
    """Whether files below a folder may match a pattern; both as parts of paths below the same folder."""
    for part, name in zip(pattern, folder, strict=False):
        if name.startswith(".") and not part.startswith("."):
            return False
        if part == "**":
            return True
        if not fnmatch.fnmatchcase(name, part):
            return False
    return len(folder) < len(pattern)


def _is_file_or_unknown(path: Path) -> bool:
    """Whether it is no device or pipe, which may block its reader. Who opens a missing or closed file learns why."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return True
