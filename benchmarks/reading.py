"""What was tried to read print faster, and what it did to accuracy: writes docs/reading-speed.md.

    python -m benchmarks.reading [--data FOLDER] [--pages 20] [--out docs/reading-speed.md]

Synthetic photographs, always the same, and the first of a labelled FOLDER go through the service's own steps and the
served models; only the reader differs. CPU seconds are told beside seconds: they suffer less from a busy machine.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks import throughput
from benchmarks.environment import surroundings
from benchmarks.service_process import ROOT
from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.language_model import LanguageModel
from docextract.extraction.ocr.ppocr import Engine
from docextract.extraction.ocr.reading import DETECTION_LONG_SIDE_PX, Reader
from docextract.images.geometry import Page
from docextract.predictions import TextLine
from docextract.registry import promoted_version
from docextract.serving import local
from training.datasets import LabelledPage, labelled_folder
from training.evaluation.compare import EvaluatedModels
from training.evaluation.evaluate import evaluate, make_extract_call

TEMPLATE = "reading-speed.md.j2"
PAGES = 20
WHOLE_PX = 2500  # more than any page that the reader is sent
CORES = len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Variant:
    """One way to read."""

    label: str
    engine: Engine
    long_side_px: int = WHOLE_PX
    learned: bool = True  # what the recogniser learned, where the served extraction has such; else PP-OCR's own
    language: bool = True  # where pixels leave it open, what lines are likely to say decides; if the served one has it


CHOSEN = Variant(f"the same, finding at {DETECTION_LONG_SIDE_PX} px: **as served**", Engine(), DETECTION_LONG_SIDE_PX)
VARIANTS = (
    Variant("ONNX Runtime, float32, all 18,710 letters, finding at the page's own size",
            Engine(library="onnxruntime", letters=()), learned=False, language=False),
    Variant("OpenVINO in its place, float32", Engine(precision="f32", letters=()), learned=False, language=False),
    Variant("the same in the processor's best precision", Engine(letters=()), learned=False, language=False),
    Variant("the same, Latin letters alone", Engine(), learned=False, language=False),
    Variant("the same, its recogniser learned from receipts, invoices and cards", Engine(), language=False),
    Variant("the same, what lines are likely to say decides where pixels do not", Engine()),
    Variant("the same, finding at 1600 px", Engine(), 1600),
    CHOSEN,
    Variant("the same, finding at 960 px", Engine(), 960),
    Variant(f"as served, {CORES} threads", Engine(threads=CORES), DETECTION_LONG_SIDE_PX),
)  # fmt: skip


@dataclass(frozen=True)
class Sheet:
    """Photographs with what is known of them."""

    name: str
    pages: Sequence[LabelledPage]


@dataclass(frozen=True)
class Tried:
    """What came of a variant."""

    variant: Variant
    cpu_s: float  # of reading a page
    seconds: float
    right: dict[str, float]  # share of the printed values that are exactly right, by sheet
    texts: Sequence[Counter[str]]  # of each page, its lines

    def alike(self, other: "Tried") -> float:
        """The share of the other's lines that were read letter for letter alike."""
        same = sum((mine & theirs).total() for mine, theirs in zip(self.texts, other.texts, strict=True))
        return same / max(1, sum(theirs.total() for theirs in other.texts))


class Watched:
    """A reader that reads in the place of the served one, is timed, and whose lines are kept."""

    def __init__(self, variant: Variant, weights: Path) -> None:
        """weights: a folder of extraction's."""
        self._reader = Reader(
            engine=variant.engine, long_side_px=variant.long_side_px,
            layers=recogniser_graph.load_layers(weights) if variant.learned else None,
            language_model=LanguageModel.load(weights) if variant.language else None,
        )  # fmt: skip
        self.cpu_s = self.seconds = 0.0
        self.texts: list[Counter[str]] = []

    def read(self, reader: Reader, pages: Sequence[Page]) -> list[Sequence[TextLine]]:
        """The lines of each page, in the order given. Each page is read once before, to get warm."""
        self._reader.read(pages)
        cpu, start = time.process_time(), time.perf_counter()
        read = self._reader.read(pages)
        self.cpu_s += time.process_time() - cpu
        self.seconds += time.perf_counter() - start
        self.texts += [Counter(line.text for line in lines) for lines in read]
        return list(read)


def tried(variant: Variant, sheets: Sequence[Sheet], models: Path) -> Tried:
    """Read all pages, and see what the served models make of it."""
    quality, extraction = promoted_version("quality", models), promoted_version("extraction", models)
    watched = Watched(variant, extraction.folder)
    contender = EvaluatedModels(extraction, quality, quality.load("cpu"), watched, "cpu")
    right = {}
    with local.client(contender) as client:
        for sheet in sheets:
            outcomes = evaluate(sheet.pages, make_extract_call(client))
            compared = [one for outcome in outcomes for one in outcome.comparisons if one.wanted is not None]
            right[sheet.name] = sum(one.exact for one in compared) / max(1, len(compared))
    count = len(watched.texts)
    return Tried(variant, watched.cpu_s / count, watched.seconds / count, right, watched.texts)


def sheets(synthetic: Path, data: Path | None, count: int) -> Iterator[Sheet]:
    """Synthetic photographs, written to a folder of theirs, and the first of the given ones."""
    with labelled_folder.Writer(synthetic) as writer:
        for key, kind, taken in throughput.taken(count):
            writer.add(key, taken.photo, kind, taken.truth["fields"])
    yield Sheet("made up", labelled_folder.load(synthetic)[0])
    if data:
        yield Sheet("labelled", labelled_folder.load(data)[0][:count])


def write(out: Path, found: Sequence[Tried], about: dict[str, object]) -> None:
    """The page. One of `found` is CHOSEN's."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    chosen = next(one for one in found if one.variant is CHOSEN)
    page = environment.get_template(TEMPLATE).render(found=found, chosen=chosen, about=about)
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="a labelled folder of photographs")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"of each sort ({PAGES})")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reading-speed.md")
    options = parser.parse_args(arguments)
    about = surroundings()
    with tempfile.TemporaryDirectory() as folder:
        some = list(sheets(Path(folder), options.data, options.pages))
        found = []
        for variant in VARIANTS:
            found.append(one := tried(variant, some, ROOT / "models"))
            print(f"{variant.label:75} CPU {one.cpu_s:.3f} s a page  {one.seconds:.3f} s  {one.right}", flush=True)
    write(options.out, found, about | {"pages": {one.name: len(one.pages) for one in some}})
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
