"""The photos the quality network learns from: made once, kept as glimpses on disk.

Making a photo costs more than learning from it, so a background process fills numbered shards while training
reads those that are there. A photo depends on the seed, its split and its number alone; a shard that exists
is never made again.

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

from docextract.images.geometry import CROP_COUNT, CROP_PX, FRAME_PX, Page, Polygon, take_glimpse
from training.datasets import pictures, sroie
from training.synth import printing
from training.synth.camera import simulation
from training.synth.camera.colour import lightness
from training.synth.camera.simulation import Conditions, PhotoPlan, Shot
from training.synth.documents import generator_of
from training.synth.documents.other import other_page

Split = Literal["train", "calibrate", "test"]
SPLITS: tuple[Split, ...] = ("train", "calibrate", "test")
CONDITIONS = tuple(field.name for field in fields(Conditions))
OTHER = "other"
FACTS = np.dtype(
    [
        ("conditions", np.float32, len(CONDITIONS)),  # in the order of the dataclass; nan where not known
        ("polygon", np.float32, (4, 2)),  # relative to the photo, from the document's own top left; nan where not known
        ("size", np.int32, 2),  # of the photo, width and height in px
        ("fitted", np.int32, 2),  # of the content within the frame, width and height in px
        ("type", "U32"),  # "" where not known
    ]
)
SHARD = 128  # photos


@dataclass(frozen=True)
class Folders:
    """Real material, all optional: without any, everything is made up."""

    sroie: Path | None = None
    surfaces: Path | None = None
    paper: Path | None = None
    no_document: Path | None = None
    photos: Path | None = None  # of receipts over whose print nothing lies, else without labels
    own: Path | None = None  # a user's pages, flat, in a folder for each type: own/<type>/*.jpg


@dataclass(frozen=True)
class Sample:
    """One photo and what is known of it."""

    photo: Page
    conditions: Conditions  # nan where not known
    polygon: Polygon | None  # px
    type: str  # "" where not known


@dataclass(frozen=True)
class Weights:
    """In which proportions photos come from each source; one that is not at hand gives its share to the others."""

    receipt: float = 27  # synthetic documents by type
    invoice: float = 7
    passport: float = 5
    id_card: float = 6
    driver_licence: float = 5
    sroie: float = 20
    other: float = 12
    nothing: float = 6  # surroundings made up by the camera
    no_document: float = 7  # real ones
    photos: float = 5  # real photos of receipts
    own: float = 60


class Photographer:
    """Makes the n-th photo of a split. Held-out splits see other pages and, in `test`, other surfaces."""

    def __init__(self, folders: Folders, split: Split, seed: int, weights: Weights) -> None:
        self._split, self._seed = split, seed
        self._surfaces = _load(held_out(pictures.list_pictures(folders.surfaces), 5, split == "test"))
        self._paper = _load(pictures.list_pictures(folders.paper))
        self._sroie = _scans(folders.sroie, split) if folders.sroie else []
        # Every other real photo is for measuring only.
        self._scenes = _load(pictures.list_pictures(folders.no_document)[::2])
        self._photos = _load(pictures.list_pictures(folders.photos)[::2])
        own = sorted(folders.own.glob("*/*.jpg")) if folders.own else []
        self._own = held_out(own, 5, split != "train")
        at_hand = {
            "sroie": bool(self._sroie),
            "no_document": bool(self._scenes) and split == "train",
            "photos": bool(self._photos) and split == "train",
            "own": bool(self._own),
        }
        shares = {name: share for name, share in vars(weights).items() if at_hand.get(name, True)}
        self._sources = list(shares)
        self._odds = np.array(list(shares.values())) / sum(shares.values())

    def __call__(self, number: int) -> Sample:
        """The same number gives the same photo."""
        rng = np.random.default_rng((self._seed, SPLITS.index(self._split), number))
        source = self._sources[rng.choice(len(self._sources), p=self._odds)]
        if source == "no_document":
            return Sample(_reframe(_pick(self._scenes, rng), rng, 0.5), _unknown(present=False), None, "")
        if source == "photos":
            seen = replace(_unknown(present=True), lines_covered=0.0)
            return Sample(_reframe(_pick(self._photos, rng), rng, 0.04), seen, None, "receipt")
        shot, kind = self._shoot(source, rng)
        present = shot.conditions.document_present
        return Sample(shot.photo, shot.conditions, shot.polygon if present else None, kind if present else "")

    def _shoot(self, source: str, rng: np.random.Generator) -> tuple[Shot, str]:
        plan = PhotoPlan.defect("document_absent", 1.0) if source == "nothing" else PhotoPlan.quality_training(rng)
        # Under a document lies a texture, or for a third of the photos any scene at all.
        scenes = [_pick(self._scenes, rng)] if self._scenes and self._split == "train" and rng.random() < 0.3 else None
        where = {"surfaces": scenes or self._surfaces, "paper": self._paper}
        if source == "sroie":
            scan = _read_scan(self._sroie[rng.integers(len(self._sroie))])
            shot = simulation.take_photo(
                scan.pixels,
                rng,
                plan,
                **where,
                text_height_px=scan.text_height_px,
                ink_contrast=scan.ink_contrast,
                lines=scan.lines,
            )
            return shot, "receipt"
        if source == "own":
            path = self._own[rng.integers(len(self._own))]
            return simulation.take_photo(pictures.load(path), rng, plan, **where), path.parent.name
        dice = Random(int(rng.integers(2**63)))
        if source == OTHER:
            sheet, kind = other_page(dice), OTHER
        else:
            kind = "receipt" if source == "nothing" else source  # with nothing, what is printed is left out
            _, sheet = generator_of(kind).draw(dice)
        printed = printing.print_sheet(sheet, rng)
        shot = simulation.take_photo(
            printed.pixels,
            rng,
            plan,
            **where,
            text_height_px=printed.text_height_px,
            ink_contrast=printed.ink_contrast,
            lines=[run.polygon for run in printed.runs],
        )
        return shot, kind


def fill(folder: Path, photographer: Photographer, split: Split, photos: int, part: int = 0, parts: int = 1) -> None:
    """Make the shards of a split that are not there yet, or every parts-th of them beginning with `part`.

    May be stopped and started at any time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(part, -(-photos // SHARD), parts):
        if not _file(folder, split, shard, "facts").exists():
            _write(folder, split, shard, (photographer(shard * SHARD + i) for i in range(SHARD)))


@dataclass(frozen=True)
class Order:
    """What one of several background processes is to make."""

    folder: Path
    folders: Folders
    seed: int
    shares: Weights
    photos: dict[Split, int]
    first: int  # so many of `train` before anything else, so that training can begin
    part: int = 0
    parts: int = 1

    def carry_out(self) -> None:
        """At low priority and on one thread."""
        os.nice(7)
        cv2.setNumThreads(1)
        for split, photos in (("train", self.first), *((name, self.photos[name]) for name in reversed(SPLITS))):
            photographer = Photographer(self.folders, split, self.seed, self.shares)
            fill(self.folder, photographer, split, min(photos, self.photos[split]), self.part, self.parts)


def are_made(folder: Path, split: Split, photos: int) -> bool:
    """Whether the first so many photos of a split are on disk."""
    return all(_file(folder, split, shard, "facts").exists() for shard in range(-(-photos // SHARD)))


class Shards:
    """The photos of a split that are on disk by now."""

    def __init__(self, folder: Path, split: Split, photos: int | None = None) -> None:
        """photos: only the first so many, in whole shards."""
        names = sorted(folder.glob(f"{split}-*-facts.npy"))[: None if photos is None else -(-photos // SHARD)]
        numbers = [int(name.stem.split("-")[1]) for name in names]
        self.facts = np.concatenate([_read_facts(name) for name in names]) if names else np.zeros(0, FACTS)
        self._frames = [np.load(_file(folder, split, number, "frames"), mmap_mode="r") for number in numbers]
        self._crops = [np.load(_file(folder, split, number, "crops"), mmap_mode="r") for number in numbers]

    def __len__(self) -> int:
        return len(self.facts)

    def pixels(self, index: int) -> tuple[Page, Page]:
        """Frame [FRAME_PX, FRAME_PX, 3] and crops [CROPS, CROP_PX, CROP_PX, 3]; copies."""
        shard, within = divmod(index, SHARD)
        return np.array(self._frames[shard][within]), np.array(self._crops[shard][within])


def conditions_of(row: NDArray[np.float32]) -> Conditions:
    """The inverse of how conditions are kept in a shard."""
    values = dict(zip(CONDITIONS, row.tolist(), strict=True))
    return Conditions(**{**values, "document_present": bool(values["document_present"])})


def held_out(paths: Sequence[Path], every: int, wanted: bool) -> list[Path]:
    """Every so-many-th (wanted), or all the others."""
    return [path for index, path in enumerate(paths) if (index % every == 0) == wanted]


def _load(paths: Sequence[Path]) -> list[Page]:
    return [pictures.load(path) for path in paths]


def _pick(pages: Sequence[Page], rng: np.random.Generator) -> Page:
    return pages[int(rng.integers(len(pages)))]


def _scans(root: Path, split: Split) -> list[Path]:
    theirs = {"train": "train", "calibrate": "dev_seen_merchants", "test": "dev_unseen_merchants"}[split]
    return [root / "images" / f"{name}.jpg" for name in json.loads((root / "splits.json").read_text())[theirs]]


@dataclass(frozen=True)
class _Scan:
    """A scanned page; the height of its text and the contrast of its ink are measured where its lines are."""

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
    """A real photo taken a little differently: up to `cut` of each side cropped, another size, another JPEG.

    The size is drawn as the simulator draws it, so that size does not tell real photos from synthetic ones.
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
    packed = cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def _read_facts(path: Path) -> NDArray[np.void]:
    """One shard's. Conditions that the camera did not tell of yet, the last ones, are not known (nan)."""
    kept = np.load(path)
    facts = np.zeros(len(kept), FACTS)
    for name in FACTS.names or ():
        if name != "conditions":
            facts[name] = kept[name]
    told = kept["conditions"].shape[1]
    facts["conditions"][:, :told], facts["conditions"][:, told:] = kept["conditions"], np.nan
    return facts


def _file(folder: Path, split: Split, shard: int, part: str) -> Path:
    return folder / f"{split}-{shard:05}-{part}.npy"


def _write(folder: Path, split: Split, shard: int, samples: Iterable[Sample]) -> None:
    """samples: SHARD of them; one is held at a time, they are large."""
    frames = np.empty((SHARD, FRAME_PX, FRAME_PX, 3), np.uint8)
    crops = np.empty((SHARD, CROP_COUNT, CROP_PX, CROP_PX, 3), np.uint8)
    facts = np.zeros(SHARD, FACTS)
    for i, sample in enumerate(samples):
        seen = take_glimpse(sample.photo)
        frames[i], crops[i] = seen.frame.pixels, seen.crops
        size = (seen.width, seen.height)
        polygon = np.full((4, 2), np.nan) if sample.polygon is None else sample.polygon / size
        row = tuple(float(getattr(sample.conditions, name)) for name in CONDITIONS)
        facts[i] = (row, polygon, size, (seen.frame.width, seen.frame.height), sample.type)
    # The facts come last and appear at once: a shard without them does not count.
    for part, array in (("frames", frames), ("crops", crops), ("facts", facts)):
        unfinished = _file(folder, split, shard, part).with_suffix(".part")
        with unfinished.open("wb") as out:
            np.save(out, array)
        unfinished.rename(_file(folder, split, shard, part))
