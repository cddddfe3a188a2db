"""Write answers as parts in one folder, Parquet or JSON Lines; a part exists completely or not at all.

A part is written under a hidden name and then moved. On a local disk the move is atomic. On an object store it is a
copy, which like every PUT shows the complete object or nothing. So a visible part is complete.
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
from filelock import FileLock, Timeout
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs
from fsspec.implementations.local import LocalFileSystem

Format = Literal["parquet", "jsonl"]
RUN_INFO_FILE = "_about.json"  # tools that read a Parquet folder skip names with a leading underscore
_ADDED_LATER = {"settings"}  # to the description of a run; runs of earlier releases have not recorded it
_LOCK_FILE = ".lock"
_UNFINISHED_PREFIX = ".part-"
_DIGEST_LENGTH = 16
_READER_THREADS = 16  # parts that are read at the same time


class OtherRunError(Exception):
    """The output folder contains answers of another run, or another run is writing to it; the message says what."""


@dataclass(frozen=True)
class ResultRow:
    """Result of one file."""

    path: str  # relative to the input folder
    sha256: str | None = None  # None if the file could not be read
    status: int | None = None  # HTTP status that the service would answer; None without an answer
    code: str | None = None  # code of the problem, see docs/api.md; None without a problem
    detail: str | None = None
    accepted: bool | None = None  # whether the photos were accepted; None if they were not judged
    score: float | None = None
    needs_review: bool | None = None  # True if any document needs review
    documents: Sequence[Mapping[str, Any]] | None = None  # documents of the answer; in Parquet as JSON text
    extraction_version: str | None = None
    quality_version: str | None = None
    ms: float | None = None  # from request to answer, with the time for other files in progress


_TYPES = {
    "path": pa.string(), "sha256": pa.string(), "status": pa.int16(), "code": pa.string(), "detail": pa.string(),
    "accepted": pa.bool_(), "score": pa.float64(), "needs_review": pa.bool_(), "documents": pa.string(),
    "extraction_version": pa.string(), "quality_version": pa.string(), "ms": pa.float64(),
}  # fmt: skip
SCHEMA = pa.schema([(field.name, _TYPES[field.name]) for field in fields(ResultRow)])


@dataclass(frozen=True)
class FileCounts:
    """Number of files by result."""

    good: int = 0
    review: int = 0  # a document needs review, or a photo was not accepted
    failed: int = 0

    @property
    def files(self) -> int:
        """Number of all files."""
        return self.good + self.review + self.failed

    def __add__(self, other: "FileCounts") -> "FileCounts":
        return FileCounts(self.good + other.good, self.review + other.review, self.failed + other.failed)


COUNTED = ("code", "needs_review", "accepted")


def count_files(rows: Iterable[Mapping[str, Any]]) -> FileCounts:
    """Count rows by result. rows: each has at least the columns COUNTED."""
    counts = FileCounts()
    for row in rows:
        if row["code"] not in (None, "image_quality_insufficient"):
            counts += FileCounts(failed=1)
        elif row["code"] or row["needs_review"] or row["accepted"] is False:
            counts += FileCounts(review=1)
        else:
            counts += FileCounts(good=1)
    return counts


@dataclass(frozen=True)
class PreviousRun:
    """Files that an earlier run has finished."""

    paths: frozenset[str]
    counts: FileCounts


@dataclass(frozen=True)
class OutputFolder:
    """The output folder of one run. Each process opens it again, because only the URL is pickled."""

    url: str
    format: Format

    def reserve(self) -> FileLock | None:
        """Keep other runs out of a local folder until the lock is released, or this process ends, however it ends.

        None for a store or a file system that has no such locks. Raises OtherRunError if another run is writing to it.
        """
        fs, folder = self._open()
        if not isinstance(fs, LocalFileSystem):
            return None
        fs.makedirs(folder, exist_ok=True)
        # A soft lock would be left behind by a killed run, which is to be resumed.
        lock = FileLock(f"{folder}/{_LOCK_FILE}", timeout=0, fallback_to_soft=False)
        try:
            lock.acquire()
        except Timeout:
            raise OtherRunError(f"another run is writing to {self.url}; wait for its end, or stop it") from None
        except (OSError, NotImplementedError):
            return None
        return lock

    def start(self, run_info: Mapping[str, Any]) -> PreviousRun:
        """Create the folder, or resume the run that created it; return the finished files.

        run_info: values that must be equal for answers in the same folder. Raises OtherRunError if they differ, or
        are not known.
        """
        fs, folder = self._open()
        run_info = {"format": self.format, **run_info}
        fs.makedirs(folder, exist_ok=True)
        if fs.exists(f"{folder}/{RUN_INFO_FILE}"):
            _require_equal(_parse_run_info(fs.cat_file(f"{folder}/{RUN_INFO_FILE}"), self.url), run_info, self.url)
        else:
            _write_atomically(fs, folder, RUN_INFO_FILE, json.dumps(run_info, indent=1).encode())
        return self._read_previous_run(fs, folder)

    def part(self, names: Sequence[str]) -> "OutputPart":
        """Return the part that holds the rows of these files."""
        fs, folder = self._open()
        digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:_DIGEST_LENGTH]
        return OutputPart(fs, folder, f"part-{digest}.{self.format}", self.format)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield all rows, in no particular order; `documents` has the form of the API."""
        fs, folder = self._open()
        for path in self._parts(fs, folder):
            for row in _decode(self.format, fs.cat_file(path), None):
                documents = row["documents"]
                yield {**row, "documents": json.loads(documents) if isinstance(documents, str) else documents}

    def _read_previous_run(self, fs: AbstractFileSystem, folder: str) -> PreviousRun:
        """Read the complete parts; remove damaged parts and unfinished files."""

        def read_part(path: str) -> list[dict[str, Any]]:
            content = fs.cat_file(path)  # not below: a store that does not answer says nothing about the part
            try:
                return list(_decode(self.format, content, ["path", *COUNTED]))
            # A disk that lost its power may have cut or cleared it; pyarrow's errors are of all these types.
            except (ValueError, KeyError, OSError, pa.ArrowException):
                fs.rm_file(path)
                return []

        for path in fs.ls(folder, detail=False):
            if _name(path).startswith(_UNFINISHED_PREFIX):
                fs.rm_file(path)
        with ThreadPoolExecutor(_READER_THREADS) as pool:
            parts = list(pool.map(read_part, self._parts(fs, folder)))
        paths = frozenset(row["path"] for rows in parts for row in rows)
        return PreviousRun(paths, sum((count_files(rows) for rows in parts), FileCounts()))

    def _parts(self, fs: AbstractFileSystem, folder: str) -> list[str]:
        fs.invalidate_cache()
        names = (str(path) for path in fs.ls(folder, detail=False))
        return sorted(path for path in names if _name(path).startswith("part-") and path.endswith(f".{self.format}"))

    def _open(self) -> tuple[AbstractFileSystem, str]:
        fs, path = url_to_fs(self.url)
        return fs, path.rstrip("/")


@dataclass(frozen=True)
class OutputPart:
    """One file of the output."""

    fs: AbstractFileSystem
    folder: str
    name: str
    format: Format

    def write(self, rows: Sequence[ResultRow]) -> None:
        """Write the part atomically; an existing part of the same files is replaced."""
        _write_atomically(self.fs, self.folder, self.name, _encode(self.format, rows))

    def read_attempts(self) -> list[str] | None:
        """Return the names of the last `record_attempts`; None if there was none, or after the part is finished."""
        try:
            names: list[str] = json.loads(self.fs.cat_file(self._attempts_path))
        except FileNotFoundError:
            return None
        return names

    def record_attempts(self, names: Sequence[str]) -> None:
        """Record which files were opened, for the actor that takes over if this process dies."""
        self.fs.pipe_file(self._attempts_path, json.dumps(names).encode())

    def clear_attempts(self) -> None:
        """Remove the record after the part is written."""
        if self.fs.exists(self._attempts_path):
            self.fs.rm_file(self._attempts_path)

    @property
    def _attempts_path(self) -> str:
        return f"{self.folder}/{_UNFINISHED_PREFIX}{self.name}.tried"


def _write_atomically(fs: AbstractFileSystem, folder: str, name: str, content: bytes) -> None:
    unfinished = f"{folder}/{_UNFINISHED_PREFIX}{name}.writing"
    fs.pipe_file(unfinished, content)
    fs.mv(unfinished, f"{folder}/{name}")


def _encode(file_format: Format, rows: Sequence[ResultRow]) -> bytes:
    rows_as_dicts = [asdict(row) for row in rows]
    if file_format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows_as_dicts).encode()
    for row in rows_as_dicts:
        row["documents"] = None if row["documents"] is None else json.dumps(row["documents"], ensure_ascii=False)
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows_as_dicts, SCHEMA), out, compression="zstd")
    return out.getvalue()


def _decode(file_format: Format, content: bytes, columns: list[str] | None) -> Iterable[dict[str, Any]]:
    """Decode a part. columns: None means all. Raises ValueError if the part is incomplete."""
    if file_format == "jsonl":
        if content and not content.endswith(b"\n"):
            raise ValueError("the last line is incomplete")
        rows = [json.loads(line) for line in content.splitlines()]
        return [{name: row[name] for name in columns or row} for row in rows]
    table: list[dict[str, Any]] = pq.read_table(io.BytesIO(content), columns=columns).to_pylist()
    return table


def _parse_run_info(content: bytes, url: str) -> dict[str, Any]:
    try:
        stored: dict[str, Any] = json.loads(content)
    except ValueError:
        raise OtherRunError(
            f"{url}/{RUN_INFO_FILE} is damaged: with which options and models these answers were made is not known. "
            "Choose another output folder, or delete this file if they are the same."
        ) from None
    return stored


def _require_equal(stored: Mapping[str, Any], current: Mapping[str, Any], url: str) -> None:
    stored = {name: current[name] for name in _ADDED_LATER & current.keys()} | dict(stored)
    differing = [name for name in current if stored.get(name) != current[name]]
    if differing:
        differences = "; ".join(
            f"{name} was {json.dumps(stored.get(name))}, is {json.dumps(current[name])}" for name in differing
        )
        raise OtherRunError(f"{url} contains answers of another run: {differences}. Choose another output folder.")


def _name(path: str) -> str:
    return path.rpartition("/")[2]
