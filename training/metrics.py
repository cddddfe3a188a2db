"""The accuracy metrics: how right an answer is. Every accuracy figure in docs/ is one of these, by name.

exact: the typed values are equal; strings in capitals and with white space collapsed.
loose: strings are equal in letters and digits; other values as exact.
edit_distance: Levenshtein distance of the strings as compared for exact, divided by the longer length; 0 is right.
precision, recall, f1: exact values among the predicted and among the labelled ones, as the server of SROIE task 3
counts. All predicted values of labelled fields count, also of fields known to be absent and of extra rows.
invented: share of the fields known to be absent for which a value was predicted.
extra: number of values in predicted rows that match no row of a labelled list.
calibration error: mean distance between confidence and share of right (loose) values, over ten equal confidence bins.
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
    """The expected and the predicted value of one field of one page.

    expected: None if the field is known to be absent. predicted: None if the answer has no value.
    """

    field: str
    expected: Any
    predicted: Any
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    row: int | None = None  # index of the expected row in its list; those of extra rows follow
    answer: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)  # the field's JSON in the answer
    alternatives: tuple[Any, ...] = ()  # further values that are right
    extra: bool = False  # in a predicted row that is not on the page

    @property
    def exact(self) -> bool:
        """Whether the typed values are equal; for strings, apart from case and white space."""
        return self.predicted is not None and exact_form(self.predicted) in map(
            exact_form, (self.expected, *self.alternatives)
        )

    @property
    def loose(self) -> bool:
        """Whether the values are equal; for strings, in letters and digits."""
        return self.predicted is not None and loose_form(self.predicted) in map(
            loose_form, (self.expected, *self.alternatives)
        )

    @property
    def edit_distance(self) -> float:
        """Distance to the nearest right value, 0..1; 0 is right."""
        given = "" if self.predicted is None else str(exact_form(self.predicted))
        right = (str(exact_form(one)) for one in (self.expected, *self.alternatives))
        return min(float(Levenshtein.normalized_distance(given, one)) for one in right)


def align_rows(expected: Sequence[Mapping[str, Any]], predicted: Sequence[Mapping[str, Any]]) -> list[int | None]:
    """For each expected row of a list, the index of the predicted row that matches it, or None; both in page order.

    Rows are matched so that as many values as possible agree, as for line items in DocILE (Simsa et al. 2023,
    arXiv:2302.05658), but without changing their order. One missed or repeated row therefore does not make the others
    wrong. Of equally good matchings, the one with the most rows is taken, and among those the first rows.
    """
    # The matching agrees on most values; 0.01 for each pair prefers more rows among equally good matchings.
    score = [[sum(_same(row[leaf], other.get(leaf)) for leaf in row) + 0.01 for other in predicted] for row in expected]
    best = np.zeros((len(expected) + 1, len(predicted) + 1))  # [at, other]: best total score of the rows from there on
    for at in reversed(range(len(expected))):
        for other in reversed(range(len(predicted))):
            both = score[at][other] + best[at + 1, other + 1]
            best[at, other] = max(both, best[at + 1, other], best[at, other + 1])
    partners: list[int | None] = [None] * len(expected)
    at = other = 0
    while at < len(expected) and other < len(predicted):
        if best[at, other] == score[at][other] + best[at + 1, other + 1]:
            partners[at] = other
            at, other = at + 1, other + 1
        elif best[at, other] == best[at, other + 1]:
            other += 1
        else:
            at += 1
    return partners


def _same(expected: Any, predicted: Any) -> bool:
    return expected is not None and predicted is not None and loose_form(predicted) == loose_form(expected)


def exact_form(value: Any) -> Any:
    """Text in upper case with single spaces; other values unchanged."""
    return collapse_whitespace(value).upper() if isinstance(value, str) else value


def loose_form(value: Any) -> Any:
    """Upper-case letters and digits of a text; other values unchanged."""
    return "".join(filter(str.isalnum, value.upper())) if isinstance(value, str) else value


def summarize(comparisons: Sequence[Comparison]) -> dict[str, float | int]:
    """Scores of some comparisons; rates are rounded to four places. "pages" is the number of labelled fields."""
    present = [one for one in comparisons if one.expected is not None]
    absent = [one for one in comparisons if one.expected is None and not one.extra]
    given = [one for one in comparisons if one.predicted is not None]
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
    if extra := sum(one.extra for one in comparisons):
        scores["extra"] = extra
    return {name: value if isinstance(value, int) else round(value, 4) for name, value in scores.items()}


def by_field(comparisons: Iterable[Comparison]) -> dict[str, dict[str, float | int]]:
    """The scores of each field, and of all fields together under "all", which is last."""
    every = list(comparisons)
    names = dict.fromkeys(one.field for one in every)
    table = {name: summarize([one for one in every if one.field == name]) for name in names}
    return {**table, "all": summarize(every)}


CONFIDENCE_BANDS = (0.0, 0.5, 0.8, 0.9, 0.95)  # lower ends


def calibration(comparisons: Iterable[Comparison]) -> dict[str, Any]:
    """Calibration of the predicted values whose right value is known: error, and a row for each band of confidence."""
    given = [one for one in comparisons if one.predicted is not None and one.confidence is not None]
    confidences = np.array([one.confidence for one in given], np.float64)
    right = np.array([one.expected is not None and one.loose for one in given], np.float64)
    tenths = np.minimum((confidences * 10).astype(int), 9)
    gaps = [abs(confidences[tenths == tenth].sum() - right[tenths == tenth].sum()) for tenth in range(10)]
    table: dict[str, Any] = {"values": len(given), "error": round(float(sum(gaps)) / max(1, len(given)), 4)}
    for low, high in pairwise((*CONFIDENCE_BANDS, np.inf)):
        inside = (confidences >= low) & (confidences < high)
        if inside.any():
            table[f"from {low:g}"] = {
                "values": int(inside.sum()),
                "confidence": round(float(confidences[inside].mean()), 4),
                "right": round(float(right[inside].mean()), 4),
            }
    return table


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, [N]; equal values share their mean rank."""
    _, inverse, counts = np.unique(np.asarray(values, np.float64), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse], np.float64)


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Area under the ROC curve: the probability that a positive scores above a negative; ties count half.

    Returns nan if all are positive, or none is.
    """
    values, truth = np.asarray(scores), np.asarray(positive, bool)
    if truth.all() or not truth.any():
        return math.nan
    above = ranks(values)[truth].sum() - truth.sum() * (truth.sum() + 1) / 2
    return float(above / (truth.sum() * (~truth).sum()))
