"""Whether confidences can be relied on: calibration error, accuracy of the most confident fields, and their plots.

A field that is on the page and got no value counts with confidence 0: otherwise a model that leaves out what is hard
would look better calibrated than it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from docextract.answers.schema import ConfidenceLevel, confidence_level
from training.evaluation.plots import Axis, Line, svg
from training.metrics import Comparison

LEVELS: tuple[ConfidenceLevel, ...] = get_args(ConfidenceLevel)
BINS = 10
TOP_SHARE = 0.8
MIN_VALUES = 60  # a field with fewer values gets no calibration error of its own
_SIMULATIONS = 200
_MAX_CURVE_POINTS = 200  # two hundred points draw the same curve as two thousand


@dataclass(frozen=True)
class FieldConfidence:
    """The confidence of one field, and whether its value is right in letters and digits."""

    field: str
    confidence: float
    right: bool
    predicted: bool  # a value was predicted


def field_confidences(comparisons: Iterable[Comparison]) -> list[FieldConfidence]:
    """One item for every field that has a predicted or an expected value, in input order."""
    return [
        FieldConfidence(
            one.field, one.confidence or 0.0, one.expected is not None and one.loose, one.predicted is not None
        )
        for one in comparisons
        if one.predicted is not None or one.expected is not None
    ]


def confidence_summary(fields: Sequence[FieldConfidence], seed: int = 0) -> dict[str, Any]:
    """The figures of a table row.

    by_chance: the mean calibration error of this number of values if every confidence were true, by simulation.
    """
    predicted = [one for one in fields if one.predicted]
    if not predicted:
        return {"fields": len(fields), "values": 0}
    confidences = np.array([one.confidence for one in predicted])
    rng = np.random.default_rng(seed)
    by_chance = [
        expected_calibration_error(confidences, rng.random(len(confidences)) < confidences, BINS)  # type: ignore[arg-type]
        for _ in range(_SIMULATIONS)
    ]
    error = expected_calibration_error(confidences, [one.right for one in predicted], BINS)  # type: ignore[arg-type]
    return {
        "fields": len(fields),
        "values": len(predicted),
        "error": round(error, 4),
        "by_chance": round(float(np.mean(by_chance)), 4),
        "mean_confidence": round(float(confidences.mean()), 4),
        "right": round(float(np.mean([one.right for one in predicted])), 4),
        "right_of_most_confident": round(right_of_most_confident(fields, TOP_SHARE), 4),
    }


def by_level(fields: Iterable[FieldConfidence]) -> Iterator[tuple[ConfidenceLevel, int, float]]:
    """For each `level` of the answer that occurs: the number of its values, and the share that is right."""
    predicted = [one for one in fields if one.predicted]
    for name in LEVELS:
        right = [one.right for one in predicted if confidence_level(one.confidence) == name]
        if right:
            yield name, len(right), float(np.mean(right))


def expected_calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> float:
    """ECE over bins of equal count (Nguyen and O'Connor 2015), 0..1."""
    order = np.argsort(confidences)
    parts = np.array_split(order, bins)
    values, truth = np.array(confidences), np.array(right, float)
    return float(sum(len(p) * abs(values[p].mean() - truth[p].mean()) for p in parts if len(p)) / len(order))


def right_of_most_confident(fields: Sequence[FieldConfidence], share: float) -> float:
    """Share of right values among the most confident `share` of all fields, 0..1."""
    selected = _most_confident_first(fields)[: max(1, round(share * len(fields)))]
    return float(np.mean([one.right for one in selected]))


def _most_confident_first(fields: Sequence[FieldConfidence]) -> list[FieldConfidence]:
    return sorted(fields, key=lambda one: one.confidence, reverse=True)


def reliability(fields: Sequence[FieldConfidence]) -> Iterator[tuple[float, float]]:
    """Mean confidence and share of right values of ten bins of equal count, the least confident first."""
    predicted = sorted((one for one in fields if one.predicted), key=lambda one: one.confidence)
    for start, end in pairwise(np.linspace(0, len(predicted), min(BINS, len(predicted)) + 1).round().astype(int)):
        some = predicted[start:end]
        yield float(np.mean([one.confidence for one in some])), float(np.mean([one.right for one in some]))


def risk_coverage(fields: Sequence[FieldConfidence]) -> list[tuple[float, float]]:
    """Share of the fields that is accepted, the most confident first, and the share of wrong ones among them."""
    order = _most_confident_first(fields)
    wrong = np.cumsum([not one.right for one in order])
    accepted = np.arange(1, len(order) + 1)
    count = min(_MAX_CURVE_POINTS, len(order))
    at = np.unique(np.linspace(0, len(order) - 1, count).round().astype(int))
    return [(float(accepted[one] / len(order)), float(wrong[one] / accepted[one])) for one in at]


def reliability_plot(named: Sequence[tuple[str, Sequence[FieldConfidence]]]) -> str:
    """SVG; the dashed line is perfect calibration."""
    perfect = Line([(0, 0), (1, 1)], "perfect calibration", dashed=True)
    lines = [Line(list(reliability(fields)), name, dotted=True) for name, fields in named if fields]
    return svg(Axis("confidence"), Axis("share that is right"), [*lines, perfect])


def confidence_risk_plot(named: Sequence[tuple[str, Sequence[FieldConfidence]]]) -> str:
    """SVG of the risk-coverage curves."""
    curves = [Line(risk_coverage(fields), name) for name, fields in named if fields]
    highest = max((risk for curve in curves for _, risk in curve.points), default=0.0)
    high = min(1.0, max(0.1, np.ceil(highest * 10) / 10))
    return svg(
        Axis("share of fields accepted, most confident first"), Axis("share that is wrong", high=float(high)), curves
    )
