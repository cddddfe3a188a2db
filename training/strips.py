"""Strips of print as the reader's last layers see them, and what is printed there.

Lines are found as in serving, on real scans, on photographs of them and on made-up photographs; each is held against
the page's transcript. What PP-OCR's other layers see of it never changes, so it is worked out once and kept.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from docextract.extraction.last_layers import LastLayers
from docextract.extraction.ppocr import Engine, Sight, emits
from docextract.extraction.reading import Reader
from docextract.imaging import Page, Polygon, project
from training.datasets import LabelledPage, pictures, reads, sroie
from training.synth import camera, fonts
from training.synth.examples import PhotoExamples, printable
from training.synth.plan import PLANS

log = logging.getLogger(__name__)

PAGES_A_FILE = 20
REACH = 8  # columns of padding that are kept after a strip: the last layers look so far
LIKE_ENOUGH = 60.0  # of a hundred: what PP-OCR itself reads and the transcript; else another line is meant

Runs = Sequence[tuple[Polygon, str]]  # places in px of the page, clockwise from the print's own top left
Source = Callable[[int], tuple[Page, Runs]]  # a page by its number, and all that is printed on it


@dataclass(frozen=True)
class Strips:
    """N strips."""

    seen: tuple[NDArray[np.float16], ...]  # each [T, D]
    texts: tuple[str, ...]
    cased: NDArray[np.bool_]  # [N]; False: the transcript is in capitals, whatever is printed

    def __len__(self) -> int:
        return len(self.texts)

    def __add__(self, other: "Strips") -> "Strips":
        return Strips(
            self.seen + other.seen, self.texts + other.texts, np.concatenate([self.cased, other.cased])
        )  # fmt: skip


NONE = Strips((), (), np.zeros(0, np.bool_))


class Gatherer:
    """Finds strips, looks at them, and keeps what it saw in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finder, self._sight = Reader(threads=1), Sight(Engine(threads=1))

    @property
    def own(self) -> LastLayers:
        """PP-OCR's last layers, for the letters that are read."""
        return self._sight.own

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

    def _strips(self, page: Page, runs: Runs) -> Iterator[tuple[NDArray[np.float16], str]]:
        lines = self._finder.lines(page)
        seen = self._sight.look([strip for _, strip in lines])
        for (outline, _), (columns, span) in zip(lines, seen, strict=True):
            text = text_within(outline, runs)
            columns = columns[: int(np.ceil(span)) + REACH]
            if text and len(text) <= span and _alike(text, self._said(columns)):
                yield columns, text

    def _said(self, columns: NDArray[np.float16]) -> str:
        own = self._sight.own
        best = (columns.astype(np.float32) @ own.weight + own.bias).argmax(1)
        return "".join(own.classes[at] for at in spoken(best))


def spoken(best: NDArray[np.intp]) -> NDArray[np.intp]:
    """The classes that columns say, one after the other."""
    return np.asarray(best[emits(best)])


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


def _keep(file: Path, strips: Sequence[tuple[NDArray[np.float16], str]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    seen = np.concatenate([columns for columns, _ in strips]) if strips else np.zeros((0, 0), np.float16)
    unfinished = file.with_suffix(".part.npz")
    np.savez(
        unfinished, seen=seen, lengths=[len(columns) for columns, _ in strips], texts=[text for _, text in strips]
    )  # fmt: skip
    unfinished.replace(file)


def _kept(file: Path, cased: bool) -> Strips:
    kept = np.load(file)
    lengths = kept["lengths"].astype(int)
    if not len(lengths):
        return NONE
    return Strips(
        tuple(np.split(kept["seen"], np.cumsum(lengths)[:-1])), tuple(map(str, kept["texts"])),
        np.full(len(lengths), cased),
    )  # fmt: skip


def scans(root: Path, labels: Sequence[LabelledPage]) -> Source:
    """SROIE's pages as they are."""
    return lambda number: (pictures.load(labels[number].image), sroie.transcript(root, labels[number].key))


def photographs(root: Path, labels: Sequence[LabelledPage], plan: str, seed: int, surfaces: Sequence[Page]) -> Source:
    """SROIE's pages photographed, and flattened as in serving. plan: a name in PLANS."""

    def page(number: int) -> tuple[Page, Runs]:
        scan, lines = scans(root, labels)(number)
        rng = np.random.default_rng((seed, number))
        return _flattened(camera.shoot(scan, rng, PLANS[plan](rng), surfaces), lines, rng)

    return page


def made_up(plan: str, seed: int, surfaces: Sequence[Page], typefaces: fonts.Share) -> Source:
    """Made-up documents of every type, photographed and flattened. plan: a name in PLANS."""
    examples = PhotoExamples(seed, printable(), PLANS[plan], surfaces, typefaces=typefaces)

    def page(number: int) -> tuple[Page, Runs]:
        example = examples[number]
        lines = [(np.asarray(run.polygon, np.float32), run.text) for run in example.printed.runs]
        return _flattened(example.shot, lines, np.random.default_rng((seed, number, 1)))

    return page


def _flattened(shot: camera.Shot, lines: Runs, rng: np.random.Generator) -> tuple[Page, Runs]:
    if np.isnan(shot.polygon).any():  # nothing lies on the table
        return shot.photo, []
    flat = reads.flattened(shot, rng)
    to_flat = np.linalg.inv(flat.to_photo)
    return flat.page, [(project(shot.to_photo(place), to_flat), text) for place, text in lines]
