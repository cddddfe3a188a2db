"""Check labelled data before training: which rows can be used, and why the others cannot.

    python -m training.commands.label_check DATA… [--read] [--json]

DATA is one or several folders of labelled photos in any format that training.datasets reads. Every row is either
counted or reported with its file, line and reason. With --read, every page is also read as the service reads it, which
takes a second or two each, and values that are not found on their page are reported: they are mistyped or not readable
there. The OCR results are kept for retraining. Exits with status 1 if no row is usable.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docextract.documents import document_types, register_types
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.files import escape_surrogates
from docextract.predictions import TextLine
from docextract.registry import RegistryError, promoted_version
from training import datasets
from training.command_line import add_models_option
from training.datasets import LabelledPage, Unusable, group_of, is_held_out, part_of, reads
from training.datasets.aligning import missing_fields
from training.datasets.near_duplicates import JoinedPages, find_alike
from training.datasets.parts import MIN_DIVIDED_PAGES, are_divided
from training.datasets.rows import iter_labels

READS = Path("runs/retrain/reads.jsonl")  # where `make retrain` looks for OCR results


@dataclass(frozen=True)
class MissingValues:
    """Fields of a page whose value is not found in the page's OCR text."""

    page: LabelledPage
    fields: Sequence[str]


@dataclass
class LabelReport:
    """Every row of the data, once; `missing` is None if no page was read."""

    pages: list[LabelledPage] = field(default_factory=list)
    unusable: list[Unusable] = field(default_factory=list)
    missing_values: list[MissingValues] | None = None
    left_apart: list[int] = field(default_factory=list)  # see `JoinedPages`

    def take_groups(self, joined: JoinedPages) -> None:
        """Take over the groups of pages that are alike."""
        self.pages, self.left_apart = joined.pages, joined.left_apart

    def summary(self) -> dict[str, Any]:
        """Counts and problems, as JSON."""
        parts = Counter(map(part_of, self.pages) if are_divided(self.pages) else ["train"] * len(self.pages))
        found: dict[str, Any] = {
            "rows": len(self.pages) + len(self.unusable),
            "usable": len(self.pages),
            "groups": len(set(map(group_of, self.pages))),
            "alike_in_several_groups": self.left_apart,
            "trained_on": parts["train"],
            "stop": parts["stop"],
            "calibrate": parts["calibrate"],
            "held_back": parts["evaluate"],
            "types": {name: _of_type(name, self.pages) for name in sorted({page.type for page in self.pages})},
            "unusable": [
                {"file": str(one.file), "row": one.row, "reason": one.reason}
                for one in sorted(self.unusable, key=lambda one: (str(one.file), one.row))
            ],
        }
        if self.missing_values is not None:
            found["not_found"] = [
                {"file": str(one.page.file), "row": one.page.row, "image": str(one.page.image), "field": name}
                for one in self.missing_values
                for name in one.fields
            ]
        return found

    def text(self) -> str:
        """The same as text for people."""
        found = self.summary()
        return "\n".join([*_faults(found), *_counts(found)])


def check_labels(*data: Path) -> LabelReport:
    """Check every row of the data and open its picture. Raises as datasets.load does."""
    report = LabelReport()
    for one in datasets.open_pages(datasets.load(*data)):
        if isinstance(one, Unusable):
            report.unusable.append(one)
        else:
            report.pages.append(one)
        _print_progress(f"{len(report.pages)} pictures opened")
    report.take_groups(find_alike(report.pages))
    return report


def read_labelled(report: LabelReport, cache: Path, models_dir: Path) -> None:
    """Read every page that is not in the cache; find values that are not printed, and pages whose text is alike."""
    found: dict[str, Sequence[TextLine]] = {}
    report.missing_values = []
    for page, ocr in zip(report.pages, reads.read_as_served(cache, report.pages, models_dir), strict=True):
        _, sequenced = split_into_pieces(ocr.lines)
        if names := missing_fields(page, document_types()[page.type], sequenced.pieces):
            report.missing_values.append(MissingValues(page, names))
        found[page.key] = ocr.lines
        _print_progress(f"{len(found)} of {len(report.pages)} pages read")
    report.take_groups(find_alike(report.pages, found))


def _of_type(name: str, pages: Sequence[LabelledPage]) -> dict[str, Any]:
    own = [page for page in pages if page.type == name]
    labels = [leaf for page in own for leaf in iter_labels(page.fields)]
    known = Counter(field for field, value in labels if value is not None)
    absent = Counter(field for field, value in labels if value is None)
    return {
        "pages": len(own),
        "held_back": sum(map(is_held_out, own)) if are_divided(pages) else 0,
        "fields": {
            field.name: {"known": known[field.name], "absent": absent[field.name]}
            for field in document_types()[name].fields()
        },
    }


def _faults(found: dict[str, Any]) -> Iterator[str]:
    if found["unusable"]:
        yield f"{len(found['unusable'])} of {found['rows']} rows cannot be used:"
        yield from (f"  {_source(one, found)}: {one['reason']}" for one in found["unusable"])
        yield ""
    if found.get("not_found"):
        yield f"{len(found['not_found'])} values are not found in the OCR text of their page; check them:"
        yield from (
            f"  {_source(one, found)}: {one['field']} ({Path(one['image']).name})" for one in found["not_found"]
        )
        yield ""


def _source(row: dict[str, Any], found: dict[str, Any]) -> str:
    """File and row as compilers write it, with the folder if there are several files."""
    files = {one["file"] for one in (*found["unusable"], *found.get("not_found", ()))}
    return f"{row['file'] if len(files) > 1 else Path(row['file']).name}:{row['row']}"


def _counts(found: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{found['usable']} pages of {found['groups']} groups can be used: {found['trained_on']} for training, "
        f"{found['stop']} to stop it, {found['calibrate']} for confidences, {found['held_back']} held out for "
        "evaluation."
    )
    for count in found["alike_in_several_groups"]:
        yield (
            f"{count} of them look alike, too many to be one group; they are divided as forms with different values. "
            'Photos of one original need a "group" in their labels.'
        )
    for name, kind in found["types"].items():
        yield f"\n{name}: {kind['pages']} pages, {kind['held_back']} of them held out"
        yield f"  {'field':34}{'known':>7}{'not there':>11}"
        for field_name, counts in kind["fields"].items():
            yield f"  {field_name:34}{counts['known']:7}{counts['absent']:11}"
    if 0 < found["usable"] < MIN_DIVIDED_PAGES:
        yield f"\nFewer than {MIN_DIVIDED_PAGES} pages: all are trained on, and the gain is not measured."
    elif found["usable"] and not (found["trained_on"] and found["held_back"]):
        yield "\nTraining and evaluation need more pages than that. Label more pages."


def _print_progress(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress}", end="\r", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="a folder, or the file of labels in it")
    parser.add_argument("--read", action="store_true", help="read every page and search every value in its OCR text")
    parser.add_argument("--reads", type=Path, default=READS, help=f"cache of OCR results ({READS})")
    add_models_option(parser, "the served model knows types, too")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    try:
        register_types(promoted_version("extraction", options.models).folder)
        report = check_labels(*options.data)
    except (RegistryError, FileNotFoundError, ValueError) as error:
        parser.exit(1, f"{error}\n")
    if options.read:
        read_labelled(report, options.reads, options.models)
    found = json.dumps(report.summary(), indent=1, ensure_ascii=False) if options.json else report.text()
    print(escape_surrogates(found))
    return 0 if report.pages else 1


if __name__ == "__main__":
    raise SystemExit(main())
