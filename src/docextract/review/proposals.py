"""What the models propose for the documents of a folder: the answer to each, its pages as pictures, and print in a box.

The documents are answered one after the other in a thread of this process; one that somebody opens is answered at once.
"""

import io
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from pydantic import ValidationError

from docextract.answers.schema import DocumentAnswer, ExtractionAnswer, PointList
from docextract.client import Client, ProblemError
from docextract.images import decoder
from docextract.images.decoder import PreparedFile, WorkingSize
from docextract.images.geometry import Page
from docextract.images.sandbox import SandboxError
from docextract.images.uploads import Refusal
from docextract.predictions import AUTO, OTHER_TYPE
from docextract.release import installed_release
from docextract.review.folder import DocumentFile, ReviewedFolder
from docextract.review.sheets import Sheet, blank_sheet, sheet_of
from docextract.serving.local import LocalModels
from docextract.settings import Settings

PICTURE_SIZE = WorkingSize(2000, 900)
_PICTURES_KEPT = 8  # documents whose pages stay in memory
_JPEG_QUALITY = 88
_BOX_MARGIN = 0.15  # around a drawn box, of its height: people draw close to the print


@dataclass(frozen=True)
class Proposal:
    """The answer to one document.

    file:  SHA-256 of the file that was read.
    pages: numbers of its pages, from 1.
    words: of all pages, with their places.
    """

    file: str
    sheet: Sheet
    pages: tuple[int, ...]
    sizes: tuple[tuple[int, int], ...]
    words: tuple[Mapping[str, Any], ...]


class Proposals:
    """Answers to the documents of a folder. Thread-safe."""

    def __init__(self, folder: ReviewedFolder, client: Client, models: LocalModels, settings: Settings) -> None:
        """client: of the same models, in this process."""
        self._folder, self._client, self._models = folder, client, models
        self._limits = settings.limits
        self._made_from = {name: version.digest for name, version in models.served.items()} | {
            "target_error": settings.target_error,
            "release": installed_release(),
        }
        self._answering = {key: threading.Lock() for key in folder.documents}
        self._problems: dict[str, str] = {}
        self._least_certain: dict[str, tuple[int, float]] = {}
        self._pictures: OrderedDict[str, tuple[Page, ...]] = OrderedDict()  # by digest of the file
        self._decoding = threading.Lock()
        self._decoder = decoder.new_process()

    def problem(self, key: str) -> str | None:
        """Why a document cannot be read; None if it can, or if it has not been tried yet."""
        return self._problems.get(key)

    def uncertainty(self, key: str) -> tuple[int, float] | None:
        """The number of doubtful values of a document and its least confidence; None if it has no answer yet."""
        return self._least_certain.get(key)

    def answer_all(self, stopped: threading.Event) -> None:
        """Answer all documents, one after the other; those that are reviewed come last."""
        for key in sorted(self._folder.documents, key=self._folder.is_reviewed):
            if stopped.is_set():
                return
            try:
                self.proposal(key)
            except (ProblemError, OSError):
                continue  # see `problem`

    def proposal(self, key: str, type_name: str = AUTO) -> Proposal:
        """The answer to one document as a type. Raises ProblemError or OSError if the document cannot be read."""
        with self._answering[key]:
            try:
                digest = self._folder.documents[key].digest
                answer = self._answer(self._folder.documents[key], digest, type_name)
            except (ProblemError, OSError) as error:
                self._problems[key] = file_problem(error) if isinstance(error, OSError) else error.detail
                raise
            self._problems.pop(key, None)
        document = next(iter(answer.documents), None)
        sheet = sheet_of(document) if document else blank_sheet(OTHER_TYPE)
        if type_name not in (AUTO, sheet.type):
            sheet = blank_sheet(type_name)  # the model does not know this type
        if type_name == AUTO:
            cells = [cell for _, _, cell in sheet.cells()]
            least = min((cell.confidence for cell in cells if cell.confidence is not None), default=0.0)
            self._least_certain[key] = sum(cell.doubtful for cell in cells), least
        return Proposal(
            digest,
            sheet,
            tuple(image.page for image in answer.images),
            tuple((image.width, image.height) for image in answer.images),
            tuple(_words(document) if document else ()),
        )

    def _answer(self, file: DocumentFile, digest: str, type_name: str) -> ExtractionAnswer:
        known = type_name == AUTO or type_name in self._models.extraction.document_types
        asked = type_name if known else AUTO
        made_from = self._made_from | {"file": digest, "type": asked}
        stored = self._stored(file, made_from)
        if stored is not None:
            return stored
        answer = self._client.extract(file.path, document_type=asked, include=["polygons", "lines"], validation="off")
        if asked == AUTO:
            self._folder.write_answer(file.id, made_from, answer.model_dump(mode="json", exclude_unset=True))
        return answer

    def _stored(self, file: DocumentFile, made_from: Mapping[str, Any]) -> ExtractionAnswer | None:
        try:
            stored = self._folder.read_answer(file.id, made_from)
            return None if stored is None else ExtractionAnswer.model_validate(stored)
        except ValidationError:  # another release has written it, or it is damaged
            return None

    def picture(self, key: str, image: int) -> bytes:
        """One page as JPEG. Raises IndexError for a page that does not exist, ProblemError for a damaged file."""
        buffer = io.BytesIO()
        Image.fromarray(self._pages(key)[image]).save(buffer, "JPEG", quality=_JPEG_QUALITY)
        return buffer.getvalue()

    def read_box(self, key: str, image: int, box: tuple[float, float, float, float]) -> tuple[str, list[PointList]]:
        """Read the print in a box of a page. box: left, top, right and bottom, relative to the page.

        returns: the text of its lines in reading order, and their polygons, relative to the page; "" without print.
        """
        page = self._pages(key)[image]
        height, width = page.shape[:2]
        margin = _BOX_MARGIN * (box[3] - box[1]) * height
        left, top = max(0, int(box[0] * width - margin)), max(0, int(box[1] * height - margin))
        right, bottom = min(width, int(box[2] * width + margin)), min(height, int(box[3] * height + margin))
        lines = self._models.read_box(page, (left, top, right, bottom))
        polygons = [[(float(x) / width, float(y) / height) for x, y in line.polygon] for line in lines]
        return " ".join(line.text for line in lines), polygons

    def _pages(self, key: str) -> tuple[Page, ...]:
        file = self._folder.documents[key]
        digest = file.digest
        with self._decoding:
            if digest not in self._pictures:
                self._pictures[digest] = self._decode(file)
                while len(self._pictures) > _PICTURES_KEPT:
                    self._pictures.popitem(last=False)
            self._pictures.move_to_end(digest)
            return self._pictures[digest]

    def _decode(self, file: DocumentFile) -> tuple[Page, ...]:
        try:
            decoded = decoder.decode_in(self._decoder, file.path.read_bytes(), self._limits, None, PICTURE_SIZE)
        except SandboxError:
            decoded = Refusal("image_undecodable", "The file is damaged.")
        if not isinstance(decoded, PreparedFile):
            raise ProblemError(422, decoded.code, decoded.detail)
        return tuple(page.pixels for page in decoded.pages if page.pixels is not None)


def file_problem(error: OSError) -> str:
    """Why a file cannot be read or written, as a sentence."""
    return f"A file cannot be read or written: {error.strerror or error}."


def _words(document: DocumentAnswer) -> Sequence[Mapping[str, Any]]:
    """The words of all lines with their polygons: a word's share of its line is its share of the characters."""
    words = []
    for line in document.lines or ():
        corners = np.array(line.polygon)
        at = 0
        for word in line.text.split():
            start = line.text.index(word, at)
            at = start + len(word)
            share = np.array([start, at]) / len(line.text)
            top, bottom = (corners[a] + (corners[b] - corners[a]) * share[:, None] for a, b in ((0, 1), (3, 2)))
            polygon = np.round([top[0], top[1], bottom[1], bottom[0]], 4).tolist()
            words.append({"image": line.image, "text": word, "polygon": polygon})
    return words
