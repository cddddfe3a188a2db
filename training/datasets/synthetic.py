"""Simulated photos of synthetic documents as a labelled folder; every field is known to be present or absent.

python -m training.datasets.synthetic OUT --count 60 --seed 9 --plan everyday
"""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from docextract.documents import mrz
from docextract.documents.base import MRZ, Record
from training.datasets import labelled_folder, rows
from training.datasets.pictures import load_folder
from training.synth.camera.plan import PHOTO_PLANS
from training.synth.examples import PhotoExamples, printable


def labels_of(record: Record) -> dict[str, Any]:
    """A record as labels: text for values, null for fields that are not printed, lists of rows.

    The back of a card shows the name only in its machine-readable zone; then the zone's spelling is the label. The
    amount of the only tax rate is the total tax, which is printed once.
    """
    printed = {name: rows.to_label(value) for name, value in record if name not in record.non_fields}
    taxes, total_tax = printed.get("taxes") or (), printed.get("total_tax")
    if len(taxes) == 1 and total_tax is not None and taxes[0].get("amount") is None:
        printed["taxes"] = [{**taxes[0], "amount": total_tax}]
    zone = mrz.parse_zone(getattr(record, MRZ, ()), date.today())
    zone_values = {name: rows.to_label(field.value) for name, field in zone.fields.items()} if zone else {}
    return {name: zone_values.get(name) if label is None else label for name, label in printed.items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--plan", choices=PHOTO_PLANS, default="everyday")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops (default: synthetic ones)")
    options = parser.parse_args(arguments)
    examples = PhotoExamples(
        options.seed, kinds=printable(), plan=PHOTO_PLANS[options.plan], surfaces=load_folder(options.surfaces)
    )
    with labelled_folder.LabelledFolderWriter(options.out) as writer:
        write_synthetic_folder(writer, examples, options.count, ("synthetic", options.plan))


def write_synthetic_folder(
    writer: labelled_folder.LabelledFolderWriter,
    examples: PhotoExamples,
    count: int,
    tags: Sequence[str],
    prefix: str = "",
) -> None:
    """Write the first `count` photos with their labels."""
    for index in range(count):
        record, _, shot, kind = examples[index]
        writer.add(f"{prefix}{index:04}", shot.photo, kind.name, labels_of(record), tags)


if __name__ == "__main__":
    main()
