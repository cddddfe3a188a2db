"""ExpressExpense's SRD: photos of receipts by phones, most of them American (MIT).

    python -m training.datasets.srd ROOT OUT --fields transaction_date total

writes those that may be looked at as a labelled folder, with these fields alone.

Their labels are ours, srd.jsonl: read off the pictures by eye, every photo twice where it was hard to read, without
help of a reader. What could not be told for certain is not labelled. Of 100 photos, two show receipts of others again.
Every other photo may be looked at while extraction is made, and confidences are fitted on them; the others are measured
on. No network of extraction has learned from any. Before there were labels, answers to some of both were looked at.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

from training.datasets import labelled_folder
from training.datasets.page import LabelledPage

LABELS = Path(__file__).with_name("srd.jsonl")
Half = Literal["looked_at", "measured"]


def load(root: Path, half: Half) -> list[LabelledPage]:
    """In order of their names, which begin with a number. Raises FileNotFoundError where root has none of them."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    pages = [
        LabelledPage(
            root / row["image"],
            "receipt",
            row["fields"],
            key=Path(row["image"]).stem,
            also={name: tuple(values) for name, values in row.get("also", {}).items()},
        )
        for row in rows
        if (int(row["image"][:4]) % 2 == 0) == (half == "looked_at")
    ]
    if not any(page.image.exists() for page in pages):
        raise FileNotFoundError(f"{root} has none of {LABELS.name}'s photos")
    return pages


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--fields", nargs="+", required=True)
    options = parser.parse_args()
    with labelled_folder.Writer(options.out) as writer:
        for page in load(options.root, "looked_at"):
            known = {name: value for name, value in page.fields.items() if name in options.fields}
            writer.copy(replace(page, fields=known))


if __name__ == "__main__":
    main()
