"""Two quality models on the same photos: synthetic ones, whose conditions are known, and labelled ones.

Of a labelled folder the share that is accepted is compared; where its tags name criteria (`blurry`, `glare`, …), those
photos have that defect and all others of the folder are free of it, and the rankings are compared too.
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from docextract.images.geometry import Polygon, take_glimpse
from docextract.predictions import Assessment
from docextract.quality.assessor import Assessor
from docextract.quality.criteria import CRITERIA
from docextract.quality.usability import UsabilityModel
from docextract.quality.verdict import judge_photo as verdict_on
from docextract.registry import Version, gate
from training.datasets import LabelledPage, pictures
from training.evaluation import quality as measure
from training.evaluation.bootstrap import Floats, PairedComparison, aurocs, draw_resamples, shares
from training.tasks.quality.photos import Shards

SYNTHETIC = "synthetic"
Rows = dict[str, PairedComparison | None]  # None: nothing to compare
Pair = tuple[Sequence[Assessment], Sequence[Assessment]]  # of the candidate and of the served model, photo by photo


@dataclass(frozen=True)
class Folders:
    """What there is to measure on beside labelled folders; all of it is optional."""

    made: Path | None = None  # made by training.tasks.quality.train; its test split
    no_document: Path | None = None
    photos: Path | None = None
    smartdoc: Path | None = None


def add_arguments(parser: Any) -> None:
    """To a parser, or a group of one."""
    for name, what in (
        ("made", "the photos that `training.tasks.quality.train` made; WEIGHTS/../photos"),
        ("no-document", "photos without a document"),
        ("photos", "photos of receipts"),
        ("smartdoc", "ICDAR 2015 SmartDoc frames, ground_truth.csv"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)


def folders_of(options: argparse.Namespace) -> Folders:
    """What those arguments said."""
    return Folders(
        options.made or options.weights.parent / "photos", options.no_document, options.photos, options.smartdoc
    )


def compare_quality_models(
    coming: Version,
    served: Version,
    sets: Mapping[str, Sequence[LabelledPage]],
    folders: Folders,
    device: str = "cpu",
    seed: int = 0,
) -> dict[str, Any]:
    """scores.json: the candidate's scores by set, and the comparison by row."""
    torch.set_num_threads(1)
    models: list[Assessor] = [version.load(device) for version in (coming, served)]
    usability_models = [UsabilityModel.load(version.folder) for version in (coming, served)]
    scores: dict[str, Any] = {"speed": measure.measure_speed(models[0])}
    comparison: Rows = {}
    if folders.made and len(shards := Shards(folders.made, "test")):
        pair = (measure.assess_shards(models[0], shards), measure.assess_shards(models[1], shards))
        scores[SYNTHETIC] = measure.synthetic_scores(pair[0], shards, usability_models[0])
        drawn = draw_resamples(len(shards), np.random.default_rng(seed))
        comparison |= _prefixed(SYNTHETIC, compare_synthetic(pair, shards, usability_models, drawn))
    for name, pages in sets.items():
        found = [_seen(model, usability, pages) for model, usability in zip(models, usability_models, strict=True)]
        scores[name] = {"photos": len(pages), "accepted": round(float(np.mean(found[0].accepted)), 4)}
        drawn = draw_resamples(len(pages), np.random.default_rng(seed))
        comparison |= _prefixed(name, compare_labelled(found[0], found[1], pages, drawn))
    if folders.smartdoc:
        scores["smartdoc15"] = measure.evaluate_smartdoc(models[0], folders.smartdoc)
    if folders.no_document and folders.photos:
        scores["degraded"] = measure.evaluate_degraded(models[0], folders.photos)
        scores["real"] = measure.evaluate_real(models[0], folders.no_document, folders.photos, usability_models[0])
    rows = {row: asdict(one) for row, one in comparison.items() if one is not None}
    return {**scores, gate.COMPARISON: rows}


def compare_synthetic(pair: Pair, shards: Shards, usability_models: Sequence[UsabilityModel], drawn: Floats) -> Rows:
    """By criterion, and for the verdict as a whole. Rows are called as in evaluate_quality's scores."""
    mine, theirs = pair
    known = measure.criterion_truths(shards)
    found: Rows = {}
    for criterion in CRITERIA:
        told = [index for index, truth in enumerate(known) if truth[criterion.name] is not None]
        scores = _scores(mine, criterion.name)[told], _scores(theirs, criterion.name)[told]
        free = [not known[index][criterion.name] for index in told]
        found[f"criteria.{criterion.name}.auroc"] = aurocs(scores, free, drawn[:, told])

    fine = [measure.is_fine(truth) for truth in known]
    told = [index for index, good in enumerate(fine) if good is not None]
    overall = _overall(mine, usability_models[0]), _overall(theirs, usability_models[1])
    good = [bool(fine[index]) for index in told]
    found["overall.auroc"] = aurocs((overall[0][told], overall[1][told]), good, drawn[:, told])
    limits = [usability.thresholds["normal"] for usability in usability_models]
    for name, expected in (("of_fine_photos", True), ("of_spoilt_photos", False)):
        counted = np.array([one is expected for one in fine])
        accepted = (overall[0] >= limits[0]) & counted, (overall[1] >= limits[1]) & counted
        found[f"accepted.normal.{name}"] = shares(accepted, counted, drawn, less_is_better=not expected)

    outlines = [fact["polygon"] for fact in shards.facts]
    outlined = [bool(good) and not np.isnan(outline).any() for good, outline in zip(fine, outlines, strict=True)]
    ious = _overlaps(mine, outlines, outlined), _overlaps(theirs, outlines, outlined)
    found["corners_of_fine_photos.mean_iou"] = shares(ious, outlined, drawn)
    return found


def _scores(seen: Sequence[Assessment], criterion: str) -> Floats:
    return np.array([one.scores[criterion] for one in seen], np.float64)


def _overall(seen: Sequence[Assessment], usability: UsabilityModel) -> Floats:
    return np.array([usability.score(one.scores) for one in seen], np.float64)


def _overlaps(seen: Sequence[Assessment], outlines: Sequence[Polygon], counted: Sequence[bool]) -> list[float]:
    """With the true outlines; 0 where none was found, or where it is not counted."""
    return [
        measure.polygon_iou(one.polygon, outline) if counts and one.polygon is not None else 0.0
        for one, outline, counts in zip(seen, outlines, counted, strict=True)
    ]


@dataclass(frozen=True)
class _Seen:
    """One model's view of a set of photos."""

    assessments: Sequence[Assessment]
    accepted: Sequence[bool]


def _seen(model: Assessor, usability: UsabilityModel, pages: Sequence[LabelledPage]) -> _Seen:
    assessments, accepted = [], []
    for page in pages:
        photo = pictures.load(page.image)
        (found,) = model.assess([take_glimpse(photo)])
        assessments.append(found)
        accepted.append(verdict_on(found, 0, photo.shape[1], photo.shape[0], usability=usability).accepted)
    return _Seen(assessments, accepted)


def compare_labelled(mine: _Seen, theirs: _Seen, pages: Sequence[LabelledPage], drawn: Floats) -> Rows:
    """How many are accepted; and for each criterion that a tag names, how well its photos are told from the others."""
    found: Rows = {"accepted": shares((mine.accepted, theirs.accepted), np.ones(len(pages)), drawn)}
    for criterion in CRITERIA:
        free = [criterion.name not in page.tags for page in pages]
        scores = _scores(mine.assessments, criterion.name), _scores(theirs.assessments, criterion.name)
        found[f"criteria.{criterion.name}.auroc"] = aurocs(scores, free, drawn)
    return found


def _prefixed(name: str, rows: Rows) -> Rows:
    return {f"{name}.{row}": one for row, one in rows.items()}
