"""OCR results of real pages, cached on disk, because reading is slow and training needs them repeatedly.

    python -m training.datasets.reads OUT.jsonl IMAGE… [--weights DIR] [--photograph SEED --surfaces DIR | --as-served]

Writes one JSON line per image. Images that the same reader has read cached are skipped, so a stopped run can be
resumed. --weights names extraction weights whose reader is used; the default is PP-OCR without our changes. With
--photograph each page goes through the camera simulation and is rectified again, as in serving. With --as-served the
images are photos: their documents are found and cut out with the steps of the service.
"""

import argparse
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from docextract.answers.merging import ExtractedPage
from docextract.documents.values import Conventions
from docextract.extraction.ocr.ppocr import Engine
from docextract.extraction.ocr.reading import Reader
from docextract.extraction.ocr.upright import turn_upright
from docextract.files import escape_surrogates, whole_file
from docextract.images.geometry import Glimpse, Page, Rectified, rectify, turned_to_page
from docextract.images.limits import DecodingLimits
from docextract.pipeline.decoding import decode_uploads
from docextract.pipeline.decoding_pool import TrustedDecoder
from docextract.pipeline.extracting import extract_documents
from docextract.pipeline.judging import assess_photos
from docextract.pipeline.models import ExtractionTask, Models
from docextract.pipeline.options import Upload
from docextract.predictions import AUTO, OTHER_TYPE, Assessment, CharacterAlternative, PagePrediction, TextLine
from docextract.registry import promoted_version
from docextract.serving.local import LocalModels
from docextract.settings import models_folder_of
from training.datasets import LabelledPage, pictures
from training.synth.camera import simulation

CORNER_ERROR = 0.006  # standard deviation of the quality network's corners, in page diagonals
FORMAT_VERSION = 3  # of a line, and of how pages are prepared; lines of other versions are read again


@dataclass(frozen=True)
class OcrResult:
    """The text lines of one image, and the size in px of the page they were read from."""

    key: str
    lines: tuple[TextLine, ...]
    width: int
    height: int
    to_photo: NDArray[np.float64] | None = (
        None  # [3, 3], px of that page to relative photo coordinates; None if unknown
    )
    picture: str | None = None  # digest of the file that was read; None if unknown
    reader: str = ""  # digest of the reader, see Reader


def dump(read: OcrResult) -> str:
    """One JSON line, without its line break."""
    lines = [
        [line.text, np.round(line.polygon, 1).tolist(), round(line.confidence, 4),
         None if line.cuts is None else [round(cut, 3) for cut in line.cuts],
         [[doubt.at, doubt.other, doubt.odds] for doubt in line.alternatives]]
        for line in read.lines
    ]  # fmt: skip
    row = {"form": FORMAT_VERSION, "key": read.key, "size": [read.width, read.height], "lines": lines}
    if read.to_photo is not None:
        row["to_photo"] = read.to_photo.tolist()
    if read.picture is not None:
        row["picture"] = read.picture
    if read.reader:
        row["reader"] = read.reader
    return escape_surrogates(json.dumps(row, ensure_ascii=False))


def parse(text: str) -> OcrResult:
    """The inverse of dump."""
    row = json.loads(text)
    lines = tuple(
        TextLine(text, np.array(polygon, np.float32), confidence, None if cuts is None else tuple(cuts),
             tuple(CharacterAlternative(*doubt) for doubt in alternatives))
        for text, polygon, confidence, cuts, alternatives in row["lines"]
    )  # fmt: skip
    to_photo = np.array(row["to_photo"], np.float64) if "to_photo" in row else None
    width, height = row["size"]
    return OcrResult(row["key"], lines, width, height, to_photo, row.get("picture"), row.get("reader", ""))


def upright(read: OcrResult) -> OcrResult:
    """Turn a page so that its print runs to the right, as the service does before it takes values from it."""
    size = read.width, read.height
    lines, turns = turn_upright(read.lines, size)
    if not turns:
        return read
    to_photo = None if read.to_photo is None else read.to_photo @ turned_to_page(turns, *size)
    width, height = size[::-1] if turns % 2 else size
    return replace(read, lines=tuple(lines), width=width, height=height, to_photo=to_photo)


def load(cache: Path) -> dict[str, OcrResult]:
    """The cached results by key, with upright pages; {} without a cache.

    A half-written line and lines of other formats are dropped.
    """
    if not cache.exists():
        return {}
    rows = [line for line in cache.read_text().split("\n")[:-1] if line.startswith(f'{{"form": {FORMAT_VERSION},')]
    return {read.key: upright(read) for read in map(parse, rows)}


def read_into_cache(
    cache: Path, images: Iterable[Path], reader: Reader, seed: int | None = None, surfaces: Sequence[Page] = ()
) -> None:
    """Read the images that are not in the cache. seed: of simulated photos; None reads the images themselves."""
    known = {key: read for key, read in _mended(cache).items() if read.reader == reader.digest}
    with cache.open("a") as out:
        for number, path in enumerate(images):
            if path.stem in known:
                continue
            page = pictures.load(path)
            if seed is not None:
                page = simulate_and_rectify(page, np.random.default_rng((seed, number)), surfaces)
            lines = reader.read([page])[0]
            out.write(dump(OcrResult(path.stem, lines, page.shape[1], page.shape[0], reader=reader.digest)) + "\n")
            out.flush()


def read_as_served(
    cache: Path, labels: Iterable[LabelledPage], models_dir: Path, reader: Reader | None = None
) -> Iterator[OcrResult]:
    """Read every page with the steps of the service: detection, rectification, OCR. Cached pages are not read again.

    Results are cached by key, picture and reader: another picture with the same name is read. reader: replaces the
    served one. Yields in input order. Raises ProblemError for an image that the service refuses.
    """
    known = _mended(cache)
    models = _OcrModels(
        LocalModels(models_dir), reader or load_reader(promoted_version("extraction", models_dir).folder)
    )
    with cache.open("a") as out:
        for label in labels:
            picture = label.image.read_bytes()
            digest = hashlib.sha256(picture).hexdigest()
            cached = known.get(label.key)
            if cached is None or (cached.picture, cached.reader) != (digest, models.reader.digest):
                read = anyio.run(_as_served, label, picture, models)
                read = replace(read, picture=digest, reader=models.reader.digest)
                out.write(dump(read) + "\n")
                out.flush()
                known[label.key] = upright(read)
            yield known[label.key]


@dataclass(frozen=True)
class _OcrModels:
    """Models that detect the page and run OCR, without the layout network."""

    models: LocalModels
    reader: Reader

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        return await self.models.assess(glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        if any(task.lines for task in tasks):  # a text layer is used where it agrees with what is visible
            return await self.models.extract(tasks)
        read = self.reader.read([task.page for task in tasks])
        return [PagePrediction(OTHER_TYPE, 0.0, Conventions(), lines=lines) for lines in read]


async def extract_labelled(label: LabelledPage, picture: bytes, models: Models) -> ExtractedPage:
    """Return the labelled page as the service cuts it out and reads it. picture: its file. Raises ProblemError."""
    decoded = await decode_uploads([Upload(picture)], DecodingLimits(), label.selection, TrustedDecoder())
    photos = decoded.photos
    ((one, *_),) = await extract_documents(photos, await assess_photos(photos, models), AUTO, "file", models)
    return one


async def _as_served(label: LabelledPage, picture: bytes, models: Models) -> OcrResult:
    one = await extract_labelled(label, picture, models)
    return OcrResult(label.key, one.prediction.lines, one.page.shape[1], one.page.shape[0], one.to_photo)


async def predict_pages(path: Path, models: Models) -> list[PagePrediction]:
    """Return the prediction for each page of a file, as the service makes it. Raises ProblemError."""
    decoded = await decode_uploads([Upload(path.read_bytes())], DecodingLimits(), None, TrustedDecoder())
    assessments = await assess_photos(decoded.photos, models)
    documents = await extract_documents(decoded.photos, assessments, AUTO, "page", models)
    return [page.prediction for document in documents for page in document]


def load_reader(weights: Path | None, threads: int = 1) -> Reader:
    """The reader of extraction weights; PP-OCR without our changes if weights is None."""
    return Reader.load(weights, Engine(threads)) if weights else Reader(Engine(threads))


def _mended(cache: Path) -> dict[str, OcrResult]:
    """What is in the cache, which then ends in a whole line."""
    known = load(cache)
    cache.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(cache) as file:
        file.write_text("".join(f"{dump(read)}\n" for read in known.values()))
    return known


def simulate_and_rectify(page: Page, rng: np.random.Generator, surfaces: Sequence[Page]) -> Page:
    """Simulate a photo of a page, and rectify it."""
    return rectify_shot(simulation.take_photo(page, rng, simulation.PhotoPlan.everyday(), surfaces), rng).page


def rectify_shot(shot: simulation.Shot, rng: np.random.Generator) -> Rectified:
    """The page cut out of its simulated photo, by corners as inaccurate as the quality network's."""
    error = rng.normal(0, CORNER_ERROR, (4, 2)) * np.linalg.norm(shot.polygon[2] - shot.polygon[0])
    return rectify(shot.photo, (shot.polygon + error).astype(np.float32))


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path)
    parser.add_argument("images", type=Path, nargs="+")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="extraction weights whose reader is used")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--photograph", type=int, metavar="SEED")
    parser.add_argument("--surfaces", type=Path)
    parser.add_argument("--as-served", action="store_true", help="photos, which the service's steps prepare")
    options = parser.parse_args()
    surfaces = pictures.load_folder(options.surfaces)
    reader = load_reader(options.weights, options.threads)
    if options.as_served:
        photos = (LabelledPage(path, OTHER_TYPE, {}, key=path.stem) for path in options.images)
        for _ in read_as_served(options.cache, photos, models_folder_of(os.environ, Path()), reader):
            pass
        return
    read_into_cache(options.cache, options.images, reader, options.photograph, surfaces)


if __name__ == "__main__":
    main()
