"""What was named on the command line → the files to ask about."""

import glob
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docextract.client import Source
from docextract.images.decoding import UPLOAD_SUFFIXES

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class File:
    """One file, and what to call it."""

    name: str
    source: Source


def find(named: Sequence[str]) -> tuple[list[File], list[str]]:
    """Files in the order named, each once; and the names under which there is none.

    A folder stands for every picture and PDF in it and below it; a pattern is expanded where the shell did not;
    "-" is standard input. A plain name is taken as it is: whether it can be read shows when it is.
    """
    files: dict[str, File] = {}
    empty = []
    for name in named:
        found = list(_files(name))
        files |= {file.name: file for file in found if file.name not in files}
        if not found:
            empty.append(name)
    return list(files.values()), empty


def _files(name: str) -> Iterator[File]:
    path = Path(name)
    if name == STANDARD_INPUT:
        yield File(name, sys.stdin.buffer.read())
    elif path.is_dir():
        yield from map(_file, _pictures(path))
    elif not path.exists() and glob.has_magic(name):
        yield from (_file(Path(one)) for one in sorted(glob.glob(name, recursive=True)) if Path(one).is_file())
    else:
        yield _file(path)


def _file(path: Path) -> File:
    return File(str(path), path)


def _pictures(folder: Path) -> Iterator[Path]:
    """Hidden ones are left out: they are thumbnails and wastebaskets."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix.lower() in UPLOAD_SUFFIXES and path.is_file() and not hidden:
            yield path
