"""Strips of print as the recogniser gets them, and what is printed there.

Lines are found as in serving, on real scans, on photographs of them and on synthetic photographs; each is held against
the page's transcript. They are cut out with a margin, so that they can be cut a little differently each time.
"""

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from docextract.extraction.ocr.ppocr import TEXT_STRIP_HEIGHT_PX, Engine, Recogniser
from docextract.extraction.ocr.reading import Reader
from docextract.images.geometry import Page, Polygon, project, warp_to_rectangle
from training.datasets import LabelledPage, pictures, reads, sroie
from training.synth import fonts
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.examples import PhotoExamples, printable

log = logging.getLogger(__name__)

PAGES_A_FILE = 20
MARGIN_PX = 8  # on each side, where a line is TEXT_STRIP_HEIGHT_PX high
JPEG_QUALITY = 96  # of what is kept
LIKE_ENOUGH = 60.0  # of a hundred: what PP-OCR itself reads and the transcript; else another line is meant

Runs = Sequence[tuple[Polygon, str]]  # places in px of the page, clockwise from the print's own top left
Source = Callable[[int], tuple[Page, Runs]]  # a page by its number, and all that is printed on it


@dataclass(frozen=True)
class Strips:
    """N strips."""

    packed: tuple[bytes, ...]  # JPEG, TEXT_STRIP_HEIGHT_PX high and a margin of MARGIN_PX around
    texts: tuple[str, ...]
    cased: NDArray[np.bool_]  # [N]; False: the transcript is in capitals, whatever is printed
    widths: NDArray[np.int64]  # [N], px without the margins
    heights: NDArray[np.float32]  # [N], against the page's median

    def __len__(self) -> int:
        return len(self.texts)

    def __add__(self, other: "Strips") -> "Strips":
        return Strips(
            self.packed + other.packed,
            self.texts + other.texts,
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in ("cased", "widths", "heights")
            ),
        )  # fmt: skip

    def of(self, places: Sequence[int]) -> "Strips":
        """Some of them."""
        return Strips(
            tuple(self.packed[at] for at in places), tuple(self.texts[at] for at in places), self.cased[list(places)],
            self.widths[list(places)], self.heights[list(places)],
        )  # fmt: skip

    def thinned(self, most: int) -> "Strips":
        """So many of them at most, evenly."""
        return self.of(range(0, len(self), max(1, -(-len(self) // most))))

    def line(self, at: int) -> Page:
        """One of them as it is served, [TEXT_STRIP_HEIGHT_PX, w, 3], RGB."""
        return self.pixels(at)[MARGIN_PX : MARGIN_PX + TEXT_STRIP_HEIGHT_PX, MARGIN_PX:-MARGIN_PX]

    def pixels(self, at: int) -> Page:
        """One of them, with its margins, RGB."""
        return np.asarray(cv2.imdecode(np.frombuffer(self.packed[at], np.uint8), cv2.IMREAD_COLOR_RGB), np.uint8)


NONE = Strips((), (), np.zeros(0, np.bool_), np.zeros(0, np.int64), np.zeros(0, np.float32))


class Gatherer:
    """Finds strips, and keeps them in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finder, self._recogniser = Reader(threads=1), Recogniser(Engine(threads=1))

    def gather(self, name: str, source: Source, pages: int, cased: bool) -> Strips:
        """Those of the first pages of a source; those that are kept under this name at once."""
        found = NONE
        for start in range(0, pages, PAGES_A_FILE):
            end = min(start + PAGES_A_FILE, pages)
            file = self._folder / f"{name}-{start:05}-{end:05}.npz"
            if not file.exists():
                _keep(file, [one for number in range(start, end) for one in self._strips(*source(number))])
                log.info("%s: %d of %d pages", name, end, pages)
            found += _kept(file, cased)
        return found

    def _strips(self, page: Page, runs: Runs) -> Iterator["_Strip"]:
        lines = self._finder.cut_lines(page)
        if not lines:
            return
        heights = [_height(outline) for outline, _ in lines]
        usual = float(np.median(heights))
        said = self._recogniser.read([strip for _, strip in lines])
        for (outline, _), height, mine in zip(lines, heights, said, strict=True):
            text = text_within(outline, runs)
            if text and len(text) <= mine.span and _alike(text, mine.text):
                packed, width = _cut_out(page, outline)
                yield packed, text, width, height / usual


_Strip = tuple[bytes, str, int, float]


def _height(outline: Polygon) -> float:
    return float(max(np.linalg.norm(outline[0] - outline[3]), np.linalg.norm(outline[1] - outline[2])))


def _cut_out(page: Page, outline: Polygon) -> tuple[bytes, int]:
    """A line with its margins, as JPEG, and how wide it is without them."""
    width = max(np.linalg.norm(outline[0] - outline[1]), np.linalg.norm(outline[3] - outline[2]))
    scaled = max(1, math.ceil(TEXT_STRIP_HEIGHT_PX * width / _height(outline)))
    across, down = MARGIN_PX / scaled, MARGIN_PX / TEXT_STRIP_HEIGHT_PX
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    wider = np.array([[-across, -down], [1 + across, -down], [1 + across, 1 + down], [-across, 1 + down]])
    to_page = cv2.getPerspectiveTransform(square, outline.astype(np.float32)).astype(np.float64)
    around = project(wider, to_page).astype(np.float32)
    strip = warp_to_rectangle(page, around, scaled + 2 * MARGIN_PX, TEXT_STRIP_HEIGHT_PX + 2 * MARGIN_PX)
    packed = cv2.imencode(".jpg", strip[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    return packed.tobytes(), scaled


def text_within(outline: Polygon, runs: Runs) -> str | None:
    """What is printed within an outline; None where nothing is, or where print runs out of it."""
    width, height = (float(np.linalg.norm(outline[at] - outline[0])) for at in (1, 3))
    square = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_line = cv2.getPerspectiveTransform(outline.astype(np.float32), square).astype(np.float64)
    inside: list[tuple[float, float, str]] = []
    for place, text in runs:
        corners = project(place, to_line)
        (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        across = min(width, right) - max(0.0, left)
        down = min(height, bottom) - max(0.0, top)
        if across < 0.2 * min(right - left, width) or down < 0.3 * height:
            continue
        on_it = 0.2 * height < (top + bottom) / 2 < 0.8 * height
        if not on_it or left < -0.4 * height or right > width + 0.4 * height:
            return None
        inside.append((left, right, text))
    inside.sort()
    if any(after[0] < before[1] - height / 2 for before, after in pairwise(inside)):
        return None
    return " ".join(" ".join(text for _, _, text in inside).split()) or None


def _alike(text: str, said: str) -> bool:
    return fuzz.ratio(_bare(text), _bare(said)) >= LIKE_ENOUGH


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text)).upper()


def _keep(file: Path, strips: Sequence[_Strip]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    packed, texts, widths, heights = zip(*strips, strict=True) if strips else ((), (), (), ())
    unfinished = file.with_suffix(".part.npz")
    np.savez(
        unfinished, packed=np.frombuffer(b"".join(packed), np.uint8), sizes=list(map(len, packed)), texts=texts,
        widths=widths, heights=heights,
    )  # fmt: skip
    unfinished.replace(file)


def _kept(file: Path, cased: bool) -> Strips:
    kept = np.load(file)
    ends = np.cumsum(kept["sizes"].astype(int))
    if not len(ends):
        return NONE
    whole, starts = kept["packed"].tobytes(), [0, *ends[:-1].tolist()]
    return Strips(
        tuple(whole[start:end] for start, end in zip(starts, ends.tolist(), strict=True)),
        tuple(map(str, kept["texts"])),
        np.full(len(ends), cased),
        kept["widths"].astype(np.int64),
        kept["heights"].astype(np.float32),
    )  # fmt: skip


def scans(root: Path, labels: Sequence[LabelledPage]) -> Source:
    """SROIE's pages as they are."""
    return lambda number: (pictures.load(labels[number].image), sroie.transcript(root, labels[number].key))


def photographs(root: Path, labels: Sequence[LabelledPage], plan: str, seed: int, surfaces: Sequence[Page]) -> Source:
    """SROIE's pages photographed, and flattened as in serving. plan: a name in PHOTO_PLANS."""

    def page(number: int) -> tuple[Page, Runs]:
        scan, lines = scans(root, labels)(number)
        rng = np.random.default_rng((seed, number))
        return _flattened(simulation.take_photo(scan, rng, PHOTO_PLANS[plan](rng), surfaces), lines, rng)

    return page


def synthetic(plan: str, seed: int, surfaces: Sequence[Page], typefaces: fonts.Share) -> Source:
    """Synthetic documents of every type, photographed and flattened. plan: a name in PHOTO_PLANS."""
    examples = PhotoExamples(seed, printable(), PHOTO_PLANS[plan], surfaces, typefaces=typefaces)

    def page(number: int) -> tuple[Page, Runs]:
        example = examples[number]
        lines = [(np.asarray(run.polygon, np.float32), run.text) for run in example.printed.runs]
        return _flattened(example.shot, lines, np.random.default_rng((seed, number, 1)))

    return page


def _flattened(shot: simulation.Shot, lines: Runs, rng: np.random.Generator) -> tuple[Page, Runs]:
    if np.isnan(shot.polygon).any():  # nothing lies on the table
        return shot.photo, []
    flat = reads.rectify_shot(shot, rng)
    to_flat = np.linalg.inv(flat.to_photo)
    return flat.page, [(project(shot.to_photo(place), to_flat), text) for place, text in lines]
