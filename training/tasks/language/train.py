"""Train the language model of text lines from random weights, on synthetic documents and on transcripts.

    python -m training.tasks.language.train training/configs/language.toml --out runs/language \\
        --extraction models/extraction/weights --sroie DATA/sroie --words DATA/words --surfaces DATA/surfaces \\
        --templates runs/templates.jsonl --reads runs/reads/letters.jsonl

All data is optional: transcripts of receipts, names of shops and products, filled templates (training.synth.templates;
those held out are not used), and other pages as OCR has read them (training.datasets.reads), of which lines that were
read with certainty are used.

Run the same command again to resume from the last checkpoint. At the end OUT/weights holds the given extraction weights
with the language model stored next to them: candidate weights, to be calibrated, evaluated and promoted.
OUT/history.jsonl is the history of the run. The weight of the language model against the pixels is chosen on strips
that neither the language model nor the recogniser was trained on: receipts of held-out merchants, and simulated photos
in unseen typefaces.
"""

import json
import logging
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from docextract.documents import document_types
from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.language_model import END_OF_LINE, LanguageModel, LanguageModelShape, LanguageNetwork
from docextract.extraction.ocr.ppocr import Engine, Recogniser, pretrained_layers
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from training import command_line, loop
from training.datasets import filled_templates, reads, sroie
from training.synth import misreading
from training.synth.documents import generator_of
from training.tasks.ocr import train as ocr_training
from training.tasks.ocr.accents import accented_line
from training.tasks.ocr.strips import StripCollector, TextStrips

log = logging.getLogger("training.tasks.language.train")

DOCUMENT_SHARES = {"receipt": 0.42, "invoice": 0.34, "passport": 0.06, "id_card": 0.1, "driver_licence": 0.08}
UPPERCASE_SHARE = 0.2  # of receipts, and of streams of words
MAX_ACCENTED_COLUMNS = 60
SYNTHETIC = "synthetic"  # source of all streams whose own source has no texts
MIN_LINE_CONFIDENCE = 0.98  # of a line that OCR has read
SHEETS_PER_BATCH = 8  # documents whose lines the streams of a batch are drawn from
VALIDATION_STEP = 1 << 40  # the batch of this step, which no run reaches, is the validation set
WEIGHTS_TO_TRY = (0.1, 0.2, 0.3)
MAX_STRIPS_PER_SET = 1000  # of each set that the weight is chosen on


@dataclass(frozen=True, kw_only=True)
class LanguageSettings(loop.Settings):
    """Settings of one training run, see training/configs/language.toml."""

    streams: int
    length: int
    transcripts: float
    words: float
    filled: float
    pages: float
    accented: float
    embedding: int
    hidden: int


@dataclass(frozen=True)
class LanguageTexts:
    """Text lines that are not synthetic; () for none."""

    transcripts: tuple[str, ...] = ()  # of real receipts
    words: tuple[str, ...] = ()  # names of shops and products
    filled: tuple[str, ...] = ()  # of filled templates
    pages: tuple[str, ...] = ()  # other pages, of which OCR has read these lines with certainty

    @staticmethod
    def load(
        sroie_root: Path | None, words: Path | None, templates: Sequence[Path] = (), caches: Sequence[Path] = ()
    ) -> "LanguageTexts":
        """words: a folder of *.txt files, a name on each line. Held-out receipts and templates are left out."""
        names = [name for file in sorted(words.glob("*.txt")) for name in _lines_of(file)] if words else []
        return LanguageTexts(
            tuple(_transcripts(sroie_root)) if sroie_root else (),
            tuple(names),
            tuple(_filled_lines(templates)),
            tuple(_certain_lines(caches)),
        )


def _lines_of(file: Path) -> list[str]:
    return list(filter(None, file.read_text(encoding="utf-8").splitlines()))


def _transcripts(root: Path) -> Iterator[str]:
    keys = [label.key for label in sroie.load_not_held_out(root)]
    texts = (" ".join(text.split()) for key in keys for _, text in sroie.transcript(root, key))
    return filter(None, texts)


def _filled_lines(files: Sequence[Path]) -> Iterator[str]:
    documents = (one for one in filled_templates.load_documents(files) if not one.is_held_out)
    sheets = (sheet for document in documents for sheet in document.sheets)
    return (line.text for sheet in sheets for line in misreading.read_without_errors(sheet))


def _certain_lines(caches: Sequence[Path]) -> Iterator[str]:
    lines = (line for cache in caches for page in reads.load(cache).values() for line in page.lines)
    return (line.text for line in lines if line.confidence >= MIN_LINE_CONFIDENCE and not line.alternatives)


class LanguageTask(loop.Task):
    """Trains the language model to predict the next character of a text line."""

    def __init__(
        self,
        settings: LanguageSettings,
        network: LanguageNetwork,
        texts: LanguageTexts,
        extraction: Path | None = None,
        load_strip_sets: Callable[[], Mapping[str, TextStrips]] = dict,
    ) -> None:
        """network: only encodes the texts.

        For `export`: the weights folder that is served, and the sets of strips that the weight is chosen on.
        """
        self._settings, self._network, self._texts = settings, network, texts
        self._extraction, self._load_strip_sets = extraction, load_strip_sets
        self._validation = self.batch(VALIDATION_STEP)

    def batch(self, step: int) -> Tensor:
        """int [streams, length + 1]: lines one after the other, END_OF_LINE before each."""
        rng = np.random.default_rng((self._settings.seed, step))
        lines = [line for _ in range(SHEETS_PER_BATCH) for line in synthetic_lines(rng)]
        return torch.tensor([self._stream(self._source(rng, lines), rng) for _ in range(self._settings.streams)])

    def _source(self, rng: np.random.Generator, lines: Sequence[str]) -> Sequence[str]:
        settings, texts = self._settings, self._texts
        shares = {name: getattr(settings, name) for name in ("transcripts", "words", "filled", "pages")}
        name = str(rng.choice([*shares, SYNTHETIC], p=[*shares.values(), 1 - sum(shares.values())]))
        given: Sequence[str] = getattr(texts, name, ())
        if given:
            some = [given[at] for at in rng.integers(len(given), size=settings.length)]
            return [text.upper() for text in some] if name == "words" and rng.random() < UPPERCASE_SHARE else some
        if rng.random() < settings.accented:
            return [accented_line(rng, MAX_ACCENTED_COLUMNS) for _ in range(settings.length // 8)]
        return lines

    def _stream(self, source: Sequence[str], rng: np.random.Generator) -> list[int]:
        length = self._settings.length + 1
        stream: list[int] = []
        while len(stream) < length:
            stream += [END_OF_LINE, *self._network.encode(source[int(rng.integers(len(source)))])]
        return stream[:length]

    def losses(self, network: LanguageNetwork, batch: Tensor) -> dict[str, Tensor]:
        with loop.autocast("cpu"):
            return {"characters": language_loss(network, batch)}

    def evaluate(self, network: LanguageNetwork) -> dict[str, float]:
        with torch.inference_mode():
            return {"held_back": float(language_loss(network, self._validation))}

    def export(self, network: LanguageNetwork, folder: Path) -> None:
        """Raises NoGainError if lines are recognised best without the language model."""
        if self._extraction is None:
            raise ValueError("export needs the extraction weights that the language model is stored next to")
        layers = recogniser_graph.load_layers(self._extraction) or pretrained_layers()
        weight = best_weight(network, layers, self._load_strip_sets())
        if weight is None:
            raise NoGainError("the language model corrects no recognition errors: there are no weights to serve")
        shutil.copytree(self._extraction, folder, dirs_exist_ok=True)
        LanguageModel(network, weight).save(folder)


class NoGainError(Exception):
    """A trained network does not improve what is served."""


def build_network(letters: str, settings: LanguageSettings) -> LanguageNetwork:
    """Random weights, the same for the same seed."""
    torch.manual_seed(settings.seed)
    shape = LanguageModelShape.for_letters(letters, embedding=settings.embedding, hidden=settings.hidden)
    return LanguageNetwork(shape)


def language_loss(network: LanguageNetwork, streams: Tensor) -> Tensor:
    """Cross-entropy in nats per character. streams: int [B, T + 1]."""
    return functional.cross_entropy(network(streams[:, :-1]).float().flatten(0, 1), streams[:, 1:].flatten())


def synthetic_lines(rng: np.random.Generator) -> Iterator[str]:
    """The text lines of one synthetic document."""
    kind = document_types()[str(rng.choice(list(DOCUMENT_SHARES), p=list(DOCUMENT_SHARES.values())))]
    random = Random(int(rng.integers(2**63)))
    lines = misreading.read_without_errors(generator_of(kind.name).draw(random)[1], gap=float(rng.uniform(0.7, 1.8)))
    uppercase = kind.name == "receipt" and rng.random() < UPPERCASE_SHARE
    return (line.text.upper() if uppercase else line.text for line in lines)


def best_weight(
    network: LanguageNetwork, layers: RecogniserLayers, strip_sets: Mapping[str, TextStrips]
) -> float | None:
    """The weight of a nat of the language model against one of the pixels with the fewest wrong lines.

    None: the pixels alone are at least as good.
    """
    errors: dict[float | None, float] = {}
    for weight in (None, *WEIGHTS_TO_TRY):
        recogniser = Recogniser(Engine(), layers, None if weight is None else LanguageModel(network, weight))
        by_set = {name: round(_error_share(recogniser, strips), 4) for name, strips in strip_sets.items()}
        log.info("weight %s: share of wrong lines %s", weight, json.dumps(by_set))
        errors[weight] = sum(by_set.values())
    return min(errors, key=lambda weight: errors[weight])


def _error_share(recogniser: Recogniser, strips: TextStrips) -> float:
    """Share of strips with at least one wrong character."""
    lines = [strips.line(at) for at in range(len(strips))]
    recognised = ocr_training.match_case([" ".join(one.text.split()) for one in recogniser.read(lines)], strips)
    expected = ocr_training.expected_texts(strips)
    return sum(text != truth for text, truth in zip(recognised, expected, strict=True)) / len(strips)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__)
    parser.add_argument(
        "--extraction", type=Path, required=True, metavar="WEIGHTS",
        help="extraction weights that are copied to OUT/weights; the language model is for their recogniser",
    )  # fmt: skip
    parser.add_argument("--sroie", type=Path, metavar="ROOT")
    parser.add_argument("--words", type=Path, metavar="DIR", help="*.txt: names of shops and products")
    parser.add_argument("--templates", type=Path, nargs="*", default=[], metavar="FILE", help="filled templates")
    parser.add_argument("--reads", type=Path, nargs="*", default=[], metavar="FILE", help="OCR results of other pages")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; synthetic if not given")
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, LanguageSettings)

    def load_strip_sets() -> dict[str, TextStrips]:
        collector = StripCollector(options.out / ocr_training.STRIPS)
        sets = ocr_training.validation_strips(collector, options.sroie, options.surfaces)
        unusual = ocr_training.ACCENTED_LINES  # documents have few lines as full of accents
        return {name: strips.at_most(MAX_STRIPS_PER_SET) for name, strips in sets.items() if name != unusual}

    layers = recogniser_graph.load_layers(options.extraction) or pretrained_layers()
    network = build_network("".join(layers.classes), settings)
    texts = LanguageTexts.load(options.sroie, options.words, options.templates, options.reads)
    task = LanguageTask(settings, network, texts, options.extraction, load_strip_sets)
    optimizer = loop.adamw(network, settings)
    try:
        task.export(loop.fit(task, network, optimizer, settings, options.out), options.out / loop.WEIGHTS)
    except NoGainError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
