"""Which files there are to answer: below a folder or prefix, or by a pattern, of anything that fsspec can open."""

from collections.abc import Iterable
from dataclasses import dataclass
from glob import has_magic
from pathlib import PurePosixPath

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from docextract.images.decoding import UPLOAD_SUFFIXES


@dataclass(frozen=True)
class Inputs:
    """Where files are read. Opened anew in each process that reads: only the address travels."""

    url: str  # a local path, or s3://bucket/folder and the like; of a folder, a single file, or a pattern with *

    def names(self) -> list[str]:
        """Every picture and PDF, relative to `base`, sorted. Raises OSError where there is no such place.

        Hidden ones are left out: they are thumbnails and wastebaskets.
        """
        fs, path = self._opened()
        base = self.base
        if fs.isfile(path):
            return [_relative(path, base)]
        if has_magic(path):
            found: Iterable[str] = (one for one in fs.glob(path) if fs.isfile(one))
        elif fs.isdir(path):
            found = fs.find(path)
        else:
            raise FileNotFoundError(2, "No such file or directory", self.url)
        return sorted(name for name in (_relative(one, base) for one in found) if _is_wanted(name))

    @property
    def base(self) -> str:
        """What names are relative to: the folder, or the one in which the file or the pattern is."""
        fs, path = self._opened()
        if not has_magic(path):
            return str(fs._parent(path)) if fs.isfile(path) else path
        parts = PurePosixPath(path).parts
        first = next(at for at, part in enumerate(parts) if has_magic(part))
        return str(PurePosixPath(*parts[:first]))

    def reader(self) -> "Reader":
        """For one process."""
        return Reader(self._opened()[0], self.base)

    def _opened(self) -> tuple[AbstractFileSystem, str]:
        fs, path = url_to_fs(self.url)
        return fs, path.rstrip("/") or path


@dataclass(frozen=True)
class Reader:
    """Reads files by their names."""

    fs: AbstractFileSystem
    base: str

    def read(self, name: str) -> bytes:
        """Raises OSError where the file cannot be read."""
        content: bytes = self.fs.cat_file(f"{self.base.rstrip('/')}/{name}")
        return content


def _relative(path: str, base: str) -> str:
    return path.removeprefix(base).lstrip("/")


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lower() in UPLOAD_SUFFIXES and not any(part.startswith(".") for part in path.parts)
