"""ExpressExpense's SRD (MIT): phone photos of receipts, most of them American, with our own labels.

    python -m training.datasets.srd ROOT OUT --fields document_date total

writes the development half as a labelled folder with only these fields.

We labelled the photos by eye, without OCR; the result is srd.jsonl. Photos that are hard to read were labelled twice,
and uncertain values are left out. Two of the 100 photos repeat other receipts and are left out. Every other photo is
in the development half: it may be looked at, and confidences are fitted on it. The others are the test half. No
extraction network has learned from either half. Before the photos were labelled, answers to some photos of both halves
were examined.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Literal

from training.datasets import labelled_folder
from training.datasets.page import LabelledPage

SRD_LABELS = Path(__file__).with_name("srd.jsonl")
Half = Literal["development", "test"]


def load(root: Path, half: Half) -> list[LabelledPage]:
    """The photos of one half, ordered by name. Raises FileNotFoundError if root has none of them."""
    rows = [json.loads(line) for line in SRD_LABELS.read_text(encoding="utf-8").splitlines()]
    pages = [
        LabelledPage(
            root / row["image"],
            "receipt",
            row["fields"],
            key=Path(row["image"]).stem,
            alternatives={name: tuple(values) for name, values in row.get("also", {}).items()},
        )
        for row in rows
        if (int(row["image"][:4]) % 2 == 0) == (half == "development")
    ]
    if not any(page.image.exists() for page in pages):
        raise FileNotFoundError(f"{root} has none of {SRD_LABELS.name}'s photos")
    return pages


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--fields", nargs="+", required=True)
    options = parser.parse_args()
    with labelled_folder.LabelledFolderWriter(options.out) as writer:
        for page in load(options.root, "development"):
            known = {name: value for name, value in page.fields.items() if name in options.fields}
            writer.copy(replace(page, fields=known))


if __name__ == "__main__":
    main()
