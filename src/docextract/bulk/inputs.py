"""List and read the input files: below a folder or prefix, or by a pattern, on any file system that fsspec supports."""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path, PurePosixPath

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

from docextract.images.folders import UPLOAD_SUFFIXES, list_closed_folders, list_uploads


@dataclass(frozen=True)
class Inputs:
    """Location of the input files. Each process opens it again, because only the URL is pickled."""

    url: str  # a local path or a URL such as s3://bucket/folder; of a folder, a file, or a pattern with *

    def names(self) -> list[str]:
        """Return every picture and PDF, relative to `base`, sorted. Raises OSError if the location cannot be listed.

        Hidden files are left out: they are thumbnails and deleted files. Local folders below it that cannot be listed
        are named as if they were files: reading them fails with the reason.
        """
        fs, path = self._opened()
        base = self.base
        if fs.isfile(path):
            return [_relative(path, base)]
        if isinstance(fs, LocalFileSystem) and fs.isdir(path):  # fsspec leaves out folders that cannot be listed
            os.scandir(path).close()
            return sorted(_relative(one.as_posix(), base) for one in list_uploads(Path(path)))
        unlisted: Iterable[Path] = ()
        if fs.isdir(path):  # also if its name looks like a pattern: scans [2024]
            found: Iterable[str] = fs.find(path)
        elif has_magic(path):
            found = (one for one in fs.glob(path) if fs.isfile(one))
            if isinstance(fs, LocalFileSystem):
                with suppress(FileNotFoundError):
                    os.scandir(base).close()
                unlisted = list_closed_folders(path)
        else:
            raise FileNotFoundError(2, "No such file or directory", self.url)
        names = filter(_is_document, (_relative(one, base) for one in found))
        return sorted([*names, *(_relative(one.as_posix(), base) for one in unlisted)])

    @property
    def base(self) -> str:
        """Folder to which names are relative: the folder itself, or the parent of the file or of the first wildcard."""
        fs, path = self._opened()
        if fs.isfile(path):
            return str(fs._parent(path))
        if fs.isdir(path) or not has_magic(path):
            return path
        parts = PurePosixPath(path).parts
        first = next(at for at, part in enumerate(parts) if has_magic(part))
        return str(PurePosixPath(*parts[:first]))

    def reader(self) -> "InputReader":
        """Return a reader for this process."""
        return InputReader(self._opened()[0], self.base)

    def _opened(self) -> tuple[AbstractFileSystem, str]:
        fs, path = url_to_fs(self.url)
        return fs, path.rstrip("/") or path


@dataclass(frozen=True)
class InputReader:
    """Reads input files by name."""

    fs: AbstractFileSystem
    base: str

    def read(self, name: str) -> bytes:
        """Return the file's bytes. Raises OSError if it cannot be read."""
        try:
            content: bytes = self.fs.cat_file(f"{self.base.rstrip('/')}/{name}")
        except OSError:
            raise
        except Exception as error:  # of the library behind a store, such as aiohttp
            raise OSError(errno.EIO, f"{type(error).__name__}: {error}") from error
        return content


def _relative(path: str, base: str) -> str:
    return path.removeprefix(base).lstrip("/")


def _is_document(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in UPLOAD_SUFFIXES and not any(part.startswith(".") for part in path.parts)
