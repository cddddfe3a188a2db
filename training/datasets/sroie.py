"""SROIE (ICDAR 2019, CC BY 4.0): scanned Malaysian receipts with company, date, address and total.

    python -m training.datasets.sroie ROOT OUT --split dev_unseen_merchants --photograph 7

writes a split as a labelled folder for `make evaluate`; with --photograph, simulated photos of the scans.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from docextract.documents import values
from docextract.images.geometry import Page, Polygon
from training.datasets import LabelledPage, labelled_folder, merchants, pictures
from training.synth.camera import simulation
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.camera.simulation import Shot

SPLITS = ("train", "dev_seen_merchants", "dev_unseen_merchants")
NAMES = {
    "company": "merchant_name", "address": "merchant_address", "date": "document_date", "total": "total",
}  # fmt: skip
HELD_OUT = "kept_back"  # the part of `train` that extraction is not trained on: for choices and calibration
# Further readings of labels of HELD_OUT that are as right, seen on the scans: totals that are printed before and after
# rounding to five sen, with the one before as label, and a name that is misspelt in the label.
ALSO_PRINTED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "146": {"total": ("72.95",)},
    "561": {"total": ("17.20",)},
    "249": {"merchant_name": ("GL HANDICRAFT & TAILORING",)},
    "250": {"merchant_name": ("GL HANDICRAFT & TAILORING",)},
}


def load(root: Path, split: str) -> list[LabelledPage]:
    """The receipts of one split with typed labels; a label that cannot be parsed is unknown."""
    if split == HELD_OUT:
        labels = load(root, "train")
        kept = merchants.held_out_keys(labels)
        return [label for label in labels if label.key in kept]
    names = json.loads((root / "splits.json").read_text())[split]
    return [_page(root, name, split) for name in names]


def load_not_held_out(root: Path) -> list[LabelledPage]:
    """The receipts of the training part that networks may learn from."""
    held_out = {label.key for label in load(root, HELD_OUT)}
    return [label for label in load(root, "train") if label.key not in held_out]


def _page(root: Path, name: str, split: str) -> LabelledPage:
    printed = json.loads((root / "fields" / f"{name}.json").read_text())
    day = values.parse_date(printed.get("date", ""), "DMY")
    total = values.parse_amount(printed.get("total", ""))
    known = {
        "merchant_name": values.collapse_whitespace(printed.get("company", "")) or None,
        "merchant_address": values.collapse_whitespace(printed.get("address", "")) or None,
        "document_date": day.isoformat() if day else None,
        "total": f"{total:.2f}" if total is not None else None,
    }
    fields = {name: value for name, value in known.items() if value}
    also = ALSO_PRINTED.get(name, {})
    return LabelledPage(root / "images" / f"{name}.jpg", "receipt", fields, (split,), "MYR", name, alternatives=also)


def write_labelled_folder(
    labels: list[LabelledPage], out: Path, photograph: int | None, plan: str, surfaces: Path | None
) -> None:
    """Write images/ and labels.jsonl. photograph: the simulation's seed; None copies the scans."""
    textures = pictures.load_folder(surfaces)
    with labelled_folder.LabelledFolderWriter(out) as writer:
        for index, page in enumerate(labels):
            image = pictures.load(page.image)
            if photograph is not None:
                lines = [outline for outline, _ in transcript(page.image.parent.parent, page.key)]
                image = photograph_scan(image, photograph, index, plan, textures, lines).photo
            writer.add(page.key, image, page.type, page.fields, page.tags, also=page.alternatives)


def photograph_scan(
    scan: Page, seed: int, index: int, plan: str, textures: Sequence[Page], lines: Sequence[Polygon] = ()
) -> Shot:
    """A simulated photo of a scan; each index of a split has other conditions.

    plan: a name in PHOTO_PLANS. lines: outlines of the printed lines, px of the scan.
    """
    rng = np.random.default_rng((seed, index))
    return simulation.take_photo(scan, rng, PHOTO_PLANS[plan](rng), textures, lines=lines)


def transcript(root: Path, name: str) -> list[tuple[Polygon, str]]:
    """The labelled text lines of a scan: corners in px of the scan, clockwise from the top left, and the text."""
    rows = (root / "lines" / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    cells = [row.split(",", 8) for row in rows if row]
    return [(np.array(some[:8], np.float32).reshape(4, 2), some[8]) for some in cells if len(some) > 8]


def printed_labels(root: Path, name: str) -> dict[str, str]:
    """The labels as typed in the data set, by our field names: 25/12/2018, RM 9.00."""
    labels = json.loads((root / "fields" / f"{name}.json").read_text())
    return {ours: values.collapse_whitespace(labels[theirs]) for theirs, ours in NAMES.items() if labels.get(theirs)}


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--split", choices=(*SPLITS, HELD_OUT), default="dev_unseen_merchants")
    parser.add_argument("--photograph", type=int, metavar="SEED")
    parser.add_argument("--plan", choices=PHOTO_PLANS, default="everyday", help="plan of the simulated photos")
    parser.add_argument("--surfaces", type=Path)
    options = parser.parse_args()
    labels = load(options.root, options.split)
    write_labelled_folder(labels, options.out, options.photograph, options.plan, options.surfaces)
    print(f"{len(labels)} receipts of {options.split} written to {options.out}")


if __name__ == "__main__":
    main()
