"""Measure quality weights through the served assessor, on photos that training has not used.

    python -m training.evaluation.quality runs/quality/weights --out scores.json

Synthetic photos come from the `test` split next to the training photos: other seeds, other surfaces, receipts of other
merchants. Real photos are the halves that training does not use. Every figure is given with its sample size.
"""

import argparse
import csv
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch

from docextract.images.geometry import FRAME_PX, FittedPage, Glimpse, Polygon, take_glimpse
from docextract.predictions import Assessment
from docextract.quality.assessor import Assessor
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import FRAME_MARGIN_PX
from docextract.quality.usability import DEFAULT_USABILITY, UsabilityModel
from docextract.quality.verdict import judge_photo
from docextract.registry import gate
from training.datasets.pictures import list_pictures, load
from training.evaluation.degradation import DEGRADATIONS, STRENGTHS
from training.metrics import auroc
from training.tasks.quality.labels import label_defects
from training.tasks.quality.photos import Shards, conditions_of

BATCH_SIZE = 16
DEGRADED_PX = 2000  # longest side; larger photos take long to degrade and give the same result
COVERED_BACKGROUND = "background05/"  # SmartDoc frames with pens and a cable on the page
Scores = dict[str, Any]


def evaluate_synthetic(assessor: Assessor, shards: Shards, usability: UsabilityModel = DEFAULT_USABILITY) -> Scores:
    """All scores on synthetic photos, whose conditions are known."""
    return synthetic_scores(assess_shards(assessor, shards), shards, usability)


def assess_shards(assessor: Assessor, shards: Shards) -> list[Assessment]:
    """Return one assessment per synthetic photo, in order."""
    return list(_assess(assessor, (_glimpse_of(shards, index) for index in range(len(shards)))))


def criterion_truths(shards: Shards) -> list[dict[str, bool | None]]:
    """For each synthetic photo, whether it fails each criterion; None if that cannot be decided."""
    return [label_defects(conditions_of(row)) for row in shards.facts["conditions"]]


def synthetic_scores(
    found: Sequence[Assessment], shards: Shards, usability: UsabilityModel = DEFAULT_USABILITY
) -> Scores:
    """Scores of assessments, one per photo of the shards."""
    known = criterion_truths(shards)
    criteria = {}
    for criterion in CRITERIA:
        pairs = [
            (one.scores[criterion.name], not truth[criterion.name])
            for one, truth in zip(found, known, strict=True)
            if truth[criterion.name] is not None
        ]
        criteria[criterion.name] = _ranking(pairs) | {"calibration_error": _calibration_error(pairs)}
    fine = [is_fine(truth) for truth in known]
    usability_scores = [usability.score(one.scores) for one in found]
    ious, rotations_right, types_right = [], [], []
    for one, fact in zip(found, shards.facts, strict=True):
        if np.isnan(fact["polygon"]).any():
            continue
        ious.append(0.0 if one.polygon is None else polygon_iou(one.polygon, fact["polygon"]))
        if one.polygon is not None:
            rotations_right.append(_same_rotation(one.polygon, fact["polygon"]))
            types_right.append(one.type == fact["type"])
    return {
        "photos": len(shards),
        "criteria": criteria,
        "overall": _ranking(
            [(score, good) for score, good in zip(usability_scores, fine, strict=True) if good is not None]
        ),
        "corners": _overlaps(ious),
        "corners_of_fine_photos": _overlaps(
            [
                0.0 if one.polygon is None else polygon_iou(one.polygon, fact["polygon"])
                for one, good, fact in zip(found, fine, shards.facts, strict=True)
                if good and not np.isnan(fact["polygon"]).any()
            ]
        ),
        "rotation": {"right": _mean(rotations_right), "n": len(rotations_right)},
        "type": {"right": _mean(types_right), "n": len(types_right)},
        "accepted": {
            strictness: {
                "of_fine_photos": _mean(
                    [score >= limit for score, good in zip(usability_scores, fine, strict=True) if good]
                ),
                "of_spoilt_photos": _mean(
                    [score >= limit for score, good in zip(usability_scores, fine, strict=True) if good is False]
                ),
            }
            for strictness, limit in usability.thresholds.items()
        },
    }


def evaluate_smartdoc(assessor: Assessor, folder: Path) -> Scores:
    """Corner accuracy on A4 pages on desks (ICDAR 2015 SmartDoc): all frames, and those with nothing on the page."""
    with (folder / "ground_truth.csv").open() as rows:
        known = list(csv.DictReader(rows))
    photos = [load(folder / row["image_path"].replace("/", "_")) for row in known]
    ious = []
    for row, photo, one in zip(known, photos, _assess(assessor, map(take_glimpse, photos)), strict=True):
        corners = np.array([[float(row[f"{corner}_{axis}"]) for axis in "xy"] for corner in ("tl", "tr", "br", "bl")])
        size = photo.shape[1], photo.shape[0]
        ious.append(0.0 if one.polygon is None else polygon_iou(one.polygon, (corners / size).astype(np.float32)))
    uncovered = [
        iou for row, iou in zip(known, ious, strict=True) if not row["image_path"].startswith(COVERED_BACKGROUND)
    ]
    return {**_overlaps(ious), "uncovered": _overlaps(uncovered)}


def evaluate_real(
    assessor: Assessor, no_document: Path, photos: Path, usability: UsabilityModel = DEFAULT_USABILITY
) -> Scores:
    """Scores on the halves of the real photos that training does not use: detection of documents, and acceptance."""
    sizes, found = {}, {}
    for name, folder in (("without", no_document), ("with", photos)):
        pages = [load(path) for path in list_pictures(folder)[1::2]]
        sizes[name] = [(page.shape[1], page.shape[0]) for page in pages]
        found[name] = list(_assess(assessor, map(take_glimpse, pages)))
    pairs = [(one.detected, True) for one in found["with"]] + [(one.detected, False) for one in found["without"]]
    verdicts = [
        judge_photo(one, 0, *size, usability=usability) for one, size in zip(found["with"], sizes["with"], strict=True)
    ]
    refusals = [criterion.name for verdict in verdicts for criterion in verdict.criteria if not criterion.passed]
    return {
        "absence": _ranking(pairs),
        "receipts_detected": _mean([one.polygon is not None for one in found["with"]]),
        "scenes_taken_for_documents": _mean([one.polygon is not None for one in found["without"]]),
        "receipts_accepted": _mean([verdict.accepted for verdict in verdicts]),
        "receipts_named_receipt": _mean([one.type == "receipt" for one in found["with"]]),
        "receipts_upright": _mean([one.rotation_degrees == 0 for one in found["with"] if one.polygon is not None]),
        "receipts_failing": {
            name: refusals.count(name) for name in sorted(set(refusals), key=refusals.count, reverse=True)
        },
    }


def evaluate_degraded(assessor: Assessor, photos: Path) -> Scores:
    """Scores on real photos, the half that training does not use, degraded by training.evaluation.degradation.

    auroc: by strength, degraded photos against the originals. Some originals already have the defect, most often a
    cut-off side. falling: share of steps from one strength to the next at which the criterion's score does not rise.
    """
    scores: dict[str, list[list[float]]] = {name: [] for name in DEGRADATIONS}
    for number, path in enumerate(list_pictures(photos)[1::2]):
        photo = load(path, longest_px=DEGRADED_PX)
        for name, degrade in DEGRADATIONS.items():
            degraded = (degrade(photo, strength, np.random.default_rng(number)) for strength in (0.0, *STRENGTHS))
            scores[name].append([one.scores[name] for one in _assess(assessor, map(take_glimpse, degraded))])
    found = {}
    for name, table in scores.items():
        as_they_are, *by_strength = np.array(table).T
        found[name] = {
            "auroc": {
                str(strength): round(auroc([*as_they_are, *some], [True] * len(as_they_are) + [False] * len(some)), 4)
                for strength, some in zip(STRENGTHS, by_strength, strict=True)
            },
            "falling": _mean((np.diff(np.array(table), axis=1) <= 0.01).ravel().tolist()),
            "n": len(table),
        }
    return found


def measure_speed(assessor: Assessor, repeats: int = 20) -> Scores:
    """Median times of both steps for a photo of 1000 × 1300 px, ms."""
    photo = np.random.default_rng(0).integers(0, 256, (1300, 1000, 3), np.uint8)
    glimpse_s, assess_s = [], []
    for _ in range(repeats):
        started = time.perf_counter()
        glimpse = take_glimpse(photo)
        glimpsed = time.perf_counter()
        assessor.assess([glimpse])
        glimpse_s.append(glimpsed - started)
        assess_s.append(time.perf_counter() - glimpsed)
    return {
        "glimpse_ms": round(1000 * float(np.median(glimpse_s)), 1),
        "assess_ms": round(1000 * float(np.median(assess_s)), 1),
    }


def polygon_iou(found: Polygon, true: Polygon) -> float:
    """Intersection over union of two outlines [4, 2], 0..1, within the photo and the margin of the heat maps."""
    reach = FRAME_MARGIN_PX / FRAME_PX
    window = np.array([[-reach, -reach], [1 + reach, -reach], [1 + reach, 1 + reach], [-reach, 1 + reach]], np.float32)
    inside = [cv2.intersectConvexConvex(outline.astype(np.float32), window)[1] for outline in (found, true)]
    if any(outline is None or len(outline) < 3 for outline in inside):
        return 0.0
    shared = cv2.intersectConvexConvex(inside[0], inside[1])[0]
    return float(shared / (cv2.contourArea(inside[0]) + cv2.contourArea(inside[1]) - shared + 1e-9))


def _assess(assessor: Assessor, glimpses: Iterator[Glimpse]) -> Iterator[Assessment]:
    batch: list[Glimpse] = []
    for glimpse in glimpses:
        batch.append(glimpse)
        if len(batch) == BATCH_SIZE:
            yield from assessor.assess(batch)
            batch = []
    yield from assessor.assess(batch)


def _glimpse_of(shards: Shards, index: int) -> Glimpse:
    fact = shards.facts[index]
    frame, crops = shards.pixels(index)
    (width, height), (inner_width, inner_height) = fact["size"].tolist(), fact["fitted"].tolist()
    return Glimpse(FittedPage(frame, FRAME_PX / max(width, height), inner_width, inner_height), crops, width, height)


def is_fine(truth: dict[str, bool | None]) -> bool | None:
    """Whether a photo has no defect of severity error; None if that is not known."""
    errors = [truth[criterion.name] for criterion in CRITERIA if criterion.severity == "error"]
    if any(errors):
        return False
    return None if None in errors else True


def _same_rotation(found: Polygon, true: Polygon) -> bool:
    """Whether the found first corner is nearest to the true first corner."""
    return int(np.argmin(np.linalg.norm(true - found[0], axis=1))) == 0


def _ranking(pairs: Sequence[tuple[float, bool]]) -> Scores:
    """AUROC of a criterion. pairs: score, and whether the photo is free of the defect."""
    area = auroc([score for score, _ in pairs], [free for _, free in pairs])
    defects = sum(not free for _, free in pairs)
    return {"auroc": None if math.isnan(area) else round(area, 4), "n": len(pairs), "defects": defects}


def _calibration_error(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Mean distance between score and share of defect-free photos, over ten equal score bins weighted by count."""
    scores, free = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs], float)
    place = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [abs(scores[place == b].sum() - free[place == b].sum()) for b in range(bins)]
    return round(float(sum(gaps)) / max(1, len(pairs)), 4)


def _overlaps(ious: Sequence[float]) -> Scores:
    return {
        "mean_iou": _mean(ious),
        "median_iou": round(float(np.median(ious)), 4) if ious else None,
        "over_0.9": _mean([iou > 0.9 for iou in ious]),
        "n": len(ious),
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(float(np.mean(values)), 4) if len(values) else None


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(
        prog="python -m training.evaluation.quality",
        description="Measure quality weights through the served assessor.",
        epilog="example: python -m training.evaluation.quality runs/quality/weights --no-document DIR --photos DIR",
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument(
        "--made",
        type=Path,
        metavar="DIR",
        help="the photos that `training.tasks.quality.train` made; WEIGHTS/../photos",
    )
    parser.add_argument("--no-document", type=Path, metavar="DIR", help="photos without a document")
    parser.add_argument("--photos", type=Path, metavar="DIR", help="photos of receipts")
    parser.add_argument("--smartdoc", type=Path, metavar="DIR", help="ICDAR 2015 SmartDoc frames, ground_truth.csv")
    parser.add_argument(
        "--gate", type=Path, metavar="FILE", help="exit with status 1 unless the floors of this gate are reached"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="scores as JSON (default: print them)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    assessor, usability = Assessor.load(options.weights), UsabilityModel.load(options.weights)
    scores: Scores = {"speed": measure_speed(assessor)}
    made = options.made or options.weights.parent / "photos"
    if len(shards := Shards(made, "test")):
        scores["synthetic"] = evaluate_synthetic(assessor, shards, usability)
    if options.smartdoc:
        scores["smartdoc15"] = evaluate_smartdoc(assessor, options.smartdoc)
    if options.no_document and options.photos:
        scores["degraded"] = evaluate_degraded(assessor, options.photos)
        scores["real"] = evaluate_real(assessor, options.no_document, options.photos, usability)
    text = json.dumps(scores, indent=1) + "\n"
    if options.out:
        options.out.write_text(text)
    else:
        sys.stdout.write(text)
    if options.gate and (short := gate.find_shortfalls(gate.load_gate(options.gate), scores)):
        sys.exit("\n".join(map(str, short)))


if __name__ == "__main__":
    main()
