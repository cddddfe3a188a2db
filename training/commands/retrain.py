"""Fine-tune a served model on a user's own documents, in one command.

    python -m training.commands.retrain DATA… --model extraction --out runs/retrain

DATA is labelled photos in any format that training.datasets reads. training/datasets/parts.py divides them: one fifth
is held out for the report and the comparison, a tenth each for early stopping and for calibration. If the command is
run again, it resumes where it was stopped, also after a kill; with other data, another configuration or another
promoted model it starts again from the beginning.
OUT then holds weights/, the held-out pages as a labelled folder, and a report. The comparison and the gate decide
about promotion: see docs/adding-a-document.md.
"""

import argparse
import hashlib
import json
import logging
import math
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from accelerate import Accelerator
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from docextract.registry import promoted_version
from training import typefaces
from training.commands.report import REPORT_FILE
from training.commands.retrain_extraction import READS, read_user_pages, retrain_extraction
from training.commands.retrain_quality import PAGES, retrain_quality
from training.datasets import LabelledPage, UnusableDataError, is_held_out, labelled, labelled_folder
from training.datasets.near_duplicates import join_alike
from training.datasets.parts import are_divided
from training.history import HISTORY
from training.loop import CHECKPOINT, WEIGHTS
from training.tasks.layout.train import LayoutSettings
from training.tasks.quality.train import PHOTOS, QualitySettings

LINE_S = 30.0  # between two lines of progress
HELD_OUT_FOLDER, RUN_FILE = "held_back", "run.json"
# Files that are valid only for the run's data and configuration. OCR results are not among them: they stay.
RUN_SPECIFIC_FILES = (
    HELD_OUT_FOLDER, PAGES, PHOTOS, CHECKPOINT, HISTORY, WEIGHTS, REPORT_FILE,
)  # fmt: skip
_CONFIGS = Path(__file__).parents[1] / "configs"
CONFIGS = {"extraction": _CONFIGS / "retrain.toml", "quality": _CONFIGS / "retrain-quality.toml"}


class PlainProgress(Progress):
    """Progress as lines on stderr, one for each stage and every LINE_S seconds, for files and pipes."""

    def __init__(self) -> None:
        super().__init__(disable=True)
        self._last_line_s = -math.inf

    def update(self, task_id: TaskID, *arguments: Any, **changes: Any) -> None:
        """Update the task and, where it is time, print its state."""
        super().update(task_id, *arguments, **changes)
        task = next(one for one in self.tasks if one.id == task_id)
        now_s = time.monotonic()
        if task.finished or now_s - self._last_line_s >= LINE_S:
            self._last_line_s = now_s
            print(f"{task.description}: {task.completed:.0f} of {task.total:.0f}", file=sys.stderr, flush=True)


def progress_bar() -> Progress:
    """A progress bar on stderr; lines where it is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console) if console.is_terminal else PlainProgress()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--model", choices=CONFIGS, default="extraction")
    parser.add_argument("--config", type=Path, help="a TOML file instead of the default one")
    # 0 by default: a process that has run OpenVINO sometimes crashes if torch's data-loading processes run next to it.
    parser.add_argument("--workers", type=int, default=0, help="additional processes that generate pages")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    config, state = options.config or CONFIGS[options.model], Accelerator()
    if options.model == "quality" and state.num_processes > 1:
        parser.error("the quality model trains in one process")
    labels = _labels(options.data)

    def prepare(labels: Sequence[LabelledPage]) -> None:
        if state.is_main_process:
            _prepare(options.out, labels, _run_inputs(options.model, options.models, labels, config))
        state.wait_for_everyone()

    try:
        with progress_bar() as bar:
            if options.model == "quality":
                labels = join_alike(labels)
                prepare(labels)
                settings = QualitySettings.read(config)
                typefaces.record(config, options.out)
                weights = retrain_quality(labels, options.out, options.models, settings, bar)
            else:
                pages = read_user_pages(labels, options.out / READS, options.models, bar)
                prepare([page.label for page in pages])
                layout_settings = LayoutSettings.read(config)
                weights = retrain_extraction(pages, options.out, options.models, layout_settings, options.workers, bar)
    except UnusableDataError as error:
        print(error, file=sys.stderr)
        return 1
    if state.is_main_process:
        print(f"{weights} is a candidate. Next:")
        judged = options.out / HELD_OUT_FOLDER if are_divided(labels) else "FOLDER"
        if judged == "FOLDER":
            print(f"  review other documents: all {len(labels)} were trained on, because they are few; then")
        print(f"  python -m training.evaluation.compare {options.model} {weights} {judged}")
    return 0


def _run_inputs(model: str, models_dir: Path, labels: Sequence[LabelledPage], config: Path) -> dict[str, str]:
    """Digests of everything the run depends on; if one of them changes, the run starts again."""
    data = hashlib.sha256()
    for label in labels:
        values = json.dumps(
            [label.key, label.type, label.fields, label.tags, label.currency, label.places, label.group], sort_keys=True
        )
        data.update(values.encode() + hashlib.sha256(label.image.read_bytes()).digest())
    return {
        "model": model,
        "served model": promoted_version(model, models_dir).digest,
        "data": data.hexdigest(),
        "configuration": hashlib.sha256(config.read_bytes()).hexdigest(),
    }


def _prepare(out: Path, labels: Sequence[LabelledPage], inputs: dict[str, str]) -> None:
    """Create OUT with the held-out pages in it, and remove what a run with other inputs has left there."""
    out.mkdir(parents=True, exist_ok=True)
    previous = json.loads((out / RUN_FILE).read_text()) if (out / RUN_FILE).exists() else {}
    if previous != inputs:
        for left in (out / name for name in RUN_SPECIFIC_FILES):
            shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
        if previous:
            others = ", ".join(name for name in inputs if inputs[name] != previous.get(name))
            print(f"{out} holds a run with other {others}: training starts from the beginning", file=sys.stderr)
        (out / RUN_FILE).write_text(json.dumps(inputs, indent=1) + "\n")
    with labelled_folder.LabelledFolderWriter(out / HELD_OUT_FOLDER) as writer:
        for label in filter(is_held_out, labels if are_divided(labels) else ()):
            writer.copy(label)


def _labels(data: Sequence[Path]) -> list[LabelledPage]:
    """All usable rows; each other row is reported on stderr with its reason."""
    labels: list[LabelledPage] = []
    for row in labelled.open_pages(labelled.load(*data)):
        if isinstance(row, LabelledPage):
            labels.append(row)
        else:
            print(f"{row.source}: not used: {row.reason}", file=sys.stderr)
    return labels


if __name__ == "__main__":
    raise SystemExit(main())
