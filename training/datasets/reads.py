"""Real pages as the reader reads them, kept on disk: reading is slow, training asks again and again.

    python -m training.datasets.reads OUT.jsonl IMAGE… [--weights DIR] [--photograph SEED --surfaces DIR]

One JSON line for each image; images that the same reader has read already are not read again, so a stopped run goes on.
--weights says whose reader it is, of versions of extraction; PP-OCR's own without.
With --photograph each page goes through the generator's camera and is rectify_shot again, as in serving.
A user's own photos are read by `read_as_served`, through the very steps of the service.
"""

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from docextract.documents.values import Conventions
from docextract.extraction.layout.postprocessing import AUTO
from docextract.extraction.ocr.reading import Reader
from docextract.images.decoding import DecodingLimits
from docextract.images.geometry import Glimpse, Page, Rectified, rectify
from docextract.pipeline import steps
from docextract.pipeline.models import ExtractionTask, Models
from docextract.pipeline.options import Upload
from docextract.predictions import OTHER_TYPE, Assessment, CharacterAlternative, PagePrediction, TextLine
from docextract.registry import promoted_version
from docextract.serving.local import LocalModels
from training.datasets import LabelledPage, pictures
from training.synth.camera import simulation

CORNER_ERROR = 0.006  # of a page's diagonal: how far off the quality network's corners are
FORM = 2  # of a line; what was kept in another is read again


@dataclass(frozen=True)
class OcrResult:
    """The lines of one image, and the size in px of the page they were read from."""

    key: str
    lines: tuple[TextLine, ...]
    width: int
    height: int
    to_photo: NDArray[np.float64] | None = None  # [3, 3], px of that page → relative to the photo; None: not known
    picture: str | None = None  # digest of the file that was read; None: not known
    reader: str = ""  # digest of who read it, see Reader


def dump(read: OcrResult) -> str:
    """One JSON line."""
    lines = [
        [line.text, np.round(line.polygon, 1).tolist(), round(line.confidence, 4),
         None if line.cuts is None else [round(cut, 3) for cut in line.cuts],
         [[doubt.at, doubt.other, doubt.odds] for doubt in line.alternatives]]
        for line in read.lines
    ]  # fmt: skip
    row = {"form": FORM, "key": read.key, "size": [read.width, read.height], "lines": lines}
    if read.to_photo is not None:
        row["to_photo"] = read.to_photo.tolist()
    if read.picture is not None:
        row["picture"] = read.picture
    if read.reader:
        row["reader"] = read.reader
    return json.dumps(row, ensure_ascii=False)


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


def load(cache: Path) -> dict[str, OcrResult]:
    """What a cache has, by key; {} when there is none yet. Half a last line is dropped, and lines of another form."""
    if not cache.exists():
        return {}
    rows = [line for line in cache.read_text().split("\n")[:-1] if line.startswith(f'{{"form": {FORM},')]
    return {read.key: read for read in map(parse, rows)}


def grow(
    cache: Path, images: Iterable[Path], reader: Reader, seed: int | None = None, surfaces: Sequence[Page] = ()
) -> None:
    """Read what is not in the cache yet. seed: photograph each page first, each in its own way."""
    known = {key: read for key, read in _mended(cache).items() if read.reader == reader.digest}
    with cache.open("a") as out:
        for number, path in enumerate(images):
            if path.stem in known:
                continue
            page = pictures.load(path)
            if seed is not None:
                page = photographed(page, np.random.default_rng((seed, number)), surfaces)
            lines = reader.read([page])[0]
            out.write(dump(OcrResult(path.stem, lines, page.shape[1], page.shape[0], reader=reader.digest)) + "\n")
            out.flush()


def read_as_served(
    cache: Path, labels: Sequence[LabelledPage], models_dir: Path, reader: Reader | None = None
) -> Iterator[OcrResult]:
    """Every page as the service reads it, found and rectify_shot first; those that are in the cache at once.

    By key, picture and reader: another picture under a name that was read before is read again.
    reader: in the place of the served one.

    Raises ProblemError for an image that the service refuses.
    """
    known = _mended(cache)
    models = _Reading(LocalModels(models_dir), reader or load_reader(promoted_version("extraction", models_dir).folder))
    with cache.open("a") as out:
        for label in labels:
            picture = label.image.read_bytes()
            digest = hashlib.sha256(picture).hexdigest()
            before = known.get(label.key)
            if before is None or (before.picture, before.reader) != (digest, models.reader.digest):
                read = anyio.run(_as_served, label.key, picture, models)
                known[label.key] = replace(read, picture=digest, reader=models.reader.digest)
                out.write(dump(known[label.key]) + "\n")
                out.flush()
            yield known[label.key]


@dataclass(frozen=True)
class _Reading:
    """Models that find and read, and understand nothing."""

    models: LocalModels
    reader: Reader

    async def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        return await self.models.assess(glimpses)

    async def extract(self, tasks: Sequence[ExtractionTask]) -> list[PagePrediction]:
        read = self.reader.read([task.page for task in tasks])
        return [PagePrediction(OTHER_TYPE, 0.0, Conventions(), lines=lines) for lines in read]


async def _as_served(key: str, picture: bytes, models: Models) -> OcrResult:
    shots = await steps.decode_uploads([Upload(picture)], DecodingLimits(), 1, anyio.CapacityLimiter(1))
    one = (await steps.extract_pages(shots, await steps.assess_photos(shots, models), AUTO, models))[0]
    return OcrResult(key, one.found.lines, one.page.shape[1], one.page.shape[0], one.to_photo)


def load_reader(weights: Path | None, threads: int = 1) -> Reader:
    """The reader that a version of extraction has; PP-OCR's own without one."""
    return Reader.load(weights, threads) if weights else Reader(threads)


def _mended(cache: Path) -> dict[str, OcrResult]:
    """What is in the cache, which then ends in a whole line."""
    known = load(cache)
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text("".join(f"{dump(read)}\n" for read in known.values()))
    return known


def photographed(page: Page, rng: np.random.Generator, surfaces: Sequence[Page]) -> Page:
    """Through the camera and back."""
    return rectify_shot(simulation.take_photo(page, rng, simulation.PhotoPlan.everyday(), surfaces), rng).page


def rectify_shot(shot: simulation.Shot, rng: np.random.Generator) -> Rectified:
    """The page cut out of its photograph by corners that are as far off as the quality network's."""
    slip = rng.normal(0, CORNER_ERROR, (4, 2)) * np.linalg.norm(shot.polygon[2] - shot.polygon[0])
    return rectify(shot.photo, (shot.polygon + slip).astype(np.float32))


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path)
    parser.add_argument("images", type=Path, nargs="+")
    parser.add_argument("--weights", type=Path, metavar="DIR", help="of extraction: its reader reads")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--photograph", type=int, metavar="SEED")
    parser.add_argument("--surfaces", type=Path)
    options = parser.parse_args()
    surfaces = pictures.load_folder(options.surfaces)
    reader = load_reader(options.weights, options.threads)
    grow(options.cache, options.images, reader, options.photograph, surfaces)


if __name__ == "__main__":
    main()
