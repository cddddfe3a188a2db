"""Resolve the FILE arguments of the command line to input files."""

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from docextract.client import Source
from docextract.files import printable_name
from docextract.images.folders import is_file_or_unknown, list_closed_folders, list_uploads

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class InputFile:
    """An input file, and its name in the output: its path, with escapes for bytes that are not UTF-8."""

    name: str
    source: Source


def find_files(arguments: Sequence[str]) -> tuple[list[InputFile], list[str]]:
    """Return the files in the order of the arguments, each once; and the arguments without any file.

    A folder stands for every picture and PDF in it and below it. A pattern is expanded if the shell did not do so.
    "-" is standard input. Any other argument is a file name; a missing file is reported when it is read, and so is a
    folder that cannot be listed.
    """
    files: dict[str | Path, InputFile] = {}
    without_files = []
    for name in arguments:
        found = list(_expand(name))
        for file in found:
            files.setdefault(file.source if isinstance(file.source, Path) else file.name, file)
        if not found:
            without_files.append(name)
    return list(files.values()), without_files


def _expand(name: str) -> Iterator[InputFile]:
    path = Path(name)
    if name == STANDARD_INPUT:
        yield InputFile(name, sys.stdin.buffer.read())
    elif os.path.isdir(name):
        yield from map(_input_file, list_uploads(path))
    elif not os.path.exists(name) and glob.has_magic(name):
        found = (Path(one) for one in glob.glob(name, recursive=True))
        yield from map(_input_file, sorted({*filter(is_file_or_unknown, found), *list_closed_folders(name)}))
    else:
        yield _input_file(path)


def _input_file(path: Path) -> InputFile:
    return InputFile(printable_name(str(path)), path)
