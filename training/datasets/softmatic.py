"""Softmatic's scans of German receipts (CC BY 4.0): date and total stand in the file names. Only measured on.

    python -m training.datasets.softmatic ROOT OUT

writes a labelled folder; the tags A (cropped), B and C (small or off-centre on the bed of the scanner) are kept.
"""

import argparse
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from training.datasets import LabelledPage, labelled_folder, pictures

# merchant_DDMMYYYY_items_cents, the count of items missing at times, a page's letter following at times
_NAME = re.compile(r"[a-z]+_(?P<day>\d{2})(?P<month>\d{2})(?P<year>\d{4})_(?:\d{2}_)?(?P<cents>\d{5,6})(?:_[A-Z])?")


def load(root: Path) -> list[LabelledPage]:
    """Every scan whose name can be read, by folder and name."""
    return [page for path in sorted(root.rglob("*.jpg")) if (page := _page(path)) is not None]


def _page(path: Path) -> LabelledPage | None:
    match = _NAME.fullmatch(path.stem)
    if match is None:
        return None
    fields = {
        "transaction_date": date(int(match["year"]), int(match["month"]), int(match["day"])).isoformat(),
        "total": f"{Decimal(match['cents']) / 100:.2f}",
    }
    return LabelledPage(path, "receipt", fields, (path.parent.name,), "EUR", key=f"{path.parent.name}_{path.stem}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    pages = load(options.root)
    with labelled_folder.Writer(options.out) as writer:
        for page in pages:
            writer.add(page.key, pictures.load(page.image), page.type, page.fields, page.tags)
    print(f"{len(pages)} receipts → {options.out}")


if __name__ == "__main__":
    main()
