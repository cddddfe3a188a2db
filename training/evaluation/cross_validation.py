"""Cross-validate retraining: what it gains on documents of vendors or templates that it has not seen.

    python -m training.evaluation.cross_validation [DATA …] [--collection DIR …] [--further DATA …] --out runs/crossed

DATA: labelled photos in any format that training.datasets reads. --collection: real documents (see
training.evaluation.real_documents), of which those with one page are used; the template is the group. The groups are
divided into --folds parts. For each part the served extraction model is retrained with the pages of all others, as
`docextract teach` does (of eight groups one stops the training and one calibrates), and both models are compared on the
part. --further: labelled pages that are always trained on.
With the first part, synthetic pages of all known types are compared too, so that a loss on them is noticed. A run that
was stopped goes on where it was if it is started again; with other data it trains again, because a part may then hold
pages that its model was trained on.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from docextract.documents import document_types
from docextract.predictions import OTHER_TYPE
from docextract.registry import RegistryError
from training.command_line import add_models_option
from training.commands.retrain import CONFIGS, clear_other_run, digests
from training.commands.retrain_extraction import READS, PageParts, read_user_pages, retrain_extraction
from training.datasets import LabelledPage, UnusableDataError, group_of, labelled
from training.evaluation import compare, comparison_report
from training.evaluation.comparison_report import Pair
from training.evaluation.real_documents import (
    labelled_first_page,
    page_count,
    read_collection,
    without_attachments,
)
from training.progress import progress_bar
from training.tasks.layout.train import LayoutSettings
from training.tasks.layout.variations import RealPage

LEFT_OUT = "left_out"
DIVISIONS, MIN_DIVISIONS = 8, 3  # of the pages that are not held out: one stops the training, one calibrates
COPIES = "copies"  # of PDFs, without their e-invoices


def single_page_documents(folder: Path, scratch: Path) -> Iterator[LabelledPage]:
    """Yield the documents of a collection that have one page and one of our types, PDFs without an e-invoice."""
    documents = [one for one in read_collection(folder) if one.type in document_types() and one.type != OTHER_TYPE]
    scratch.mkdir(parents=True, exist_ok=True)
    for document in without_attachments(documents, scratch):
        if page_count(document.path) == 1:
            yield labelled_first_page(document)


def divide(pages: Sequence[RealPage], count: int, seed: int) -> list[list[RealPage]]:
    """Divide pages into parts of nearly equal size that share no group; empty ones are left out."""
    by_group: dict[str, list[RealPage]] = defaultdict(list)
    for page in pages:
        by_group[group_of(page.label)].append(page)
    groups = [by_group[name] for name in sorted(by_group)]
    Random(seed).shuffle(groups)
    parts: list[list[RealPage]] = [[] for _ in range(count)]
    for group in sorted(groups, key=len, reverse=True):
        min(parts, key=len).extend(group)
    return [part for part in parts if part]


def parts_of(
    others: Sequence[RealPage], further: Sequence[RealPage], held_out: Sequence[RealPage], seed: int
) -> PageParts:
    """The parts of a training without the pages that are held out. Raises UnusableDataError with under three groups."""
    parts = divide(others, DIVISIONS, seed)
    if len(parts) < MIN_DIVISIONS:
        raise UnusableDataError("too few groups: leave one out, and at least three must be left")
    stop, calibrate, *train = parts[::-1]  # the smallest ones
    return PageParts([*further, *(page for part in train for page in part)], stop, calibrate, list(held_out))


def _keys_of(parts: PageParts) -> dict[str, list[str]]:
    return {name: [page.label.key for page in part] for name, part in vars(parts).items()}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="*", metavar="DATA")
    parser.add_argument("--collection", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--further", type=Path, action="append", default=[], metavar="DATA")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the division into parts (1)")
    parser.add_argument("--synthetic", type=int, default=20, metavar="N", help="pages of each known type (20)")
    add_models_option(parser)
    parser.add_argument("--config", type=Path, default=CONFIGS["extraction"])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    try:
        judged, further = _load_judged(options), labelled.load_usable(*options.further)
    except (FileNotFoundError, ValueError) as error:
        parser.exit(1, f"{error}\n")
    if not judged:
        parser.exit(1, "no page can be used; training.commands.label_check says why\n")
    try:
        _cross_validate(judged, further, options)
    except (RegistryError, UnusableDataError) as error:
        parser.exit(1, f"{error}\n")


def _load_judged(options: argparse.Namespace) -> list[LabelledPage]:
    """The pages on which the models are judged. Raises FileNotFoundError or ValueError for data of another form."""
    of_collections = [
        page
        for number, folder in enumerate(options.collection)
        for page in single_page_documents(folder, options.out / COPIES / str(number))
    ]
    return [*of_collections, *labelled.load_usable(*options.data)]


def _cross_validate(
    judged: Sequence[LabelledPage], further: Sequence[LabelledPage], options: argparse.Namespace
) -> None:
    """Train and compare for each part, and print the result. Raises UnusableDataError."""
    settings = LayoutSettings.read(options.config)
    pairs: dict[str, list[Pair]] = defaultdict(list)
    with progress_bar() as bar:
        labels = labelled.with_unique_keys([*judged, *further])
        pages = read_user_pages(labels, options.out / READS, options.models, bar)
        inputs = digests("extraction", [page.label for page in pages], options.config, options.models)
        judged_pages, further_pages = pages[: len(judged)], pages[len(judged) :]
        for number, held_out in enumerate(divide(judged_pages, options.folds, options.seed)):
            groups = {group_of(page.label) for page in held_out}
            others = [page for page in judged_pages if group_of(page.label) not in groups]
            parts = parts_of(others, further_pages, held_out, options.seed)
            out = options.out / f"part-{number}"
            clear_other_run(out, inputs | {"parts": _keys_of(parts)})
            weights = retrain_extraction(parts, out, options.models, settings, 0, bar)
            left_out = [page.label for page in held_out]
            versions = compare.Versions.of("extraction", weights, options.models)
            synthetic = 0 if number else options.synthetic
            for name, some in compare.compare_pages(versions, {LEFT_OUT: left_out}, synthetic, bar).items():
                pairs[name] += some
    scores = compare.comparison_scores(pairs)
    compare.write_scores(options.out / "scores.json", versions.provenance() | scores)
    compare.print_comparison(scores)
    for name, some in pairs.items():
        print(comparison_report.summary(name, some, scores["comparison"]))


if __name__ == "__main__":
    main()
