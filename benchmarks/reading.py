"""Compare ways to make OCR faster, and their effect on accuracy; write docs/reading-speed.md.

    python -m benchmarks.reading [--data FOLDER] [--pages 20] [--out docs/reading-speed.md]

Synthetic photos, always the same, and the first photos of a labelled FOLDER go through the service's own pipeline and
the served models; only the OCR settings differ. CPU seconds are reported next to seconds, because other work on the
machine affects them less.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from benchmarks import throughput
from benchmarks.environment import describe_environment
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT
from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.ppocr import Engine, engine_for
from docextract.extraction.ocr.reading import DETECTION_LONG_SIDE_PX, Reader
from docextract.images.geometry import Page
from docextract.predictions import TextLine
from docextract.registry import promoted_version
from docextract.serving import local
from training.datasets import LabelledPage, labelled_folder
from training.evaluation.compare import EvaluatedModels
from training.evaluation.evaluate import evaluate, make_extract_call

TEMPLATE = "reading-speed.md.j2"
DEFAULT_PAGES = 20
UNLIMITED_PX = 2500  # larger than any page that the reader receives
HAS_GPU = torch.cuda.is_available()
CORE_COUNT = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Variant:
    """One configuration of the OCR."""

    label: str
    engine: Engine
    long_side_px: int = UNLIMITED_PX
    # Use the fine-tuned recogniser of the served extraction, if it has one; otherwise PP-OCR's own.
    fine_tuned: bool = True
    language_model: bool = True  # use the language model of the served extraction, if it has one
    int8: bool = True  # compute the recogniser's convolutions in 8-bit integers, if the served one has learned it


SERVED_VARIANT = Variant(f"detection at {DETECTION_LONG_SIDE_PX} px: **as served**", Engine(), DETECTION_LONG_SIDE_PX)
VARIANTS = (
    Variant("ONNX Runtime, float32, all 18,710 characters, detection at full page size",
            Engine(library="onnxruntime", letters=()), fine_tuned=False, language_model=False),
    Variant("OpenVINO instead, float32", Engine(precision="f32", letters=()), fine_tuned=False, language_model=False),
    Variant("the processor's fastest precision", Engine(letters=()), fine_tuned=False, language_model=False),
    Variant("Latin characters only", Engine(), fine_tuned=False, language_model=False),
    Variant("recogniser fine-tuned on receipts, invoices and cards", Engine(), language_model=False, int8=False),
    Variant("its convolutions in 8-bit integers", Engine(), language_model=False),
    Variant("with the language model", Engine()),
    Variant("detection at 1600 px", Engine(), 1600),
    SERVED_VARIANT,
    Variant("detection at 960 px", Engine(), 960),
    Variant("as served, torch instead of OpenVINO", Engine(library="torch"), DETECTION_LONG_SIDE_PX),
    Variant(f"as served, {CORE_COUNT} threads", Engine(threads=CORE_COUNT), DETECTION_LONG_SIDE_PX),
    *([Variant("on the GPU, as served there", engine_for("cuda", 1), DETECTION_LONG_SIDE_PX)] if HAS_GPU else []),
)  # fmt: skip


@dataclass(frozen=True)
class PhotoSet:
    """Labelled photos of one source."""

    name: str
    pages: Sequence[LabelledPage]


@dataclass(frozen=True)
class VariantResult:
    """Result of one variant."""

    variant: Variant
    cpu_s_per_page: float
    seconds_per_page: float
    correct_share: dict[str, float]  # share of exactly right labelled values, by photo set
    line_texts: Sequence[Counter[str]]  # the lines of each page, with their number of occurrences

    def line_agreement(self, other: "VariantResult") -> float:
        """Return the share of the other result's lines that this variant reads exactly alike."""
        same = sum((mine & theirs).total() for mine, theirs in zip(self.line_texts, other.line_texts, strict=True))
        return same / max(1, sum(theirs.total() for theirs in other.line_texts))


class TimedReader:
    """A reader in place of the served one; it measures time and keeps the lines."""

    def __init__(self, variant: Variant, weights: Path) -> None:
        """weights: folder of extraction weights."""
        layers = recogniser_graph.load_layers(weights) if variant.fine_tuned else None
        self._reader = Reader(
            engine=variant.engine, long_side_px=variant.long_side_px,
            layers=replace(layers, ranges={}) if layers and not variant.int8 else layers,
            language_model=LanguageModel.load(weights) if variant.language_model else None,
        )  # fmt: skip
        self.cpu_s_per_page = self.seconds_per_page = 0.0
        self.line_texts: list[Counter[str]] = []

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """Read each page and return its lines, in input order. Each page is read once before as warm-up."""
        self._reader.read(pages)
        cpu, start = time.process_time(), time.perf_counter()
        read = self._reader.read(pages)
        self.cpu_s_per_page += time.process_time() - cpu
        self.seconds_per_page += time.perf_counter() - start
        self.line_texts += [Counter(line.text for line in lines) for lines in read]
        return list(read)


def measure_variant(variant: Variant, photo_sets: Sequence[PhotoSet], models_folder: Path) -> VariantResult:
    """Measure one variant on all pages, through the served models."""
    quality, extraction = promoted_version("quality", models_folder), promoted_version("extraction", models_folder)
    timed_reader = TimedReader(variant, extraction.folder)
    models = EvaluatedModels(extraction, quality, quality.load("cpu"), timed_reader, "cpu")
    correct_share = {}
    with local.client(models) as client:
        for photo_set in photo_sets:
            outcomes = evaluate(photo_set.pages, make_extract_call(client))
            compared = [one for outcome in outcomes for one in outcome.comparisons if one.expected is not None]
            correct_share[photo_set.name] = sum(one.exact for one in compared) / max(1, len(compared))
    count = len(timed_reader.line_texts)
    return VariantResult(
        variant,
        timed_reader.cpu_s_per_page / count,
        timed_reader.seconds_per_page / count,
        correct_share,
        timed_reader.line_texts,
    )


def photo_sets(synthetic: Path, data: Path | None, count: int) -> Iterator[PhotoSet]:
    """Yield the synthetic photos, written to `synthetic` as a labelled folder, and the first `count` of `data`."""
    with labelled_folder.LabelledFolderWriter(synthetic) as writer:
        for key, kind, shot in throughput.synthetic_photos(count):
            writer.add(key, shot.photo, kind, shot.truth["fields"])
    yield PhotoSet("synthetic", labelled_folder.load(synthetic)[0])
    if data:
        yield PhotoSet("labelled", labelled_folder.load(data)[0][:count])


def write(out: Path, results: Sequence[VariantResult], info: dict[str, object]) -> None:
    """Write the page. One of the results is that of SERVED_VARIANT."""
    served = next(one for one in results if one.variant is SERVED_VARIANT)
    page = page_template(TEMPLATE).render(results=results, served=served, run_info=info)
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="a labelled folder of photos")
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES, help=f"pages per source ({DEFAULT_PAGES})")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reading-speed.md")
    options = parser.parse_args(arguments)
    info = describe_environment()
    with tempfile.TemporaryDirectory() as folder:
        sets = list(photo_sets(Path(folder), options.data, options.pages))
        results = []
        for variant in VARIANTS:
            results.append(one := measure_variant(variant, sets, ROOT / "models"))
            print(
                f"{variant.label:75} CPU {one.cpu_s_per_page:.3f} s per page  {one.seconds_per_page:.3f} s"
                f"  {one.correct_share}",
                flush=True,
            )
    write(options.out, results, info | {"pages": {one.name: len(one.pages) for one in sets}})
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
