"""Compare two quality models on the same photos: synthetic ones, whose conditions are known, and labelled ones.

Of a labelled folder, the accepted shares are compared. If its tags name criteria (`blurry`, `glare`, …), the tagged
photos have that defect and all others of the folder are free of it; then the AUROC of these criteria is compared, too.
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
from training.datasets import LabelledPage, group_of, pictures
from training.evaluation import quality as measure
from training.evaluation.bootstrap import (
    Floats,
    PairedComparison,
    Resamples,
    compare_aurocs,
    compare_shares,
    draw_group_resamples,
    draw_resamples,
)
from training.evaluation.photo_outcomes import RecordingModels
from training.evaluation.usability import EVERYTHING, JudgedPhoto, cross_judge, read_photos, usability_figures
from training.tasks.quality.photos import Shards
from training.tasks.quality.usability import fit_usability_model

SYNTHETIC, USABILITY = "synthetic", "usability"
QualityRows = dict[str, PairedComparison | None]  # None if there is nothing to compare
QualityPair = tuple[
    Sequence[Assessment], Sequence[Assessment]
]  # of the candidate and of the served model, one assessment per photo


@dataclass(frozen=True)
class Folders:
    """What is measured in addition to labelled folders; everything is optional."""

    made: Path | None = None  # photos made by training.tasks.quality.train; the test split is used
    no_document: Path | None = None
    photos: Path | None = None
    smartdoc: Path | None = None
    usability: Path | None = None  # photos made by training.evaluation.usability_photos, which were read with `models`
    models: Path = Path("models")


def add_arguments(parser: Any) -> None:
    """Add the options to an argument parser or a group of one."""
    for name, what in (
        ("made", "the photos that `training.tasks.quality.train` made; WEIGHTS/../photos"),
        ("no-document", "photos without a document"),
        ("photos", "photos of receipts"),
        ("smartdoc", "ICDAR 2015 SmartDoc frames, ground_truth.csv"),
        ("usability", "photos made and read by training.evaluation.usability_photos"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)


def folders_of(options: argparse.Namespace) -> Folders:
    """The folders of parsed options."""
    return Folders(
        options.made or options.weights.parent / "photos",
        options.no_document,
        options.photos,
        options.smartdoc,
        options.usability,
        options.models,
    )


def compare_quality_models(
    candidate: Version,
    served: Version,
    sets: Mapping[str, Sequence[LabelledPage]],
    folders: Folders,
    device: str = "cpu",
    seed: int = 0,
) -> dict[str, Any]:
    """The content of scores.json: the candidate's scores by set, and its comparison with the served model by row."""
    torch.set_num_threads(1)
    models: list[Assessor] = [version.load(device) for version in (candidate, served)]
    usability_models = [UsabilityModel.load(version.folder) for version in (candidate, served)]
    scores: dict[str, Any] = {"speed": measure.measure_speed(models[0])}
    comparison: QualityRows = {}
    if folders.made and len(shards := Shards(folders.made, "test")):
        pair = (measure.assess_shards(models[0], shards), measure.assess_shards(models[1], shards))
        scores[SYNTHETIC] = measure.synthetic_scores(pair[0], shards, usability_models[0])
        resamples = draw_resamples(len(shards), np.random.default_rng(seed))
        comparison |= _prefixed(SYNTHETIC, compare_synthetic(pair, shards, usability_models, resamples))
    for name, pages in sets.items():
        found = [
            _assess_set(model, usability, pages) for model, usability in zip(models, usability_models, strict=True)
        ]
        scores[name] = {"photos": len(pages), "accepted": round(float(np.mean(found[0].accepted)), 4)}
        resamples = draw_group_resamples(list(map(group_of, pages)), np.random.default_rng(seed))
        comparison |= _prefixed(name, compare_labelled(found[0], found[1], pages, resamples))
    if folders.smartdoc:
        scores["smartdoc15"] = measure.evaluate_smartdoc(models[0], folders.smartdoc)
    if folders.no_document and folders.photos:
        scores["degraded"] = measure.evaluate_degraded(models[0], folders.photos)
        scores["real"] = measure.evaluate_real(models[0], folders.no_document, folders.photos, usability_models[0])
    if folders.usability:
        models = RecordingModels(folders.models)
        judged, theirs = (
            cross_judge(read_photos(folders.usability, models, version.folder), fit_usability_model)
            for version in (candidate, served)
        )
        comparison |= _prefixed(USABILITY, compare_usability(judged, theirs, seed))
        scores[USABILITY] = usability_scores(judged)
    rows = {row: asdict(one) for row, one in comparison.items() if one is not None}
    return {**scores, gate.COMPARISON: rows}


def compare_synthetic(
    pair: QualityPair, shards: Shards, usability_models: Sequence[UsabilityModel], resamples: Resamples
) -> QualityRows:
    """Rows for each criterion and for the usability score; names as in the scores of training.evaluation.quality."""
    mine, theirs = pair
    known = measure.criterion_truths(shards)
    found: QualityRows = {}
    for criterion in CRITERIA:
        decided = [index for index, truth in enumerate(known) if truth[criterion.name] is not None]
        scores = _scores(mine, criterion.name)[decided], _scores(theirs, criterion.name)[decided]
        free = [not known[index][criterion.name] for index in decided]
        found[f"criteria.{criterion.name}.auroc"] = compare_aurocs(scores, free, resamples.of(decided))

    fine = [measure.is_fine(truth) for truth in known]
    decided = [index for index, good in enumerate(fine) if good is not None]
    overall = _overall(mine, usability_models[0]), _overall(theirs, usability_models[1])
    good = [bool(fine[index]) for index in decided]
    found["overall.auroc"] = compare_aurocs((overall[0][decided], overall[1][decided]), good, resamples.of(decided))
    limits = [usability.thresholds["normal"] for usability in usability_models]
    for name, expected in (("of_fine_photos", True), ("of_spoilt_photos", False)):
        counted = np.array([one is expected for one in fine])
        accepted = (overall[0] >= limits[0]) & counted, (overall[1] >= limits[1]) & counted
        found[f"accepted.normal.{name}"] = compare_shares(accepted, counted, resamples, less_is_better=not expected)

    outlines = [fact["polygon"] for fact in shards.facts]
    outlined = [bool(good) and not np.isnan(outline).any() for good, outline in zip(fine, outlines, strict=True)]
    ious = _overlaps(mine, outlines, outlined), _overlaps(theirs, outlines, outlined)
    found["corners_of_fine_photos.mean_iou"] = compare_shares(ious, outlined, resamples)
    return found


def compare_usability(mine: Sequence[JudgedPhoto], theirs: Sequence[JudgedPhoto], seed: int) -> QualityRows:
    """Rows for the usability score, of models that are fitted anew to either network, and judge the same photos."""
    usable = np.array([one.photo.usable for one in mine])
    resamples = draw_group_resamples([one.photo.group for one in mine], np.random.default_rng(seed))
    scores, passed = (
        (np.array([of(one) for one in mine]), np.array([of(one) for one in theirs]))
        for of in (lambda one: one.score, lambda one: "normal" in one.passed)
    )
    stopped = tuple(~side & ~usable for side in passed)
    return {
        "auroc": compare_aurocs(scores, usable.tolist(), resamples),
        "usable_passed": compare_shares((passed[0] & usable, passed[1] & usable), usable, resamples),
        "spoilt_stopped": compare_shares((stopped[0], stopped[1]), ~usable, resamples),
    }


def usability_scores(judged: Sequence[JudgedPhoto]) -> dict[str, Any]:
    """The figures of docs/validation.md of all photos that the gate uses."""
    figures = usability_figures(judged)[EVERYTHING]
    return {
        "photos": len(judged),
        "auroc": figures["auroc"]["score"][0],
        "usable_passed": figures["normal"]["passed"][0],
        "spoilt_stopped": figures["normal"]["stopped"][0],
    }


def _scores(assessments: Sequence[Assessment], criterion: str) -> Floats:
    return np.array([one.scores[criterion] for one in assessments], np.float64)


def _overall(assessments: Sequence[Assessment], usability: UsabilityModel) -> Floats:
    return np.array([usability.score(one.scores) for one in assessments], np.float64)


def _overlaps(assessments: Sequence[Assessment], outlines: Sequence[Polygon], counted: Sequence[bool]) -> list[float]:
    """Intersection over union with the true outlines; 0 if no outline was found, or if the photo is not counted."""
    return [
        measure.polygon_iou(one.polygon, outline) if counts and one.polygon is not None else 0.0
        for one, outline, counts in zip(assessments, outlines, counted, strict=True)
    ]


@dataclass(frozen=True)
class _SetAssessment:
    """One model's results on a set of photos."""

    assessments: Sequence[Assessment]
    accepted: Sequence[bool]


def _assess_set(model: Assessor, usability: UsabilityModel, pages: Sequence[LabelledPage]) -> _SetAssessment:
    assessments, accepted = [], []
    for page in pages:
        photo = pictures.load(page.image, selection=page.selection)
        (found,) = model.assess([take_glimpse(photo)])
        assessments.append(found)
        accepted.append(verdict_on(found, 0, photo.shape[1], photo.shape[0], usability=usability).accepted)
    return _SetAssessment(assessments, accepted)


def compare_labelled(
    mine: _SetAssessment, theirs: _SetAssessment, pages: Sequence[LabelledPage], resamples: Resamples
) -> QualityRows:
    """Rows for the share of accepted photos, and for the AUROC of each criterion that a tag names."""
    found: QualityRows = {"accepted": compare_shares((mine.accepted, theirs.accepted), np.ones(len(pages)), resamples)}
    for criterion in CRITERIA:
        free = [criterion.name not in page.tags for page in pages]
        scores = _scores(mine.assessments, criterion.name), _scores(theirs.assessments, criterion.name)
        found[f"criteria.{criterion.name}.auroc"] = compare_aurocs(scores, free, resamples)
    return found


def _prefixed(name: str, rows: QualityRows) -> QualityRows:
    return {f"{name}.{row}": one for row, one in rows.items()}
