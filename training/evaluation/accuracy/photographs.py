"""Photographs of documents to order: the same order gives the same photograph, and the truth about it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from docextract.documents import document_types
from docextract.documents.base import MRZ
from docextract.images.geometry import Page
from training.datasets import pictures, sroie, synthetic
from training.synth import fonts
from training.synth.camera import simulation
from training.synth.camera.plan import PLANS, Defect, Plan
from training.synth.camera.simulation import Shot
from training.synth.examples import PhotoExamples

SYNTHETIC_SEED = 9  # the judge's: a candidate's scores are those of the same photographs
PHOTOGRAPH_SEED = 7
JPEG_QUALITY = 92
GRADES = (0.25, 0.5, 0.75, 1.0)  # severities, see training/synth/camera/plan.py
JPEG_GRADES = (40, 20, 10, 5)  # qualities
SIZE_GRADES = (0.7, 0.5, 0.35, 0.25)  # scales; the plan's own `text_too_small` ends at the smallest phone photo
# What is graded: the defect to provoke, and the condition that tells what came of it. None: done to a careful photo.
WAYS: Mapping[str, tuple[Defect | None, str, str]] = {
    "blur": ("blurry", "blur_sigma_px", "σ of the blur, px"),
    "darkness": ("dark", "exposure", "lightness of the paper, L*"),
    "glare": ("glare", "glare_fraction", "share of the page under the lamp"),
    "tilt": ("tilted", "tilt_deg", "degrees"),
    "JPEG": (None, "jpeg_quality", "quality"),
    "size": (None, "text_height_px", "height of a line, px"),
}
CLEAN = "none"


@dataclass(frozen=True)
class SyntheticPhoto:
    """A synthetic document of a type, photographed as people do, in typefaces that readers have not learned from."""

    type: str
    index: int
    plan: str = "everyday"
    seed: int = SYNTHETIC_SEED
    typefaces: fonts.Share = "unseen"

    def spell(self) -> str:
        """All that it depends on, but for the generator."""
        return repr(self)


@dataclass(frozen=True)
class OfScan:
    """A real receipt's scan, photographed. plan: a name in PLANS, or a way of WAYS with its grade, 0 the mildest."""

    scan: Path
    root: Path
    index: int
    plan: str
    grade: int = 0
    seed: int = PHOTOGRAPH_SEED

    def spell(self) -> str:
        """All that it depends on, but for the generator."""
        return f"{self.scan.name} {self.scan.stat().st_size} {self.index} {self.plan} {self.grade} {self.seed}"


Order = SyntheticPhoto | OfScan


@dataclass(frozen=True)
class Taken:
    """A photograph, how it is to be saved, and the truth about it as JSON."""

    photo: Page
    jpeg_quality: int
    truth: dict[str, Any]


def take(order: Order, textures: Sequence[Page]) -> Taken:
    """Photograph one page; the same for the same order."""
    return _of_synthetic(order, textures) if isinstance(order, SyntheticPhoto) else _of_scan(order, textures)


def _of_synthetic(order: SyntheticPhoto, textures: Sequence[Page]) -> Taken:
    kind = document_types()[order.type]
    record, printed, shot, _ = PhotoExamples(
        order.seed, kinds=[kind], plan=PLANS[order.plan], surfaces=textures, typefaces=order.typefaces
    )[order.index]  # fmt: skip
    truth = {
        "fields": synthetic.fields_of(record),
        "runs": [[run.text, _relative(run.polygon, shot), run.field] for run in printed.runs],
        "zone": list(getattr(record, MRZ, ())),
    }
    return Taken(shot.photo, JPEG_QUALITY, truth | {"conditions": _conditions(shot)})


def _of_scan(order: OfScan, textures: Sequence[Page]) -> Taken:
    scan = pictures.load(order.scan)
    if order.plan in PLANS:
        shot = sroie.photographed(scan, order.seed, order.index, order.plan, textures)
    else:
        rng, plan = np.random.default_rng((order.seed, order.index)), _graded(order.plan, order.grade)
        shot = simulation.shoot(scan, rng, plan, textures, text_height_px=_line_height_px(order))
    photo, quality, conditions = shot.photo, JPEG_QUALITY, _conditions(shot)
    if order.plan == "JPEG":
        quality = JPEG_GRADES[order.grade]
        conditions["jpeg_quality"] = float(quality)
    elif order.plan == "size":
        scale = SIZE_GRADES[order.grade]
        photo = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        conditions["text_height_px"] *= scale
    lines = sroie.transcript(order.root, order.scan.stem)
    runs = [[text, _relative(polygon, shot), None] for polygon, text in lines]
    return Taken(photo, quality, {"runs": runs, "conditions": conditions})


def _graded(way: str, grade: int) -> Plan:
    defect = WAYS[way][0] if way != CLEAN else None
    good = Plan.good()
    return Plan(((defect, GRADES[grade]),), good.carelessness) if defect else good


def _line_height_px(order: OfScan) -> float:
    """Median height of a line on the scan: only then the camera tells how high it is in the photo."""
    boxes = [polygon for polygon, _ in sroie.transcript(order.root, order.scan.stem)]
    return float(np.median([np.linalg.norm(box[3] - box[0]) for box in boxes]))


def _relative(polygon: NDArray[np.floating], shot: Shot) -> list[list[float]]:
    height, width = shot.photo.shape[:2]
    return np.round(shot.to_photo(np.asarray(polygon)) / [width, height], 5).tolist()  # type: ignore[no-any-return]


def _conditions(shot: Shot) -> dict[str, float]:
    return {name: float(value) for name, value in asdict(shot.conditions).items() if value == value}
