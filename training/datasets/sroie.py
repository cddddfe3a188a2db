"""SROIE (ICDAR 2019, CC BY 4.0): scanned Malaysian receipts with company, date, address and total.

    python -m training.datasets.sroie ROOT OUT --split dev_unseen_merchants --photograph 7

writes a split as a labelled folder, which is what `make evaluate` takes; with --photograph each scan goes
through the generator's camera first.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docextract.documents import values
from docextract.images.geometry import Page, Polygon
from training.datasets import LabelledPage, labelled_folder, pictures
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.camera.simulation import Shot
from training.tasks.layout import pages

SPLITS = ("train", "dev_seen_merchants", "dev_unseen_merchants")
NAMES = {
    "company": "merchant_name", "address": "merchant_address", "date": "transaction_date", "total": "total",
}  # fmt: skip
KEPT_BACK = "kept_back"  # the part of `train` that extraction is not trained on: to choose and to fit by


def load(root: Path, split: str) -> list[LabelledPage]:
    """The receipts of one split, labels typed; a label that does not parse is not known."""
    if split == KEPT_BACK:
        labels = load(root, "train")
        kept = pages.kept_back(labels)
        return [label for label in labels if label.key in kept]
    names = json.loads((root / "splits.json").read_text())[split]
    return [_page(root, name, split) for name in names]


def _page(root: Path, name: str, split: str) -> LabelledPage:
    printed = json.loads((root / "fields" / f"{name}.json").read_text())
    day = values.parse_date(printed.get("date", ""), "DMY")
    total = values.parse_amount(printed.get("total", ""))
    known = {
        "merchant_name": values.collapse_whitespace(printed.get("company", "")) or None,
        "merchant_address": values.collapse_whitespace(printed.get("address", "")) or None,
        "transaction_date": day.isoformat() if day else None,
        "total": f"{total:.2f}" if total is not None else None,
    }
    fields = {name: value for name, value in known.items() if value}
    return LabelledPage(root / "images" / f"{name}.jpg", "receipt", fields, (split,), "MYR", key=name)


def write_labelled_folder(
    labels: list[LabelledPage], out: Path, photograph: int | None, plan: str, surfaces: Path | None
) -> None:
    """Write images/ and labels.jsonl. photograph: the camera's seed, or None to copy the scans."""
    textures = pictures.load_folder(surfaces)
    with labelled_folder.Writer(out) as writer:
        for index, page in enumerate(labels):
            image = pictures.load(page.image)
            if photograph is not None:
                lines = [outline for outline, _ in transcript(page.image.parent.parent, page.key)]
                image = photographed(image, photograph, index, plan, textures, lines).photo
            writer.add(page.key, image, page.type, page.fields, page.tags)


def photographed(
    scan: Page, seed: int, index: int, plan: str, textures: Sequence[Page], lines: Sequence[Polygon] = ()
) -> Shot:
    """The scan as the generator's camera takes it, each of a split in its own way.

    plan: a name in PHOTO_PLANS. lines: outlines of what is printed, px of the scan.
    """
    rng = np.random.default_rng((seed, index))
    return simulation.take_photo(scan, rng, PHOTO_PLANS[plan](rng), textures, lines=lines)


def transcript(root: Path, name: str) -> list[tuple[Polygon, str]]:
    """Every line of a scan as the data set has it: px of the scan, clockwise from its top left, and the text."""
    rows = (root / "lines" / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    cells = [row.split(",", 8) for row in rows if row]
    return [(np.array(some[:8], np.float32).reshape(4, 2), some[8]) for some in cells if len(some) > 8]


def printed(root: Path, name: str) -> dict[str, str]:
    """The labels as they were typed in, by our names of the fields: 25/12/2018, RM 9.00."""
    said = json.loads((root / "fields" / f"{name}.json").read_text())
    return {ours: values.collapse_whitespace(said[theirs]) for theirs, ours in NAMES.items() if said.get(theirs)}


def main() -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", choices=(*SPLITS, KEPT_BACK), default="dev_unseen_merchants")
    parser.add_argument("--photograph", type=int, metavar="SEED")
    parser.add_argument("--plan", choices=PHOTO_PLANS, default="everyday", help="how well it is photographed")
    parser.add_argument("--surfaces", type=Path)
    options = parser.parse_args()
    labels = load(options.root, options.split)
    write_labelled_folder(labels, options.out, options.photograph, options.plan, options.surfaces)
    print(f"{len(labels)} receipts of {options.split} → {options.out}")


if __name__ == "__main__":
    main()
