"""Better weights from a user's own documents: go on from the served ones, and forget nothing.

    python -m training.retrain DATA… --model extraction --out runs/retrain

DATA is labelled photos in any form that training.datasets reads. One fifth of them is held back, to watch, to
calibrate and to report on. The rest trains, among made-up pages of all that the served model knows already. Run
again, it goes on where it was stopped, be it by a kill. OUT then holds weights/, the pages held back as a labelled
folder, and report.html. What becomes of them, judge and gate decide: see docs/adding-a-document.md.
"""

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from accelerate import PartialState
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from docextract.documents import describe_types, document_types
from docextract.extraction.calibration import Calibration
from docextract.extraction.extractor import Extractor
from docextract.extraction.network import LayoutTransformer, Shape
from docextract.findings import OTHER
from docextract.http.problems import ProblemError
from docextract.registry import promoted
from training import calibrate, extraction, report
from training.datasets import LabelledPage, held_back, labelled, labelled_folder, reads
from training.extraction import Config, Place, Run, adopt
from training.pages import Mix
from training.variations import RealPage, Varied

FEWEST_PAGES = 10
READS, HELD_BACK = "reads.jsonl", "held_back"
CONFIG = Path(__file__).parent / "configs" / "retrain.toml"


class RetrainError(Exception):
    """What was given cannot be trained on; the message says what to do."""


@dataclass(frozen=True)
class Split:
    """A user's pages as read: to train on, and held back."""

    training: list[RealPage]
    held_back: list[RealPage]


def split(pages: Sequence[RealPage]) -> Split:
    """As `training.datasets.held_back` says, and `training.label_check` shows."""
    training = [page for page in pages if not held_back(page.label)]
    return Split(training, [page for page in pages if held_back(page.label)])


def shape_with(served: Shape, types: Sequence[str]) -> Shape:
    """The served network's shape, with room for further types."""
    known = [name for name in served.types if name != OTHER]
    names = [*known, *(name for name in dict.fromkeys(types) if name not in known)]
    fields = {field.name for name in names for field in document_types()[name].fields()}
    return replace(served, fields=tuple(sorted(fields | set(served.fields))), types=(*names, OTHER))


def retrain_extraction(
    labels: Sequence[LabelledPage], out: Path, models_dir: Path, config: Config, workers: int, bar: Progress
) -> Path:
    """Weights that know these documents too. Returns their folder. Raises RetrainError."""
    served = promoted("extraction", models_dir)
    served.verify()
    describe_types(served.folder)
    with PartialState().main_process_first():  # on several devices one of them reads
        pages = split(_read(labels, out / READS, models_dir, bar))
    if not pages.training or not pages.held_back:
        raise RetrainError(f"{len(labels)} pages are too few to train on and to hold some back; label {FEWEST_PAGES}")

    torch.manual_seed(config.seed)
    shape = shape_with(_shape_of(served.folder), [label.type for label in labels])
    network = LayoutTransformer(shape)
    adopt(network, served.folder)
    made_up = {name: 1.0 for name in shape.types if name != OTHER and document_types()[name].sample is not None}
    mix = Mix(shape, made_up, Varied(pages.training), config.real_share, config.other_share, config.seed)
    run = Run(config, out, network)
    task = bar.add_task("training", total=run.place.steps, completed=run.place.step)
    run.train(mix, pages.held_back, workers, lambda place: _show(bar, task, place))

    weights = out / extraction.WEIGHTS
    if run.rank != 0:
        return weights
    with labelled_folder.Writer(out / HELD_BACK) as writer:
        for page in pages.held_back:
            writer.copy(page.label)
    _calibrate(weights, served.folder, pages.held_back)
    report.write(out, Extractor.load(weights), pages.held_back)
    return weights


def _read(labels: Sequence[LabelledPage], cache: Path, models_dir: Path, bar: Progress) -> list[RealPage]:
    task = bar.add_task("reading", total=len(labels))
    found: list[RealPage] = []
    try:
        for label, read in zip(labels, reads.grow_as_served(cache, labels, models_dir), strict=True):
            found.append(RealPage(label, read))
            bar.update(task, advance=1)
    except ProblemError as problem:
        raise RetrainError(f"{labels[len(found)].image}: {problem}") from None
    return found


def _shape_of(weights: Path) -> Shape:
    return Shape.from_json(json.loads((weights / "config.json").read_text())["shape"])


def _show(bar: Progress, task: object, place: Place) -> None:
    bar.update(task, completed=place.step, total=place.steps)  # type: ignore[arg-type]


def _calibrate(weights: Path, served: Path, held_back: Sequence[RealPage]) -> None:
    """Confidences of the user's fields from the pages held back; all others keep those they are served with.

    A few pages cannot speak for each field alone: those with few trials share what is fitted to all of them.
    """
    known = Calibration(**json.loads((served / "calibration.json").read_text()))
    trials = list(calibrate.real_trials(Extractor.load(weights), held_back))
    own = {trial.field for trial in trials}
    fitted = calibrate.fit(trials)
    shared = fitted.weights["*"] if len(trials) >= calibrate.FEWEST else known.weights["*"]
    merged = Calibration(
        {**known.weights, **{name: fitted.weights.get(name, shared) for name in own if name not in known.weights}},
        {**known.accept, **{name: fitted.accept[name] for name in own if name not in known.accept}},
    )
    (weights / "calibration.json").write_text(json.dumps(asdict(merged), indent=1) + "\n")


def progress_bar() -> Progress:
    """On stderr, and only where someone watches."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("runs/retrain"))
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--workers", type=int, default=1, help="processes that make pages")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    labels: list[LabelledPage] = []
    for row in labelled.opened(labelled.load(*options.data)):
        if isinstance(row, LabelledPage):
            labels.append(row)
        else:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    config = extraction.load_config(options.config)
    try:
        with progress_bar() as bar:
            weights = retrain_extraction(labels, options.out, options.models, config, options.workers, bar)
    except RetrainError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{weights} is a candidate; {options.out / report.REPORT} tells how it learned. Next:")
    print(f"  python -m training.judge extraction {weights} {options.out / HELD_BACK}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
