"""A quality network that knows a user's own documents: their pages, cut out of their photos, before the camera again.

What the photos lack, every defect at every strength, the generator's camera adds; made-up documents of the types that
are known stand among them, so that nothing is forgotten.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.progress import Progress
from safetensors.torch import load_file

from docextract.documents import document_types
from docextract.findings import Assessment
from docextract.imaging import glimpse, rectify
from docextract.quality.assessor import WEIGHTS, Assessor
from docextract.quality.verdict import DETECTED_FROM
from docextract.registry import promoted
from training import quality
from training.adopting import same_names, take_over
from training.datasets import LabelledPage, UnusableDataError, pictures
from training.quality_photos import Folders, Weights

PAGES = "pages"  # below the run's folder: cut-outs by type
LONGEST_PX = 1400  # of a cut-out; photos made of it are no larger
FEWEST_PAGES = 10


def retrain_quality(
    labels: Sequence[LabelledPage], out: Path, models_dir: Path, settings: quality.Settings, bar: Progress
) -> Path:
    """Weights that know these documents too. Returns their folder. Raises UnusableDataError."""
    served = promoted("quality", models_dir)
    served.verify()
    assessor = Assessor.load(served.folder)
    cut = _cut_out(labels, out / PAGES, assessor, bar)
    if cut < FEWEST_PAGES:
        raise UnusableDataError(
            f"documents were found on {cut} of {len(labels)} photos; at least {FEWEST_PAGES} it takes"
        )

    known = assessor.shape
    types = tuple(dict.fromkeys([*known.types, *(label.type for label in labels)]))
    made_up = {name: _share(name, types) for name in vars(Weights())}
    settings = replace(
        settings, types=types, sides=known.sides, widths=known.widths, crop_widths=known.crop_widths,
        hidden=known.hidden, photos=replace(settings.photos, shares=replace(Weights(), **made_up)),
    )  # fmt: skip
    run = quality.Run.begin(settings)
    heads = {
        "criteria": same_names(run.network.shape.criteria, known.criteria),
        "types": same_names(types, known.types),
        "sides": same_names(settings.sides, known.sides),
    }
    for network in (run.network, run.average):
        take_over(network, load_file(served.folder / WEIGHTS), heads)
    task = bar.add_task("training", total=settings.steps)
    quality.train_with_makers(
        run, settings, Folders(own=out / PAGES), out, lambda step: bar.update(task, completed=step)
    )
    return out / quality.WEIGHTS


def _share(source: str, types: Sequence[str]) -> float:
    """The usual one; none for types that the served network was never taught."""
    unknown = source in document_types() and source not in types
    return 0.0 if unknown else float(getattr(Weights(), source))


def _cut_out(labels: Sequence[LabelledPage], folder: Path, assessor: Assessor, bar: Progress) -> int:
    """Flatten the document of each photo on which one is found. Returns how many there were; those of before stay."""
    task = bar.add_task("cutting out", total=len(labels))
    cut = 0
    for label in labels:
        target = folder / label.type / f"{label.key}.jpg"
        if not target.exists():
            photo = pictures.load(label.image)
            seen = assessor.assess([glimpse(photo)])[0]
            if (flat := _flat(photo, seen)) is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                pictures.save(flat, target)
        cut += target.exists()
        bar.update(task, advance=1)
    return cut


def _flat(photo: np.ndarray, seen: Assessment) -> np.ndarray | None:
    if seen.polygon is None or seen.detected < DETECTED_FROM:
        return None
    polygon = seen.polygon * np.array([photo.shape[1], photo.shape[0]], np.float32)
    return rectify(photo, polygon.astype(np.float32), LONGEST_PX, margin=0.0).page
