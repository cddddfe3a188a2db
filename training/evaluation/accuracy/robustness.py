"""How accuracy falls as photographs get worse: the same receipts, one thing spoilt at a time, in grades."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from training.evaluation.accuracy.answered import Answered
from training.evaluation.accuracy.photographs import CLEAN, WAYS
from training.evaluation.metrics import summary
from training.evaluation.plots import Axis, Line, svg


@dataclass(frozen=True)
class Graded:
    """The same pages, spoilt in one way to one grade, 1 the mildest; 0 is not at all."""

    way: str
    grade: int
    condition: float  # median of what the camera did, in the unit that WAYS names; nan where it is not known
    exact: Mapping[str, float]  # by field
    loose: float  # of all fields
    accepted: float  # share of the photographs that the check passes
    pages: int


def graded(way: str, grade: int, pages: Sequence[Answered]) -> Graded:
    """grade: from 0 for the mildest; CLEAN has none."""
    every = [one for page in pages for one in page.outcome.comparisons]
    names = dict.fromkeys(one.field for one in every)
    exact = {name: float(summary([one for one in every if one.field == name])["exact"]) for name in names}
    known = [page.sample.conditions.get(WAYS[way][1]) for page in pages] if way != CLEAN else []
    values = [value for value in known if value is not None]
    return Graded(
        way,
        0 if way == CLEAN else grade + 1,
        float(np.median(values)) if values else float("nan"),
        exact,
        float(summary(every)["loose"]),
        float(np.mean([page.outcome.accepted for page in pages])),
        len(pages),
    )


def picture(sheet: Iterable[Graded]) -> str:
    """SVG: a line for each way, from the careful photograph to the worst grade."""
    rows = list(sheet)
    clean = [row for row in rows if row.way == CLEAN]
    worst = max(row.grade for row in rows)
    by_way = {way: [*clean, *(row for row in rows if row.way == way)] for way in WAYS}
    lines = [Line([(row.grade / worst, row.loose) for row in some], way, dotted=True) for way, some in by_way.items()]
    return svg(Axis("grade, of the worst"), Axis("fields right, letters and digits"), lines)
