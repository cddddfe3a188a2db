"""Train the quality network, from random weights or from served ones.

    python -m training.tasks.quality.train training/configs/quality.toml --out runs/quality --sroie DIR --surfaces DIR …

Background processes simulate photos while the network trains. Run the same command again to resume from the last
checkpoint. At the end OUT/weights holds the calibrated weights that `Assessor.load` reads; OUT/history.jsonl is the
history of the run.
"""

import logging
import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import ConfigDict
from torch import Tensor
from torch.nn import functional

from docextract.predictions import OTHER_TYPE
from docextract.quality.assessor import PlattScaling, load_weights, save_weights
from docextract.quality.network import (
    CELL_PX,
    FRAME_MARGIN_PX,
    HEAT_MAP_CELLS,
    QualityNetwork,
    QualityNetworkShape,
    QualityOutputs,
)
from training import command_line, loop
from training.metrics import auroc
from training.tasks.quality.batches import CRITERION_NAMES, LOCAL_CRITERIA, UNKNOWN, QualityBatch, load_batch
from training.tasks.quality.photos import PHOTO_SPLITS, PhotoFolders, PhotoJob, Shards, SourceShares, Split, are_on_disk

log = logging.getLogger(__name__)

PHOTOS = "photos"  # folder of the simulated photos, in the folder of a run
MORE_PHOTOS_EVERY = 50  # steps after which photos that were made meanwhile come into use

TakePhotos = Callable[[Split, int], Shards]  # the first photos of a split; waits until they are made
ProgressCallback = Callable[[str, int, int], None]  # what is counted, how many there are, how many there will be

CORNER_SIGMA_CELLS = 1.0  # sigma of the target around a corner
SHARES_WEIGHT = 4.0  # most shares are zero and cost almost nothing
SPOTS_WEIGHT = 10.0  # most cells are zero too
DEFECT_WEIGHT = 3.0  # each defect is rare, one photo in twenty; calibration corrects the exaggeration


@dataclass(frozen=True)
class PhotoSettings:
    """How many photos of each split to simulate, and from which sources."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    train: int = 10_000
    calibrate: int = 768
    test: int = 1024
    first: int = 1024  # photos of `train` that are made before training starts
    makers: int = 1  # processes that make photos
    shares: SourceShares = field(default_factory=SourceShares)


@dataclass(frozen=True, kw_only=True)
class QualitySettings(loop.Settings):
    """Settings of one training run, see training/configs/quality.toml."""

    seed: int = 1
    steps: int = 2000
    batch: int = 16
    peak_lr: float = 2e-3
    warmup_steps: int = 100
    weight_decay: float = 0.02
    average: float = 0.998
    turned: float = 0.3  # share of photos that are rotated by quarter turns
    checkpoint_s: float = 180
    evaluate_every: int = 600
    max_gradient_norm: float = 5.0
    threads: int = 1
    types: tuple[str, ...] = ("receipt", OTHER_TYPE)
    sides: tuple[str, ...] = ("front",)
    widths: tuple[int, int, int, int] = QualityNetworkShape.widths
    crop_widths: tuple[int, int, int] = QualityNetworkShape.crop_widths
    hidden: int = QualityNetworkShape.hidden
    photos: PhotoSettings = field(default_factory=PhotoSettings)

    def shape(self) -> QualityNetworkShape:
        """Shape of the network to train."""
        return QualityNetworkShape(
            CRITERION_NAMES, self.types, self.sides, self.widths, self.crop_widths, self.hidden, tuple(LOCAL_CRITERIA)
        )


class QualityTask(loop.Task):
    """Trains the quality network on simulated photos, while more of them are made."""

    channels_last = True

    def __init__(self, settings: QualitySettings, take: TakePhotos) -> None:
        self._settings, self._take = settings, take
        self._shards: tuple[int, Shards] | None = None  # the number of photos in use, and these photos

    def batch(self, step: int) -> QualityBatch:
        settings = self._settings
        count = photos_in_use(step, settings)
        if self._shards is None or self._shards[0] != count:
            self._shards = count, self._take("train", count)
        shards = self._shards[1]
        rng = np.random.default_rng((settings.seed, step))
        indices = rng.choice(len(shards), settings.batch, replace=False).tolist()
        return load_batch(shards, indices, settings.types, rng, settings.turned)

    def losses(self, network: QualityNetwork, batch: QualityBatch) -> dict[str, Tensor]:
        with loop.autocast("cpu"):
            outputs = network(batch.frames, batch.crops, batch.scalars)
        return quality_losses(outputs, batch)

    def evaluate(self, network: QualityNetwork) -> dict[str, dict[str, float]]:
        shards = self._take("calibrate", self._settings.photos.calibrate)  # `test` judges what was chosen by these
        return {"held_back": quick_scores(network, shards, self._settings)}

    def score(self, evaluation: Mapping[str, Any]) -> float:
        return -float(evaluation["held_back"]["loss"])

    def export(self, network: QualityNetwork, folder: Path) -> None:
        """Calibrate on photos that were not trained on, and write what is served."""
        logits, free = logits_of(network, self._take("calibrate", self._settings.photos.calibrate), self._settings)
        scalings = {name: calibrate(logits[:, i], free[:, i]) for i, name in enumerate(CRITERION_NAMES)}
        save_weights(folder, network, scalings)


def build_network(settings: QualitySettings, weights: Path | None = None) -> QualityNetwork:
    """Random weights, the same for the same seed; or those of a weights folder with a network of the same shape."""
    torch.manual_seed(settings.seed)
    network = QualityNetwork(settings.shape())
    if weights:
        network.load_state_dict(load_weights(weights)[0].state_dict())
    return network


def build_optimizer(network: QualityNetwork, settings: QualitySettings) -> torch.optim.Optimizer:
    """AdamW, without weight decay on biases and normalisation layers."""
    vectors = [p for p in network.parameters() if p.ndim == 1]
    matrices = [p for p in network.parameters() if p.ndim > 1]
    groups = [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=settings.peak_lr)


def photos_in_use(step: int, settings: QualitySettings) -> int:
    """Number of photos that a step draws from: it grows while they are made; from the middle of the run on, all.

    It depends on the step alone, so that the same seed trains on the same photos however fast they are made.
    """
    grown_at = step // MORE_PHOTOS_EVERY * MORE_PHOTOS_EVERY
    first = min(settings.photos.first, settings.photos.train)
    return first + int((settings.photos.train - first) * min(1.0, 2 * grown_at / settings.steps))


def quality_losses(outputs: QualityOutputs, batch: QualityBatch) -> dict[str, Tensor]:
    """Weighted losses by name. What is not labelled contributes nothing."""
    located = ~batch.corners.isnan().flatten(1).any(1)
    masked = ~batch.mask.isnan().flatten(1).any(1)
    zero = outputs.criteria.sum() * 0
    losses = {
        "criteria": criteria_loss(outputs.criteria, batch.free),
        "type": _class_loss(outputs.types, batch.types),
        "side": _class_loss(outputs.sides, torch.where(batch.types == UNKNOWN, UNKNOWN, 0)),
        "turns": _class_loss(outputs.turns, batch.turns),
        "corners": zero,
        "mask": zero,
        "shares": zero,
        "spots": zero,
    }
    if located.any():
        targets = _corner_targets(batch.corners[located]).flatten(2)  # [b, 4, cells²]
        losses["corners"] = -(targets * outputs.corners[located].flatten(2).log_softmax(2)).sum(2).mean()
    if masked.any():
        losses["mask"] = 2 * functional.binary_cross_entropy_with_logits(outputs.mask[masked], batch.mask[masked])
    measured = ~batch.shares.isnan()
    if measured.any():
        shares = functional.binary_cross_entropy(outputs.shares[measured], batch.shares[measured])
        losses["shares"] = SHARES_WEIGHT * shares
    placed = ~batch.spots.isnan()
    if placed.any():
        spots = functional.binary_cross_entropy_with_logits(outputs.spots[placed], batch.spots[placed])
        losses["spots"] = SPOTS_WEIGHT * spots
    return losses


def criteria_loss(logits: Tensor, free: Tensor) -> Tensor:
    """logits, free: [B, C]; `free` as in `QualityBatch`."""
    labelled = ~free.isnan()
    truth = free[labelled]
    weights = torch.where(truth < 0.5, DEFECT_WEIGHT, 1.0)
    total = functional.binary_cross_entropy_with_logits(logits[labelled], truth, weights, reduction="sum")
    return 4 * total / max(1, len(truth))


def _class_loss(logits: Tensor, labels: Tensor) -> Tensor:
    labelled = labels != UNKNOWN
    return functional.cross_entropy(logits[labelled], labels[labelled]) if labelled.any() else logits.sum() * 0


def _corner_targets(corners: Tensor) -> Tensor:
    """A Gaussian around each corner: [b, 4, 2] frame px to [b, 4, HEAT_MAP_CELLS, HEAT_MAP_CELLS], each sums to 1."""
    cells = (corners + FRAME_MARGIN_PX) / CELL_PX - 0.5
    along = torch.arange(HEAT_MAP_CELLS, device=corners.device)
    near = torch.exp(-((along - cells[..., None]) ** 2) / (2 * CORNER_SIGMA_CELLS**2))  # [b, 4, 2, cells]
    near = near / near.sum(-1, keepdim=True)
    return near[:, :, 1, :, None] * near[:, :, 0, None, :]


def quick_scores(network: QualityNetwork, shards: Shards, settings: QualitySettings) -> dict[str, float]:
    """Scores during training: the loss, mean AUROC of the defects, share of correct types.

    The full evaluation is in training/evaluation/quality.py.
    """
    losses, logits, free, correct = list[float](), list[Tensor](), list[Tensor](), list[bool]()
    for batch, outputs in _outputs_of(network, shards, settings):
        losses.append(sum(float(part) for part in quality_losses(outputs, batch).values()))
        logits.append(outputs.criteria)
        free.append(batch.free)
        correct += (outputs.types.argmax(1) == batch.types)[batch.types != UNKNOWN].tolist()
    columns = zip(torch.cat(logits).T.numpy(), torch.cat(free).T.numpy(), strict=True)
    areas = [auroc(own[~np.isnan(truth)], truth[~np.isnan(truth)] > 0) for own, truth in columns]
    return {
        "loss": _mean(losses),
        "defects": _mean([area for area in areas if not math.isnan(area)]),  # of defects with examples
        "types": _mean(correct),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _outputs_of(
    network: QualityNetwork, shards: Shards, settings: QualitySettings
) -> Iterator[tuple[QualityBatch, QualityOutputs]]:
    """All photos, not augmented, in batches, with the network's outputs."""
    for start in range(0, len(shards), settings.batch):
        batch = load_batch(shards, range(start, min(start + settings.batch, len(shards))), settings.types, None)
        with torch.inference_mode():
            outputs = network(batch.frames, batch.crops, batch.scalars)
        yield batch, outputs


def logits_of(
    network: QualityNetwork, shards: Shards, settings: QualitySettings
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Criterion logits of every photo and their labels (`free`, nan where not labelled), [N, C] each."""
    pairs = [
        (outputs.criteria.numpy(), batch.free.numpy()) for batch, outputs in _outputs_of(network, shards, settings)
    ]
    return np.concatenate([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])


def calibrate(logits: NDArray[np.float32], free: NDArray[np.float32]) -> PlattScaling:
    """Fit the scale and shift that make one criterion's logits [N] the best probabilities. Labels of nan are skipped.

    A penalty on changing the logits keeps the few examples of a rare defect from having too much influence.
    """
    labelled = ~np.isnan(free)
    x, y = torch.from_numpy(logits[labelled]).double(), torch.from_numpy(free[labelled]).double()
    if len(y) < 20 or y.min() == y.max():
        return PlattScaling()
    parameters = torch.zeros(2, dtype=torch.float64, requires_grad=True)  # log scale, shift
    optimizer = torch.optim.LBFGS([parameters], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        scaled = parameters[0].exp() * x + parameters[1]
        cost = functional.binary_cross_entropy_with_logits(scaled, y, reduction="sum") + 2 * (parameters**2).sum()
        cost.backward()  # type: ignore[no-untyped-call]
        return cost

    optimizer.step(closure)
    log_scale, shift = parameters.detach().tolist()
    return PlattScaling(math.exp(log_scale), shift)


def photo_taker(out: Path, makers: Sequence[BaseProcess], progress: ProgressCallback) -> TakePhotos:
    """Takes photos from the folder of a run, and waits until they are made.

    It raises RuntimeError if a process that makes photos has failed.
    """

    def take(split: Split, photos: int) -> Shards:
        while not are_on_disk(out / PHOTOS, split, photos):
            if any(maker.exitcode for maker in makers):
                raise RuntimeError("a process that simulates photos has failed; see its own error message above")
            progress(f"photos to {split}", len(Shards(out / PHOTOS, split, photos)), photos)
            time.sleep(2)
        return Shards(out / PHOTOS, split, photos)

    return take


def train_quality(
    network: QualityNetwork, settings: QualitySettings, folders: PhotoFolders, out: Path,
    progress: ProgressCallback = lambda what, done, of: None,
) -> None:  # fmt: skip
    """Train from the last checkpoint, if there is one, to calibrated weights; other processes make the photos."""
    photos = settings.photos
    counts: dict[Split, int] = {split: getattr(photos, split) for split in PHOTO_SPLITS}
    jobs = [
        PhotoJob(out / PHOTOS, folders, settings.seed, photos.shares, counts, photos.first, part, photos.makers)
        for part in range(photos.makers)
    ]
    makers = [multiprocessing.get_context("spawn").Process(target=job.run) for job in jobs]
    for maker in makers:
        maker.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # runs the `finally` below, which ends the makers
    try:
        os.nice(7)
        torch.set_num_threads(settings.threads)
        cv2.setNumThreads(1)
        task = QualityTask(settings, photo_taker(out, makers, progress))
        trained = loop.fit(
            task, network, build_optimizer(network, settings), settings, out,
            on_step=lambda step, end: progress("training", step, end),
        )  # fmt: skip
        task.export(trained, out / loop.WEIGHTS)
    finally:
        for maker in makers:
            maker.terminate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = command_line.argument_parser(__doc__, default_out=Path("runs/quality"))
    parser.add_argument("--go-on-from", type=Path, metavar="WEIGHTS", help="initial weights; random if not given")
    for name, what in (
        ("sroie", "ICDAR 2019 SROIE: images/, lines/, splits.json"),
        ("surfaces", "textures to lay documents on; every fifth is held out"),
        ("paper", "crumpled paper"),
        ("no-document", "photos without a document; every other one is held out"),
        ("photos", "photos of receipts with nothing over their print; every other one is held out"),
    ):
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=what)
    options = parser.parse_args(arguments)
    settings = command_line.prepare(options, QualitySettings)
    if options.threads:
        settings = replace(settings, threads=options.threads)
    folders = PhotoFolders(options.sroie, options.surfaces, options.paper, options.no_document, options.photos)
    train_quality(build_network(settings, options.go_on_from), settings, folders, options.out)


if __name__ == "__main__":
    main()
