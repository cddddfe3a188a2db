"""Learn how likely lines of print are, from nothing: from what synthetic documents say, and from transcripts.

    python -m training.tasks.language.train training/configs/language.toml --out runs/language \\
        --extraction models/extraction/weights --sroie DATA/sroie --words DATA/words --surfaces DATA/surfaces

Run again, it goes on from its last checkpoint, as if it had never stopped. OUT/history.jsonl is how it learned. At the
end OUT/weights holds the given extraction weights with this beside them, to be calibrated, judged and promoted as any
others. How much it counts against the pixels is chosen on strips of print that neither it nor the recogniser has seen:
receipts of merchants kept back, and synthetic photographs in typefaces of their own.
"""

import argparse
import json
import logging
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from docextract.documents import document_types
from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.language_model import END_OF_LINE, LanguageModel, LanguageModelShape, LanguageNetwork
from docextract.extraction.ocr.ppocr import Engine, Recogniser, pretrained_layers
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers
from training import history, loop, typefaces
from training.datasets import sroie
from training.synth import misreading
from training.synth.documents import generator_of
from training.tasks.ocr import train as ocr_training
from training.tasks.ocr.strips import Gatherer, Strips

log = logging.getLogger("training.tasks.language.train")

CHECKPOINT, WEIGHTS, STRIPS = "last.pt", "weights", "strips"
SHARES = {"receipt": 0.42, "invoice": 0.34, "passport": 0.06, "id_card": 0.1, "driver_licence": 0.08}
CAPITALS = 0.2  # of receipts, and of words
SHEETS_AT_ONCE = 8  # whose lines a step's streams are drawn from
HELD_BACK_SEED = 1 << 40  # of sheets that are looked at on the way
WEIGHED = (0.1, 0.2, 0.3)
WATCHED = 1000  # strips of each kind that the weight is chosen on


@dataclass(frozen=True)
class Settings(loop.Settings):
    """One training run. Read from TOML; see training/configs/language.toml."""

    seed: int
    steps: int
    streams: int
    length: int
    peak_lr: float
    warmup_steps: int
    weight_decay: float
    average: float
    transcripts: float
    words: float
    evaluate_every: int
    checkpoint_s: float
    embedding: int
    hidden: int


@dataclass(frozen=True)
class Texts:
    """Lines that were not made up here; () for none."""

    transcripts: tuple[str, ...] = ()  # of real receipts
    words: tuple[str, ...] = ()  # names of shops and products

    @staticmethod
    def read(root: Path | None, words: Path | None) -> "Texts":
        """root: SROIE's; receipts that were kept back are left out. words: a folder of *.txt, a name on each line."""
        names = [name for file in sorted(words.glob("*.txt")) for name in _lines(file)] if words else []
        return Texts(tuple(_transcripts(root)) if root else (), tuple(names))


def _lines(file: Path) -> list[str]:
    return list(filter(None, file.read_text(encoding="utf-8").splitlines()))


def _transcripts(root: Path) -> Iterator[str]:
    back = {label.key for label in sroie.load(root, sroie.KEPT_BACK)}
    known = [label.key for label in sroie.load(root, "train") if label.key not in back]
    texts = (" ".join(text.split()) for key in known for _, text in sroie.transcript(root, key))
    return filter(None, texts)


class Lessons:
    """The streams of each step, by number."""

    def __init__(self, texts: Texts, settings: Settings, network: LanguageNetwork) -> None:
        self._texts, self._settings, self._network = texts, settings, network

    def __call__(self, step: int) -> Tensor:
        """[streams, length + 1]: lines one after the other, END_OF_LINE before each."""
        rng = np.random.default_rng((self._settings.seed, step))
        sheets = [line for _ in range(SHEETS_AT_ONCE) for line in lines(rng)]
        return torch.tensor([self._stream(self._source(rng, sheets), rng) for _ in range(self._settings.streams)])

    def _source(self, rng: np.random.Generator, sheets: Sequence[str]) -> Sequence[str]:
        draw, settings, texts = rng.random(), self._settings, self._texts
        if draw < settings.transcripts and texts.transcripts:
            return texts.transcripts
        if draw > 1 - settings.words and texts.words:
            words = [texts.words[at] for at in rng.integers(len(texts.words), size=settings.length)]
            return [word.upper() for word in words] if rng.random() < CAPITALS else words
        return sheets

    def _stream(self, source: Sequence[str], rng: np.random.Generator) -> list[int]:
        wanted = self._settings.length + 1
        stream: list[int] = []
        while len(stream) < wanted:
            stream += [END_OF_LINE, *self._network.spelt(source[int(rng.integers(len(source)))])]
        return stream[:wanted]


def lines(rng: np.random.Generator) -> Iterator[str]:
    """What a synthetic document says, line by line."""
    kind = document_types()[str(rng.choice(list(SHARES), p=list(SHARES.values())))]
    dice = Random(int(rng.integers(2**63)))
    printed = misreading.lines_without_errors(generator_of(kind.name).draw(dice)[1], gap=float(rng.uniform(0.7, 1.8)))
    capitals = kind.name == "receipt" and rng.random() < CAPITALS
    return (line.upper() if capitals else line for line in printed)


@dataclass
class Run(loop.TrainingState):
    """One training run."""

    network: LanguageNetwork
    average: LanguageNetwork

    @staticmethod
    def begin(letters: str, settings: Settings) -> "Run":
        """Random weights, the same for the same seed."""
        torch.manual_seed(settings.seed)
        shape = LanguageModelShape.for_letters(letters, embedding=settings.embedding, hidden=settings.hidden)
        network, average = LanguageNetwork(shape), LanguageNetwork(shape)
        average.load_state_dict(network.state_dict())
        optimizer = torch.optim.AdamW(network.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
        return Run(network.train(), average.eval(), optimizer)

    def learn(self, settings: Settings, streams: Tensor) -> float:
        """One step. Returns the loss."""
        torch.manual_seed(settings.seed * 1_000_003 + self.step)  # dropout
        for group in self.optimizer.param_groups:
            group["lr"] = settings.peak_lr * loop.warmup_cosine(self.step, settings.warmup_steps, settings.steps)
        with torch.autocast("cpu", torch.bfloat16):
            lost = loss(self.network, streams)
        self.optimizer_step(lost, 1.0, settings.average)
        return float(lost.detach())


def loss(network: LanguageNetwork, streams: Tensor) -> Tensor:
    """In nats per letter."""
    return functional.cross_entropy(network(streams[:, :-1]).float().flatten(0, 1), streams[:, 1:].flatten())


def train(run: Run, settings: Settings, out: Path, texts: Texts) -> None:
    """To the last step."""
    lessons = Lessons(texts, settings, run.network)
    watched = lessons(HELD_BACK_SEED)
    lost, looked, saved = 0.0, run.step, time.monotonic()
    while run.step < settings.steps:
        lost += run.learn(settings, lessons(run.step))
        if run.step % settings.evaluate_every == 0 or run.step == settings.steps:
            with torch.inference_mode():
                held_back = float(loss(run.average, watched))
            mean = lost / (run.step - looked)
            row = {"step": run.step, "of": settings.steps, "loss": round(mean, 5), "held_back": round(held_back, 5)}
            log.info("%s", json.dumps(row))
            history.append(out, row)
            lost, looked = 0.0, run.step
        if time.monotonic() - saved > settings.checkpoint_s:
            run.save(out / CHECKPOINT)
            saved = time.monotonic()
    run.save(out / CHECKPOINT)


def best_weight(network: LanguageNetwork, layers: RecogniserLayers, watched: Mapping[str, Strips]) -> float | None:
    """What a nat of the language counts against one of the pixels where the fewest strips are read wrong.

    None: no fewer than by the pixels alone.
    """
    found: dict[float | None, float] = {}
    for weight in (None, *WEIGHED):
        recogniser = Recogniser(Engine(), layers, None if weight is None else LanguageModel(network, weight))
        wrong = {name: round(_wrong(recogniser, strips), 4) for name, strips in watched.items()}
        log.info("weight %s: wrong %s", weight, json.dumps(wrong))
        found[weight] = sum(wrong.values())
    return min(found, key=lambda weight: found[weight])


def _wrong(recogniser: Recogniser, strips: Strips) -> float:
    said = [" ".join(one.text.split()) for one in recogniser.read([strips.line(at) for at in range(len(strips))])]
    pairs = zip(ocr_training.as_cased(said, strips), ocr_training.wanted_of(strips), strict=True)
    return sum(text != wanted for text, wanted in pairs) / len(strips)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--extraction", type=Path, required=True, metavar="WEIGHTS", help="whose recogniser it is for")
    parser.add_argument("--sroie", type=Path, metavar="ROOT")
    parser.add_argument("--words", type=Path, metavar="DIR", help="*.txt: names of shops and products")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; made up without")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    settings, weights = Settings.read(options.config), options.out / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    typefaces.record(options.config, options.out)
    layers = recogniser_graph.load_layers(options.extraction) or pretrained_layers()
    run = Run.begin("".join(layers.classes), settings)
    if (options.out / CHECKPOINT).exists():
        run.resume(options.out / CHECKPOINT)
    history.trim(options.out, run.step)
    train(run, settings, options.out, Texts.read(options.sroie, options.words))
    watched = ocr_training.to_look_at(Gatherer(options.out / STRIPS), options.sroie, options.surfaces)
    weight = best_weight(run.average, layers, {name: held.thinned(WATCHED) for name, held in watched.items()})
    if weight is None:
        parser.exit(1, "what lines are likely to say mends nothing: there is nothing to serve\n")
    shutil.copytree(options.extraction, weights, dirs_exist_ok=True)
    LanguageModel(run.average, weight).save(weights)


if __name__ == "__main__":
    main()
