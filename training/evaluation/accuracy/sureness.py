"""Whether confidences can be acted on: are values as often right as they are sure, and are the surest ones right?

A field that is on the page and got no value counts as answered with no confidence at all: leaving out what is hard
would else look like knowing better.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from docextract.answers.schema import Level, level
from training.evaluation.metrics import Comparison
from training.evaluation.plots import Axis, Line, svg

LEVELS: tuple[Level, ...] = get_args(Level)
BINS = 10
SUREST = 0.8
FEWEST = 60  # values of a field from which its own error is told
_DRAWINGS = 200


@dataclass(frozen=True)
class Judged:
    """One field: how sure, and whether right (letters and digits)."""

    field: str
    confidence: float
    right: bool
    given: bool


def judged(comparisons: Iterable[Comparison]) -> list[Judged]:
    """Every field that got a value or should have."""
    return [
        Judged(one.field, one.confidence or 0.0, one.wanted is not None and one.loose, one.given is not None)
        for one in comparisons
        if one.given is not None or one.wanted is not None
    ]


def summary(fields: Sequence[Judged], seed: int = 0) -> dict[str, Any]:
    """The figures. by_chance: the mean error there would be, at this number of values, were each confidence true."""
    given = [one for one in fields if one.given]
    if not given:
        return {"fields": len(fields), "values": 0}
    sure = np.array([one.confidence for one in given])
    dice = np.random.default_rng(seed)
    by_chance = [
        expected_calibration_error(sure, dice.random(len(sure)) < sure, BINS)  # type: ignore[arg-type]
        for _ in range(_DRAWINGS)
    ]
    return {
        "fields": len(fields),
        "values": len(given),
        "error": round(expected_calibration_error(sure, [one.right for one in given], BINS), 4),  # type: ignore[arg-type]
        "by_chance": round(float(np.mean(by_chance)), 4),
        "mean_confidence": round(float(sure.mean()), 4),
        "right": round(float(np.mean([one.right for one in given])), 4),
        "surest_right": round(surest_right(fields, SUREST), 4),
    }


def by_level(fields: Iterable[Judged]) -> Iterator[tuple[Level, int, float]]:
    """Of the values that the answer calls certain, high, medium and low: how many, and the share of right ones."""
    given = [one for one in fields if one.given]
    for name in LEVELS:
        right = [one.right for one in given if level(one.confidence) == name]
        if right:
            yield name, len(right), float(np.mean(right))


def expected_calibration_error(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> float:
    """ECE over bins of equal count (Nguyen and O'Connor 2015), 0..1."""
    order = np.argsort(confidences)
    parts = np.array_split(order, bins)
    values, truth = np.array(confidences), np.array(right, float)
    return float(sum(len(p) * abs(values[p].mean() - truth[p].mean()) for p in parts if len(p)) / len(order))


def surest_right(fields: Sequence[Judged], share: float) -> float:
    """Share of right ones among the surest `share` of all fields."""
    taken = _surest_first(fields)[: max(1, round(share * len(fields)))]
    return float(np.mean([one.right for one in taken]))


def _surest_first(fields: Sequence[Judged]) -> list[Judged]:
    return sorted(fields, key=lambda one: one.confidence, reverse=True)


def reliability(fields: Sequence[Judged]) -> Iterator[tuple[float, float]]:
    """Mean confidence and share of right values, in tenths of the values from the least sure up."""
    given = sorted((one for one in fields if one.given), key=lambda one: one.confidence)
    for start, end in pairwise(np.linspace(0, len(given), min(BINS, len(given)) + 1).round().astype(int)):
        some = given[start:end]
        yield float(np.mean([one.confidence for one in some])), float(np.mean([one.right for one in some]))


def risk_coverage(fields: Sequence[Judged]) -> list[tuple[float, float]]:
    """Share of the fields taken, the surest first, and the share of wrong ones among them."""
    order = _surest_first(fields)
    wrong = np.cumsum([not one.right for one in order])
    taken = np.arange(1, len(order) + 1)
    # Two hundred points draw the same curve as two thousand.
    at = np.unique(np.linspace(0, len(order) - 1, min(200, len(order))).round().astype(int))
    return [(float(taken[one] / len(order)), float(wrong[one] / taken[one])) for one in at]


def reliability_picture(named: Sequence[tuple[str, Sequence[Judged]]]) -> str:
    """SVG; the dashed line is where a perfect model would lie."""
    perfect = Line([(0, 0), (1, 1)], "as sure as right", dashed=True)
    lines = [Line(list(reliability(fields)), name, dotted=True) for name, fields in named if fields]
    return svg(Axis("confidence"), Axis("of these, right"), [*lines, perfect])


def risk_picture(named: Sequence[tuple[str, Sequence[Judged]]]) -> str:
    """SVG."""
    curves = [Line(risk_coverage(fields), name) for name, fields in named if fields]
    highest = max((risk for curve in curves for _, risk in curve.points), default=0.0)
    high = min(1.0, max(0.1, np.ceil(highest * 10) / 10))
    return svg(Axis("share of fields taken, the surest first"), Axis("of these, wrong", high=float(high)), curves)
