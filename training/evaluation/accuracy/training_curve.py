"""The accuracy on held-out receipts during training, by step, for docs/accuracy.md."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training import history
from training.evaluation.plots import Axis, Line, svg


def load_history(runs: Sequence[Path]) -> list[dict[str, Any]]:
    """History of runs that each continue the one before; steps are counted from the beginning of the first."""
    found: list[dict[str, Any]] = []
    for run in runs:
        before = found[-1]["step"] if found else 0
        found += [row | {"step": before + row["step"]} for row in history.read(run)]
    return found


def training_plot(rows: Sequence[Mapping[str, Any]]) -> str:
    """SVG with a line for each field. rows: at least one."""
    last = max(row["step"] for row in rows)
    names = dict.fromkeys(name for row in rows for name in row["exact"])
    lines = [
        Line([(row["step"], row["exact"][name]) for row in rows if name in row["exact"]], name.replace("_", " "))
        for name in names
    ]
    return svg(Axis("steps", 0, last, ",.0f"), Axis("exact, on held-out receipts"), lines)
