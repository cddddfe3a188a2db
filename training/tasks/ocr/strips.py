"""Text strips for training the recogniser: one text line each, with its transcript.

Lines are detected as in serving, on real scans, on simulated photos of them and on simulated photos of synthetic
documents, and compared with the transcript of the page. They are cut out with a margin, so that augmentation can cut
them differently each time.
"""

import hashlib
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from docextract.extraction.ocr.reading import Reader
from docextract.files import whole_file
from docextract.images.geometry import Page, Polygon, longest_sides, project, warp_to_rectangle
from training.datasets import LabelledPage, pictures, reads, sroie
from training.synth import fonts
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.examples import PhotoExamples, printable
from training.synth.misreading import is_visible_gap

log = logging.getLogger(__name__)

PAGES_PER_FILE = 20
MARGIN_PX = 8  # on each side of a line that is TEXT_STRIP_HEIGHT_PX high
STRIP_JPEG_QUALITY = 96  # of stored strips
# Between PP-OCR's text and the transcript, 0..100; below it the transcript belongs to another line.
MIN_TRANSCRIPT_SIMILARITY = 60.0
MIN_READ_CONFIDENCE = 0.9  # of the text of a line without transcript

Runs = Sequence[tuple[Polygon, str]]  # polygons in px of the page, clockwise from the text's own top-left corner
PageSource = Callable[[int], tuple[Page, Runs]]  # a page by its number, and all text that is printed on it


@dataclass(frozen=True)
class TextStrips:
    """N strips and their ground truth."""

    jpegs: tuple[bytes, ...]  # TEXT_STRIP_HEIGHT_PX high, with a margin of MARGIN_PX on each side
    texts: tuple[str, ...]
    cased: NDArray[np.bool_]  # [N]; False: the transcript is in capitals, whatever is printed
    widths: NDArray[np.int64]  # [N], px, without the margins
    heights: NDArray[np.float32]  # [N], as a share of the page's median line height

    def __len__(self) -> int:
        return len(self.texts)

    def __add__(self, other: "TextStrips") -> "TextStrips":
        return TextStrips(
            self.jpegs + other.jpegs,
            self.texts + other.texts,
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in ("cased", "widths", "heights")
            ),
        )  # fmt: skip

    def select(self, indices: Sequence[int]) -> "TextStrips":
        """The strips at these indices, in their order."""
        rows = list(indices)
        return TextStrips(
            tuple(self.jpegs[at] for at in rows), tuple(self.texts[at] for at in rows), self.cased[rows],
            self.widths[rows], self.heights[rows],
        )  # fmt: skip

    def at_most(self, limit: int) -> "TextStrips":
        """At most `limit` strips, evenly spaced."""
        return self.select(range(0, len(self), max(1, -(-len(self) // limit))))

    def line(self, index: int) -> Page:
        """One strip as it is served, without margins: uint8 [TEXT_STRIP_HEIGHT_PX, w, 3], RGB."""
        return self.pixels(index)[MARGIN_PX : MARGIN_PX + TEXT_STRIP_HEIGHT_PX, MARGIN_PX:-MARGIN_PX]

    def pixels(self, index: int) -> Page:
        """One strip with its margins: uint8 [TEXT_STRIP_HEIGHT_PX + 2 MARGIN_PX, w + 2 MARGIN_PX, 3], RGB."""
        jpeg = np.frombuffer(self.jpegs[index], np.uint8)
        return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR_RGB), np.uint8)


NO_STRIPS = TextStrips((), (), np.zeros(0, np.bool_), np.zeros(0, np.int64), np.zeros(0, np.float32))


class StripCollector:
    """Cuts strips out of pages, and stores them in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    # Loaded when pages are cut: where all strips are stored, no OpenVINO is beside the processes that make batches.
    @cached_property
    def _reader(self) -> Reader:
        return Reader()

    @cached_property
    def _recogniser(self) -> Recogniser:
        return Recogniser(Engine())

    def collect(self, name: str, source: PageSource, pages: int, cased: bool) -> TextStrips:
        """The strips of the first pages of a source; those that are stored under this name are not made again."""
        return self._collect(name, pages, cased, lambda number: self._strips_of(*source(number)))

    def _collect(
        self, name: str, pages: int, cased: bool, strips_of: Callable[[int], Iterable["_Strip"]]
    ) -> TextStrips:
        collected = NO_STRIPS
        for start in range(0, pages, PAGES_PER_FILE):
            end = min(start + PAGES_PER_FILE, pages)
            file = self._folder / f"{name}-{start:05}-{end:05}.npz"
            if not file.exists():
                _store(file, [one for number in range(start, end) for one in strips_of(number)])
                log.info("%s: %d of %d pages", name, end, pages)
            collected += _load(file, cased)
        return collected

    def _strips_of(self, page: Page, runs: Runs) -> Iterator["_Strip"]:
        lines = self._reader.cut_lines(page)
        if not lines:
            return
        heights = [_height(polygon) for polygon, _ in lines]
        median_height = float(np.median(heights))
        recognised = self._recogniser.read([strip for _, strip in lines])
        for (polygon, _), height, result in zip(lines, heights, recognised, strict=True):
            text = text_within(polygon, runs)
            if text and len(text) <= result.column_count and _is_similar(text, result.text):
                yield _strip_of(page, polygon, text, height / median_height)

    def collect_read(self, name: str, source: PageSource, pages: int, reader: Reader) -> TextStrips:
        """As `collect`, of pages without transcripts: the text of a strip is what the reader is certain of."""
        return self._collect(name, pages, True, lambda number: _read_strips(source(number)[0], reader))


_Strip = tuple[bytes, str, int, float]  # JPEG, text, width without margins, height as a share of the page's median


def _read_strips(page: Page, reader: Reader) -> Iterator[_Strip]:
    (lines,) = reader.read([page])
    if not lines:
        return
    median_height = float(np.median([_height(line.polygon) for line in lines]))
    for line in lines:
        if line.confidence >= MIN_READ_CONFIDENCE:
            yield _strip_of(page, line.polygon, line.text, _height(line.polygon) / median_height)


def _strip_of(page: Page, polygon: Polygon, text: str, height: float) -> _Strip:
    jpeg, width = _cut_out(page, polygon)
    return jpeg, text, width, height


def _height(polygon: Polygon) -> float:
    return longest_sides(polygon)[1]


def _cut_out(page: Page, polygon: Polygon) -> tuple[bytes, int]:
    """A line with its margins, as JPEG, and its width in px without them."""
    width, height = longest_sides(polygon)
    width_px = max(1, math.ceil(TEXT_STRIP_HEIGHT_PX * width / height))
    across, down = MARGIN_PX / width_px, MARGIN_PX / TEXT_STRIP_HEIGHT_PX
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    wider = np.array([[-across, -down], [1 + across, -down], [1 + across, 1 + down], [-across, 1 + down]])
    to_page = cv2.getPerspectiveTransform(square, polygon.astype(np.float32)).astype(np.float64)
    around = project(wider, to_page).astype(np.float32)
    strip = warp_to_rectangle(page, around, width_px + 2 * MARGIN_PX, TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX)
    jpeg = cv2.imencode(".jpg", strip[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, STRIP_JPEG_QUALITY])[1]
    return jpeg.tobytes(), width_px


def text_within(polygon: Polygon, runs: Runs) -> str | None:
    """The text that is printed within a polygon; None without any, or if some of it runs out of the polygon."""
    width, height = (float(np.linalg.norm(polygon[at] - polygon[0])) for at in (1, 3))
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_line = cv2.getPerspectiveTransform(polygon.astype(np.float32), square).astype(np.float64)
    inside: list[tuple[float, float, Polygon, str]] = []
    for place, text in runs:
        corners = project(place, to_line)
        (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        across = min(width, right) - max(0.0, left)
        down = min(height, bottom) - max(0.0, top)
        if across < 0.2 * min(right - left, width) or down < 0.3 * height:
            continue
        on_line = 0.2 * height < (top + bottom) / 2 < 0.8 * height
        if not on_line or left < -0.4 * height or right > width + 0.4 * height:
            return None
        inside.append((left, right, corners, text))
    inside.sort(key=itemgetter(0, 1))
    if any(after[0] < before[1] - height / 2 for before, after in pairwise(inside)):
        return None
    return _join([(corners, text) for _, _, corners, text in inside]) or None


def _join(runs: Runs) -> str:
    """The text of the runs of a line, from left to right, with a space where there is a visible gap."""
    between = [
        " " if is_visible_gap(_gap(before, after), _height(after)) else "" for (before, _), (after, _) in pairwise(runs)
    ]
    joined = "".join(space + text for space, (_, text) in zip(["", *between], runs, strict=False))
    return " ".join(joined.split())


def _gap(before: Polygon, after: Polygon) -> float:
    """Between the middles of the edges: corners of slanted runs are nearer to each other."""
    return float(after[[0, 3], 0].mean() - before[[1, 2], 0].mean())


def _is_similar(text: str, recognised: str) -> bool:
    return fuzz.ratio(_letters_and_digits(text), _letters_and_digits(recognised)) >= MIN_TRANSCRIPT_SIMILARITY


def _letters_and_digits(text: str) -> str:
    return "".join(filter(str.isalnum, text)).upper()


def _store(file: Path, strips: Sequence[_Strip]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    jpegs, texts, widths, heights = zip(*strips, strict=True) if strips else ((), (), (), ())
    with whole_file(file) as unfinished:
        np.savez(
            unfinished, packed=np.frombuffer(b"".join(jpegs), np.uint8), sizes=list(map(len, jpegs)), texts=texts,
            widths=widths, heights=heights,
        )  # fmt: skip


def _load(file: Path, cased: bool) -> TextStrips:
    stored = np.load(file)
    ends = np.cumsum(stored["sizes"].astype(int))
    if not len(ends):
        return NO_STRIPS
    jpegs, starts = stored["packed"].tobytes(), [0, *ends[:-1].tolist()]
    return TextStrips(
        tuple(jpegs[start:end] for start, end in zip(starts, ends.tolist(), strict=True)),
        tuple(map(str, stored["texts"])),
        np.full(len(ends), cased),
        stored["widths"].astype(np.int64),
        stored["heights"].astype(np.float32),
    )  # fmt: skip


def pictures_of(folder: Path) -> tuple[PageSource, int]:
    """The pictures in a folder and below it, without transcripts, and their number."""
    files = pictures.list_pictures(folder)
    return lambda number: (pictures.load(files[number]), ()), len(files)


def name_of_pictures(folder: Path, reader: str = "") -> str:
    """Name under which what is made of a folder's pictures is stored; no other set has it.

    reader: digest of the reader that makes it.
    """
    files = [f"{path.resolve()} {path.stat().st_size}" for path in pictures.list_pictures(folder)]
    parts = "\n".join([str(folder.resolve()), reader, *files])
    return f"{folder.name}-{hashlib.blake2b(parts.encode(), digest_size=8).hexdigest()}"


def scans(root: Path, labels: Sequence[LabelledPage]) -> PageSource:
    """SROIE's scanned pages. root: of SROIE."""

    def page(number: int) -> tuple[Page, Runs]:
        # Two boxes are two words, also where their margins touch.
        lines = [(box, f"{text} ") for box, text in sroie.transcript(root, labels[number].key)]
        return pictures.load(labels[number].image), lines

    return page


def photos_of(source: PageSource, plan: str, seed: int, surfaces: Sequence[Page]) -> PageSource:
    """Simulated photos of the pages of a source, rectified as in serving. plan: a name in PHOTO_PLANS."""

    def page(number: int) -> tuple[Page, Runs]:
        printed, lines = source(number)
        rng = np.random.default_rng((seed, number))
        return _rectified(simulation.take_photo(printed, rng, PHOTO_PLANS[plan](rng), surfaces), lines, rng)

    return page


def synthetic_photos(plan: str, seed: int, surfaces: Sequence[Page], typefaces: fonts.Share) -> PageSource:
    """Simulated photos of synthetic documents of every type, rectified. plan: a name in PHOTO_PLANS."""
    examples = PhotoExamples(seed, printable(), PHOTO_PLANS[plan], surfaces, typefaces=typefaces)

    def page(number: int) -> tuple[Page, Runs]:
        example = examples[number]
        lines = [(np.asarray(run.polygon, np.float32), run.text) for run in example.printed.runs]
        return _rectified(example.shot, lines, np.random.default_rng((seed, number, 1)))

    return page


def _rectified(shot: simulation.Shot, lines: Runs, rng: np.random.Generator) -> tuple[Page, Runs]:
    if np.isnan(shot.polygon).any():  # there is no document in the photo
        return shot.photo, []
    rectified = reads.rectify_shot(shot, rng)
    to_page = np.linalg.inv(rectified.to_photo)
    return rectified.page, [(project(shot.to_photo(place), to_page), text) for place, text in lines]
