"""Convert corrected answers of the service to a labelled folder, so that a model can learn from them.

    python -m training.commands.corrections corrections.jsonl IMAGES OUT

The service stores nothing. The caller has the picture, and a person who checked the answer. The caller's tool writes
one line for each checked picture, whether it was corrected or not:

    {"image": "0017.jpg", "document_type": "receipt",
     "fields": {"total": {"value": {"amount": "9.00", "currency": "MYR"}}, "tip": null,
                "line_items": {"items": [{"fields": {"description": {"value": "TEA"}}}]}},
     "by": "anna", "at": "2026-11-21T10:12:00Z"}

`fields` has the form of the answer of /extraction. A confirmed or corrected value is present, null means that the
field is not on the page, and an unchecked field is left out. Other members of a field are ignored, and so is `mrz`,
which is no field of its own. `by` and `at` are optional. A page of a file with several has its number as "page", from
1. IMAGES is the folder of the pictures. Of several lines for one page the last one counts. OUT is a labelled folder for
`make retrain`. Rows and pictures that it has already stay, except rows that this program wrote of pages that are
corrected again: these keep what the later line leaves out. A line that is unchanged since its row was written is not
written again, so that what was changed in the row stays. A correction of a page that is labelled by hand gets a row
beside that label, and training.datasets.labelled takes the correction, as it does of rows in several folders.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from docextract.documents import document_types, register_types
from docextract.documents.base import MRZ
from docextract.files import file_digest
from docextract.registry import RegistryError, promoted_version
from docextract.review.precedence import CORRECTED
from training.command_line import add_models_option
from training.datasets import LabelledPage, LabelledPages, Unusable, labelled, labelled_folder, rows
from training.datasets.page import counting_row, in_order_of_precedence

KEYS = {"image", "page", "document_type", "fields", "by", "at"}


def load(file: Path, images: Path) -> LabelledPages:
    """The last usable line for each page; every other line with its reason. No picture is opened."""
    found = rows.collect_pages(file, rows.numbered_lines(file), partial(_page, file, images))
    last = {(page.image, page.page): page for page in found.pages}
    superseded = [
        Unusable(page.row, f"{page.image.name} is corrected again by line {last[page.image, page.page].row}", file)
        for page in found.pages
        if last[page.image, page.page] is not page
    ]
    pages = labelled.with_unique_keys(sorted(last.values(), key=lambda page: page.row))
    return LabelledPages(pages, [*found.unusable, *superseded])


def _page(file: Path, images: Path, number: int, line: str) -> LabelledPage:
    row = rows.parse_object(line)
    if unknown := sorted(row.keys() - KEYS):
        raise ValueError(f"{unknown[0]!r} is not a member of a correction; members are {', '.join(sorted(KEYS))}")
    image, page, fields = row.get("image"), rows.page_number(row), row.get("fields")
    if not isinstance(image, str):
        raise ValueError('no "image"')
    if not isinstance(fields, dict):
        raise ValueError('"fields" is not an object')
    kind = str(row.get("document_type"))
    fields = {name: answer for name, answer in fields.items() if not _is_zone(kind, name)}
    labels = {name: _label(name, answer) for name, answer in fields.items()}
    currencies = {code for answer in fields.values() for code in _currencies(answer)}
    digest = sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()
    return rows.validate_page(
        LabelledPage(
            images / image, kind, labels, (CORRECTED,), currencies.pop() if len(currencies) == 1 else None,
            Path(image).stem if page is None else f"{Path(image).stem}-{page}", page=page, correction=digest,
            file=file, row=number,
        )
    )  # fmt: skip


def _is_zone(kind: str, name: str) -> bool:
    """Whether this is the machine-readable zone in the answer of an identity document."""
    return name == MRZ and kind in document_types() and MRZ in document_types()[kind].record.non_fields


def _label(name: str, answer: Any) -> Any:
    """A field of the answer's JSON as a label."""
    if answer is None:
        return None
    if isinstance(answer, Mapping) and isinstance(answer.get("items"), list):
        return [_row(name, row) for row in answer["items"]]
    value = answer.get("value") if isinstance(answer, Mapping) else None
    if isinstance(value, Mapping):  # money
        value = value.get("amount")
    if value is None:
        raise ValueError(f'{name} is neither null nor an object with "value" or "items"')
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{Decimal(str(value)).normalize():f}"
    return value


def _row(name: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping) or not isinstance(row.get("fields"), Mapping):
        raise ValueError(f'{name}: a row is not an object with "fields"')
    return {leaf: _label(f"{name}.{leaf}", inner) for leaf, inner in row["fields"].items()}


def _currencies(answer: Any) -> set[str]:
    """Every currency in an answer, also in rows."""
    if not isinstance(answer, Mapping):
        return set()
    value = answer.get("value")
    currency = value.get("currency") if isinstance(value, Mapping) else None
    own = {currency} if currency and isinstance(currency, str) else set()
    rows_of_list = answer.get("items")
    inner = [one for row in rows_of_list for one in row["fields"].values()] if isinstance(rows_of_list, list) else []
    return own.union(*map(_currencies, inner))


class WrittenCorrections(NamedTuple):
    """What became of corrections. unchanged: the number of those that were not written again."""

    refused: list[Unusable]
    unchanged: int


def write_corrections(found: LabelledPages, out: Path) -> WrittenCorrections:
    """Add the pages whose pictures can be opened to a labelled folder, of repeated ones the last.

    Its rows of the same pages are replaced if they were written here, and what the correction leaves out stays; other
    labels stay beside it. A correction from which the row was written is not written again.
    """
    opened = list(labelled.open_pages(found))
    rows_of: dict[tuple[str, int], list[LabelledPage]] = defaultdict(list)
    for row in in_order_of_precedence(_present_pages(out)):
        rows_of[_identity(row)].append(row)
    added, unchanged = [], 0
    replaced: set[int] = set()
    for correction in sorted((one for one in opened if isinstance(one, LabelledPage)), key=lambda page: page.row):
        before = rows_of[_identity(correction)]
        if correction.correction in {row.correction for row in before}:
            unchanged += 1
            continue
        corrected_before = [row for row in before if row.is_corrected]
        added.append(counting_row([_with_picture_of(correction, before), *corrected_before]))
        replaced |= {row.row for row in corrected_before}
    with labelled_folder.LabelledFolderWriter(out, _lines_without(out, replaced)) as writer:
        for page in added:
            writer.copy(page)
    return WrittenCorrections([one for one in opened if isinstance(one, Unusable)], unchanged)


def _with_picture_of(correction: LabelledPage, before: Sequence[LabelledPage]) -> LabelledPage:
    """A correction with the picture that the folder has of its page, if it has one."""
    return replace(correction, image=before[-1].image, page=before[-1].page) if before else correction


def _present_pages(out: Path) -> list[LabelledPage]:
    """The usable rows of a labelled folder, if it is one. Its document types are registered already."""
    if not (out / labelled_folder.LABELS).exists():
        return []
    return labelled_folder.load(out).pages


def _identity(page: LabelledPage) -> tuple[str, int]:
    """Digest of the picture, and the number of the page in it: the same for copies of one file."""
    return file_digest(page.image), page.page or 1


def _lines_without(out: Path, replaced: Collection[int]) -> list[str]:
    """The lines of a labelled folder's rows, unchanged, except those of these numbers."""
    file = out / labelled_folder.LABELS
    return [line for number, line in rows.numbered_lines(file) if number not in replaced] if file.exists() else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring. Returns 1 if no line is usable."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corrections", type=Path)
    parser.add_argument("images", type=Path)
    parser.add_argument("out", type=Path)
    add_models_option(parser, "models whose document types are registered")
    options = parser.parse_args(arguments)
    try:
        register_types(promoted_version("extraction", options.models).folder)
        register_types(options.out)
        found = load(options.corrections, options.images)
        refused, unchanged = write_corrections(found, options.out)
    except (RegistryError, OSError, ValueError) as error:
        parser.exit(1, f"{error}\n")
    for row in sorted(refused, key=lambda row: row.row):
        print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    total = len(found.pages) + len(found.unusable)
    before = f"; {unchanged} unchanged since they were written" if unchanged else ""
    print(f"{total - len(refused) - unchanged} of {total} corrections written to {options.out}{before}")
    return 0 if total > len(refused) else 1


if __name__ == "__main__":
    raise SystemExit(main())
