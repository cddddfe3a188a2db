"""Fine-tune the layout network on a user's own documents, starting from the served weights.

The user's pages are mixed with synthetic pages of all document types that the served model knows, so that it does not
forget them.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from rich.progress import Progress
from safetensors.torch import load_file, save_file

from docextract.answers.review import estimate_error_bounds
from docextract.documents import document_types, register_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer
from docextract.extraction.layout.type_words import TYPE_WORDS_FILE
from docextract.extraction.ocr import detector_weights, language_model, recogniser_graph
from docextract.extraction.zones import network as zone_network
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE
from docextract.registry import promoted_version
from training import report
from training.datasets import LabelledPage, UnusableDataError, is_held_out, part_of, reads
from training.datasets.near_duplicates import join_alike
from training.datasets.parts import MIN_DIVIDED_PAGES, are_divided, require_groups
from training.evaluation.acceptance import CONFIDENCE_STEPS, MIN_REAL_VALUES
from training.loop import WEIGHTS
from training.synth.documents import generators
from training.tasks.calibration.examples import CalibrationExample, real_examples
from training.tasks.calibration.fitting import fit_calibration
from training.tasks.calibration.left_out import FOLDS, fold_of
from training.tasks.layout.interpolate import interpolate
from training.tasks.layout.pages import PageMix
from training.tasks.layout.train import LayoutSettings, field_accuracy, start_from_served, train_layout
from training.tasks.layout.variations import RealPage, RealPageVariations

# Of the trained weights, between the served and the trained ones; the first where they are equally good.
INTERPOLATION_SHARES = (0.6, 0.3, 1.0)
FEW_PAGES_SHARE = 0.8  # where no pages choose among them
# Without pages that say when to stop. With five pages of one layout, 40 steps read more of its other pages than 120,
# and more of other layouts (training/evaluation/few_documents.py). A new type begins with random heads.
STEPS_PER_PAGE, STEPS_PER_NEW_PAGE = 8, 40
# Vendors or groups with values of a field, of which its confidences are fitted anew. Fitted on 20 and on 40 of 160
# synthetic invoices they had a higher logarithmic loss on the others than the served ones, on 60 the same, on 100 a
# lower one; fitted on 3 photos, 4.4 % of what was accepted at 1 % was wrong (2026-11-30).
MIN_FITTED_GROUPS = 60
READS = "reads.jsonl"


@dataclass(frozen=True)
class PageParts:
    """A user's pages with their OCR results, by `training.datasets.part_of`; label_check shows the same parts."""

    train: list[RealPage]
    stop: list[RealPage]
    calibrate: list[RealPage]
    evaluate: list[RealPage]


def divide_pages(pages: Sequence[RealPage]) -> PageParts:
    """Return the parts of the pages; of few pages all are for training, see `are_divided`.

    Where few pages leave one of the parts that stop and calibrate empty, the two share their pages: stopping on pages
    makes confidences that are fitted on them a little too high. Evaluation shares its pages with no other part.
    Raises UnusableDataError.
    """
    labels = [page.label for page in pages]
    if not labels:
        raise UnusableDataError("no page can be used; training.commands.label_check says why")
    if not are_divided(labels):
        return PageParts(list(pages), [], [], [])
    require_groups(labels)
    train, stop, calibrated, evaluated = (
        [page for page in pages if part_of(page.label) == part] for part in ("train", "stop", "calibrate", "evaluate")
    )
    if not (stop and calibrated):
        stop = calibrated = [*stop, *calibrated]
    return PageParts(train, stop, calibrated, evaluated)


def shape_with(served: LayoutShape, types: Sequence[str]) -> LayoutShape:
    """The served network's shape, extended by further document types."""
    known = [name for name in served.types if name != OTHER_TYPE]
    names = [*known, *(name for name in dict.fromkeys(types) if name not in known)]
    fields = {field.name for name in names for field in document_types()[name].fields()} | set(served.fields)
    rows = (*served.head_fields, *sorted(fields - set(served.fields))) if served.head_fields else ()
    return replace(served, fields=tuple(sorted(fields)), types=(*names, OTHER_TYPE), head_fields=rows)


def settings_for_few(settings: LayoutSettings, pages: int, new_types: bool) -> LayoutSettings:
    """Return settings for training on all of a few pages, with nothing that says when to stop."""
    steps = min(settings.steps, pages * (STEPS_PER_NEW_PAGE if new_types else STEPS_PER_PAGE))
    return replace(
        settings,
        steps=steps,
        decay_steps=min(settings.decay_steps, max(1, steps // 2)),
        warmup_steps=min(settings.warmup_steps, max(1, steps // 4)),
    )


def retrain_extraction(
    pages: PageParts, out: Path, models_dir: Path, settings: LayoutSettings, workers: int, bar: Progress
) -> Path:
    """Fine-tune and return the folder of the new weights. pages: see `divide_pages`; those to evaluate are not used."""
    served = promoted_version("extraction", models_dir)
    served.verify()
    register_types(served.folder)

    torch.manual_seed(settings.seed)
    known = _shape_of(served.folder)
    shape = shape_with(known, [page.label.type for page in pages.train + pages.stop + pages.calibrate + pages.evaluate])
    network = LayoutTransformer(shape)
    start_from_served(network, served.folder)
    synthetic = {name: 1.0 for name in shape.types if name != OTHER_TYPE and name in generators()}
    mix = PageMix(
        shape, synthetic, RealPageVariations(pages.train), settings.real_share, settings.other_share, settings.seed
    )
    if not pages.evaluate:
        settings = settings_for_few(settings, len(pages.train), new_types=shape.types != known.types)
    task = bar.add_task("training", total=settings.steps)
    if not pages.stop:
        settings = replace(settings, patience=0)  # nothing says when to stop: all steps are taken
    train_layout(
        network, settings, mix, pages.stop, out, workers,
        on_step=lambda step, end: bar.update(task, completed=step, total=end),
    )  # fmt: skip

    weights = out / WEIGHTS
    if not PartialState().is_main_process:
        return weights
    shares = INTERPOLATION_SHARES if pages.stop else (FEW_PAGES_SHARE,)
    _interpolate(weights, served.folder, pages.stop, shares)
    _keep_other_networks(weights, served.folder)
    _calibrate(weights, served.folder, pages.calibrate)
    return weights


def recalibrate_extraction(read: Sequence[RealPage], out: Path, models_dir: Path) -> Path:
    """Fit the confidences of the served model to a user's pages; return the folder of the same weights with them.

    The served model has learned from none of the pages, so all that are not held out are fitted on. Raises
    UnusableDataError.
    """
    labels = [page.label for page in read]
    if not are_divided(labels):  # too few to hold some back, and to change any field with a single value
        raise UnusableDataError(
            f"{len(read)} usable pages are too few: confidences are fitted to at least {MIN_DIVIDED_PAGES}; "
            "training.commands.label_check says why others cannot be used"
        )
    require_groups(labels)
    fitted = [page for page in read if not is_held_out(page.label)]
    served = promoted_version("extraction", models_dir)
    served.verify()
    register_types(served.folder)
    if unknown := {page.label.type for page in fitted} - set(_shape_of(served.folder).types):
        raise UnusableDataError(f"the served model does not know the type {min(unknown)}; retrain it")
    weights = out / WEIGHTS
    shutil.copytree(served.folder, weights, dirs_exist_ok=True)
    if not _calibrate(weights, served.folder, fitted):
        shutil.rmtree(weights)
        raise UnusableDataError(
            f"the confidences stay as they are: no field has values of {MIN_FITTED_GROUPS} vendors or groups, "
            f"and no type {MIN_REAL_VALUES} values"
        )
    return weights


def training_plots(learned: Sequence[Mapping[str, Any]]) -> list[report.Plot]:
    """Return the curves of a run. learned: its history."""
    if not learned:
        return []
    return [
        report.plot("Loss of the labels, on training pages", learned, lambda row: {"labels": row["loss"]["labels"]}),
        report.plot("Exactly right, on the pages that stop the training", learned, lambda row: row["exact"], top=1.0),
    ]


def read_user_pages(labels: Sequence[LabelledPage], cache: Path, models_dir: Path, bar: Progress) -> list[RealPage]:
    """Read every page as it is served; pages that look alike are then of one group. Raises UnusableDataError.

    cache: what was read before; with several devices, one process reads.
    """
    cache.parent.mkdir(parents=True, exist_ok=True)
    with PartialState().main_process_first():
        found = [page.read for page in _read(labels, cache, models_dir, bar)]
    joined = join_alike(labels, {label.key: read.lines for label, read in zip(labels, found, strict=True)})
    return [RealPage(label, read) for label, read in zip(joined, found, strict=True)]


def _read(labels: Sequence[LabelledPage], cache: Path, models_dir: Path, bar: Progress) -> list[RealPage]:
    task = bar.add_task("reading", total=len(labels))
    found: list[RealPage] = []
    try:
        for label, read in zip(labels, reads.read_as_served(cache, labels, models_dir), strict=True):
            found.append(RealPage(label, read))
            bar.update(task, advance=1)
    except ProblemError as problem:
        raise UnusableDataError(f"{labels[len(found)].image}: {problem}") from None
    return found


def _shape_of(weights: Path) -> LayoutShape:
    return LayoutShape.from_json(json.loads((weights / "config.json").read_text())["shape"])


def _interpolate(weights: Path, served: Path, pages: Sequence[RealPage], shares: Sequence[float]) -> None:
    """Replace the trained weights by those between the served and the trained ones that read these pages best.

    They keep most of what the served weights know (WiSE-FT, see training.tasks.layout.interpolate). With a new document
    type the two do not have the same heads, and the trained weights stay.
    """
    shapes = _shape_of(served), _shape_of(weights)
    if shapes[0].types != shapes[1].types:
        return
    file = weights / "model.safetensors"
    before, further = load_file(served / file.name), load_file(file)
    by_share = {share: interpolate(before, further, share, shapes) for share in shares}
    save_file(max(by_share.values(), key=lambda tensors: _mean_accuracy(shapes[1], tensors, pages)), file)


def _mean_accuracy(shape: LayoutShape, tensors: Mapping[str, torch.Tensor], pages: Sequence[RealPage]) -> float:
    network = LayoutTransformer(shape)
    network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    shares = field_accuracy(network.eval(), pages).values()
    return sum(shares) / len(shares) if shares else 0.0


def _keep_other_networks(weights: Path, served: Path) -> None:
    """Copy what is not trained here: how text and machine-readable zones are read, and what words say about types."""
    for name in (
        zone_network.ZONE_WEIGHTS_FILE,
        recogniser_graph.RECOGNISER_WEIGHTS_FILE,
        language_model.LANGUAGE_WEIGHTS_FILE,
        detector_weights.DETECTOR_WEIGHTS_FILE,
        TYPE_WORDS_FILE,
    ):
        if (served / name).exists():
            shutil.copy(served / name, weights)


def _calibrate(weights: Path, served: Path, pages: Sequence[RealPage]) -> bool:
    """Fit the confidences of the fields that these pages say enough about; all other fields keep the served ones.

    Returns whether the pages say enough about any field or type.

    The confidences from which values are accepted without review are estimated anew for the document types of which
    these pages have enough values, each with a fit without the page's group; for all others the served ones stay.
    """
    known = Calibration.load(served / "calibration.json")
    examples = list(real_examples(Extractor.load(weights), pages))
    fields = fields_to_fit(examples)
    merged = merge_calibrations(known, examples, fields)
    judged = _left_out(known, examples, fields)
    estimated = {
        name: estimate_error_bounds(values, CONFIDENCE_STEPS)
        for name, values in judged.items()
        if len(values) >= MIN_REAL_VALUES
    }
    merged = replace(merged, error_bounds={**merged.error_bounds, **estimated})
    (weights / "calibration.json").write_text(json.dumps(asdict(merged), indent=1) + "\n")
    return bool(fields or estimated)


def _left_out(
    known: Calibration, examples: Sequence[CalibrationExample], fields: Set[str]
) -> dict[str, list[tuple[float, bool]]]:
    """By document type: the confidence of every value with a fit without its page's group, and whether it is right."""
    judged: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for fold in range(FOLDS):
        fitted = merge_calibrations(known, [one for one in examples if fold_of(one) != fold], fields)
        for one in examples:
            if fold_of(one) == fold and one.candidate and fitted.accepts(one.candidate):
                judged[one.type].append((fitted.confidence(one.candidate), one.right))
    return judged


def fields_to_fit(examples: Sequence[CalibrationExample]) -> set[str]:
    """Return the fields that have values in at least MIN_FITTED_GROUPS groups.

    Values of one document, and of one vendor's documents, are right or wrong together: they count once.
    """
    groups: dict[str, set[str]] = defaultdict(set)
    for example in examples:
        if example.candidate:
            groups[example.field].add(example.page)
    return {name for name, found in groups.items() if len(found) >= MIN_FITTED_GROUPS}


def merge_calibrations(
    known: Calibration, examples: Sequence[CalibrationExample], fields: Set[str] | None = None
) -> Calibration:
    """Return the known confidences, with those of some fields fitted anew.

    Other known fields keep theirs; other new fields get the weights that all served fields share.
    fields: those to fit anew; as `fields_to_fit` if not given.
    """
    fitted = fit_calibration(examples, known.inputs)
    fields = fields_to_fit(examples) if fields is None else fields
    weights, accept = dict(known.weights), dict(known.accept)
    for name in {example.field for example in examples}:
        if name not in fields and name in known.weights:
            continue
        weights[name] = fitted.weights.get(name, known.weights["*"]) if name in fields else known.weights["*"]
        accept |= {name: fitted.accept[name]} if name in fitted.accept else {}
    return Calibration(weights, accept, known.inputs, known.error_bounds)
