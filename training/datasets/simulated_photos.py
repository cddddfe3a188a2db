"""Simulated photos of synthetic documents and of scans, each from a specification, for measuring and for training.

The same specification always gives the same photo and the same ground truth.
"""

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
from training.synth.camera.plan import PHOTO_PLANS, Defect, PhotoPlan
from training.synth.camera.simulation import Shot
from training.synth.examples import PhotoExamples

EVALUATION_SEED = 9  # the same for every comparison, so that all candidates are measured on the same photos
SCAN_PHOTO_SEED = 7
JPEG_QUALITY = 92
SEVERITIES = (0.25, 0.5, 0.75, 1.0)  # one per grade; see training/synth/camera/plan.py
JPEG_QUALITIES = (40, 20, 10, 5)  # one per grade
SCALES = (0.7, 0.5, 0.35, 0.25)  # one per grade; the plan's own `text_too_small` ends at the smallest phone photo
# By name: the defect that the camera simulation adds (None: applied to a careful photo afterwards), the condition
# that measures the result, and its unit.
IMPAIRMENTS: Mapping[str, tuple[Defect | None, str, str]] = {
    "blur": ("blurry", "blur_sigma_px", "σ of the blur, px"),
    "darkness": ("dark", "exposure", "lightness of the paper, L*"),
    "glare": ("glare", "glare_fraction", "share of the page under the reflection"),
    "tilt": ("tilted", "tilt_deg", "degrees"),
    "JPEG": (None, "jpeg_quality", "quality"),
    "size": (None, "text_height_px", "height of a text line, px"),
}
NO_IMPAIRMENT = "none"


@dataclass(frozen=True)
class SyntheticPhotoSpec:
    """A simulated photo of a synthetic document, by default in typefaces that the recogniser has not learned from."""

    type: str
    index: int
    plan: str = "everyday"
    seed: int = EVALUATION_SEED
    typefaces: fonts.Share = "unseen"

    def cache_key(self) -> str:
        """Everything that the photo depends on, apart from the generator's sources."""
        return repr(self)


@dataclass(frozen=True)
class ScanPhotoSpec:
    """A simulated photo of a scanned receipt.

    plan: a name of PHOTO_PLANS, or a name of IMPAIRMENTS together with `grade`, 0 for the mildest.
    """

    scan: Path
    root: Path
    index: int
    plan: str
    grade: int = 0
    seed: int = SCAN_PHOTO_SEED

    def cache_key(self) -> str:
        """Everything that the photo depends on, apart from the generator's sources."""
        return f"{self.scan.name} {self.scan.stat().st_size} {self.index} {self.plan} {self.grade} {self.seed}"


PhotoSpec = SyntheticPhotoSpec | ScanPhotoSpec


@dataclass(frozen=True)
class SimulatedPhoto:
    """A photo, the JPEG quality to save it with, and its ground truth as JSON."""

    photo: Page
    jpeg_quality: int
    truth: dict[str, Any]


def simulate_photo(spec: PhotoSpec, textures: Sequence[Page]) -> SimulatedPhoto:
    """Make the photo of a specification. textures: pictures of table tops; synthetic ones are used without them."""
    return _of_synthetic(spec, textures) if isinstance(spec, SyntheticPhotoSpec) else _of_scan(spec, textures)


def _of_synthetic(spec: SyntheticPhotoSpec, textures: Sequence[Page]) -> SimulatedPhoto:
    kind = document_types()[spec.type]
    record, printed, shot, _ = PhotoExamples(
        spec.seed, kinds=[kind], plan=PHOTO_PLANS[spec.plan], surfaces=textures, typefaces=spec.typefaces
    )[spec.index]  # fmt: skip
    truth = {
        "fields": synthetic.labels_of(record),
        "runs": [[run.text, _relative(run.polygon, shot), run.field] for run in printed.runs],
        "zone": list(getattr(record, MRZ, ())),
    }
    return SimulatedPhoto(shot.photo, JPEG_QUALITY, truth | {"conditions": _conditions(shot)})


def _of_scan(spec: ScanPhotoSpec, textures: Sequence[Page]) -> SimulatedPhoto:
    scan = pictures.load(spec.scan)
    if spec.plan in PHOTO_PLANS:
        shot = sroie.photograph_scan(scan, spec.seed, spec.index, spec.plan, textures)
    else:
        rng, plan = np.random.default_rng((spec.seed, spec.index)), _graded_plan(spec.plan, spec.grade)
        shot = simulation.take_photo(scan, rng, plan, textures, text_height_px=_line_height_px(spec))
    photo, quality, conditions = shot.photo, JPEG_QUALITY, _conditions(shot)
    if spec.plan == "JPEG":
        quality = JPEG_QUALITIES[spec.grade]
        conditions["jpeg_quality"] = float(quality)
    elif spec.plan == "size":
        scale = SCALES[spec.grade]
        photo = np.asarray(cv2.resize(photo, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        conditions["text_height_px"] *= scale
    lines = sroie.transcript(spec.root, spec.scan.stem)
    runs = [[text, _relative(polygon, shot), None] for polygon, text in lines]
    return SimulatedPhoto(photo, quality, {"runs": runs, "conditions": conditions})


def _graded_plan(impairment: str, grade: int) -> PhotoPlan:
    defect = IMPAIRMENTS[impairment][0] if impairment != NO_IMPAIRMENT else None
    good = PhotoPlan.good()
    return PhotoPlan(((defect, SEVERITIES[grade]),), good.carelessness) if defect else good


def _line_height_px(spec: ScanPhotoSpec) -> float:
    """Median height of a text line on the scan. The simulation needs it to report the height in the photo."""
    boxes = [polygon for polygon, _ in sroie.transcript(spec.root, spec.scan.stem)]
    return float(np.median([np.linalg.norm(box[3] - box[0]) for box in boxes]))


def _relative(polygon: NDArray[np.floating], shot: Shot) -> list[list[float]]:
    height, width = shot.photo.shape[:2]
    return np.round(shot.to_photo(np.asarray(polygon)) / [width, height], 5).tolist()  # type: ignore[no-any-return]


def _conditions(shot: Shot) -> dict[str, float]:
    """The conditions that are known: nan values are left out."""
    return {name: float(value) for name, value in asdict(shot.conditions).items() if value == value}
