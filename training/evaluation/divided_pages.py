"""Measure group=auto on pages with several documents: sheets of the pictures of single documents, as of a scanner.

    python -m training.evaluation.divided_pages --pictures DIR [--pictures DIR …] [--sheets 40]

Two to four pictures lie on each sheet: beside each other, one below the other, or in a grid. Each sheet is extracted,
and so is each document alone, at the same place of an empty sheet. The values of both are compared, so that the figures
say what the division costs and not how well documents are read.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from docextract.images.geometry import PAPER_WHITE, Page, shrink
from docextract.serving import local
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training.datasets.pictures import list_pictures, load, save
from training.evaluation.evaluate import ExtractCall, make_extract_call, plain_value

SHEET_PX = 2339, 1654  # height and width of A4, 200 dpi
ARRANGEMENTS = ((1, 2), (2, 1), (1, 3), (2, 2))  # rows and columns of documents
CELL_MARGIN = 0.05  # of the cell of a document, on each side, at least
MAX_TILT_DEGREES = 2.0

# By name, such as "total" or "line_items.0.amount": the value, and whether it is accepted.
ReadValues = dict[str, tuple[Any, bool]]


@dataclass(frozen=True)
class Placed:
    """A picture on a sheet. to_sheet: [2, 3], from px of the picture to px of the sheet."""

    picture: Page
    to_sheet: np.ndarray


@dataclass
class DivisionResults:
    """Counts over all sheets. Values are those of sheets that are divided right, if the documents were alone."""

    sheets: int = 0
    divided_right: int = 0  # into as many documents as there are
    alone: int = 0  # sheets with one document
    alone_right: int = 0  # answered as one document
    values: int = 0
    values_equal: int = 0
    accepted: int = 0  # values on sheets with several documents
    accepted_different: int = 0  # of these, values that differ from those of the document alone, or are not there

    def __str__(self) -> str:
        """Return the counts as three lines."""
        return (
            f"sheets with several documents: {self.divided_right} of {self.sheets} divided into these\n"
            f"sheets with one document: {self.alone_right} of {self.alone} not divided\n"
            f"values: {self.values_equal} of {self.values} are as if the document were alone; "
            f"{self.accepted_different} of {self.accepted} accepted ones are not"
        )


def draw_sheets(pictures: Sequence[Path], count: int, seed: int = 0) -> Iterator[list[Placed]]:
    """Yield sheets with pictures drawn at random, in all arrangements by turns."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        rows, columns = ARRANGEMENTS[number % len(ARRANGEMENTS)]
        chosen = rng.choice(len(pictures), rows * columns, replace=False)
        cells = [(row / rows, column / columns) for row in range(rows) for column in range(columns)]
        yield [
            _place(load(pictures[index], max(SHEET_PX)), cell, (1 / rows, 1 / columns), rng)
            for index, cell in zip(chosen.tolist(), cells, strict=True)
        ]


def _place(picture: Page, cell: tuple[float, float], size: tuple[float, float], rng: np.random.Generator) -> Placed:
    """Put a picture into a cell of the sheet, as large as fits. cell, size: shares of the sheet, y first."""
    room = np.array(SHEET_PX) * size * (1 - 2 * CELL_MARGIN)
    tilt = np.radians(rng.uniform(-MAX_TILT_DEGREES, MAX_TILT_DEGREES))
    cos, sin = np.cos(tilt), np.sin(tilt)
    height, width = picture.shape[:2]
    needed = np.array([height * cos + width * abs(sin), width * cos + height * abs(sin)])
    scale = float((room / needed).min())
    free = room - needed * scale
    middle = np.array(SHEET_PX) * (np.array(cell) + np.array(size) / 2) + rng.uniform(-0.5, 0.5, 2) * free
    turn = scale * np.array([[cos, -sin], [sin, cos]])
    return Placed(picture, np.column_stack([turn, middle[::-1] - turn @ np.array([width / 2, height / 2])]))


def draw_sheet(placed: Sequence[Placed]) -> Page:
    """Return a white sheet with these pictures."""
    sheet = np.full((*SHEET_PX, 3), PAPER_WHITE, np.uint8)
    for one in placed:
        # Only turned: reduced by area before, which a warp does not do.
        scale = float(np.hypot(*one.to_sheet[:, 0]))
        longest = max(one.picture.shape[:2])
        small = shrink(one.picture, max(1, round(longest * scale)), 1)
        to_sheet = one.to_sheet.copy()
        to_sheet[:, :2] *= longest / max(small.shape[:2])
        cv2.warpAffine(
            small, to_sheet, SHEET_PX[::-1], dst=sheet, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_TRANSPARENT
        )
    return sheet


def measure_divisions(sheets: Iterable[Sequence[Placed]], extract: ExtractCall) -> DivisionResults:
    """Extract every sheet, and each of its documents alone. extract: with group=auto."""
    results = DivisionResults()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.jpg"

        def documents_of(placed: Sequence[Placed]) -> list[Mapping[str, Any]]:
            save(draw_sheet(placed), file)
            return list(extract(file).get("documents", ()))

        for sheet in sheets:
            found, alone = documents_of(sheet), [documents_of([one]) for one in sheet]
            results.alone += len(alone)
            results.alone_right += sum(len(documents) == 1 for documents in alone)
            results.sheets += 1
            if len(found) == len(sheet):
                results.divided_right += 1
                singles = [documents[0] if len(documents) == 1 else {"fields": {}} for documents in alone]
                _count(results, list(map(_values, found)), list(map(_values, singles)))
    return results


def _count(results: DivisionResults, found: Sequence[ReadValues], alone: Sequence[ReadValues]) -> None:
    """Compare the documents of a sheet with those alone, in the order in which most values are equal."""
    best = max(permutations(found), key=lambda order: sum(map(_count_equal, order, alone)))
    results.values += sum(map(len, alone))
    results.values_equal += sum(map(_count_equal, best, alone))
    for own, single in zip(best, alone, strict=True):
        accepted = {name: value for name, (value, is_accepted) in own.items() if is_accepted}
        results.accepted += len(accepted)
        results.accepted_different += sum(
            name not in single or single[name][0] != value for name, value in accepted.items()
        )


def _count_equal(one: ReadValues, other: ReadValues) -> int:
    return sum(name in one and one[name][0] == value for name, (value, _) in other.items())


def _values(document: Mapping[str, Any]) -> ReadValues:
    values: ReadValues = {}
    for name, answer in document["fields"].items():
        if "items" in answer:
            for number, row in enumerate(answer["items"]):
                values |= {f"{name}.{number}.{leaf}": _value(one) for leaf, one in row["fields"].items()}
        else:
            values[name] = _value(answer)
    return values


def _value(answer: Mapping[str, Any]) -> tuple[Any, bool]:
    return plain_value(answer["value"]), not answer.get("needs_review", False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, action="append", required=True, help="folder of single documents")
    parser.add_argument("--sheets", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    paths = [path for folder in options.pictures for path in list_pictures(folder)]
    if len(paths) < max(rows * columns for rows, columns in ARRANGEMENTS):
        parser.error("too few pictures")
    sheets = draw_sheets(paths, options.sheets, options.seed)
    with local.client(LocalModels(Settings().models_folder)) as client:
        print(measure_divisions(sheets, make_extract_call(client, group="auto", validation="off")))


if __name__ == "__main__":
    main()
