"""Learn the recogniser of print anew, from the documents that are to be read.

    python -m training.tasks.ocr.train training/configs/ocr.toml --out runs/reader --sroie DATA/sroie \\
        --surfaces DATA/surfaces --start models/extraction/weights --extraction models/extraction/weights

Run again, it goes on from its last checkpoint, as if it had never stopped. At the end OUT/weights holds the given
extraction weights with these layers beside them, to be calibrated, judged and promoted as any others; OUT/history.jsonl
is how they learned. All but the first of PP-OCR's layers learn, and convolutions before the last one, which at first
add nothing; with --start they begin as those that lie beside these weights, the same ones when it goes on. Strips are
cut and spoilt a little differently each time they are shown. SROIE's transcripts are in capitals: of those strips, a
letter and its capital count as one.
"""

import argparse
import copy
import json
import logging
import math
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.ocr import recogniser_graph
from docextract.extraction.ocr.ppocr import (
    backbone_onnx,
    emission_mask,
    padded_width,
    pretrained_layers,
    strips_to_pixels,
)
from docextract.extraction.ocr.recogniser_graph import RecogniserLayers, ResidualBlock
from docextract.images.geometry import Page
from training import history, loop, typefaces
from training.datasets import pictures, sroie
from training.tasks.ocr import augmentation, strips
from training.tasks.ocr.recogniser import Graph
from training.tasks.ocr.strips import MARGIN_PX, Gatherer, Strips

log = logging.getLogger("training.tasks.ocr.train")

CHECKPOINT, WEIGHTS, STRIPS = "last.pt", "weights", "strips"
SYNTHETIC_SEED, PHOTOGRAPHS_SEED, HELD_BACK_SEED = 8601, 8602, 8603  # no measured set has them
HELD_BACK = 60  # synthetic photographs that are looked at on the way, in typefaces that are not learned from
LARGE = 1.35  # of the usual height on a page: print as of shops' names
NEIGHBOURS = 400  # strips of like length, of which a batch is drawn
LOOKED_AT_ONCE = 32
WATCHED = 1000  # strips of each kind that are looked at on the way
WORST = 30.0  # loss of a strip in nats per character: its transcript is another line's


@dataclass(frozen=True)
class Settings(loop.Settings):
    """One training run. Read from TOML; see training/configs/ocr.toml."""

    seed: int
    steps: int
    pixels: int
    peak_lr: float
    early_lr: float
    fixed: int
    own_lr: float
    warmup_steps: int
    weight_decay: float
    average: float
    large: float
    learned_share: float
    evaluate_every: int
    checkpoint_s: float
    synthetic: int
    blocks: int
    width: int
    kernel: int


class Recogniser(nn.Module):
    """As it is learned, with what `RecogniserLayers` adds to PP-OCR's: pixels [N, 3, H, W] → logits [N, T, classes]."""

    def __init__(self, begun: RecogniserLayers, settings: Settings) -> None:
        """begun: what it begins as. Raises ValueError where that is of another shape than the settings say."""
        super().__init__()
        if begun.blocks and len(begun.blocks) != settings.blocks:
            raise ValueError(f"it begins with {len(begun.blocks)} blocks, and the settings have {settings.blocks}")
        depth, classes = begun.weight.shape
        wide, kernel = settings.width, settings.kernel
        self.before = Graph(backbone_onnx(), settings.fixed)
        self.inner = nn.ModuleList(nn.Conv1d(depth, wide, kernel, padding="same") for _ in range(settings.blocks))
        self.outer = nn.ModuleList(nn.Conv1d(wide, depth, kernel, padding="same") for _ in range(settings.blocks))
        self.last = nn.Linear(depth, classes)
        with torch.no_grad():
            self.last.weight.copy_(torch.tensor(begun.weight.T))
            self.last.bias.copy_(torch.tensor(begun.bias))
            for layer in self.outer:
                for tensor in layer.parameters():
                    tensor.zero_()
            for block, inner, outer in zip(begun.blocks, self.inner, self.outer, strict=False):
                for layer, held in ((inner, block.inner), (outer, block.outer)):
                    for tensor, value in zip(layer.parameters(), held, strict=True):
                        tensor.copy_(torch.tensor(value))
            self.before.take(begun.backbone)

    def forward(self, pixels: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            seen = self.before(pixels)
        along = seen.float().transpose(1, 2)
        for inner, outer in zip(self.inner, self.outer, strict=True):
            along = along + outer(torch.relu(inner(along)))
        return self.last(along.transpose(1, 2))  # type: ignore[no-any-return]

    @torch.no_grad()
    def brought_back(self, begun: "Recogniser", share: float) -> "Recogniser":
        """Only `share` of the way from there to here.

        On print unlike all that they learned from, what lies between reads better than either (Wortsman et al., Robust
        fine-tuning of zero-shot models, 2022). begun: as it began.
        """
        between = copy.deepcopy(self)
        for mine, theirs in zip(between.parameters(), begun.parameters(), strict=True):
            mine.lerp_(theirs, 1 - share)
        return between

    def as_served(self, classes: tuple[str, ...]) -> RecogniserLayers:
        """To be saved beside the weights of extraction."""
        blocks = [ResidualBlock(_numbers(inner), _numbers(outer)) for inner, outer in zip(self.inner, self.outer, strict=True)]
        weight, bias = _numbers(self.last)
        return RecogniserLayers(classes, np.ascontiguousarray(weight.T), bias, tuple(blocks), self.before.tensors())


def _numbers(layer: nn.Module) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    weight, bias = (tensor.detach().numpy() for tensor in layer.parameters())
    return weight, bias


class Alphabet:
    """Classes of letters."""

    def __init__(self, classes: Sequence[str]) -> None:
        self.classes = tuple(classes)
        self._places = {char: place for place, char in enumerate(classes)}
        self.capitals = torch.tensor([self._places.get(char.upper(), place) for place, char in enumerate(classes)])

    def knows(self, text: str) -> bool:
        """Whether all of it can be read."""
        return all(char in self._places for char in text)

    def spelt(self, text: str) -> Tensor:
        """Classes, [len(text)]."""
        return torch.tensor([self._places[char] for char in text])

    def in_capitals(self, log_likelihoods: Tensor) -> Tensor:
        """[..., classes], where a capital has the likelihood of the small letter, too, and that none of its own."""
        likelihoods = log_likelihoods.exp()
        return torch.zeros_like(likelihoods).index_add(-1, self.capitals, likelihoods).clamp(min=1e-9).log()


def loss(logits: Tensor, batch: Strips, alphabet: Alphabet) -> Tensor:
    """CTC, in nats per character. logits: [N, T, classes]."""
    log_likelihoods = logits.log_softmax(-1)
    cased = torch.tensor(batch.cased)[:, None, None]
    log_likelihoods = torch.where(cased, log_likelihoods, alphabet.in_capitals(log_likelihoods))
    spelt = [alphabet.spelt(text) for text in wanted_of(batch)]
    letters = torch.tensor([len(text) for text in spelt])
    lengths = torch.full((len(batch),), logits.shape[1])
    each = functional.ctc_loss(
        log_likelihoods.transpose(0, 1), torch.cat(spelt), lengths, letters, reduction="none", zero_infinity=True
    )
    return (each * (each / letters < WORST)).sum() / letters.sum()


@dataclass
class Run(loop.TrainingState):
    """One training run."""

    network: Recogniser
    average: Recogniser

    @staticmethod
    def begin(begun: RecogniserLayers, settings: Settings) -> "Run":
        """As these read."""
        torch.manual_seed(settings.seed)
        network, average = Recogniser(begun, settings), Recogniser(begun, settings)
        average.load_state_dict(network.state_dict())
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        added = [*network.inner.parameters(), *network.outer.parameters()]
        groups = [
            {"params": added, "share": 1.0},
            {"params": network.last.parameters(), "share": settings.own_lr},
            {"params": network.before.parameters(), "share": settings.early_lr},
        ]
        return Run(network, average.eval(), torch.optim.AdamW(groups, weight_decay=settings.weight_decay))

    def learn(self, settings: Settings, batch: Strips, alphabet: Alphabet) -> float:
        """One step. Returns the loss."""
        rate = settings.peak_lr * loop.warmup_cosine(self.step, settings.warmup_steps, settings.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["share"]
        rng = np.random.default_rng((settings.seed, self.step, 1))
        lost = loss(self.network(varied(batch, rng)), batch, alphabet)
        self.optimizer_step(lost, 1.0, settings.average)
        return float(lost.detach())


def plain(batch: Strips) -> Tensor:
    """As they are served: [N, 3, TEXT_STRIP_HEIGHT_PX, W]."""
    return _together([batch.line(at) for at in range(len(batch))])


def varied(batch: Strips, rng: np.random.Generator) -> Tensor:
    """Cut and spoilt a little differently: [N, 3, TEXT_STRIP_HEIGHT_PX, W]."""
    return _together([augmentation.varied(batch.pixels(at), rng) for at in range(len(batch))])


def _together(strips: Sequence[Page]) -> Tensor:
    """uint8 [TEXT_STRIP_HEIGHT_PX, w, 3], RGB, each."""
    pixels = strips_to_pixels(strips, [strip.shape[1] for strip in strips])
    return torch.from_numpy(pixels).to(memory_format=torch.channels_last)


class Lessons:
    """The strips of each step, by number."""

    def __init__(self, known: Strips, settings: Settings) -> None:
        self._known, self._settings = known, settings
        self._order = np.argsort(known.widths, kind="stable")
        self._odds = np.where(known.heights > LARGE, settings.large, 1.0)

    def __call__(self, step: int) -> Strips:
        rng = np.random.default_rng((self._settings.seed, step))
        at = int(rng.integers(len(self._order)))
        nearby = self._order[max(0, at - NEIGHBOURS // 2) : at + NEIGHBOURS // 2]
        widest = padded_width(int(self._known.widths[nearby[-1]]) + MARGIN_PX)
        count = min(max(1, self._settings.pixels // widest), len(nearby))
        odds = self._odds[nearby] / self._odds[nearby].sum()
        return self._known.of(rng.choice(nearby, count, replace=False, p=odds).tolist())


def accuracy(network: Recogniser, alphabet: Alphabet, known: Strips) -> dict[str, float]:
    """Shares of whole lines that are right, and of characters that are wrong; the case counts where it is known."""
    wanted = wanted_of(known)
    said = as_cased(read(network, alphabet, known), known)
    wrong = [Levenshtein.distance(mine, true) for mine, true in zip(said, wanted, strict=True)]
    lines = sum(not count for count in wrong) / len(known)
    return {"lines": round(lines, 4), "wrong_characters": round(sum(wrong) / sum(map(len, wanted)), 4)}


@torch.inference_mode()
def read(network: Recogniser, alphabet: Alphabet, known: Strips) -> list[str]:
    """What each strip says."""
    said: dict[int, str] = {}
    order = np.argsort([padded_width(int(width)) for width in known.widths], kind="stable")
    for places in np.array_split(order, math.ceil(len(order) / LOOKED_AT_ONCE)):
        for at, best in zip(places.tolist(), network(plain(known.of(places.tolist()))).argmax(-1).numpy(), strict=True):
            said[at] = " ".join("".join(alphabet.classes[char] for char in best[emission_mask(best)]).split())
    return [said[at] for at in range(len(known))]


def wanted_of(known: Strips) -> list[str]:
    """What is to be read: in capitals where no more is known."""
    return as_cased(known.texts, known)


def as_cased(texts: Sequence[str], known: Strips) -> list[str]:
    """Texts of these strips, in capitals where their case is not known."""
    return [text if cased else text.upper() for text, cased in zip(texts, known.cased, strict=True)]


def train(
    run: Run, settings: Settings, out: Path, known: Strips, watched: Mapping[str, Strips], alphabet: Alphabet
) -> None:
    """To the last step."""
    lessons = Lessons(known.of([at for at, text in enumerate(wanted_of(known)) if alphabet.knows(text)]), settings)
    lost, looked, saved = 0.0, run.step, time.monotonic()
    if not run.step:
        _note(run, out, math.nan, watched, alphabet)
    while run.step < settings.steps:
        lost += run.learn(settings, lessons(run.step), alphabet)
        if run.step % settings.evaluate_every == 0 or run.step == settings.steps:
            _note(run, out, lost / (run.step - looked), watched, alphabet)
            lost, looked = 0.0, run.step
        if time.monotonic() - saved > settings.checkpoint_s:
            run.save(out / CHECKPOINT)
            saved = time.monotonic()
    run.save(out / CHECKPOINT)


def _note(run: Run, out: Path, lost: float, watched: Mapping[str, Strips], alphabet: Alphabet) -> None:
    found = {name: accuracy(run.average, alphabet, some) for name, some in watched.items()}
    row = {"step": run.step, "loss": None if math.isnan(lost) else round(lost, 5), **found}
    log.info("%s", json.dumps(row))
    history.append(out, row)


def to_learn_from(gatherer: Gatherer, settings: Settings, root: Path, surfaces: Path | None) -> Strips:
    """Real receipts as they were scanned and as they are photographed, and synthetic documents of every type."""
    back = {label.key for label in sroie.load(root, sroie.KEPT_BACK)}
    labels = [label for label in sroie.load(root, "train") if label.key not in back]
    tables = pictures.load_folder(surfaces)
    photographed = strips.photographs(root, labels, "everyday", PHOTOGRAPHS_SEED, tables)
    synthetic = strips.synthetic("everyday", SYNTHETIC_SEED, tables, "known")
    return (
        gatherer.gather("synthetic", synthetic, settings.synthetic, cased=True)
        + gatherer.gather("scans", strips.scans(root, labels), len(labels), cased=False)
        + gatherer.gather("photographs", photographed, len(labels), cased=False)
    )


def to_look_at(gatherer: Gatherer, root: Path | None, surfaces: Path | None) -> dict[str, Strips]:
    """What is not learned from."""
    tables = pictures.load_folder(surfaces)
    synthetic = strips.synthetic("everyday", HELD_BACK_SEED, tables, "unseen")
    unseen = {"unseen typefaces": gatherer.gather("unseen", synthetic, HELD_BACK, cased=True)}
    if root is None:
        return unseen
    labels = sroie.load(root, sroie.KEPT_BACK)
    return {"scans": gatherer.gather("kept_back", strips.scans(root, labels), len(labels), cased=False)} | unseen


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sroie", type=Path, required=True, metavar="ROOT")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; made up without")
    parser.add_argument("--start", type=Path, metavar="WEIGHTS", help="of extraction: begin as their reader reads")
    parser.add_argument("--extraction", type=Path, metavar="WEIGHTS", help="to lie beside these layers in OUT/weights")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    settings, weights = Settings.read(options.config), options.out / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    typefaces.record(options.config, options.out)
    gatherer = Gatherer(options.out / STRIPS)
    watched = to_look_at(gatherer, options.sroie, options.surfaces)
    known = to_learn_from(gatherer, settings, options.sroie, options.surfaces)
    begun = (recogniser_graph.load_layers(options.start) if options.start else None) or pretrained_layers()
    alphabet, run = Alphabet(begun.classes), Run.begin(begun, settings)
    if (options.out / CHECKPOINT).exists():
        run.resume(options.out / CHECKPOINT)
    history.trim(options.out, run.step)
    fewer = {name: held.thinned(WATCHED) for name, held in watched.items()}
    train(run, settings, options.out, known, fewer, alphabet)
    if options.extraction:
        shutil.copytree(options.extraction, weights, dirs_exist_ok=True)
    served = run.average.brought_back(Run.begin(begun, settings).network, settings.learned_share)
    log.info("served %s", json.dumps({name: accuracy(served, alphabet, held) for name, held in watched.items()}))
    served.as_served(alphabet.classes).save(weights)


if __name__ == "__main__":
    main()
