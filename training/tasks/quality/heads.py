"""How the quality network judges its criteria, learned anew on what the rest of it sees.

    python -m training.tasks.quality.heads models/quality/weights --photos runs/quality/photos \\
        --out runs/quality_next/weights

Learned together with a million other weights, from features of very different sizes, the last layers left much of what
lies before them unused: the map of glare alone told glare with an AUROC of 0.93, the outline alone tilt with 0.98; they
told them with 0.74 and 0.90. Here the layers before them stay as they are, so that every outline does, too; what
these see of each photo is worked out once, brought to one size, and the last layers learn from it in minutes. Their
calibration is fitted anew.
"""

import argparse
import copy
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from docextract.quality.assessor import PlattScaling, load_weights, save_weights
from docextract.quality.network import QualityNetwork
from training import loop
from training.evaluation.metrics import auroc
from training.tasks.quality.batches import NAMES, lesson
from training.tasks.quality.photos import Shards
from training.tasks.quality.train import calibrate, loss_of_criteria

log = logging.getLogger(__name__)

BATCH = 16  # photos looked at together


@dataclass(frozen=True)
class Views:
    """N photos as the last layers get them, and what is known of each."""

    seen: Tensor  # [N, D]
    free: Tensor  # [N, C]; 1: free of the defect, 0: has it, nan: not known


@dataclass(frozen=True)
class Settings:
    """One run."""

    seed: int = 1
    epochs: int = 40
    batch: int = 256
    peak_lr: float = 2e-3
    hidden: int = 256
    weight_decay: float = 0.1
    average: float = 0.99  # of the moving average of the weights
    # What is computed (geometry, texture, shares) against what convolutions see: there are 44 of the one and 736 of the
    # other. With 1, 4, 10 held-back photos had tilt told with an AUROC of 0.946, 0.964, 0.972; all 0.985, 0.987, 0.988.
    computed_weight: float = 10.0


def views(network: QualityNetwork, shards: Shards, passes: int = 0, seed: int = 1) -> Views:
    """What the last layers get. passes: how often each photo is seen, varied; 0: once, as it is."""
    network.eval()
    found: list[Views] = []
    for look in range(max(1, passes)):
        rng = np.random.default_rng((seed, look)) if passes else None
        found += _looked_at(network, shards, rng)
    return Views(torch.cat([one.seen for one in found]), torch.cat([one.free for one in found]))


def _looked_at(network: QualityNetwork, shards: Shards, rng: np.random.Generator | None) -> Iterator[Views]:
    taken: list[Tensor] = []
    hook = network.trunk.register_forward_pre_hook(lambda module, inputs: taken.append(inputs[0].clone()))
    try:
        for start in range(0, len(shards), BATCH):
            indices = range(start, min(start + BATCH, len(shards)))
            batch = lesson(shards, indices, network.shape.types, rng, 0.3)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                network(batch.frames, batch.crops, batch.scalars)
            yield Views(taken.pop(), batch.free)
    finally:
        hook.remove()


def learn(network: QualityNetwork, known: Views, settings: Settings) -> QualityNetwork:
    """The same network with other last layers for its criteria, which were learned from these photos."""
    torch.manual_seed(settings.seed)
    mean, spread = known.seen.mean(0), known.seen.std(0).clamp(min=1e-4)
    spread[-network.computed :] /= settings.computed_weight
    seen = (known.seen - mean) / spread
    first, last = nn.Linear(seen.shape[1], settings.hidden), nn.Linear(settings.hidden, known.free.shape[1])
    layers = nn.Sequential(first, nn.ReLU(), nn.Dropout(0.1), last)
    average = copy.deepcopy(layers)
    optimizer = torch.optim.AdamW(layers.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
    steps = settings.epochs * (len(seen) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.peak_lr, max(2, steps))
    for step in range(steps):
        some = torch.randint(len(seen), (settings.batch,))
        optimizer.zero_grad()
        loss_of_criteria(layers(seen[some]), known.free[some]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        loop.update_ema(average, layers, settings.average, step)
    layers.load_state_dict(average.state_dict())
    with torch.no_grad():
        first.bias -= first.weight @ (mean / spread)
        first.weight /= spread
    return _joined(network, first, last)


@torch.no_grad()
def _joined(network: QualityNetwork, first: nn.Linear, last: nn.Linear) -> QualityNetwork:
    """These layers beside those hidden units by which types, sides and turns are told."""
    before = network.state_dict()
    heads = ("types", "sides", "turns")
    used = torch.stack([before[f"{head}.weight"].abs().amax(0) for head in heads]).amax(0) > 0
    old, new = int(used.sum()), first.out_features
    joined = QualityNetwork(replace(network.shape, hidden=old + new))
    after = dict(before)
    after["trunk.0.weight"] = torch.cat([before["trunk.0.weight"][used], first.weight])
    after["trunk.0.bias"] = torch.cat([before["trunk.0.bias"][used], first.bias])
    after["criteria.weight"] = torch.cat([torch.zeros(last.out_features, old), last.weight], 1)
    after["criteria.bias"] = last.bias
    for head in heads:
        weight = before[f"{head}.weight"]
        after[f"{head}.weight"] = torch.cat([weight[:, used], torch.zeros(len(weight), new)], 1)
    joined.load_state_dict(after)
    return joined.eval()


@torch.no_grad()
def told(network: QualityNetwork, known: Views) -> dict[str, float]:
    """How well each criterion is told (AUROC; nan without examples)."""
    logits = network.eval().classify(known.seen)[0].numpy()
    columns = zip(NAMES, logits.T, known.free.numpy().T, strict=True)
    return {name: round(auroc(own[~np.isnan(free)], free[~np.isnan(free)] > 0), 4) for name, own, free in columns}


@torch.no_grad()
def calibrated(network: QualityNetwork, known: Views) -> dict[str, PlattScaling]:
    """By criterion."""
    logits, free = network.eval().classify(known.seen)[0].numpy(), known.free.numpy()
    return {name: calibrate(logits[:, i], free[:, i]) for i, name in enumerate(NAMES)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="made by training.tasks.quality.train"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="WEIGHTS")
    parser.add_argument("--passes", type=int, default=1, help="how often each photo is seen, varied")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    torch.set_num_threads(1)
    network, _ = load_weights(options.weights)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    held_back = views(network, Shards(options.photos, "calibrate"))
    log.info("before %s", json.dumps(told(network, held_back)))
    network = learn(network, views(network, Shards(options.photos, "train"), options.passes), Settings())
    log.info("after %s", json.dumps(told(network, held_back)))
    save_weights(options.out, network, calibrated(network, held_back))


if __name__ == "__main__":
    main()
