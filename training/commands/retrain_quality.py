"""Fine-tune the quality network on a user's own documents, cut out of their photos and simulated as photos again.

The camera simulation adds the defects, in all strengths, that the user's photos lack. Synthetic documents of the known
types are mixed in, so that the network does not forget them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress, TaskID
from safetensors.torch import load_file

from docextract.documents import document_types
from docextract.images.geometry import rectify, take_glimpse
from docextract.predictions import Assessment
from docextract.quality.assessor import WEIGHTS_FILE, Assessor
from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import judge_photo
from docextract.registry import promoted_version
from training import history, report
from training.datasets import LabelledPage, UnusableDataError, group_of, is_held_out, pictures
from training.datasets.parts import Part, part_of_group, require_groups
from training.evaluation import quality as evaluate_quality
from training.loop import WEIGHTS
from training.tasks.quality import train as quality_training
from training.tasks.quality.photos import PhotoFolders, Shards, SourceShares, Split
from training.tasks.quality.train import QualitySettings
from training.warm_start import copy_weights, matching_rows

PAGES = "pages"  # folder of the cut-outs by split and type, inside the run's folder
SPLIT_OF_PART: Mapping[Part, Split] = {
    "train": "train",
    "stop": "calibrate",
    "calibrate": "calibrate",
    "evaluate": "test",
}
MAX_CUTOUT_PX = 1400  # longer side of a cut-out; photos simulated from it are no larger
MIN_QUALITY_PAGES = 10
SHOWN_CRITERIA = 6  # lowest-scored criteria shown for a photo


def retrain_quality(
    labels: Sequence[LabelledPage], out: Path, models_dir: Path, settings: QualitySettings, bar: Progress
) -> Path:
    """Fine-tune and return the folder of the new weights. Raises UnusableDataError."""
    served = promoted_version("quality", models_dir)
    served.verify()
    assessor = Assessor.load(served.folder)
    splits = splits_by_group(labels)
    training_labels = [label for label in labels if not is_held_out(label)]
    cut = _cut_out(training_labels, splits, out / PAGES, assessor, bar)
    if cut < MIN_QUALITY_PAGES:
        raise UnusableDataError(
            f"documents were found on {cut} of {len(training_labels)} photos; at least {MIN_QUALITY_PAGES} are needed"
        )
    require_groups(labels)
    _cut_out([label for label in labels if is_held_out(label)], splits, out / PAGES, assessor, bar)

    known = assessor.shape
    trained = [label.type for label in training_labels if splits[group_of(label)] == "train"]
    types = tuple(dict.fromkeys([*known.types, *trained]))
    if untrained := sorted({label.type for label in labels} - set(types)):
        raise UnusableDataError(
            f"all photos of {untrained[0]!r} are held back from training; label photos of more groups"
        )
    shares = {name: _share(name, types) for name in vars(SourceShares())}
    settings = replace(
        settings, types=types, sides=known.sides, widths=known.widths, crop_widths=known.crop_widths,
        hidden=known.hidden, photos=replace(settings.photos, shares=replace(SourceShares(), **shares)),
    )  # fmt: skip
    network = quality_training.build_network(settings)
    heads = {
        "criteria": matching_rows(network.shape.criteria, known.criteria),
        "types": matching_rows(types, known.types),
        "sides": matching_rows(settings.sides, known.sides),
    }
    copy_weights(network, load_file(served.folder / WEIGHTS_FILE), heads)
    quality_training.train_quality(network, settings, PhotoFolders(own=out / PAGES), out, _shown_on(bar))
    weights = out / WEIGHTS
    # The usability model can be reused: it combines calibrated probabilities, whichever network they come from.
    UsabilityModel.load(served.folder).save(weights)
    shown = [label for label in labels if is_held_out(label)][: report.MAX_SAMPLES]
    synthetic = Shards(out / quality_training.PHOTOS, "test", settings.photos.test)
    report.write_report(out / report.REPORT_FILE, _report(history.read(out), weights, synthetic, shown))
    return weights


def splits_by_group(labels: Sequence[LabelledPage]) -> dict[str, Split]:
    """The split of each group: by its part, but one group of several stops the training if else none would."""
    groups = sorted({group_of(label) for label in labels})
    splits = {group: SPLIT_OF_PART[part_of_group(group)] for group in groups}
    training = [group for group in groups if splits[group] == "train"]
    if "calibrate" not in splits.values() and len(training) > 1:
        splits[training[-1]] = "calibrate"
    return splits


def _shown_on(bar: Progress) -> quality_training.ProgressCallback:
    tasks: dict[str, TaskID] = {}

    def show(what: str, done: int, of: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what)
        bar.update(tasks[what], completed=done, total=of)

    return show


def _share(source: str, types: Sequence[str]) -> float:
    """The default share of a source; 0 for document types that the served network was never trained on."""
    unknown = source in document_types() and source not in types
    return 0.0 if unknown else float(getattr(SourceShares(), source))


def _cut_out(
    labels: Sequence[LabelledPage], splits: Mapping[str, Split], folder: Path, assessor: Assessor, bar: Progress
) -> int:
    """Rectify each detected document. Returns the number of cut-outs, earlier ones included."""
    task = bar.add_task("cutting out", total=len(labels))
    cut = 0
    for label in labels:
        target = folder / splits[group_of(label)] / label.type / f"{label.key}.jpg"
        if not target.exists():
            photo = pictures.load(label.image, selection=label.selection)
            assessment = assessor.assess([take_glimpse(photo)])[0]
            if (page := _rectified(photo, assessment)) is not None:
                target.parent.mkdir(parents=True, exist_ok=True)
                pictures.save(page, target)
        cut += target.exists()
        bar.update(task, advance=1)
    return cut


def _rectified(photo: np.ndarray, assessment: Assessment) -> np.ndarray | None:
    if assessment.polygon is None or assessment.detected < DETECTION_THRESHOLD:
        return None
    polygon = assessment.polygon * np.array([photo.shape[1], photo.shape[0]], np.float32)
    return rectify(photo, polygon.astype(np.float32), MAX_CUTOUT_PX, margin=0.0).page


def _report(
    learned: Sequence[Mapping[str, Any]], weights: Path, synthetic: Shards, labels: Sequence[LabelledPage]
) -> report.Report:
    """Scores and samples of photos that were not trained on, and the training curves."""
    assessor, usability = Assessor.load(weights), UsabilityModel.load(weights)
    scores = evaluate_quality.evaluate_synthetic(assessor, synthetic, usability)["criteria"]
    return report.Report(
        "Training report",
        [
            f"{learned[-1]['step'] if learned else 0} steps. The curves are of simulated photos that stop the "
            f"training, the table is of {len(synthetic)} others that nothing depends on, those of your own pages "
            "included. Below them are your own held-out photos, with the outline that was found and the criteria with "
            "the lowest scores."
        ],
        plots=[
            report.plot("Loss, on training photos", learned, lambda row: {"all": sum(row["loss"].values())}),
            report.plot("Loss, on held-out photos", learned, lambda row: {"all": row["held_back"]["loss"]}),
            report.plot(
                "Right, on held-out photos",
                learned,
                lambda row: {name: row["held_back"][name] for name in ("defects", "types")},
                top=1.0,
            ),
        ],
        tables={
            "Defects, on held-out photos": report.ReportTable(
                ("defect", "photos", "with defect", "AUROC"),
                [report.Row((one.name, *map(scores[one.name].get, ("n", "defects", "auroc")))) for one in CRITERIA],
            )
        },
        samples=[_sample(assessor, usability, label) for label in labels],
    )


def _sample(assessor: Assessor, usability: UsabilityModel, label: LabelledPage) -> report.ReportSample:
    photo = pictures.load(label.image, selection=label.selection)
    assessment = assessor.assess([take_glimpse(photo)])[0]
    verdict = judge_photo(assessment, 0, photo.shape[1], photo.shape[0], usability=usability)
    lowest = sorted(verdict.criteria, key=lambda one: one.score)[:SHOWN_CRITERIA]
    return report.ReportSample(
        f"{label.key}: {'accepted' if verdict.accepted else 'refused'}, {verdict.score:.2f}",
        report.thumbnail(photo, assessment.polygon),
        report.ReportTable(
            ("criterion", "score", "has to reach"),
            [report.Row((one.name, one.score, one.threshold), not one.passed) for one in lowest],
        ),
    )
