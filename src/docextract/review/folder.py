"""A folder under review: its documents, what was decided about each, and the labels that training reads.

    FOLDER/labels.jsonl          one row for each reviewed page; the format of training's labelled folders
    FOLDER/types/NAME.toml       document types that were described here
    FOLDER/.review/lock          held by the program that reviews the folder
    FOLDER/.review/reviews/      one file for each document that somebody has changed
    FOLDER/.review/answers/      what was extracted, so that opening the folder again costs no time

Every file is replaced as a whole, so that a stopped program leaves the old or the new one. Other programs may change
labels.jsonl meanwhile: it is read again before it is written. Rows of finished reviews of files that have none in it are
written again at the next start.
"""

import hashlib
import json
import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from docextract.documents import DescriptionError, document_types, register_types
from docextract.documents.type_files import TYPES_FOLDER, load_type
from docextract.images.decoding import list_uploads
from docextract.registry.store import write_atomically
from docextract.review.sheets import Sheet, label_rows

LABELS_FILE = "labels.jsonl"
REVIEW_FOLDER = ".review"
log = logging.getLogger("docextract.review")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")


class FolderInUseError(Exception):
    """Another program reviews this folder."""


class OutdatedError(Exception):
    """Somebody else has changed this document meanwhile. Its message says how."""


class Review(BaseModel):
    """What was decided about one document.

    revision: grows with each time it is saved. pages: numbers of the pages that were read, from 1.
    """

    revision: int = 0
    reviewed: bool = False
    pages: list[int] = []
    sheet: Sheet


@dataclass(frozen=True)
class DocumentFile:
    """One document of the folder. name: its path below the folder, with slashes, as the file system has it."""

    id: str
    name: str
    path: Path

    @property
    def shown_name(self) -> str:
        """Its name without bytes that are not UTF-8."""
        return os.fsencode(self.name).decode(errors="replace")

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


class ReviewedFolder:
    """The files of one folder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Lock the folder. Raises FolderInUseError; DescriptionError for an invalid document type in it."""
        self.folder = folder
        self._own = folder / REVIEW_FOLDER
        for name in ("reviews", "answers"):
            (self._own / name).mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self._own / "lock", timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise FolderInUseError(f"{folder} is being reviewed by another program") from None
        register_types(folder)
        self._saving = threading.Lock()
        found = [path for path in list_uploads(folder) if path.suffix.lower() != ".xml"]  # has no picture
        self.documents: Mapping[str, DocumentFile] = {one.id: one for one in map(self._describe, found)}
        self._reviews = dict(self._read_reviews())
        self._labels: Mapping[str, list[str]] = self._read_labels()
        self._restore_labels()

    def close(self) -> None:
        """Release the lock."""
        self._lock.release()

    def _describe(self, path: Path) -> DocumentFile:
        name = path.relative_to(self.folder).as_posix()
        return DocumentFile(hashlib.sha256(os.fsencode(name)).hexdigest()[:16], name, path)

    # --- reviews and labels ------------------------------------------------------------------------------------------

    def _read_reviews(self) -> Iterator[tuple[str, Review]]:
        for key, document in self.documents.items():
            file = self._review_file(key)
            if not file.is_file():
                continue
            try:
                yield key, Review.model_validate_json(file.read_bytes())
            except ValidationError:
                damaged = file.replace(file.with_suffix(".damaged"))
                log.warning("a damaged review was set aside document=%s file=%s", document.name, damaged)

    def _review_file(self, key: str) -> Path:
        return self._own / "reviews" / f"{key}.json"

    def _read_labels(self) -> dict[str, list[str]]:
        """The lines of labels.jsonl by the name of their image, unchanged. A line that is no label has the name ""."""
        file = self.folder / LABELS_FILE
        lines: dict[str, list[str]] = {}
        for line in file.read_text(encoding="utf-8-sig").split("\n") if file.is_file() else ():
            if line.strip():
                lines.setdefault(_image_of(line), []).append(line)
        return lines

    def review(self, key: str) -> Review | None:
        """What was saved about a document; None if nothing was."""
        return self._reviews.get(key)

    def labels(self, key: str) -> dict[int, Mapping[str, Any]]:
        """The rows of labels.jsonl for a document by the number of their page, from 1; the first one of each page."""
        rows: dict[int, Mapping[str, Any]] = {}
        for line in self._labels.get(self.documents[key].name, ()):
            row = json.loads(line)
            rows.setdefault(_page_of(row), row)
        return rows

    def is_reviewed(self, key: str) -> bool:
        """Whether a document has been reviewed, here or by somebody who wrote its label elsewhere."""
        review = self._reviews.get(key)
        return review.reviewed if review else self.documents[key].name in self._labels

    def save(self, key: str, review: Review) -> Review:
        """Save a review, and its labels if it is finished; return it with its new revision.

        A draft leaves the labels as they are. Labels are written first, so that no finished review is without them.
        review: its revision is the one that it was made from. Raises OutdatedError if another one was saved meanwhile,
        or if another program has changed the labels that it replaces; these are known from then on.
        """
        with self._saving:
            known = self._reviews.get(key)
            if review.revision != (known.revision if known else 0):
                raise OutdatedError("Somebody else has saved this document meanwhile.")
            saved = review.model_copy(update={"revision": review.revision + 1})
            if saved.reviewed:
                self._read_labels_again(self.documents[key].name)
                self._write_labels({self.documents[key].name: self._label_lines(key, saved)})
            write_atomically(self._review_file(key), saved.model_dump_json(exclude_defaults=True))
            self._reviews[key] = saved
            return saved

    def _label_lines(self, key: str, review: Review) -> list[str]:
        """The lines of labels.jsonl for a finished review. Those of pages that were not read stay."""
        name = self.documents[key].name
        rows = label_rows(review.sheet, name, review.pages, self.labels(key))
        others = [line for line in self._labels.get(name, ()) if _page_of(json.loads(line)) not in review.pages]
        return [*map(_line_of, rows), *others]

    def _read_labels_again(self, name: str) -> None:
        """Take over what other programs have written. Raises OutdatedError if they have changed the lines of an image."""
        seen, self._labels = self._labels, self._read_labels()
        if self._labels.get(name) != seen.get(name):
            raise OutdatedError(f"Another program has changed the labels of this document in {LABELS_FILE} meanwhile.")

    def _write_labels(self, lines: Mapping[str, list[str]]) -> None:
        """Replace the lines of these images."""
        if any(own != self._labels.get(name, []) for name, own in lines.items()):
            labels = {**self._labels, **lines}
            text = "".join(f"{one}\n" for own in labels.values() for one in own)
            write_atomically(self.folder / LABELS_FILE, text)
            self._labels = labels

    def _restore_labels(self) -> None:
        """Write the rows of finished reviews of files that have none, because labels.jsonl was lost or replaced."""
        finished = {self.documents[key].name: key for key, review in self._reviews.items() if review.reviewed}
        lost = {name: key for name, key in finished.items() if name not in self._labels}
        self._write_labels({name: self._label_lines(key, self._reviews[key]) for name, key in lost.items()})

    # --- answers -----------------------------------------------------------------------------------------------------

    def read_answer(self, key: str, made_from: Mapping[str, str]) -> dict[str, Any] | None:
        """The stored answer to a document; None if there is none, or if it was made from something else."""
        try:
            stored = json.loads((self._own / "answers" / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return stored["answer"] if isinstance(stored, dict) and stored.get("made_from") == made_from else None

    def write_answer(self, key: str, made_from: Mapping[str, str], answer: Mapping[str, Any]) -> None:
        """Store the answer to a document. made_from: digests of the file and the model, and the type asked for."""
        content = {"made_from": dict(made_from), "answer": answer}
        write_atomically(self._own / "answers" / f"{key}.json", json.dumps(content, ensure_ascii=False))

    # --- document types ----------------------------------------------------------------------------------------------

    def add_type(self, name: str, fields: Mapping[str, str], required: Sequence[str]) -> None:
        """Describe a new document type. fields: types by name; "items.price" is a field of rows.

        Raises DescriptionError, whose message says what is wrong.
        """
        if not _NAME.fullmatch(name):
            raise DescriptionError("the name of a type has lower-case letters, digits and _")
        if name in document_types():
            raise DescriptionError(f"there is a type {name} already")
        table: dict[str, Any] = {}
        for field, kind in fields.items():
            group, _, leaf = field.rpartition(".")
            if group:
                table.setdefault(group, {})[leaf] = kind
            else:
                table[leaf] = kind
        path = self.folder / TYPES_FOLDER / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, tomli_w.dumps({"required": list(required), "fields": table}))
        try:
            load_type(path)
        except DescriptionError as error:
            path.unlink()
            raise DescriptionError(str(error).removeprefix(f"{path}: ")) from None
        register_types(self.folder)


def _image_of(line: str) -> str:
    try:
        row = json.loads(line)
    except ValueError:
        return ""
    name = row.get("image") if isinstance(row, dict) else None
    return name if isinstance(name, str) else ""


def _line_of(row: Mapping[str, Any]) -> str:
    """A row as JSON; bytes of a file's name that are not UTF-8 are escaped."""
    return json.dumps(row, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _page_of(row: Mapping[str, Any]) -> int:
    number = row.get("page")
    return number if isinstance(number, int) else 1
