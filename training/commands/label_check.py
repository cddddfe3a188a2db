"""What of your labels can be used, and what cannot, and why: look before you train.

    python -m training.commands.label_check DATA… [--read] [--json]

DATA is one or several folders of labelled photos, in any form that training.datasets reads. Every row is either
counted or named with its file, line and reason. With --read every page is read as the service reads it, a second or
two each, and values that are not found on their page are named too: typed wrongly, or not readable there. What was
read is kept for retraining. Ends with 1 if nothing is usable.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docextract.documents import document_types
from docextract.extraction.layout.pieces import split_into_pieces
from training import datasets
from training.datasets import LabelledPage, Unusable, is_held_out, reads
from training.datasets.aligning import unseen
from training.datasets.rows import leaves

READS = Path("runs/retrain/reads.jsonl")  # where `make retrain` looks for them


@dataclass(frozen=True)
class MissingValues:
    """Fields of a page whose value is not found on it as it was read."""

    page: LabelledPage
    fields: Sequence[str]


@dataclass
class Report:
    """Every row of the data, once; `unseen` is None where nothing was read."""

    pages: list[LabelledPage] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    unseen: list[MissingValues] | None = None

    def summary(self) -> dict[str, Any]:
        """Counts, and what is to be looked at; JSON."""
        back = [page for page in self.pages if is_held_out(page)]
        found: dict[str, Any] = {
            "rows": len(self.pages) + len(self.unusable),
            "usable": len(self.pages),
            "trained_on": len(self.pages) - len(back),
            "held_back": len(back),
            "types": {name: _of_type(name, self.pages) for name in sorted({page.type for page in self.pages})},
            "unusable": [
                {"file": str(one.file), "row": one.row, "reason": one.reason}
                for one in sorted(self.unusable, key=lambda one: (str(one.file), one.row))
            ],
        }
        if self.unseen is not None:
            found["not_found"] = [
                {"file": str(one.page.file), "row": one.page.row, "image": str(one.page.image), "field": name}
                for one in self.unseen
                for name in one.fields
            ]
        return found

    def text(self) -> str:
        """The same for people."""
        found = self.summary()
        return "\n".join([*_faults(found), *_counts(found)])


def check(*data: Path) -> Report:
    """Every row of the data, its picture opened. Raises as datasets.load does."""
    report = Report()
    for one in datasets.open_pages(datasets.load(*data)):
        if isinstance(one, Unusable):
            report.unusable.append(one)
        else:
            report.pages.append(one)
        _tell(f"{len(report.pages)} pictures opened")
    return report


def read(pages: Sequence[LabelledPage], cache: Path, models_dir: Path) -> Iterator[MissingValues]:
    """The pages on which something is not found, one after the other; reads what is not in the cache yet."""
    for number, (page, seen) in enumerate(zip(pages, reads.read_as_served(cache, pages, models_dir), strict=True)):
        _, sequenced = split_into_pieces(seen.lines)
        if names := unseen(page, document_types()[page.type], sequenced.pieces):
            yield MissingValues(page, names)
        _tell(f"{number + 1} of {len(pages)} pages read")


def _of_type(name: str, pages: Iterable[LabelledPage]) -> dict[str, Any]:
    own = [page for page in pages if page.type == name]
    labels = [leaf for page in own for leaf in leaves(page.fields)]
    known = Counter(field for field, value in labels if value is not None)
    absent = Counter(field for field, value in labels if value is None)
    return {
        "pages": len(own),
        "held_back": sum(map(is_held_out, own)),
        "fields": {
            field.name: {"known": known[field.name], "absent": absent[field.name]}
            for field in document_types()[name].fields()
        },
    }


def _faults(found: dict[str, Any]) -> Iterator[str]:
    if found["unusable"]:
        yield f"{len(found['unusable'])} of {found['rows']} rows cannot be used:"
        yield from (f"  {Path(one['file']).name}:{one['row']}: {one['reason']}" for one in found["unusable"])
        yield ""
    if found.get("not_found"):
        yield f"{len(found['not_found'])} values are not found on their page as it was read; look at them:"
        yield from (
            f"  {Path(one['file']).name}:{one['row']}: {one['field']} ({Path(one['image']).name})"
            for one in found["not_found"]
        )
        yield ""


def _counts(found: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{found['usable']} pages can be used: {found['trained_on']} to train on, {found['held_back']} held back to "
        "judge by."
    )
    for name, kind in found["types"].items():
        yield f"\n{name}: {kind['pages']} pages, {kind['held_back']} of them held back"
        yield f"  {'field':34}{'known':>7}{'not there':>11}"
        for field_name, counts in kind["fields"].items():
            yield f"  {field_name:34}{counts['known']:7}{counts['absent']:11}"
    if found["usable"] and not (found["trained_on"] and found["held_back"]):
        yield "\nThat is too little to train on and to judge by. Label more."


def _tell(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress}", end="\r", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="a folder, or the file of labels in it")
    parser.add_argument("--read", action="store_true", help="read every page, and look for every value on it")
    parser.add_argument("--reads", type=Path, default=READS, help=f"where to keep what was read ({READS})")
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--json", action="store_true", help="for programs")
    options = parser.parse_args(arguments)
    try:
        report = check(*options.data)
    except (FileNotFoundError, ValueError) as error:
        parser.exit(1, f"{error}\n")
    if options.read:
        report.unseen = list(read(report.pages, options.reads, options.models))
    print(json.dumps(report.summary(), indent=1, ensure_ascii=False) if options.json else report.text())
    return 0 if report.pages else 1


if __name__ == "__main__":
    raise SystemExit(main())
