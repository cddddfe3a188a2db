"""Train the quality network.

    python -m training.tasks.quality.train training/configs/quality.toml --out runs/quality --sroie DIR --surfaces DIR …

Photos are made by a background process while training goes on. Stop it at any time; the same command goes on
from the last checkpoint. At the end <out>/weights holds what `Assessor.load` reads, calibrated; <out>/history.jsonl is
how it learned.
"""

import argparse
import json
import logging
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict
from torch import Tensor
from torch.nn import functional as F

from docextract.quality.assessor import PlattScaling, load_weights, save_weights
from docextract.quality.network import (
    CELL_PX,
    FRAME_MARGIN_PX,
    HEAT_MAP_CELLS,
    QualityNetwork,
    QualityNetworkShape,
    QualityOutputs,
)
from training import history, loop, typefaces
from training.evaluation.metrics import auroc
from training.tasks.quality.batches import LOCAL, NAMES, UNKNOWN, Lesson, lesson
from training.tasks.quality.photos import OTHER, SPLITS, Folders, Order, Shards, Split, Weights, are_made

log = logging.getLogger(__name__)

CHECKPOINT, WEIGHTS, PHOTOS = "checkpoint.pt", "weights", "photos"
LOOK_FOR_PHOTOS_EVERY = 50  # steps

Take = Callable[[Split, int], Shards]  # the first so many photos of a split; waits until they are made
Progress = Callable[[str, int, int], None]  # of what, so many, of so many

BELL_CELLS = 1.0  # sigma of the target around a corner
SHARES_WEIGHT = 4.0  # most shares are nought, and cost next to nothing
SPOTS_WEIGHT = 10.0  # so are most cells
DEFECT_WEIGHT = 3.0  # each is rare: one in twenty. Calibration takes the exaggeration back


@dataclass(frozen=True)
class Photos:
    """How many to make, and how many must be there before training begins."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    train: int = 10_000
    calibrate: int = 768
    test: int = 1024
    first: int = 1024
    makers: int = 1  # processes that make them
    shares: Weights = field(default_factory=Weights)


@dataclass(frozen=True)
class Settings(loop.Settings):
    """One training run. Read from TOML."""

    seed: int = 1
    steps: int = 2000
    batch: int = 16
    peak_lr: float = 2e-3
    warmup_steps: int = 100
    weight_decay: float = 0.02
    average: float = 0.998  # of the moving average of the weights, which is what is served
    turned: float = 0.3  # share of photos given an extra quarter-turn
    checkpoint_s: float = 180
    evaluate_every: int = 600  # steps
    patience: int = 0  # evaluations without a gain after which it ends; 0: it goes on to the last step
    threads: int = 1
    types: tuple[str, ...] = ("receipt", OTHER)
    sides: tuple[str, ...] = ("front",)
    widths: tuple[int, int, int, int] = QualityNetworkShape.widths
    crop_widths: tuple[int, int, int] = QualityNetworkShape.crop_widths
    hidden: int = QualityNetworkShape.hidden
    photos: Photos = field(default_factory=Photos)

    def shape(self) -> QualityNetworkShape:
        """Of the network to be trained."""
        return QualityNetworkShape(NAMES, self.types, self.sides, self.widths, self.crop_widths, self.hidden, tuple(LOCAL))


def loss(answers: QualityOutputs, known: Lesson) -> dict[str, Tensor]:
    """Weighted parts; their sum is what training makes small. What is not known costs nothing."""
    located = ~known.corners.isnan().flatten(1).any(1)
    masked = ~known.mask.isnan().flatten(1).any(1)
    nothing = answers.criteria.sum() * 0
    parts = {
        "criteria": loss_of_criteria(answers.criteria, known.free),
        "type": _cross_entropy(answers.types, known.types),
        "side": _cross_entropy(answers.sides, torch.where(known.types == UNKNOWN, UNKNOWN, 0)),
        "turns": _cross_entropy(answers.turns, known.turns),
        "corners": nothing,
        "mask": nothing,
        "shares": nothing,
        "spots": nothing,
    }
    if located.any():
        bells = _bells(known.corners[located]).flatten(2)  # [b, 4, GRID²]
        parts["corners"] = -(bells * answers.corners[located].flatten(2).log_softmax(2)).sum(2).mean()
    if masked.any():
        parts["mask"] = 2 * F.binary_cross_entropy_with_logits(answers.mask[masked], known.mask[masked])
    measured = ~known.shares.isnan()
    if measured.any():
        parts["shares"] = SHARES_WEIGHT * F.binary_cross_entropy(answers.shares[measured], known.shares[measured])
    placed = ~known.spots.isnan()
    if placed.any():
        spots = F.binary_cross_entropy_with_logits(answers.spots[placed], known.spots[placed])
        parts["spots"] = SPOTS_WEIGHT * spots
    return parts


def loss_of_criteria(logits: Tensor, free: Tensor) -> Tensor:
    """logits, free: [B, C], the latter as in a Lesson."""
    asked = ~free.isnan()
    known = free[asked]
    weights = torch.where(known < 0.5, DEFECT_WEIGHT, 1.0)
    scores = F.binary_cross_entropy_with_logits(logits[asked], known, weights, reduction="sum")
    return 4 * scores / max(1, len(known))


def _cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    known = labels != UNKNOWN
    return F.cross_entropy(logits[known], labels[known]) if known.any() else logits.sum() * 0


def _bells(corners: Tensor) -> Tensor:
    """Where each corner is, as a belief over cells: [b, 4, 2] frame px → [b, 4, GRID, GRID], each summing to 1."""
    cells = (corners + FRAME_MARGIN_PX) / CELL_PX - 0.5
    along = torch.arange(HEAT_MAP_CELLS, device=corners.device)
    near = torch.exp(-((along - cells[..., None]) ** 2) / (2 * BELL_CELLS**2))  # [b, 4, 2, GRID]
    near = near / near.sum(-1, keepdim=True)
    return near[:, :, 1, :, None] * near[:, :, 0, None, :]


@dataclass
class Run(loop.TrainingState):
    """One training run."""

    COUNTED: ClassVar[tuple[str, ...]] = ("step", "best", "since_best")

    network: QualityNetwork
    average: QualityNetwork
    best: float = math.inf  # loss on photos that it does not learn from
    since_best: int = 0  # evaluations

    @staticmethod
    def begin(settings: Settings) -> "Run":
        """Random weights, the same for the same seed."""
        torch.manual_seed(settings.seed)
        network, average = QualityNetwork(settings.shape()), QualityNetwork(settings.shape())
        average.load_state_dict(network.state_dict())
        norms = [p for p in network.parameters() if p.ndim == 1]
        others = [p for p in network.parameters() if p.ndim > 1]
        groups = [{"params": others, "weight_decay": settings.weight_decay}, {"params": norms, "weight_decay": 0.0}]
        network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        return Run(network.train(), average.eval(), torch.optim.AdamW(groups, lr=settings.peak_lr))

    def go_on_from(self, weights: Path) -> None:
        """Begin with these, of the same shape, instead of random ones."""
        for network in (self.network, self.average):
            network.load_state_dict(load_weights(weights)[0].state_dict())


def train_step(run: Run, settings: Settings, shards: Shards) -> dict[str, float]:
    """One step on photos drawn by the step's own dice, so that a resumed run equals an unbroken one."""
    rng = np.random.default_rng((settings.seed, run.step))
    torch.manual_seed(settings.seed * 1_000_003 + run.step)  # dropout
    indices = rng.choice(len(shards), settings.batch, replace=False).tolist()
    batch = lesson(shards, indices, settings.types, rng, settings.turned)
    for group in run.optimizer.param_groups:
        group["lr"] = settings.peak_lr * loop.warmup_cosine(run.step, settings.warmup_steps, settings.steps)
    with torch.autocast("cpu", torch.bfloat16):
        answers = run.network(batch.frames, batch.crops, batch.scalars)
    parts = loss(answers, batch)
    run.optimizer_step(torch.stack(list(parts.values())).sum(), 5.0, settings.average)
    return {name: float(part.detach()) for name, part in parts.items()}


def train(run: Run, settings: Settings, out: Path, take: Take, progress: Progress) -> None:
    """Up to settings.steps, or until looks at photos of `test` show no gain any more."""
    sums, looked = dict[str, float](), run.step
    saved = time.monotonic()
    shards, watched = take("train", in_use(run.step, settings)), take("test", settings.photos.test)
    while run.step < settings.steps and not 0 < settings.patience <= run.since_best:
        for name, part in train_step(run, settings, shards).items():
            sums[name] = sums.get(name, 0.0) + part
        progress("training", run.step, settings.steps)
        if run.step % settings.evaluate_every == 0 or run.step == settings.steps:
            _note(run, settings, out, {name: value / (run.step - looked) for name, value in sums.items()}, watched)
            sums, looked = {}, run.step
        if run.step % LOOK_FOR_PHOTOS_EVERY == 0:
            shards = take("train", in_use(run.step, settings))
        if time.monotonic() - saved > settings.checkpoint_s:
            run.save(out / CHECKPOINT)
            saved = time.monotonic()
    run.save(out / CHECKPOINT)


def in_use(step: int, settings: Settings) -> int:
    """How many photos training draws from: more and more while they are made, all of them from half-way on.

    A matter of the step alone, so that the same seed sees the same photos however fast they are made.
    """
    begun = step // LOOK_FOR_PHOTOS_EVERY * LOOK_FOR_PHOTOS_EVERY
    first = min(settings.photos.first, settings.photos.train)
    return first + int((settings.photos.train - first) * min(1.0, 2 * begun / settings.steps))


def _note(run: Run, settings: Settings, out: Path, losses: dict[str, float], watched: Shards) -> None:
    """Into the history, how it goes; into the run, whether it still helps."""
    found = look(run.average, watched, settings)
    gained = found["loss"] < run.best
    run.best, run.since_best = min(run.best, found["loss"]), 0 if gained else run.since_best + 1
    row = {
        "step": run.step,
        "of": settings.steps,
        "loss": {name: round(value, 5) for name, value in losses.items()},
        "held_back": {name: round(value, 5) for name, value in found.items()},
    }
    log.info("%s", json.dumps(row))
    history.append(out, row)


def look(network: QualityNetwork, shards: Shards, settings: Settings) -> dict[str, float]:
    """A quick look, not the evaluation: the loss, how well defects are told (mean AUROC), types that are right."""
    losses, scores, free, right = list[float](), list[Tensor](), list[Tensor](), list[bool]()
    for batch, answers in _answered(network, shards, settings):
        losses.append(sum(float(part) for part in loss(answers, batch).values()))
        scores.append(answers.criteria)
        free.append(batch.free)
        right += (answers.types.argmax(1) == batch.types)[batch.types != UNKNOWN].tolist()
    columns = zip(torch.cat(scores).T.numpy(), torch.cat(free).T.numpy(), strict=True)
    areas = [auroc(own[~np.isnan(truth)], truth[~np.isnan(truth)] > 0) for own, truth in columns]
    return {
        "loss": _mean(losses),
        "defects": _mean([area for area in areas if not math.isnan(area)]),  # those of which there are examples
        "types": _mean(right),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _answered(network: QualityNetwork, shards: Shards, settings: Settings) -> Iterator[tuple[Lesson, QualityOutputs]]:
    """Every photo as it is, in batches, with what the network says of it."""
    for start in range(0, len(shards), settings.batch):
        batch = lesson(shards, range(start, min(start + settings.batch, len(shards))), settings.types, None)
        with torch.inference_mode():
            answers = network(batch.frames, batch.crops, batch.scalars)
        yield batch, answers


def logits_of(
    network: QualityNetwork, shards: Shards, settings: Settings
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Criterion logits and truths (`free`, nan where not known) of every photo, [N, C] each."""
    pairs = [(answers.criteria.numpy(), batch.free.numpy()) for batch, answers in _answered(network, shards, settings)]
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def calibrate(logits: NDArray[np.float32], free: NDArray[np.float32]) -> PlattScaling:
    """The scale and shift under which one criterion's logits [N] are the best probabilities; nan truths do not count.

    A pull towards leaving the logits as they are keeps a rare defect's few examples from carrying it away.
    """
    known = ~np.isnan(free)
    x, y = torch.from_numpy(logits[known]).double(), torch.from_numpy(free[known]).double()
    if len(y) < 20 or y.min() == y.max():
        return PlattScaling()
    bend = torch.zeros(2, dtype=torch.float64, requires_grad=True)  # log scale, shift
    optimizer = torch.optim.LBFGS([bend], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        cost = F.binary_cross_entropy_with_logits(bend[0].exp() * x + bend[1], y, reduction="sum") + 2 * (bend**2).sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return cost

    optimizer.step(closure)
    log_scale, shift = bend.detach().tolist()
    return PlattScaling(math.exp(log_scale), shift)


def finish(run: Run, settings: Settings, out: Path, take: Take) -> None:
    """Calibrate the averaged weights on photos they have not seen, and write what is served."""
    logits, free = logits_of(run.average, take("calibrate", settings.photos.calibrate), settings)
    save_weights(out / WEIGHTS, run.average, {name: calibrate(logits[:, i], free[:, i]) for i, name in enumerate(NAMES)})


def taking(out: Path, makers: Sequence[BaseProcess], progress: Progress) -> Take:
    """Photos from <out>, as they are made. Raises RuntimeError if a process that makes them has failed."""

    def take(split: Split, photos: int) -> Shards:
        while not are_made(out / PHOTOS, split, photos):
            if any(maker.exitcode for maker in makers):
                raise RuntimeError("a process that makes photos has failed; its own message stands above")
            progress(f"photos to {split}", len(Shards(out / PHOTOS, split, photos)), photos)
            time.sleep(2)
        return Shards(out / PHOTOS, split, photos)

    return take


def train_with_makers(
    run: Run, settings: Settings, folders: Folders, out: Path, progress: Progress = lambda what, done, of: None
) -> None:
    """From the last checkpoint, if there is one, to calibrated weights; photos are made beside it."""
    photos = settings.photos
    wanted: dict[Split, int] = {split: getattr(photos, split) for split in SPLITS}
    orders = [
        Order(out / PHOTOS, folders, settings.seed, photos.shares, wanted, photos.first, part, photos.makers)
        for part in range(photos.makers)
    ]
    makers = [multiprocessing.get_context("spawn").Process(target=order.carry_out) for order in orders]
    for maker in makers:
        maker.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the makers are ended as well
    take = taking(out, makers, progress)
    try:
        os.nice(7)
        torch.set_num_threads(settings.threads)
        cv2.setNumThreads(1)
        if (out / CHECKPOINT).exists():
            run.resume(out / CHECKPOINT)
        history.trim(out, run.step)
        train(run, settings, out, take, progress)
        finish(run, settings, out, take)
    finally:
        for maker in makers:
            maker.terminate()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.tasks.quality.train",
        description="Train the quality network; the same command again resumes.",
        epilog="example: python -m training.tasks.quality.train training/configs/quality.toml --out runs/quality",
    )
    parser.add_argument("config", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/quality"))
    parser.add_argument("--go-on-from", type=Path, metavar="WEIGHTS", help="begin with these; random ones if not given")
    for name, what in (
        ("sroie", "ICDAR 2019 SROIE: images/, lines/, splits.json"),
        ("surfaces", "textures to lay documents on; every fifth is left for measuring"),
        ("paper", "crumpled paper"),
        ("no-document", "photos without a document; every other one is left for measuring"),
        ("photos", "photos of receipts over whose print nothing lies; every other one is left for measuring"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    settings = Settings.read(options.config)
    typefaces.record(options.config, options.out)
    folders = Folders(options.sroie, options.surfaces, options.paper, options.no_document, options.photos)
    run = Run.begin(settings)
    if options.go_on_from:
        run.go_on_from(options.go_on_from)
    train_with_makers(run, settings, folders, options.out)


if __name__ == "__main__":
    main()
