"""Better weights from a user's own documents, in one command.

    python -m training.retrain DATA… --model extraction --out runs/retrain

DATA is labelled photos in any form that training.datasets reads. One fifth of them is held back, to watch, to
calibrate and to report on; the rest trains. Run again, it goes on where it was stopped, be it by a kill. OUT then
holds weights/, the pages held back as a labelled folder, and how it went. What becomes of the weights, judge and gate
decide: see docs/adding-a-document.md.
"""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from training import extraction, quality
from training.datasets import LabelledPage, UnusableDataError, held_back, labelled, labelled_folder
from training.retrain_extraction import retrain_extraction
from training.retrain_quality import retrain_quality

HELD_BACK = "held_back"
_CONFIGS = Path(__file__).parent / "configs"
CONFIGS = {"extraction": _CONFIGS / "retrain.toml", "quality": _CONFIGS / "retrain-quality.toml"}


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
    parser.add_argument("--model", choices=CONFIGS, default="extraction")
    parser.add_argument("--config", type=Path, help="instead of the usual one")
    parser.add_argument("--workers", type=int, default=1, help="processes that make pages")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    labels = _labels(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    with labelled_folder.Writer(options.out / HELD_BACK) as writer:
        for label in filter(held_back, labels):
            writer.copy(label)
    config = options.config or CONFIGS[options.model]
    try:
        with progress_bar() as bar:
            if options.model == "quality":
                taught = [label for label in labels if not held_back(label)]
                settings = quality.Settings.read(config)
                weights = retrain_quality(taught, options.out, options.models, settings, bar)
            else:
                settled = extraction.load_config(config)
                weights = retrain_extraction(labels, options.out, options.models, settled, options.workers, bar)
    except UnusableDataError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{weights} is a candidate. Next:")
    print(f"  python -m training.judge {options.model} {weights} {options.out / HELD_BACK}")
    return 0


def _labels(data: Sequence[Path]) -> list[LabelledPage]:
    """All usable rows; each of the others is named, with the reason, on stderr."""
    labels: list[LabelledPage] = []
    for row in labelled.opened(labelled.load(*data)):
        if isinstance(row, LabelledPage):
            labels.append(row)
        else:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    return labels


if __name__ == "__main__":
    raise SystemExit(main())
