"""Fine-tune a served model on a user's own documents, in one command.

    python -m training.commands.retrain DATA… --model extraction --out runs/retrain

DATA is labelled photos in any format that training.datasets reads. training/datasets/parts.py divides them: one fifth
is held out for the report and the comparison, a tenth each for early stopping and for calibration. If the command is
run again, it resumes where it was stopped, also after a kill; with other data or document types, another
configuration or another promoted model it starts again from the beginning. OUT may not hold DATA, or files of these
names that no run has made: what is left of another run is removed.
The extraction model is then compared with the served one, on the held-out pages and on synthetic ones. OUT holds
weights/, scores.json for the gate, the held-out pages as a labelled folder, and a report with the worst pages. See
docs/adding-a-document.md. With --only-confidences nothing is trained: the confidences of the served model, and those
from which it accepts values without review, are fitted to all pages that are not held out.
"""

import argparse
import hashlib
import json
import logging
import shutil
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from accelerate import PartialState
from rich.progress import Progress

from docextract.documents import document_types, register_types
from docextract.files import whole_file
from docextract.registry import RegistryError, promoted_version
from docextract.registry.typefaces import TYPEFACES_FILE
from training import history, typefaces
from training.command_line import add_models_option
from training.commands.retrain_extraction import (
    READS,
    divide_pages,
    read_user_pages,
    recalibrate_extraction,
    retrain_extraction,
    training_plots,
)
from training.commands.retrain_quality import PAGES, retrain_quality
from training.datasets import (
    LabelledPage,
    UnusableDataError,
    group_of,
    is_held_out,
    labelled,
    labelled_folder,
    part_of,
)
from training.datasets.near_duplicates import join_alike
from training.datasets.parts import are_divided
from training.evaluation import compare, comparison_report
from training.history import HISTORY
from training.loop import CHECKPOINT, WEIGHTS, Settings
from training.progress import progress_bar
from training.report import REPORT_FILE, Report, write_report
from training.tasks.layout.train import LayoutSettings
from training.tasks.layout.variations import RealPage
from training.tasks.quality.train import PHOTOS, QualitySettings

HELD_OUT_FOLDER, RUN_FILE, SCORES_FILE = "held_back", "run.json", "scores.json"
# Files that are valid only for the run's data and configuration. OCR results are not among them: they stay.
RUN_SPECIFIC_FILES = (
    HELD_OUT_FOLDER, PAGES, PHOTOS, CHECKPOINT, HISTORY, WEIGHTS, REPORT_FILE, SCORES_FILE, TYPEFACES_FILE,
)  # fmt: skip
_CONFIGS = Path(__file__).parents[1] / "configs"
CONFIGS = {"extraction": _CONFIGS / "retrain.toml", "quality": _CONFIGS / "retrain-quality.toml"}
SETTINGS: dict[str, type[Settings]] = {"extraction": LayoutSettings, "quality": QualitySettings}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    add_models_option(parser)
    parser.add_argument("--model", choices=CONFIGS, default="extraction")
    parser.add_argument("--config", type=Path, help="a TOML file instead of the default one")
    # 0 by default: a process that has run OpenVINO sometimes crashes if torch's data-loading processes run next to it.
    parser.add_argument("--workers", type=int, default=0, help="additional processes that generate pages")
    parser.add_argument(
        "--synthetic",
        type=int,
        default=40,
        metavar="N",
        help="of each type in the comparison (40); the gate needs some",
    )
    parser.add_argument(
        "--only-confidences",
        action="store_true",
        help="fit the confidences of the served extraction model; no training",
    )
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # the comparison calls the service in this process
    config, state = options.config or CONFIGS[options.model], PartialState()
    if options.model == "quality" and state.num_processes > 1:
        parser.error("the quality model trains in one process")
    if options.model == "quality" and options.only_confidences:
        parser.error("--only-confidences is for the extraction model")
    try:
        _check_inputs(options.model, config, options.models)
        labels = labelled.load_usable(*options.data)
        _check_out(options.out, [*options.data, *(label.image for label in labels)])
    except (RegistryError, FileNotFoundError, ValueError, UnusableDataError) as error:
        parser.exit(1, f"{error}\n")
    run = Run(
        options.model, options.out, options.models, config, options.workers, options.only_confidences, options.synthetic
    )
    try:
        with progress_bar() as bar:
            weights = _retrain_quality(run, labels, bar) if run.model == "quality" else _teach(run, labels, bar)
    except UnusableDataError as error:
        print(error, file=sys.stderr)
        return 1
    if state.is_main_process:
        print(f"{weights} is a candidate. Next:")
        print(*(f"  {line}" for line in _next_steps(run, weights, labels)), sep="\n")
    state.destroy_process_group()
    return 0


@dataclass(frozen=True)
class Run:
    """What a run is asked for."""

    model: str
    out: Path
    models_dir: Path
    config: Path
    workers: int
    only_confidences: bool
    synthetic: int  # pages of each type in the comparison

    def prepare(self, labels: Sequence[LabelledPage]) -> None:
        """Make the folder of the run ready, in one of the processes."""
        state = PartialState()
        if state.is_main_process:
            training = {"training": "confidences only" if self.only_confidences else "all"}
            clear_other_run(self.out, digests(self.model, labels, self.config, self.models_dir) | training)
            _write_held_out(self.out, labels)
        state.wait_for_everyone()


def digests(model: str, labels: Sequence[LabelledPage], config: Path, models_dir: Path) -> dict[str, str]:
    """Digests of everything a training depends on; if one of them changes, it starts again."""
    data = hashlib.sha256()
    for label in labels:
        values = json.dumps(
            [label.key, label.type, label.fields, label.tags, label.currency, label.places, label.group],
            sort_keys=True,
        )
        data.update(values.encode() + hashlib.sha256(label.image.read_bytes()).digest())
    sources = {name: document_types()[name].toml_source for name in sorted({label.type for label in labels})}
    kinds = {name: tomllib.loads(source) for name, source in sources.items() if source}  # without comments
    return {
        "model": model,
        "served model": promoted_version(model, models_dir).digest,
        "data": data.hexdigest(),
        "document types": hashlib.sha256(json.dumps(kinds, default=str).encode()).hexdigest(),
        "configuration": hashlib.sha256(config.read_bytes()).hexdigest(),
    }


def clear_other_run(out: Path, inputs: Mapping[str, object]) -> None:
    """Create OUT, and remove what a run with other inputs has left there.

    Raises UnusableDataError, and removes nothing, if OUT holds files of these names that no run has made.
    """
    out.mkdir(parents=True, exist_ok=True)
    previous = _previous_inputs(out)
    if previous == inputs:
        return
    for left in (out / name for name in RUN_SPECIFIC_FILES):
        shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
    if previous:
        others = ", ".join(name for name in inputs if inputs[name] != previous.get(name))
        print(f"{out} holds a run with other {others}: training starts from the beginning", file=sys.stderr)
    with whole_file(out / RUN_FILE) as file:
        file.write_text(json.dumps(inputs, indent=1) + "\n")


def _previous_inputs(out: Path) -> Mapping[str, object]:
    """The inputs of the run in OUT; empty if there is none. Raises UnusableDataError for files that no run has made."""
    if (out / RUN_FILE).exists():
        return _recorded_inputs(out / RUN_FILE)
    if foreign := [name for name in RUN_SPECIFIC_FILES if (out / name).exists()]:
        raise UnusableDataError(
            f"{out} holds {' and '.join(foreign)}, but no {RUN_FILE} of a run that made them, and would be replaced: "
            "choose another --out, or move them"
        )
    return {}


def _recorded_inputs(file: Path) -> Mapping[str, object]:
    """The inputs that a run has recorded. Raises UnusableDataError if the file holds no such record."""
    try:
        recorded = json.loads(file.read_text())
    except ValueError:
        recorded = None
    if not isinstance(recorded, dict):
        raise UnusableDataError(f"{file} is damaged, or no record of a run: remove it, or choose another --out")
    return recorded


def _check_out(out: Path, read: Iterable[Path]) -> None:
    """Raise UnusableDataError if the folder of the run holds what the run reads, or what no run has made."""
    if inside := next((path for path in read if path.resolve().is_relative_to(out.resolve())), None):
        raise UnusableDataError(f"--out {out} holds {inside}, which is read: choose a folder that has no data in it")
    _previous_inputs(out)


def _retrain_quality(run: Run, labels: Sequence[LabelledPage], bar: Progress) -> Path:
    labels = join_alike(labels)
    run.prepare(labels)
    typefaces.record(run.config, run.out)
    return retrain_quality(labels, run.out, run.models_dir, QualitySettings.read(run.config), bar)


def _teach(run: Run, labels: Sequence[LabelledPage], bar: Progress) -> Path:
    """Retrain the extraction model or fit its confidences, and compare it with the served one on what is held out."""
    started_s = time.monotonic()
    pages = read_user_pages(labels, run.out / READS, run.models_dir, bar)
    run.prepare([page.label for page in pages])
    if run.only_confidences:
        weights = recalibrate_extraction(pages, run.out, run.models_dir)
    else:
        settings = LayoutSettings.read(run.config)
        parts = divide_pages(pages)
        weights = retrain_extraction(parts, run.out, run.models_dir, settings, run.workers, bar)
    if not PartialState().is_main_process:
        return weights
    learned = history.read(run.out)
    done = _what_was_done(run, pages, learned, time.monotonic() - started_s)
    held_out = [page.label for page in pages if is_held_out(page.label)]
    if not are_divided([page.label for page in pages]):
        expected = "All pages were trained on, because they are few: what the new model gains is not known."
        built = Report("Training report", [done, expected], training_plots(learned))
    else:
        built = _compare(run, weights, held_out, bar)
        built = replace(built, lead=[done, *built.lead], plots=training_plots(learned))
    write_report(run.out / REPORT_FILE, built)
    print(*built.lead, sep="\n")
    return weights


def _compare(run: Run, weights: Path, held_out: Sequence[LabelledPage], bar: Progress) -> Report:
    """Compare with the served model on the pages held out and on synthetic ones, and write the scores for the gate."""
    versions, sets = compare.Versions.of(run.model, weights, run.models_dir), {HELD_OUT_FOLDER: held_out}
    pairs = compare.compare_pages(versions, sets, run.synthetic, bar)
    scores = versions.provenance() | compare.comparison_scores(pairs)
    compare.write_scores(run.out / SCORES_FILE, scores)
    built = comparison_report.build_report("Training report", sets, pairs, scores)
    return replace(built, lead=[*built.lead, versions.judge(scores)])


def _what_was_done(run: Run, pages: Sequence[RealPage], learned: Sequence[Mapping[str, Any]], seconds: float) -> str:
    labels = [page.label for page in pages]
    divided = are_divided(labels)
    parts = Counter(part_of(label) for label in labels) if divided else Counter(train=len(labels))
    if run.only_confidences:
        fitted = len(labels) - parts["evaluate"]
        return f"Confidences were fitted on {fitted} pages; {parts['evaluate']} were held out ({seconds / 60:.0f} min)."
    return (
        f"Trained on {parts['train']} pages of {len(set(map(group_of, labels)))} groups in all, "
        f"{learned[-1]['step'] if learned else 0} steps; {parts['stop']} stopped the training, confidences were fitted "
        f"on {parts['calibrate']}, {parts['evaluate']} were held out ({seconds / 60:.0f} min)."
    )


def _next_steps(run: Run, weights: Path, labels: Sequence[LabelledPage]) -> list[str]:
    """What to do with the candidate."""
    promote = f"python -m docextract.registry promote {run.model} {weights} --version VERSION --scores FILE"
    if run.model == "extraction" and are_divided(labels):
        return [f"look at {run.out / REPORT_FILE}; then", promote.replace("FILE", str(run.out / SCORES_FILE))]
    judged = str(run.out / HELD_OUT_FOLDER) if are_divided(labels) else "FOLDER"
    review = f"review other documents: all {len(labels)} were trained on, because they are few; then"
    compare_them = f"python -m training.evaluation.compare {run.model} {weights} {judged} --out FILE"
    return [*([review] if judged == "FOLDER" else []), compare_them, promote]


def _write_held_out(out: Path, labels: Sequence[LabelledPage]) -> None:
    with labelled_folder.LabelledFolderWriter(out / HELD_OUT_FOLDER) as writer:
        for label in filter(is_held_out, labels if are_divided(labels) else ()):
            writer.copy(label)


def _check_inputs(model: str, config: Path, models_dir: Path) -> None:
    """Raise an error for a fault in the configuration or the served model, which would else be found after hours."""
    SETTINGS[model].read(config)
    served = promoted_version(model, models_dir)
    served.verify()
    register_types(served.folder)


if __name__ == "__main__":
    raise SystemExit(main())
