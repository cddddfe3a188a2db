"""How a run learned: a row of JSON for each look at pages that training does not see, in OUT/history.jsonl.

A run that was killed goes on from its last checkpoint and notes again what came after it; `trim` keeps that from
standing there twice. The report draws its curves from the same rows.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HISTORY = "history.jsonl"


def append(out: Path, row: Mapping[str, Any]) -> None:
    """row: has a "step"."""
    with (out / HISTORY).open("a", encoding="utf-8") as rows:
        rows.write(json.dumps(row) + "\n")


def read(out: Path) -> list[dict[str, Any]]:
    """Every row, in order; none where nothing was noted yet. A line that a kill cut short is left out."""
    if not (out / HISTORY).exists():
        return []
    return [json.loads(line) for line in (out / HISTORY).read_text(encoding="utf-8").split("\n")[:-1]]


def trim(out: Path, step: int) -> None:
    """Forget what was noted after this step."""
    if (out / HISTORY).exists():
        kept = [json.dumps(row) + "\n" for row in read(out) if row["step"] <= step]
        (out / HISTORY).write_text("".join(kept), encoding="utf-8")
