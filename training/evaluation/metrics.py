"""How right an answer is. Every figure in the docs is one of these, by name.

exact: typed value equal; strings upper-cased, white space collapsed.
loose: strings by their letters and digits alone; other values as exact.
edit_distance: Levenshtein distance of the strings as compared for exact, over the longer one; 0 is right.
precision, recall, f1: exact values among those given, and among those labelled, as the SROIE task-3 server counts.
invented: share of fields known to be absent for which a value was given.
calibration error: mean distance between confidence and the share that is right (loose), over tenths of confidence.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rapidfuzz.distance import Levenshtein

from docextract.documents.values import collapse_whitespace


@dataclasses.dataclass(frozen=True)
class Comparison:
    """One field of one page. None: not given, or known to be absent."""

    field: str
    expected: Any
    given: Any
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    row: int | None = None  # of a list, from 0
    # All that was said of it: its place, its sources.
    answer: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    also: tuple[Any, ...] = ()  # that would be as right

    @property
    def exact(self) -> bool:
        """The typed value is right."""
        return self.predicted is not None and _folded(self.predicted) in map(_folded, (self.expected, *self.alternatives))

    @property
    def loose(self) -> bool:
        """Right but for spaces and punctuation."""
        return self.predicted is not None and _bare(self.predicted) in map(_bare, (self.expected, *self.alternatives))

    @property
    def edit_distance(self) -> float:
        """0..1."""
        given = "" if self.predicted is None else str(_folded(self.predicted))
        right = (str(_folded(one)) for one in (self.expected, *self.alternatives))
        return min(float(Levenshtein.normalized_distance(given, one)) for one in right)


def align_rows(expected: Sequence[Mapping[str, Any]], given: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """For each row of a list that should be there, the one that was given for it, or None; both in page order.

    Rows are matched so that most of their values agree, as line items are in DocILE (Simsa et al. 2023,
    arXiv:2302.05658), but without changing their order: one row that was missed, or seen twice, says nothing of the
    others. Of equal matchings it is the one with the most rows, the first ones.
    """
    likeness = [[sum(_same(row[leaf], other.get(leaf)) for leaf in row) + 0.01 for other in given] for row in expected]
    best = np.zeros((len(expected) + 1, len(given) + 1))  # of the rows from here on
    for at in reversed(range(len(expected))):
        for other in reversed(range(len(given))):
            both = likeness[at][other] + best[at + 1, other + 1]
            best[at, other] = max(both, best[at + 1, other], best[at, other + 1])
    partners: list[int | None] = [None] * len(expected)
    at = other = 0
    while at < len(expected) and other < len(given):
        if best[at, other] == likeness[at][other] + best[at + 1, other + 1]:
            partners[at] = other
            at, other = at + 1, other + 1
        elif best[at, other] == best[at, other + 1]:
            other += 1
        else:
            at += 1
    return partners


def _same(expected: Any, given: Any) -> bool:
    return expected is not None and given is not None and _bare(given) == _bare(expected)


def _folded(value: Any) -> Any:
    return collapse_whitespace(value).upper() if isinstance(value, str) else value


def _bare(value: Any) -> Any:
    return "".join(filter(str.isalnum, value.upper())) if isinstance(value, str) else value


def summary(comparisons: Sequence[Comparison]) -> dict[str, float | int]:
    """Scores over some comparisons; rates are rounded to four places."""
    present = [one for one in comparisons if one.expected is not None]
    absent = [one for one in comparisons if one.expected is None]
    given = [one for one in present if one.predicted is not None]
    right = sum(one.exact for one in present)
    scores: dict[str, float | int] = {"pages": len(present)}
    if present:
        precision, recall = right / max(1, len(given)), right / len(present)
        scores |= {
            "exact": right / len(present),
            "loose": sum(one.loose for one in present) / len(present),
            "edit_distance": sum(one.edit_distance for one in present) / len(present),
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / max(1e-9, precision + recall),
        }
    if absent:
        scores |= {"absent": len(absent), "invented": sum(one.predicted is not None for one in absent) / len(absent)}
    return {name: value if isinstance(value, int) else round(value, 4) for name, value in scores.items()}


def by_field(comparisons: Iterable[Comparison]) -> dict[str, dict[str, float | int]]:
    """A summary for each field, and "all" of them together."""
    everything = list(comparisons)
    names = dict.fromkeys(one.field for one in everything)
    table = {name: summary([one for one in everything if one.field == name]) for name in names}
    return {**table, "all": summary(everything)}


CONFIDENCE_BANDS = (0.0, 0.5, 0.8, 0.9, 0.95)  # of confidence, from their lower ends


def calibration(comparisons: Iterable[Comparison]) -> dict[str, Any]:
    """Of values that were given where it is known what is right: whether they are right as often as they are sure."""
    given = [one for one in comparisons if one.predicted is not None and one.confidence is not None]
    sure = np.array([one.confidence for one in given], np.float64)
    right = np.array([one.expected is not None and one.loose for one in given], np.float64)
    tenths = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(sure[tenths == tenth].sum() - right[tenths == tenth].sum()) for tenth in range(10)]
    table: dict[str, Any] = {"values": len(given), "error": round(float(sum(gaps)) / max(1, len(given)), 4)}
    for low, high in pairwise((*CONFIDENCE_BANDS, np.inf)):
        inside = (sure >= low) & (sure < high)
        if inside.any():
            table[f"from {low:g}"] = {
                "values": int(inside.sum()),
                "confidence": round(float(sure[inside].mean()), 4),
                "right": round(float(right[inside].mean()), 4),
            }
    return table


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """From 1, [N]; equals share their mean rank."""
    _, inverse, counts = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], np.float64)


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Rank correlation, −1..1; nan where either is the same throughout."""
    pair = ranks(first), ranks(second)
    if any(np.ptp(one) == 0 for one in pair):
        return float("nan")
    return float(np.corrcoef(*pair)[0, 1])


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """The chance that a positive scores above a negative; ties count half. nan where one kind is missing."""
    values, truth = np.asarray(scores), np.asarray(positive, bool)
    if truth.all() or not truth.any():
        return math.nan
    above = ranks(values)[truth].sum() - truth.sum() * (truth.sum() + 1) / 2
    return float(above / (truth.sum() * (~truth).sum()))
