"""Measure group=auto: how well a file is split into its documents, on stacks of real documents.

    python -m training.evaluation.grouping --collection DATA/invoices --collection DATA/ids [--without-page-numbers]

Every document is read once. Its pages are then put into stacks with others, in random order, as a scanner with a feeder
makes them, and each stack is split. --without-page-numbers: as if no page had a printed number.
"""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from docextract.pipeline import grouping
from docextract.predictions import PagePrediction
from docextract.serving.local import LocalModels
from docextract.settings import Settings
from training.datasets.reads import predict_pages
from training.evaluation.real_documents import read_collection

STACK_DOCUMENTS = 6
STACKINGS = 30  # how often all documents are shuffled


@dataclass
class StackResults:
    """Counts over all stacks. A start is the first page of a document."""

    documents: int = 0
    documents_right: int = 0  # all pages and no other
    starts_found: int = 0
    starts_right: int = 0

    def __str__(self) -> str:
        """Return the shares as one line."""
        return (
            f"{self.documents} documents in stacks: {self.documents_right / self.documents:.3f} exactly right; "
            f"starts: precision {self.starts_right / self.starts_found:.3f}, "
            f"recall {self.starts_right / self.documents:.3f}"
        )


def draw_stacks(documents: Sequence[Sequence[PagePrediction]]) -> Iterator[Sequence[Sequence[PagePrediction]]]:
    """Yield stacks of documents; each document is in one stack of each shuffling."""
    for seed in range(STACKINGS):
        shuffled = list(documents)
        random.Random(seed).shuffle(shuffled)
        for first in range(0, len(shuffled), STACK_DOCUMENTS):
            yield shuffled[first : first + STACK_DOCUMENTS]


def measure_stacks(documents: Sequence[Sequence[PagePrediction]]) -> StackResults:
    """Split every stack and compare. documents: the pages of each."""
    results = StackResults()
    for stack in draw_stacks(documents):
        pages = [page for document in stack for page in document]
        ends = [sum(map(len, stack[: index + 1])) for index in range(len(stack))]
        expected = [list(range(end - len(document), end)) for document, end in zip(stack, ends, strict=True)]
        found = grouping.group_pages("auto", pages, [0] * len(pages))
        results.documents += len(expected)
        results.documents_right += sum(document in found for document in expected)
        results.starts_found += len(found)
        results.starts_right += len({document[0] for document in found} & {document[0] for document in expected})
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, action="append", required=True, help="folder with labels.jsonl")
    parser.add_argument("--without-page-numbers", action="store_true")
    options = parser.parse_args(arguments)
    models = LocalModels(Settings().models_folder)
    models.load("quality", "extraction")
    paths = [document.path for folder in options.collection for document in read_collection(folder)]
    documents = [pages for path in paths if (pages := anyio.run(predict_pages, path, models))]
    if options.without_page_numbers:
        grouping.find_page_number = lambda texts: None
    print(measure_stacks(documents))


if __name__ == "__main__":
    main()
