"""The history of a training run: OUT/history.jsonl, one JSON row for each evaluation.

A run that was killed resumes from its last checkpoint and evaluates again what came after it; `trim` removes those rows
first, so that none is there twice. Reports draw their curves from these rows.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HISTORY = "history.jsonl"


def append(out: Path, row: Mapping[str, Any]) -> None:
    """Add a row, which has a "step"."""
    with (out / HISTORY).open("a", encoding="utf-8") as rows:
        rows.write(json.dumps(row) + "\n")


def read(out: Path) -> list[dict[str, Any]]:
    """All rows, in file order; [] without a history. An incomplete last line, left by a kill, is skipped."""
    if not (out / HISTORY).exists():
        return []
    return [json.loads(line) for line in (out / HISTORY).read_text(encoding="utf-8").split("\n")[:-1]]


def trim(out: Path, last_step: int) -> None:
    """Remove the rows of later steps."""
    if (out / HISTORY).exists():
        rows = [json.dumps(row) + "\n" for row in read(out) if row["step"] <= last_step]
        (out / HISTORY).write_text("".join(rows), encoding="utf-8")
