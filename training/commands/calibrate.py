"""Fit confidences and acceptance thresholds on pages that the network has not learned from.

    python -m training.commands.calibrate runs/extraction/weights --sroie DATA/sroie --reads runs/reads/sroie.jsonl \\
        --labelled runs/calibrate/synthetic runs/calibrate/kept_back --srd DATA/srd_photos

The sources are described in training/tasks/calibration/examples.py. Labelled folders are read with the service's own
steps, and the OCR results are cached next to them.

Prints the quality of the confidences on pages that were left out of the fit, and writes calibration.json next to the
weights.

An imported checkpoint is calibrated on labelled pages, which are cropped to the document as in the service:

    python -m training.commands.calibrate runs/cord --labelled DATA/receipts
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.extraction.layout.calibration import Calibration
from docextract.pipeline.problems import ProblemError
from docextract.predictions import OTHER_TYPE
from docextract.registry.version import find_loader, load_model
from docextract.serving.local import LocalModels
from training.command_line import add_models_option
from training.datasets import filled_templates, labelled, reads, srd, sroie
from training.datasets.page import LabelledPage
from training.evaluation import acceptance, confidence_curves
from training.evaluation.confidence_curves import FieldConfidence
from training.evaluation.real_documents import read_collection
from training.tasks.calibration.examples import (
    CalibrationExample,
    collection_examples,
    pixel_examples,
    real_examples,
    sheet_examples,
    template_examples,
)
from training.tasks.calibration.fitting import examples_by_field, fit_calibration, is_given
from training.tasks.calibration.left_out import counted_values, cross_validate
from training.tasks.layout import pages
from training.tasks.layout.type_head import PageReader
from training.tasks.layout.variations import RealPage

READS = "reads.jsonl"  # cache of OCR results next to labelled pages


def main() -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--sroie", type=Path)
    parser.add_argument("--reads", type=Path, nargs="*", default=[])
    parser.add_argument("--sheets", type=int, default=1200, help="sheets of each document type")
    parser.add_argument(
        "--labelled", type=Path, nargs="*", default=[], help="labelled pages: synthetic photos, your own"
    )
    parser.add_argument(
        "--collection", type=Path, nargs="*", default=[], help="real documents, see training.evaluation.real_documents"
    )
    parser.add_argument(
        "--templates", type=Path, nargs="*", default=[], help="filled templates; those held out from training are used"
    )
    parser.add_argument(
        "--cache", type=Path, help="folder that keeps the lines of --collection, which take long to read"
    )
    parser.add_argument("--left-out", type=Path, help="write the confidences of pages that were left out of the fit")
    parser.add_argument("--srd", type=Path, metavar="ROOT", help="SRD; its development half is used")
    add_models_option(parser, "models that find and read pages")
    options = parser.parse_args()
    model = load_model(find_loader("extraction", options.weights), options.weights, "cpu")
    try:
        examples = list(
            _layout_examples(model, options) if isinstance(model, Extractor) else _imported_examples(model, options)
        )
    except ProblemError as problem:
        parser.error(str(problem))
    if not examples:
        parser.error(f"there are no pages to fit {options.weights} to")
    judged = list(cross_validate(examples))
    counted = counted_values(judged)
    calibration = replace(fit_calibration(examples), error_bounds=acceptance.error_bounds(counted))
    (options.weights / "calibration.json").write_text(json.dumps(asdict(calibration), indent=1) + "\n")
    _print_found(examples, calibration)
    _print_left_out(judged)
    for name, bounds in calibration.error_bounds.items():
        for start, error in bounds:
            print(f"{name}: from confidence {start:6} on at most {error:.1%} are wrong")
    accepted = {error: acceptance.cross_fitted(counted, error) for error in acceptance.STATED_ERRORS}
    for error, by_source in accepted.items():
        for source, own in by_source.items():
            print(f"at {error:.0%}: {source}: {own.share:.1%} of {own.values} accepted, {own.error:.1%} of them wrong")
    if options.left_out:
        rows = {
            source: confidence_curves.confidence_summary([one for of, one in judged if of.source == source])
            | {"accepted": {str(error): asdict(some[source]) for error, some in accepted.items() if source in some}}
            for source in dict.fromkeys(of.source for of, _ in judged)
        }
        options.left_out.write_text(json.dumps(rows, indent=1) + "\n")


def _imported_examples(model: Any, options: argparse.Namespace) -> Iterator[CalibrationExample]:
    known = [label for label in labelled.load_usable(*options.labelled) if label.type in model.types]
    yield from pixel_examples(model, known, LocalModels(options.models))


def _layout_examples(extractor: Extractor, options: argparse.Namespace) -> Iterator[CalibrationExample]:
    if options.sroie:
        labels = sroie.load(options.sroie, sroie.HELD_OUT)
        yield from real_examples(
            extractor, (page for cache in options.reads for page in pages.real_pages(labels, reads.load(cache)))
        )
    for data in options.labelled:
        cache = (data if data.is_dir() else data.parent) / READS
        yield from _photo_examples(extractor, labelled.load_usable(data), cache, options.models)
    reader = PageReader(options.cache, options.models)
    for folder in options.collection:
        documents = [one for one in read_collection(folder) if one.type in extractor.types and one.type != OTHER_TYPE]
        yield from collection_examples(extractor, documents, reader)
    fills = filled_templates.held_out(filled_templates.load_documents(options.templates))
    yield from template_examples(extractor, (one for one in fills if one.type in extractor.types))
    if options.srd:
        with (
            TemporaryDirectory() as temporary
        ):  # reading takes a minute; nothing is written into the folder of SRD's photos
            cache = Path(temporary) / READS
            yield from _photo_examples(extractor, srd.load(options.srd, "development"), cache, options.models)
    for name in extractor.types:
        if name in document_types():
            yield from sheet_examples(extractor, document_types()[name], options.sheets)


def _photo_examples(
    extractor: Extractor, labels: Sequence[LabelledPage], cache: Path, models: Path
) -> Iterator[CalibrationExample]:
    """Examples of photos read as the service reads them, of document types that the extractor knows."""
    known = [label for label in labels if label.type in extractor.types]
    read = reads.read_as_served(cache, known, models, extractor.reader)
    yield from real_examples(extractor, (RealPage(*both) for both in zip(known, read, strict=True)))


def _print_found(examples: Sequence[CalibrationExample], calibration: Calibration) -> None:
    print(f"{'':42}{'on':>7}{'right':>8}{'absent':>8}{'invented':>10}")
    for name, own in sorted(examples_by_field(examples).items()):
        accepted = [one for one in own if one.candidate and is_given(one.candidate, calibration.accept)]
        absent = sum(example.expected is None for example in own)
        present = len(own) - absent
        right = sum(example.right for example in accepted) / max(1, present)
        print(f"{name:42}{present:7}{right:8.3f}", end="")
        # In rows, only values that were predicted are known to be absent.
        invented = sum(example.expected is None for example in accepted) / max(1, absent)
        print("" if "." in name else f"{absent:8}{invented:10.3f}")


def _print_left_out(judged: Sequence[tuple[CalibrationExample, FieldConfidence]]) -> None:
    """A row for each source, and one for each of its fields with at least MIN_VALUES values."""
    print(f"\n{'left out of the fit':42}{'values':>7}{'right':>8}{'conf.':>8}{'error':>8}{'chance':>8}{'top 80%':>8}")
    for source in dict.fromkeys(of.source for of, _ in judged):
        own = [one for of, one in judged if of.source == source]
        rows: dict[str, list[FieldConfidence]] = {source: own} | {
            name: [one for one in own if one.field == name] for name in sorted({j.field for j in own})
        }
        for name, some in rows.items():
            row = confidence_curves.confidence_summary(some)
            if row["values"] >= confidence_curves.MIN_VALUES:
                figures = (
                    row[key] for key in ("right", "mean_confidence", "error", "by_chance", "right_of_most_confident")
                )
                print(f"{name:42}{row['values']:7}" + "".join(f"{figure:8.3f}" for figure in figures))


if __name__ == "__main__":
    main()
