"""The simulated and real photos that the quality network is trained on: made once, stored on disk as glimpses.

Making a photo takes longer than training on it: background processes write numbered shards while training reads those
that exist. A photo depends on the seed, its split and its number alone; a shard that exists is not made again.

    <folder>/<split>-<shard>-{frames,crops,facts}.npy
"""

import json
import os
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from random import Random
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.files import whole_file
from docextract.images.geometry import CROP_COUNT, CROP_PX, FRAME_PX, Page, Polygon, take_glimpse
from docextract.predictions import OTHER_TYPE
from training.datasets import pictures, sroie
from training.synth import printing
from training.synth.camera import simulation
from training.synth.camera.colour import lightness
from training.synth.camera.simulation import Conditions, PhotoPlan, Shot
from training.synth.documents import generator_of
from training.synth.documents.other import other_page

Split = Literal["train", "calibrate", "test"]
PHOTO_SPLITS: tuple[Split, ...] = ("train", "calibrate", "test")
CONDITIONS = tuple(field.name for field in fields(Conditions))
FACTS = np.dtype(
    [
        ("conditions", np.float32, len(CONDITIONS)),  # in the order of the dataclass; nan where unknown
        ("polygon", np.float32, (4, 2)),  # relative to the photo, from the document's own top left; nan where unknown
        ("size", np.int32, 2),  # of the photo, width and height in px
        ("fitted", np.int32, 2),  # of the content within the frame, width and height in px
        ("type", "U32"),  # "" where unknown
    ]
)
SHARD_PHOTOS = 128


@dataclass(frozen=True)
class PhotoFolders:
    """Folders with real material, all optional: what is not given is synthetic."""

    sroie: Path | None = None
    surfaces: Path | None = None
    paper: Path | None = None
    no_document: Path | None = None
    photos: Path | None = None  # of receipts with nothing over their print; nothing else is labelled
    own: Path | None = None  # a user's rectified pages, in a folder for each split and type: own/<split>/<type>/*.jpg


@dataclass(frozen=True)
class PhotoSample:
    """One photo and its ground truth."""

    photo: Page
    conditions: Conditions  # nan where unknown
    polygon: Polygon | None  # px
    type: str  # "" where unknown


@dataclass(frozen=True)
class SourceShares:
    """Proportions of the sources of photos; a source that is not given leaves its share to the others."""

    receipt: float = 27  # synthetic documents by type
    invoice: float = 7
    passport: float = 5
    id_card: float = 6
    driver_licence: float = 5
    sroie: float = 20
    other: float = 12
    nothing: float = 6  # simulated surroundings without a document
    no_document: float = 7  # real photos without a document
    photos: float = 5  # real photos of receipts
    own: float = 60


class PhotoSource:
    """Makes the n-th photo of a split. No two splits share pages, and `test` also uses other surfaces."""

    def __init__(self, folders: PhotoFolders, split: Split, seed: int, shares: SourceShares) -> None:
        self._split, self._seed = split, seed
        self._surfaces = _load(every_nth(pictures.list_pictures(folders.surfaces), 5, split == "test"))
        self._paper = _load(pictures.list_pictures(folders.paper))
        self._sroie = _scans(folders.sroie, split) if folders.sroie else []
        # Every other real photo is held out for evaluation.
        self._scenes = _load(pictures.list_pictures(folders.no_document)[::2])
        self._photos = _load(pictures.list_pictures(folders.photos)[::2])
        self._own = sorted(folders.own.glob(f"{split}/*/*.jpg")) if folders.own else []
        available = {
            "sroie": bool(self._sroie),
            "no_document": bool(self._scenes) and split == "train",
            "photos": bool(self._photos) and split == "train",
            "own": bool(self._own),
        }
        used = {name: share for name, share in vars(shares).items() if available.get(name, True)}
        self._sources = list(used)
        self._probabilities = np.array(list(used.values())) / sum(used.values())

    def __call__(self, number: int) -> PhotoSample:
        """The photo of this number; the same number gives the same photo."""
        rng = np.random.default_rng((self._seed, PHOTO_SPLITS.index(self._split), number))
        source = self._sources[rng.choice(len(self._sources), p=self._probabilities)]
        if source == "no_document":
            return PhotoSample(_reframe(_pick(self._scenes, rng), rng, 0.5), _unknown(present=False), None, "")
        if source == "photos":
            conditions = replace(_unknown(present=True), lines_covered=0.0)
            return PhotoSample(_reframe(_pick(self._photos, rng), rng, 0.04), conditions, None, "receipt")
        shot, kind = self._simulate(source, rng)
        present = shot.conditions.document_present
        return PhotoSample(shot.photo, shot.conditions, shot.polygon if present else None, kind if present else "")

    def _simulate(self, source: str, rng: np.random.Generator) -> tuple[Shot, str]:
        plan = PhotoPlan.defect("document_absent", 1.0) if source == "nothing" else PhotoPlan.quality_training(rng)
        # Behind the document is a texture, or in a third of the training photos a real scene.
        scenes = [_pick(self._scenes, rng)] if self._scenes and self._split == "train" and rng.random() < 0.3 else None
        surroundings = {"surfaces": scenes or self._surfaces, "paper": self._paper}
        if source == "sroie":
            scan = _read_scan(self._sroie[rng.integers(len(self._sroie))])
            shot = simulation.take_photo(
                scan.pixels,
                rng,
                plan,
                **surroundings,
                text_height_px=scan.text_height_px,
                ink_contrast=scan.ink_contrast,
                lines=scan.lines,
            )
            return shot, "receipt"
        if source == "own":
            path = self._own[rng.integers(len(self._own))]
            return simulation.take_photo(pictures.load(path), rng, plan, **surroundings), path.parent.name
        random = Random(int(rng.integers(2**63)))
        if source == OTHER_TYPE:
            sheet, kind = other_page(random), OTHER_TYPE
        else:
            kind = "receipt" if source == "nothing" else source  # with `nothing`, the printed page is not used
            _, sheet = generator_of(kind).draw(random)
        printed = printing.print_sheet(sheet, rng)
        shot = simulation.take_photo(
            printed.pixels,
            rng,
            plan,
            **surroundings,
            text_height_px=printed.text_height_px,
            ink_contrast=printed.ink_contrast,
            lines=[run.polygon for run in printed.runs],
        )
        return shot, kind


def write_shards(folder: Path, source: PhotoSource, split: Split, photos: int, part: int = 0, parts: int = 1) -> None:
    """Make the missing shards of a split, or every parts-th of them from number `part` on.

    It may be stopped and started again at any time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(part, -(-photos // SHARD_PHOTOS), parts):
        if not _file(folder, split, shard, "facts").exists():
            _write(folder, split, shard, (source(shard * SHARD_PHOTOS + i) for i in range(SHARD_PHOTOS)))


@dataclass(frozen=True)
class PhotoJob:
    """The photos that one of several background processes makes."""

    folder: Path
    folders: PhotoFolders
    seed: int
    shares: SourceShares
    photos: dict[Split, int]
    first: int  # photos of `train` that are made before all others, so that training can start
    part: int = 0
    parts: int = 1

    def run(self) -> None:
        """Make the photos, at low priority and on one thread."""
        os.nice(7)
        cv2.setNumThreads(1)
        for split, photos in (("train", self.first), *((name, self.photos[name]) for name in reversed(PHOTO_SPLITS))):
            source = PhotoSource(self.folders, split, self.seed, self.shares)
            write_shards(self.folder, source, split, min(photos, self.photos[split]), self.part, self.parts)


def are_on_disk(folder: Path, split: Split, photos: int) -> bool:
    """Whether the first `photos` photos of a split are on disk."""
    return all(_file(folder, split, shard, "facts").exists() for shard in range(-(-photos // SHARD_PHOTOS)))


class Shards:
    """The photos of a split that are on disk."""

    def __init__(self, folder: Path, split: Split, photos: int | None = None) -> None:
        """photos: use only the first ones, rounded up to whole shards."""
        names = sorted(folder.glob(f"{split}-*-facts.npy"))[: None if photos is None else -(-photos // SHARD_PHOTOS)]
        numbers = [int(name.stem.split("-")[1]) for name in names]
        self.facts = np.concatenate([_read_facts(name) for name in names]) if names else np.zeros(0, FACTS)
        self._frames = [np.load(_file(folder, split, number, "frames"), mmap_mode="r") for number in numbers]
        self._crops = [np.load(_file(folder, split, number, "crops"), mmap_mode="r") for number in numbers]

    def __len__(self) -> int:
        return len(self.facts)

    def pixels(self, index: int) -> tuple[Page, Page]:
        """Copies of the frame [FRAME_PX, FRAME_PX, 3] and of the crops [CROP_COUNT, CROP_PX, CROP_PX, 3], uint8."""
        shard, within = divmod(index, SHARD_PHOTOS)
        return np.array(self._frames[shard][within]), np.array(self._crops[shard][within])


def conditions_of(row: NDArray[np.float32]) -> Conditions:
    """Conditions from a row of a shard's facts."""
    values = dict(zip(CONDITIONS, row.tolist(), strict=True))
    return Conditions(**{**values, "document_present": bool(values["document_present"])})


def every_nth(paths: Sequence[Path], n: int, held_out: bool) -> list[Path]:
    """Every n-th path, which are held out, or all the others."""
    return [path for index, path in enumerate(paths) if (index % n == 0) == held_out]


def _load(paths: Sequence[Path]) -> list[Page]:
    return [pictures.load(path) for path in paths]


def _pick(pages: Sequence[Page], rng: np.random.Generator) -> Page:
    return pages[int(rng.integers(len(pages)))]


def _scans(root: Path, split: Split) -> list[Path]:
    name_of_split = {"train": "train", "calibrate": "dev_seen_merchants", "test": "dev_unseen_merchants"}[split]
    return [root / "images" / f"{name}.jpg" for name in json.loads((root / "splits.json").read_text())[name_of_split]]


@dataclass(frozen=True)
class _Scan:
    """A scanned page, with text height and ink contrast measured at its text lines."""

    pixels: Page
    text_height_px: float | None  # median over lines
    ink_contrast: float | None  # L*, median over lines
    lines: Sequence[Polygon]  # px


def _read_scan(path: Path) -> _Scan:
    pixels = pictures.load(path)
    heights, contrasts, lines = [], [], []
    for outline, _ in sroie.transcript(path.parent.parent, path.stem):
        (left, top), (right, bottom) = outline.min(0).astype(int).tolist(), outline.max(0).astype(int).tolist()
        tones = lightness(pixels[max(0, top) : bottom, max(0, left) : right].reshape(-1, 3))
        if tones.size:
            heights.append(bottom - top)
            lines.append(outline)
            contrasts.append(float(np.percentile(tones, 90) - np.percentile(tones, 5)))
    if not heights:
        return _Scan(pixels, None, None, ())
    return _Scan(pixels, float(statistics.median(heights)), statistics.median(contrasts), lines)


def _unknown(present: bool) -> Conditions:
    unknown = dict.fromkeys(CONDITIONS, float("nan"))
    return Conditions(**{**unknown, "document_present": present})  # type: ignore[arg-type]


def _reframe(photo: Page, rng: np.random.Generator, cut: float) -> Page:
    """Vary a real photo: crop up to `cut` of each side, scale it, compress it as JPEG again.

    The size is drawn as in the camera simulation, so that the network cannot tell real photos by their size.
    """
    height, width = photo.shape[:2]
    left, right = rng.uniform(0, cut / 2, 2) * width
    top, bottom = rng.uniform(0, cut / 2, 2) * height
    photo = photo[int(top) : height - int(bottom), int(left) : width - int(right)]
    if cut > 0.2 and rng.random() < 0.3:
        photo = np.rot90(photo, int(rng.integers(1, 4)))
    scale = rng.uniform(600, 2000) / max(photo.shape[:2])
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    photo = cv2.resize(np.ascontiguousarray(photo), None, fx=scale, fy=scale, interpolation=how)
    jpeg = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))])[1]
    return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _read_facts(path: Path) -> NDArray[np.void]:
    """The facts of one shard. Older shards lack the last conditions, which were added later: these are nan."""
    stored = np.load(path)
    facts = np.zeros(len(stored), FACTS)
    for name in FACTS.names or ():
        if name != "conditions":
            facts[name] = stored[name]
    count = stored["conditions"].shape[1]
    facts["conditions"][:, :count], facts["conditions"][:, count:] = stored["conditions"], np.nan
    return facts


def _file(folder: Path, split: Split, shard: int, part: str) -> Path:
    return folder / f"{split}-{shard:05}-{part}.npy"


def _write(folder: Path, split: Split, shard: int, samples: Iterable[PhotoSample]) -> None:
    """samples: SHARD_PHOTOS of them. They are large: only one is in memory at a time."""
    frames = np.empty((SHARD_PHOTOS, FRAME_PX, FRAME_PX, 3), np.uint8)
    crops = np.empty((SHARD_PHOTOS, CROP_COUNT, CROP_PX, CROP_PX, 3), np.uint8)
    facts = np.zeros(SHARD_PHOTOS, FACTS)
    for i, sample in enumerate(samples):
        glimpse = take_glimpse(sample.photo)
        frames[i], crops[i] = glimpse.frame.pixels, glimpse.crops
        size = (glimpse.width, glimpse.height)
        polygon = np.full((4, 2), np.nan) if sample.polygon is None else sample.polygon / size
        row = tuple(float(getattr(sample.conditions, name)) for name in CONDITIONS)
        facts[i] = (row, polygon, size, (glimpse.frame.width, glimpse.frame.height), sample.type)
    # The facts are written last, and each file is renamed when it is complete: a shard without facts does not count.
    for part, array in (("frames", frames), ("crops", crops), ("facts", facts)):
        with whole_file(_file(folder, split, shard, part)) as unfinished:
            np.save(unfinished, array)
