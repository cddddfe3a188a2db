"""Fine-tune the layout network on a user's own documents, starting from the served weights.

The user's pages are mixed with synthetic pages of all document types that the served model knows, so that it does not
forget them.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from accelerate import PartialState
from rich.progress import Progress

from docextract.documents import document_types, register_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import Calibration
from docextract.extraction.layout.network import LayoutShape, LayoutTransformer
from docextract.extraction.ocr import language_model, recogniser_graph
from docextract.extraction.zones import network as zone_network
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE
from docextract.registry import promoted_version
from training import history
from training.commands import calibrate, report
from training.datasets import LabelledPage, UnusableDataError, is_held_out, pictures, reads, value_of
from training.loop import WEIGHTS
from training.metrics import Comparison, by_field
from training.synth.documents import generators
from training.tasks.layout.pages import PageMix
from training.tasks.layout.train import LayoutSettings, start_from_served, train_layout
from training.tasks.layout.variations import RealPage, RealPageVariations

MIN_EXTRACTION_PAGES = 10
MIN_EXAMPLES = 60
READS = "reads.jsonl"


@dataclass(frozen=True)
class PageSplit:
    """A user's pages with their OCR results: for training, and held out."""

    training: list[RealPage]
    held_out: list[RealPage]


def split_pages(pages: Sequence[RealPage]) -> PageSplit:
    """The pages, split by `training.datasets.is_held_out`; `training.commands.label_check` shows the same split."""
    training = [page for page in pages if not is_held_out(page.label)]
    return PageSplit(training, [page for page in pages if is_held_out(page.label)])


def shape_with(served: LayoutShape, types: Sequence[str]) -> LayoutShape:
    """The served network's shape, extended by further document types."""
    known = [name for name in served.types if name != OTHER_TYPE]
    names = [*known, *(name for name in dict.fromkeys(types) if name not in known)]
    fields = {field.name for name in names for field in document_types()[name].fields()}
    return replace(served, fields=tuple(sorted(fields | set(served.fields))), types=(*names, OTHER_TYPE))


def retrain_extraction(
    labels: Sequence[LabelledPage], out: Path, models_dir: Path, settings: LayoutSettings, workers: int, bar: Progress
) -> Path:
    """Fine-tune and return the folder of the new weights. Raises UnusableDataError."""
    served = promoted_version("extraction", models_dir)
    served.verify()
    register_types(served.folder)
    with PartialState().main_process_first():  # with several devices, one process reads
        pages = split_pages(_read(labels, out / READS, models_dir, bar))
    if not pages.training or not pages.held_out:
        raise UnusableDataError(
            f"{len(labels)} pages are too few for training and evaluation; label at least {MIN_EXTRACTION_PAGES}"
        )

    torch.manual_seed(settings.seed)
    shape = shape_with(_shape_of(served.folder), [label.type for label in labels])
    network = LayoutTransformer(shape)
    start_from_served(network, served.folder)
    synthetic = {name: 1.0 for name in shape.types if name != OTHER_TYPE and name in generators()}
    mix = PageMix(
        shape, synthetic, RealPageVariations(pages.training), settings.real_share, settings.other_share, settings.seed
    )
    task = bar.add_task("training", total=settings.steps)
    train_layout(
        network, settings, mix, pages.held_out, out, workers,
        on_step=lambda step, end: bar.update(task, completed=step, total=end),
    )  # fmt: skip

    weights = out / WEIGHTS
    if not PartialState().is_main_process:
        return weights
    _keep_readers(weights, served.folder)
    _calibrate(weights, served.folder, pages.held_out)
    report.write_report(out, _report(history.read(out), Extractor.load(weights), pages.held_out))
    return weights


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


def _keep_readers(weights: Path, served: Path) -> None:
    """Copy the served networks for text and machine-readable zones: they are not trained here."""
    for name in (
        zone_network.ZONE_WEIGHTS_FILE,
        recogniser_graph.RECOGNISER_WEIGHTS_FILE,
        language_model.LANGUAGE_WEIGHTS_FILE,
    ):
        if (served / name).exists():
            shutil.copy(served / name, weights)


def _calibrate(weights: Path, served: Path, held_out: Sequence[RealPage]) -> None:
    """Fit the confidences of the user's fields on the held-out pages; all other fields keep the served ones.

    With few examples the user's fields get the weights that all served fields share.
    """
    known = Calibration(**json.loads((served / "calibration.json").read_text()))
    examples = list(calibrate.real_examples(Extractor.load(weights), held_out))
    fitted = calibrate.fit_calibration(examples, known.inputs)
    weights_by_field = fitted.weights if len(examples) >= MIN_EXAMPLES else {"*": known.weights["*"]}
    own = {example.field: weights_by_field.get(example.field, weights_by_field["*"]) for example in examples}
    merged = Calibration({**own, **known.weights}, {**fitted.accept, **known.accept}, known.inputs)
    (weights / "calibration.json").write_text(json.dumps(asdict(merged), indent=1) + "\n")


def _report(
    learned: Sequence[Mapping[str, Any]], extractor: Extractor, held_out: Sequence[RealPage]
) -> report.TrainingReport:
    """Scores and samples of the held-out pages, and the training curves."""
    compared = [list(_compared(extractor, page)) for page in held_out]
    fields = by_field(one for some in compared for one in some)
    return report.TrainingReport(
        lead=f"{learned[-1]['step'] if learned else 0} steps. The {len(held_out)} pages shown here were held out "
        "from training; confidences were fitted on them, so they are slightly less accurate on other pages.",
        plots=[
            report.plot(
                "Loss of the labels, on training pages", learned, lambda row: {"labels": row["loss"]["labels"]}
            ),
            report.plot("Exactly right, on held-out pages", learned, lambda row: row["exact"], top=1.0),
        ],
        heading="Held-out pages",
        table=report.ReportTable(
            ("field", "pages", "exact", "loose"),
            [report.Row((name, *map(scores.get, ("pages", "exact", "loose")))) for name, scores in fields.items()],
        ),
        samples=[
            report.ReportSample(
                page.label.key,
                report.thumbnail(pictures.load(page.label.image)),
                report.ReportTable(
                    ("field", "labelled", "found", "confidence"),
                    [report.Row((one.field, one.expected, one.predicted, one.confidence), _wrong(one)) for one in some],
                ),
            )
            for page, some in list(zip(held_out, compared, strict=True))[: report.MAX_SAMPLES]
        ],
    )


def _wrong(one: Comparison) -> bool:
    """Whether a field is wrong; nothing found where nothing is counts as right."""
    return not one.exact and not (one.expected is None and one.predicted is None)


def _compared(extractor: Extractor, page: RealPage) -> Iterator[Comparison]:
    kind = document_types()[page.label.type]
    found = extractor.extract_from_lines([page.read.lines], [page.label.type])[0]
    for field in kind.fields():
        if field.group is None and field.name in page.label.fields:
            expected, given = value_of(field.kind, page.label.fields[field.name]), found.fields.get(field.name)
            yield Comparison(field.name, expected, given and given.value, given.confidence if given else None)
