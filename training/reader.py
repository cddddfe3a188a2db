"""Learn the last layers of the reader of print from the documents that are to be read.

    python -m training.reader training/configs/reader.toml --out runs/reader --sroie DATA/sroie \\
        --surfaces DATA/surfaces --extraction models/extraction/weights

Run again, it goes on from its last checkpoint, as if it had never stopped. At the end OUT/weights holds the given
extraction weights with these layers beside them, to be calibrated, judged and promoted as any others; OUT/history.jsonl
is how they learned. They begin as PP-OCR's own last layer, behind convolutions that at first add nothing. SROIE's
transcripts are in capitals: of those strips, a letter and its capital count as one.
"""

import argparse
import copy
import json
import logging
import math
import shutil
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict, TypeAdapter
from rapidfuzz.distance import Levenshtein
from torch import Tensor, nn
from torch.nn import functional

from docextract.extraction.last_layers import Block, LastLayers
from training import history, running, strips
from training.datasets import pictures, sroie
from training.strips import Gatherer, Strips, spoken

log = logging.getLogger("training.reader")

CHECKPOINT, WEIGHTS, STRIPS = "last.pt", "weights", "strips"
MADE_UP_SEED, PHOTOGRAPHS_SEED, HELD_BACK_SEED = 8601, 8602, 8603  # no measured set has them
HELD_BACK = 60  # made-up photographs that are looked at on the way, in typefaces that are not learned from
NEIGHBOURS = 400  # strips of like length, of which a batch is drawn
WORST = 30.0  # loss of a strip in nats per character: its transcript is another line's


@dataclass(frozen=True)
class Settings:
    """One training run. Read from TOML; see training/configs/reader.toml."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    steps: int
    columns: int
    peak_lr: float
    own_lr: float
    warmup_steps: int
    weight_decay: float
    average: float
    noise: float
    dropout: float
    learned_share: float
    evaluate_every: int
    checkpoint_s: float
    made_up: int
    blocks: int
    width: int
    kernel: int

    @staticmethod
    def read(path: Path) -> "Settings":
        """From a TOML file; a name that is not known here is an error."""
        return TypeAdapter(Settings).validate_python(tomllib.loads(path.read_text()))


class Layers(nn.Module):
    """What `LastLayers` says, as it is learned: [N, T, D] → logits [N, T, classes]."""

    def __init__(self, own: LastLayers, settings: Settings) -> None:
        super().__init__()
        depth, classes = own.weight.shape
        wide, kernel = settings.width, settings.kernel
        self.inner = nn.ModuleList(nn.Conv1d(depth, wide, kernel, padding="same") for _ in range(settings.blocks))
        self.outer = nn.ModuleList(nn.Conv1d(wide, depth, kernel, padding="same") for _ in range(settings.blocks))
        self.last = nn.Linear(depth, classes)
        with torch.no_grad():
            for layer in self.outer:
                for tensor in layer.parameters():
                    tensor.zero_()
            self.last.weight.copy_(torch.tensor(own.weight.T))
            self.last.bias.copy_(torch.tensor(own.bias))

    def forward(self, seen: Tensor) -> Tensor:
        along = seen.transpose(1, 2)
        for inner, outer in zip(self.inner, self.outer, strict=True):
            along = along + outer(torch.relu(inner(along)))
        return self.last(along.transpose(1, 2))  # type: ignore[no-any-return]

    @torch.no_grad()
    def brought_back(self, own: "Layers", share: float) -> "Layers":
        """Only `share` of the way from PP-OCR's own to these.

        On print unlike all that they learned from, what lies between reads better than either (Wortsman et al., Robust
        fine-tuning of zero-shot models, 2022). own: as they began; their blocks add nothing.
        """
        between = copy.deepcopy(self)
        for mine, theirs in zip((*between.outer, between.last), (*own.outer, own.last), strict=True):
            for tensor, before in zip(mine.parameters(), theirs.parameters(), strict=True):
                tensor.lerp_(before, 1 - share)
        return between

    def as_served(self, classes: tuple[str, ...]) -> LastLayers:
        """To be saved beside the weights of extraction."""
        blocks = [Block(_numbers(inner), _numbers(outer)) for inner, outer in zip(self.inner, self.outer, strict=True)]
        weight, bias = _numbers(self.last)
        return LastLayers(classes, np.ascontiguousarray(weight.T), bias, tuple(blocks))


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


def loss(logits: Tensor, lengths: Tensor, batch: Strips, alphabet: Alphabet) -> Tensor:
    """CTC, in nats per character. logits: [N, T, classes], lengths: [N]."""
    log_likelihoods = logits.log_softmax(-1)
    cased = torch.tensor(batch.cased)[:, None, None]
    log_likelihoods = torch.where(cased, log_likelihoods, alphabet.in_capitals(log_likelihoods))
    spelt = [alphabet.spelt(text) for text in wanted_of(batch)]
    letters = torch.tensor([len(text) for text in spelt])
    each = functional.ctc_loss(
        log_likelihoods.transpose(0, 1), torch.cat(spelt), lengths, letters, reduction="none", zero_infinity=True
    )
    return (each * (each / letters < WORST)).sum() / letters.sum()


@dataclass
class Run(running.Learning):
    """One training run."""

    network: Layers
    average: Layers

    @staticmethod
    def begin(own: LastLayers, settings: Settings) -> "Run":
        """As PP-OCR reads."""
        torch.manual_seed(settings.seed)
        network, average = Layers(own, settings), Layers(own, settings)
        average.load_state_dict(network.state_dict())
        added = [*network.inner.parameters(), *network.outer.parameters()]
        groups = [{"params": added, "share": 1.0}, {"params": network.last.parameters(), "share": settings.own_lr}]
        return Run(network, average.eval(), torch.optim.AdamW(groups, weight_decay=settings.weight_decay))

    def learn(self, settings: Settings, batch: Strips, alphabet: Alphabet) -> float:
        """One step. Returns the loss."""
        rate = settings.peak_lr * running.rise_and_fall(self.step, settings.warmup_steps, settings.steps)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["share"]
        seen, lengths = padded(batch)
        torch.manual_seed(settings.seed * 1_000_003 + self.step)
        seen = functional.dropout1d(seen.transpose(1, 2), settings.dropout).transpose(1, 2)
        seen = seen + settings.noise * torch.randn_like(seen)
        lost = loss(self.network(seen), lengths, batch, alphabet)
        self.optimiser.zero_grad(set_to_none=True)
        lost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        running.follow(self.average, self.network, settings.average, self.step)
        return float(lost.detach())


def padded(batch: Strips) -> tuple[Tensor, Tensor]:
    """[N, T, D], zeros after each, and how long each is."""
    lengths = [len(columns) for columns in batch.seen]
    seen = np.zeros((len(batch), max(lengths), batch.seen[0].shape[1]), np.float32)
    for row, columns in zip(seen, batch.seen, strict=True):
        row[: len(columns)] = columns
    return torch.from_numpy(seen), torch.tensor(lengths)


class Lessons:
    """The strips of each step, by number."""

    def __init__(self, known: Strips, settings: Settings) -> None:
        self._known, self._settings = known, settings
        self._order = np.argsort([len(columns) for columns in known.seen], kind="stable")

    def __call__(self, step: int) -> Strips:
        rng = np.random.default_rng((self._settings.seed, step))
        at = int(rng.integers(len(self._order)))
        nearby = self._order[max(0, at - NEIGHBOURS // 2) : at + NEIGHBOURS // 2]
        count = max(1, self._settings.columns // len(self._known.seen[nearby[-1]]))
        return of(self._known, rng.choice(nearby, min(count, len(nearby)), replace=False).tolist())


def of(known: Strips, places: Sequence[int]) -> Strips:
    """Some of them."""
    return Strips(
        tuple(known.seen[at] for at in places), tuple(known.texts[at] for at in places), known.cased[list(places)]
    )  # fmt: skip


def accuracy(network: Layers, alphabet: Alphabet, known: Strips) -> dict[str, float]:
    """Shares of whole lines that are right, and of characters that are wrong; the case counts where it is known."""
    wanted = wanted_of(known)
    said = [read(network, alphabet, columns) for columns in known.seen]
    said = [text if cased else text.upper() for text, cased in zip(said, known.cased, strict=True)]
    wrong = [Levenshtein.distance(mine, true) for mine, true in zip(said, wanted, strict=True)]
    lines = sum(not count for count in wrong) / len(known)
    return {"lines": round(lines, 4), "wrong_characters": round(sum(wrong) / sum(map(len, wanted)), 4)}


@torch.inference_mode()
def read(network: Layers, alphabet: Alphabet, columns: NDArray[np.float16]) -> str:
    """What one strip says."""
    best = network(torch.from_numpy(columns.astype(np.float32))[None])[0].argmax(-1).numpy()
    return " ".join("".join(alphabet.classes[at] for at in spoken(best)).split())


def wanted_of(known: Strips) -> list[str]:
    """What is to be read: in capitals where no more is known."""
    return [text if cased else text.upper() for text, cased in zip(known.texts, known.cased, strict=True)]


def train(
    run: Run, settings: Settings, out: Path, known: Strips, watched: Mapping[str, Strips], alphabet: Alphabet
) -> None:
    """To the last step."""
    lessons = Lessons(of(known, [at for at, text in enumerate(wanted_of(known)) if alphabet.knows(text)]), settings)
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
    """Real receipts as they were scanned and as they are photographed, and made-up documents of every type."""
    back = {label.key for label in sroie.load(root, sroie.KEPT_BACK)}
    labels = [label for label in sroie.load(root, "train") if label.key not in back]
    tables = pictures.load_folder(surfaces)
    photographed = strips.photographs(root, labels, "everyday", PHOTOGRAPHS_SEED, tables)
    made_up = strips.made_up("everyday", MADE_UP_SEED, tables, "known")
    return (
        gatherer.gather("made_up", made_up, settings.made_up, cased=True)
        + gatherer.gather("scans", strips.scans(root, labels), len(labels), cased=False)
        + gatherer.gather("photographs", photographed, len(labels), cased=False)
    )


def to_look_at(gatherer: Gatherer, root: Path, surfaces: Path | None) -> dict[str, Strips]:
    """What is not learned from."""
    labels = sroie.load(root, sroie.KEPT_BACK)
    tables = pictures.load_folder(surfaces)
    made_up = strips.made_up("everyday", HELD_BACK_SEED, tables, "unseen")
    return {
        "scans": gatherer.gather("kept_back", strips.scans(root, labels), len(labels), cased=False),
        "unseen typefaces": gatherer.gather("unseen", made_up, HELD_BACK, cased=True),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sroie", type=Path, required=True, metavar="ROOT")
    parser.add_argument("--surfaces", type=Path, help="pictures of table tops; made up without")
    parser.add_argument("--extraction", type=Path, metavar="WEIGHTS", help="to lie beside these layers in OUT/weights")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    cv2.setNumThreads(1)
    settings, weights = Settings.read(options.config), options.out / WEIGHTS
    weights.mkdir(parents=True, exist_ok=True)
    gatherer = Gatherer(options.out / STRIPS)
    watched = to_look_at(gatherer, options.sroie, options.surfaces)
    known = to_learn_from(gatherer, settings, options.sroie, options.surfaces)
    alphabet, run = Alphabet(gatherer.own.classes), Run.begin(gatherer.own, settings)
    if (options.out / CHECKPOINT).exists():
        run.resume(options.out / CHECKPOINT)
    history.trim(options.out, run.step)
    train(run, settings, options.out, known, watched, alphabet)
    if options.extraction:
        shutil.copytree(options.extraction, weights, dirs_exist_ok=True)
    served = run.average.brought_back(Layers(gatherer.own, settings), settings.learned_share)
    log.info("served %s", json.dumps({name: accuracy(served, alphabet, some) for name, some in watched.items()}))
    served.as_served(alphabet.classes).save(weights)


if __name__ == "__main__":
    main()
