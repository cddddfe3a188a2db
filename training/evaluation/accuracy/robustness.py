"""How accuracy falls as photos get worse: the same receipts with one impairment at a time, in grades."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from training.datasets.simulated_photos import IMPAIRMENTS, NO_IMPAIRMENT
from training.evaluation.accuracy.page_results import PageResult
from training.evaluation.plots import Axis, Line, svg
from training.metrics import summarize


@dataclass(frozen=True)
class GradeResult:
    """Accuracy on the same pages with one impairment in one grade, 1 for the mildest; 0 is a careful photo."""

    impairment: str
    grade: int
    condition: float  # median of the measured condition, in the unit of IMPAIRMENTS; nan if it is not known
    exact: Mapping[str, float]  # by field that is on any page
    loose: float  # of all fields
    accepted: float  # share of the photos that the validation accepts
    pages: int


def grade_result(impairment: str, grade: int, results: Sequence[PageResult]) -> GradeResult:
    """grade: from 0 for the mildest; ignored for NO_IMPAIRMENT."""
    every = [one for result in results for one in result.outcome.comparisons]
    names = dict.fromkeys(one.field for one in every if one.expected is not None)
    exact = {name: float(summarize([one for one in every if one.field == name])["exact"]) for name in names}
    condition = IMPAIRMENTS[impairment][1] if impairment != NO_IMPAIRMENT else None
    known = [result.page.conditions.get(condition) for result in results] if condition else []
    values = [value for value in known if value is not None]
    return GradeResult(
        impairment,
        0 if impairment == NO_IMPAIRMENT else grade + 1,
        float(np.median(values)) if values else float("nan"),
        exact,
        float(summarize(every)["loose"]),
        float(np.mean([result.outcome.accepted for result in results])),
        len(results),
    )


def robustness_plot(grades: Iterable[GradeResult]) -> str:
    """SVG with a line for each impairment, from the careful photo to the worst grade."""
    rows = list(grades)
    clean = [row for row in rows if row.impairment == NO_IMPAIRMENT]
    worst = max(row.grade for row in rows)
    by_name = {name: [*clean, *(row for row in rows if row.impairment == name)] for name in IMPAIRMENTS}
    lines = [
        Line([(row.grade / worst, row.loose) for row in some], name, dotted=True) for name, some in by_name.items()
    ]
    return svg(Axis("grade, as a share of the worst"), Axis("fields right in letters and digits"), lines)
