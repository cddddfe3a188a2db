"""Answers as files: parts of Parquet or JSON Lines in one folder, each there as a whole or not there at all.

A part is written under a name that readers pass over, then moved. On a disk the move is atomic; on an object store it
is a copy, which like every PUT shows all of the object or nothing. So a part that can be seen is finished.
"""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

Format = Literal["parquet", "jsonl"]
ABOUT = "_about.json"  # what this output is of; tools that read a folder of Parquet pass over a leading underscore
_UNFINISHED = ".part-"
_DIGEST_LETTERS = 16
_READERS = 16  # parts looked into at once


class OtherRunError(Exception):
    """The output folder holds the answers of another run; the message says what differs."""


@dataclass(frozen=True)
class Row:
    """What became of one file."""

    path: str  # below the input
    sha256: str | None = None  # of the file; none where it could not be read
    status: int | None = None  # as the service answers; none where nothing could be asked
    code: str | None = None  # of the problem, where there is one: docs/api.md has the list; else none
    detail: str | None = None
    accepted: bool | None = None  # the photos; none where they were not judged
    score: float | None = None
    needs_review: bool | None = None  # any of the documents
    documents: Sequence[Mapping[str, Any]] | None = None  # as the service answers them; in Parquet as JSON text
    extraction_version: str | None = None
    quality_version: str | None = None
    ms: float | None = None  # from the question to the answer, what others asked meanwhile included


_TYPES = {
    "path": pa.string(), "sha256": pa.string(), "status": pa.int16(), "code": pa.string(), "detail": pa.string(),
    "accepted": pa.bool_(), "score": pa.float64(), "needs_review": pa.bool_(), "documents": pa.string(),
    "extraction_version": pa.string(), "quality_version": pa.string(), "ms": pa.float64(),
}  # fmt: skip
SCHEMA = pa.schema([(field.name, _TYPES[field.name]) for field in fields(Row)])


@dataclass(frozen=True)
class Tally:
    """Of how many files."""

    good: int = 0
    review: int = 0  # answered, but a document needs review; or the photo was refused for its quality
    failed: int = 0

    @property
    def files(self) -> int:
        """All of them."""
        return self.good + self.review + self.failed

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.good + other.good, self.review + other.review, self.failed + other.failed)


def tally(rows: Iterable[Mapping[str, Any]]) -> Tally:
    """rows: with at least `code` and `needs_review`."""
    found = Tally()
    for row in rows:
        poor = row["code"] == "image_quality_insufficient"
        if row["code"] and not poor:
            found += Tally(failed=1)
        else:
            found += Tally(review=1) if poor or row["needs_review"] else Tally(good=1)
    return found


@dataclass(frozen=True)
class Finished:
    """What a run before this one has done."""

    paths: frozenset[str]
    tally: Tally


@dataclass(frozen=True)
class Output:
    """The folder of one run. Opened anew in each process that writes: only the address travels."""

    url: str
    format: Format

    def begin(self, about: Mapping[str, Any]) -> Finished:
        """Make the folder, or go on in one that a run of the same kind began.

        about: what has to be equal for answers to stand side by side. Raises OtherRunError where it is not.
        """
        fs, folder = self._opened()
        about = {"format": self.format, **about}
        fs.makedirs(folder, exist_ok=True)
        if fs.exists(f"{folder}/{ABOUT}"):
            _must_be_equal(json.loads(fs.cat_file(f"{folder}/{ABOUT}")), about, self.url)
        else:
            _put(fs, folder, ABOUT, json.dumps(about, indent=1).encode())
        return self._finished(fs, folder)

    def part(self, names: Sequence[str]) -> "Part":
        """The part that holds these files' rows."""
        fs, folder = self._opened()
        digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:_DIGEST_LETTERS]
        return Part(fs, folder, f"part-{digest}.{self.format}", self.format)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every row, in no order; `documents` as the service answers them."""
        fs, folder = self._opened()
        for path in self._parts(fs, folder):
            for row in _decoded(self.format, fs.cat_file(path), None):
                documents = row["documents"]
                yield {**row, "documents": json.loads(documents) if isinstance(documents, str) else documents}

    def _finished(self, fs: AbstractFileSystem, folder: str) -> Finished:
        """What stands in whole parts. The others, and what was not moved into its place, are removed."""

        def look(path: str) -> list[dict[str, Any]]:
            try:
                return list(_decoded(self.format, fs.cat_file(path), ["path", "code", "needs_review"]))
            except (
                ValueError,
                KeyError,
            ):  # pyarrow's errors are ValueErrors; a disk that lost its power may have cut it
                fs.rm_file(path)
                return []

        for path in fs.ls(folder, detail=False):
            if _name(path).startswith(_UNFINISHED):
                fs.rm_file(path)
        with ThreadPoolExecutor(_READERS) as pool:
            parts = list(pool.map(look, self._parts(fs, folder)))
        paths = frozenset(row["path"] for rows in parts for row in rows)
        return Finished(paths, sum((tally(rows) for rows in parts), Tally()))

    def _parts(self, fs: AbstractFileSystem, folder: str) -> list[str]:
        fs.invalidate_cache()
        found = (str(path) for path in fs.ls(folder, detail=False))
        return sorted(path for path in found if _name(path).startswith("part-") and path.endswith(f".{self.format}"))

    def _opened(self) -> tuple[AbstractFileSystem, str]:
        fs, path = url_to_fs(self.url)
        return fs, path.rstrip("/")


@dataclass(frozen=True)
class Part:
    """One file of the output."""

    fs: AbstractFileSystem
    folder: str
    name: str
    format: Format

    def write(self, rows: Sequence[Row]) -> None:
        """All at once; one that is there already is replaced by its like."""
        _put(self.fs, self.folder, self.name, _encoded(self.format, rows))

    def tried(self) -> list[str] | None:
        """What `try_` was told last; none before that, and when the part is written."""
        try:
            told: list[str] = json.loads(self.fs.cat_file(self._mark))
        except FileNotFoundError:
            return None
        return told

    def try_(self, names: Sequence[str]) -> None:
        """Leave word, for whoever takes over if this process dies."""
        self.fs.pipe_file(self._mark, json.dumps(names).encode())

    def end(self) -> None:
        """Nobody needs to take over."""
        if self.fs.exists(self._mark):
            self.fs.rm_file(self._mark)

    @property
    def _mark(self) -> str:
        return f"{self.folder}/{_UNFINISHED}{self.name}.tried"


def _put(fs: AbstractFileSystem, folder: str, name: str, content: bytes) -> None:
    unfinished = f"{folder}/{_UNFINISHED}{name}.writing"
    fs.pipe_file(unfinished, content)
    fs.mv(unfinished, f"{folder}/{name}")


def _encoded(form: Format, rows: Sequence[Row]) -> bytes:
    plain = [asdict(row) for row in rows]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain).encode()
    for row in plain:
        row["documents"] = None if row["documents"] is None else json.dumps(row["documents"], ensure_ascii=False)
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(plain, SCHEMA), out, compression="zstd")
    return out.getvalue()


def _decoded(form: Format, content: bytes, columns: list[str] | None) -> Iterable[dict[str, Any]]:
    """columns: all, if none are named. Raises ValueError where the part is not whole."""
    if form == "jsonl":
        if content and not content.endswith(b"\n"):
            raise ValueError("the last line breaks off")
        rows = [json.loads(line) for line in content.splitlines()]
        return [{name: row[name] for name in columns or row} for row in rows]
    found: list[dict[str, Any]] = pq.read_table(io.BytesIO(content), columns=columns).to_pylist()
    return found


def _must_be_equal(there: Mapping[str, Any], here: Mapping[str, Any], url: str) -> None:
    differing = [name for name in here if there.get(name) != here[name]]
    if differing:
        told = "; ".join(f"{name} was {json.dumps(there.get(name))}, is {json.dumps(here[name])}" for name in differing)
        raise OtherRunError(f"{url} holds the answers of another run: {told}. Choose another folder for this one.")


def _name(path: str) -> str:
    return path.rpartition("/")[2]
