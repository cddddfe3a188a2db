"""A folder under review: its documents, what was decided about each, and the labels that training reads.

    FOLDER/labels.jsonl          one row for each reviewed page; the format of training's labelled folders
    FOLDER/types/NAME.toml       document types that were described here
    FOLDER/.review/lock          held by the program that reviews the folder
    FOLDER/.review/reviews/      one file for each document that somebody has changed
    FOLDER/.review/answers/      what was extracted, so that opening the folder again costs no time

Every file is replaced as a whole, so that a stopped program leaves the old or the new one. Other programs may change
labels.jsonl meanwhile: it is read again before it is written. Rows of finished reviews of files that have none in it
are written again at the next start. Reviews, rows and answers have the digest of the file that they are about: those of
a file that was replaced by another of the same name do not count. Nor do reviews, finished or not, of documents whose
rows another program has changed since: the rows do.
"""

import hashlib
import json
import logging
import os
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w
from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from docextract.documents import DescriptionError, document_types, register_types
from docextract.documents.type_files import TYPES_FOLDER, load_type
from docextract.files import escape_surrogates, file_digest, write_atomically
from docextract.images.folders import list_uploads
from docextract.review.precedence import merge_rows
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

    revision: grows with each time it is saved. pages: numbers of the pages that were read, from 1. file: SHA-256 of the
    file that was reviewed, labels: of the rows of labels.jsonl for it at that time; "" where an earlier release has
    saved it.
    """

    revision: int = 0
    reviewed: bool = False
    pages: list[int] = []
    file: str = ""
    labels: str = ""
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
        """SHA-256 of the file as it is now. Raises OSError if it cannot be read."""
        return file_digest(self.path)

    def was_replaced(self, digest: Any) -> bool:
        """Whether a digest is of another file than the present one. One that is no text, or "", is unknown."""
        try:
            return isinstance(digest, str) and digest not in ("", self.digest)
        except OSError:  # a missing file is not replaced
            return False


@dataclass(frozen=True)
class _LabelLine:
    """One line of labels.jsonl. row: its object; empty for a line that is no label. Equal if the texts are."""

    text: str
    row: Mapping[str, Any] = field(compare=False)

    @property
    def page(self) -> int:
        number = self.row.get("page")
        return number if isinstance(number, int) else 1

    @property
    def image(self) -> str:
        name = self.row.get("image")
        return name if isinstance(name, str) else ""


def list_documents(folder: Path) -> list[Path]:
    """Return the files in a folder and below it that can be reviewed, sorted; e-invoices as XML have no picture."""
    return [path for path in list_uploads(folder) if path.suffix.lower() != ".xml"]


class ReviewedFolder:
    """The files of one folder. Thread-safe."""

    def __init__(self, folder: Path) -> None:
        """Lock the folder.

        Raises FolderInUseError, DescriptionError for an invalid document type in it, and OSError for a file that cannot
        be read.
        """
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
        self.documents: Mapping[str, DocumentFile] = {
            one.id: one for one in map(self._describe, list_documents(folder))
        }
        # most labels have the name of a document, which needs no look at the file system
        by_path = {os.path.realpath(one.path): one.name for one in self.documents.values()}
        self._names = by_path | {one.name: one.name for one in self.documents.values()}
        self._reviews = dict(self._read_reviews())
        self._labels: Mapping[str, list[_LabelLine]] = self._read_labels()
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

    def _read_labels(self) -> dict[str, list[_LabelLine]]:
        """The lines of labels.jsonl by the name of their document, unchanged; of no document, by that of their image.

        A line that is no label has the name "". Raises OSError if the file cannot be read, or is not UTF-8.
        """
        lines: dict[str, list[_LabelLine]] = {}
        for text in _read_text(self.folder / LABELS_FILE).split("\n"):
            if text.strip():
                line = _LabelLine(text, _parsed(text))
                lines.setdefault(self._document_name(line.image), []).append(line)
        return lines

    def _document_name(self, image: str) -> str:
        """The name of the document that a label calls `image`, such as "./1.jpg"; `image` itself if there is none."""
        if image in self._names:
            return self._names[image]
        try:
            return self._names.get(os.path.realpath(self.folder / image), image)
        except ValueError:  # no file can have this name
            return image

    def review(self, key: str) -> Review | None:
        """What was saved about a document; None if nothing was, or if its file or its labels were replaced."""
        review = self._reviews.get(key)
        if review is None or self.documents[key].was_replaced(review.file):
            return None
        lines = self._lines(key)  # without any, those of a finished review are written again
        return None if lines and review.labels not in ("", _digest(lines)) else review

    def revision(self, key: str) -> int:
        """How often something was saved about a document, also about a file that was replaced."""
        review = self._reviews.get(key)
        return review.revision if review else 0

    def labels(self, key: str) -> dict[int, Mapping[str, Any]]:
        """The row of labels.jsonl that counts for each page of a document, by the page's number, from 1."""
        rows: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for line in self._lines(key):
            rows[line.page].append(line.row)
        return {page: merge_rows(own) for page, own in rows.items()}

    def _lines(self, key: str) -> list[_LabelLine]:
        """The lines of labels.jsonl for a document as its file is now."""
        document = self.documents[key]
        lines = self._labels.get(document.name, ())
        return [line for line in lines if not document.was_replaced(line.row.get("file_sha256"))]

    def is_reviewed(self, key: str) -> bool:
        """Whether a document has been reviewed, here or by somebody who wrote its label elsewhere."""
        review = self.review(key)
        return review.reviewed if review else bool(self._lines(key))

    def save(self, key: str, review: Review) -> Review:
        """Save a review, and its labels if it is finished; return it with its new revision.

        A draft leaves the labels as they are. Labels are written first, so that no finished review is without them.
        review: its revision is the one that it was made from. Raises OutdatedError if another one was saved meanwhile,
        if the file was replaced, or if another program has changed the labels that it replaces; these are known from
        then on.
        """
        with self._saving:
            if review.revision != self.revision(key):
                raise OutdatedError("Somebody else has saved this document meanwhile.")
            if self.documents[key].was_replaced(review.file):
                raise OutdatedError("The file of this document was replaced by another meanwhile.")
            if review.reviewed:
                self._read_labels_again(self.documents[key].name)
                self._write_labels({self.documents[key].name: self._label_lines(key, review)})
            saved = review.model_copy(update={"revision": review.revision + 1, "labels": _digest(self._lines(key))})
            write_atomically(self._review_file(key), saved.model_dump_json(exclude_defaults=True))
            self._reviews[key] = saved
            return saved

    def _label_lines(self, key: str, review: Review) -> list[_LabelLine]:
        """The lines of labels.jsonl for a finished review. Those of pages that were not read stay."""
        rows = label_rows(review.sheet, self.documents[key].name, review.pages, self.labels(key))
        own = [row | ({"file_sha256": review.file} if review.file else {}) for row in rows]
        others = [line for line in self._lines(key) if line.page not in review.pages]
        return [*(_LabelLine(_line_of(row), row) for row in own), *others]

    def _read_labels_again(self, name: str) -> None:
        """Take over what other programs have written. Raises OutdatedError if they have changed an image's lines."""
        seen, self._labels = self._labels, self._read_labels()
        if self._labels.get(name) != seen.get(name):
            raise OutdatedError(f"Another program has changed the labels of this document in {LABELS_FILE} meanwhile.")

    def _write_labels(self, lines: Mapping[str, list[_LabelLine]]) -> None:
        """Replace the lines of these images."""
        if any(own != self._labels.get(name, []) for name, own in lines.items()):
            labels = {**self._labels, **lines}
            text = "".join(f"{one.text}\n" for own in labels.values() for one in own)
            write_atomically(self.folder / LABELS_FILE, text)
            self._labels = labels

    def _restore_labels(self) -> None:
        """Write the rows of finished reviews of files that have none, because labels.jsonl was lost or replaced."""
        finished = {self.documents[key].name: key for key in self._reviews if self.is_reviewed(key)}
        lost = {name: key for name, key in finished.items() if name not in self._labels}
        self._write_labels({name: self._label_lines(key, self._reviews[key]) for name, key in lost.items()})

    # --- answers -----------------------------------------------------------------------------------------------------

    def read_answer(self, key: str, made_from: Mapping[str, Any]) -> dict[str, Any] | None:
        """The stored answer to a document; None if there is none, or if it was made from something else."""
        try:
            stored = json.loads((self._own / "answers" / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return stored.get("answer") if isinstance(stored, dict) and stored.get("made_from") == made_from else None

    def write_answer(self, key: str, made_from: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        """Store the answer to a document. made_from: everything on which it depends, such as digests of the models."""
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
        for full_name, kind in fields.items():
            group, _, leaf = full_name.rpartition(".")
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


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig") if file.is_file() else ""
    except UnicodeDecodeError as error:
        raise OSError(f"{file} is not written in UTF-8: {error}") from None


def _parsed(line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}


def _digest(lines: Sequence[_LabelLine]) -> str:
    """SHA-256 of the rows of lines, in whatever form they are written."""
    rows = json.dumps([line.row for line in lines], sort_keys=True)
    return hashlib.sha256(rows.encode()).hexdigest()


def _line_of(row: Mapping[str, Any]) -> str:
    """A row as JSON; bytes of a file's name that are not UTF-8 are escaped."""
    return escape_surrogates(json.dumps(row, ensure_ascii=False))
