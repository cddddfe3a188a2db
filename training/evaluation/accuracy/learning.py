"""What a run learned while it went on: fields right on pages that it was not shown, by step."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training import history
from training.evaluation.plots import Axis, Line, svg


def rows_of(runs: Sequence[Path]) -> list[dict[str, Any]]:
    """Of runs that went on from each other: steps are counted from the first one's beginning."""
    found: list[dict[str, Any]] = []
    for run in runs:
        before = found[-1]["step"] if found else 0
        found += [row | {"step": before + row["step"]} for row in history.read(run)]
    return found


def picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """SVG: a line for each field. rows: at least one."""
    last = max(row["step"] for row in rows)
    names = dict.fromkeys(name for row in rows for name in row["exact"])
    lines = [
        Line([(row["step"], row["exact"][name]) for row in rows if name in row["exact"]], name.replace("_", " "))
        for name in names
    ]
    return svg(Axis("steps", 0, last, ",.0f"), Axis("exact, of receipts kept back"), lines)
