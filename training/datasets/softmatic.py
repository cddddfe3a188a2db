"""Softmatic's scans of German receipts (CC BY 4.0), with date and total in the file names. Used for evaluation only.

    python -m training.datasets.softmatic ROOT OUT

writes a labelled folder. The tags are the data set's folders: A (cropped), B and C (small or off-centre on the
scanner).
"""

import argparse
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path

from training.datasets import LabelledPage, labelled_folder, pictures

# merchant_DDMMYYYY_items_cents; the number of items is sometimes missing, and a page letter sometimes follows
_NAME = re.compile(r"[a-z]+_(?P<day>\d{2})(?P<month>\d{2})(?P<year>\d{4})_(?:\d{2}_)?(?P<cents>\d{5,6})(?:_[A-Z])?")


def load(root: Path) -> list[LabelledPage]:
    """Every scan whose name can be parsed, ordered by path."""
    return [page for path in sorted(root.rglob("*.jpg")) if (page := _page(path)) is not None]


def _page(path: Path) -> LabelledPage | None:
    match = _NAME.fullmatch(path.stem)
    if match is None:
        return None
    fields = {
        "document_date": date(int(match["year"]), int(match["month"]), int(match["day"])).isoformat(),
        "total": f"{Decimal(match['cents']) / 100:.2f}",
    }
    return LabelledPage(path, "receipt", fields, (path.parent.name,), "EUR", key=f"{path.parent.name}_{path.stem}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args(arguments)
    pages = load(options.root)
    with labelled_folder.LabelledFolderWriter(options.out) as writer:
        for page in pages:
            writer.add(page.key, pictures.load(page.image), page.type, page.fields, page.tags)
    print(f"{len(pages)} receipts written to {options.out}")


if __name__ == "__main__":
    main()
