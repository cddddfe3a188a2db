"""Better weights from a user's own documents, in one command.

    python -m training.commands.retrain DATA… --model extraction --out runs/retrain

DATA is labelled photos in any form that training.datasets reads. One fifth of them is held back, to watch, to
calibrate and to report on; the rest trains. Run again, it goes on where it was stopped, be it by a kill; with other
data, another configuration or after another model has been promoted, it begins anew. OUT then holds weights/, the pages
held back as a labelled folder, and how it went. What becomes of the weights, judge and gate decide: see
docs/adding-a-document.md.
"""

import argparse
import hashlib
import json
import logging
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from accelerate import Accelerator
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from docextract.registry import promoted_version
from training import typefaces
from training.commands.report import REPORT
from training.commands.retrain_extraction import retrain_extraction
from training.commands.retrain_quality import PAGES, retrain_quality
from training.datasets import LabelledPage, UnusableDataError, is_held_out, labelled, labelled_folder
from training.history import HISTORY
from training.tasks.layout import train as layout_training
from training.tasks.quality import train as quality_training

HELD_BACK, RUN = "held_back", "run.json"
# What a run leaves behind that holds for its data and its configuration alone. What was read of a picture stays.
RUN_SPECIFIC_FILES = (
    HELD_BACK, PAGES, quality_training.PHOTOS, layout_training.CHECKPOINT, quality_training.CHECKPOINT, HISTORY,
layout_training.WEIGHTS, REPORT,
)  # fmt: skip
_CONFIGS = Path(__file__).parents[1] / "configs"
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
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--model", choices=CONFIGS, default="extraction")
    parser.add_argument("--config", type=Path, help="instead of the usual one")
    # None: beside processes of torch's that feed it, a process that has read with OpenVINO crashes now and then.
    parser.add_argument("--workers", type=int, default=0, help="processes that make pages, beside this one")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    config, state = options.config or CONFIGS[options.model], Accelerator()
    if options.model == "quality" and state.num_processes > 1:
        parser.error("the quality model trains in one process")
    labels = _labels(options.data)
    if state.is_main_process:
        _prepare(options.out, labels, _what_it_learns(options.model, options.models, labels, config))
    state.wait_for_everyone()
    try:
        with progress_bar() as bar:
            if options.model == "quality":
                settings = quality_training.Settings.read(config)
                typefaces.record(config, options.out)
                weights = retrain_quality(labels, options.out, options.models, settings, bar)
            else:
                settled = layout_training.load_config(config)
                weights = retrain_extraction(labels, options.out, options.models, settled, options.workers, bar)
    except UnusableDataError as error:
        print(error, file=sys.stderr)
        return 1
    if state.is_main_process:
        print(f"{weights} is a candidate. Next:")
        print(f"  python -m training.evaluation.compare {options.model} {weights} {options.out / HELD_BACK}")
    return 0


def _what_it_learns(model: str, models_dir: Path, labels: Sequence[LabelledPage], config: Path) -> dict[str, str]:
    """By digests: a run in which one of these is another is another run."""
    data = hashlib.sha256()
    for label in labels:
        values = json.dumps(
            [label.key, label.type, label.fields, label.tags, label.currency, label.places], sort_keys=True
        )
        data.update(values.encode() + hashlib.sha256(label.image.read_bytes()).digest())
    return {
        "model": model,
        "served model": promoted_version(model, models_dir).digest,
        "data": data.hexdigest(),
        "configuration": hashlib.sha256(config.read_bytes()).hexdigest(),
    }


def _prepare(out: Path, labels: Sequence[LabelledPage], learns: dict[str, str]) -> None:
    """OUT with the pages held back in it, and without what a run on something else has left there."""
    out.mkdir(parents=True, exist_ok=True)
    noted = json.loads((out / RUN).read_text()) if (out / RUN).exists() else {}
    if noted != learns:
        for left in (out / name for name in RUN_SPECIFIC_FILES):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        if noted:
            others = ", ".join(name for name in learns if learns[name] != noted.get(name))
            print(f"{out} holds a run with other {others}: it begins anew", file=sys.stderr)
        (out / RUN).write_text(json.dumps(learns, indent=1) + "\n")
    with labelled_folder.Writer(out / HELD_BACK) as writer:
        for label in filter(is_held_out, labels):
            writer.copy(label)


def _labels(data: Sequence[Path]) -> list[LabelledPage]:
    """All usable rows; each of the others is named, with the reason, on stderr."""
    labels: list[LabelledPage] = []
    for row in labelled.open_pages(labelled.load(*data)):
        if isinstance(row, LabelledPage):
            labels.append(row)
        else:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    return labels


if __name__ == "__main__":
    raise SystemExit(main())
