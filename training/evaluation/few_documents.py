"""Measure what a few labelled documents of one layout add, when the served model is retrained on them alone.

    python -m training.evaluation.few_documents --collection DIR [--collection DIR …] --cache DIR --count 5 --draws 3

DIR is a collection of real documents (see training.evaluation.real_documents). From each template with enough documents
--count are drawn, --draws times, and the served extraction model is retrained on their first pages, as `make retrain`
does with so few. Then the other documents of the template, and those of all other templates, are compared before and
after, in letters and digits. --cache keeps what was read.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from docextract.documents import document_types
from docextract.extraction.extractor import Extractor
from docextract.predictions import OTHER_TYPE
from docextract.registry import promoted_version
from training.command_line import add_models_option
from training.commands.retrain import CONFIGS
from training.commands.retrain_extraction import PageParts, retrain_extraction
from training.datasets.reads import OcrResult
from training.evaluation.from_lines import answer_lines
from training.evaluation.real_documents import RealDocument, field_results, labelled_first_page, read_collection
from training.metrics import loose_form
from training.progress import progress_bar
from training.tasks.layout.train import LayoutSettings
from training.tasks.layout.type_head import PageReader
from training.tasks.layout.variations import RealPage

MIN_OTHERS = 3  # documents of a template that are not drawn


@dataclass
class Counts:
    """Values that are printed and right, and values for fields that are not printed."""

    printed: int = 0
    right: int = 0
    absent: int = 0
    invented: int = 0

    def add(self, document: RealDocument, extractor: Extractor, reader: PageReader) -> None:
        """Count the single fields of one document."""
        found = answer_lines(extractor, reader.lines(document.path), document.type)
        known = {one.name for one in document_types()[document.type].fields() if one.group is None}
        for result in field_results(document, found):
            if result.name in known and result.expected is None:
                self.absent += 1
                self.invented += result.predicted is not None
            elif result.name in known:
                self.printed += 1
                self.right += result.is_right(loose_form)

    def __str__(self) -> str:
        """Return the share of right values, and how many were invented."""
        share = self.right / max(1, self.printed)
        return f"{share:.3f} of {self.printed} values right, {self.invented} of {self.absent} absent fields got one"


@dataclass
class BeforeAndAfter:
    """Counts before and after, of the drawn templates and of all others."""

    before: Counts = field(default_factory=Counts)
    after: Counts = field(default_factory=Counts)

    def __str__(self) -> str:
        """Return both counts, and the share of wrong values that were put right."""
        wrong = self.before.printed - self.before.right
        mended = (self.after.right - self.before.right) / max(1, wrong)
        return f"before: {self.before}\n  after:  {self.after}\n  of what was wrong, {mended:.0%} fewer are"


def read_first_page(document: RealDocument, reader: PageReader) -> RealPage:
    """The first page of a document with its labels, and with its text lines."""
    label = labelled_first_page(document)
    return RealPage(label, OcrResult(label.key, tuple(reader.lines(document.path)[0]), 0, 0))


def measure_draw(
    drawn: Sequence[RealDocument], documents: Sequence[RealDocument], models: Path, settings: LayoutSettings,
    reader: PageReader, of_template: BeforeAndAfter, of_others: BeforeAndAfter,
) -> None:  # fmt: skip
    """Retrain on some documents, and add what all others were before and are after."""
    with TemporaryDirectory() as out, progress_bar() as bar:
        pages = [read_first_page(one, reader) for one in drawn]
        weights = retrain_extraction(PageParts(pages, [], [], []), Path(out), models, settings, 0, bar)
        served, retrained = Extractor.load(promoted_version("extraction", models).folder), Extractor.load(weights)
    for document in documents:
        if document not in drawn:
            comparison = of_template if document.template == drawn[0].template else of_others
            comparison.before.add(document, served, reader)
            comparison.after.add(document, retrained, reader)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, action="append", required=True)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--count", type=int, default=5, help="documents that are labelled (5)")
    parser.add_argument("--draws", type=int, default=3, help="of other documents, for each template (3)")
    add_models_option(parser)
    options = parser.parse_args(arguments)
    reader, settings = PageReader(options.cache, options.models), LayoutSettings.read(CONFIGS["extraction"])
    documents = [one for folder in options.collection for one in read_collection(folder) if one.type != OTHER_TYPE]
    documents = [one for one in documents if reader.lines(one.path)]
    by_template: dict[str, list[RealDocument]] = defaultdict(list)
    for one in documents:
        by_template[one.template].append(one)
    of_others = BeforeAndAfter()
    for template, own in by_template.items():
        if len(own) < options.count + MIN_OTHERS:
            continue
        of_template = BeforeAndAfter()
        for draw in range(options.draws):
            drawn = Random(draw).sample(own, options.count)
            measure_draw(drawn, documents, options.models, settings, reader, of_template, of_others)
        print(f"{template}, {options.draws} draws of {options.count} of {len(own)}\n  {of_template}", flush=True)
    print(f"all other templates\n  {of_others}")


if __name__ == "__main__":
    main()
