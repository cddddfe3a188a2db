"""The quality network's last layers anew, on what all the others see.

    python -m training.quality_heads models/quality/weights --photos runs/quality/photos --out runs/quality_next/weights

Learned together with a million other weights, from features of very different sizes, the last layers left much of what
lies before them unused: the map of glare alone told glare with an AUROC of 0.93, the outline alone tilt with 0.98; they
told them with 0.74 and 0.90. Here the layers before them stay as they are, so that every outline does, too; what
these see of each photo is worked out once, brought to one size, and the last layers learn from it in minutes. Their
calibration is fitted anew.
"""

import argparse
import json
import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from docextract.quality.assessor import Platt, load, save
from docextract.quality.network import Answers, QualityNetwork
from training.evaluate_quality import auroc
from training.quality import calibrate, loss_of_heads
from training.quality_lessons import NAMES, lesson
from training.quality_photos import Shards

log = logging.getLogger(__name__)

BATCH = 16  # photos looked at together


@dataclass(frozen=True)
class Views:
    """N photos as the last layers get them, and what is known of each."""

    seen: Tensor  # [N, D]
    free: Tensor  # [N, C]; 1: free of the defect, 0: has it, nan: not known
    types: Tensor  # [N], UNKNOWN where not known
    turns: Tensor  # [N], UNKNOWN where not known

    def __getitem__(self, some: Tensor) -> "Views":
        return Views(self.seen[some], self.free[some], self.types[some], self.turns[some])


@dataclass(frozen=True)
class Settings:
    """One run."""

    seed: int = 1
    epochs: int = 40
    batch: int = 256
    peak_lr: float = 2e-3
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
    return Views(*(torch.cat([getattr(one, name) for one in found]) for name in vars(found[0])))


def _looked_at(network: QualityNetwork, shards: Shards, rng: np.random.Generator | None) -> Iterator[Views]:
    taken: list[Tensor] = []
    hook = network.trunk.register_forward_pre_hook(lambda module, inputs: taken.append(inputs[0].clone()))
    try:
        for start in range(0, len(shards), BATCH):
            indices = range(start, min(start + BATCH, len(shards)))
            batch = lesson(shards, indices, network.shape.types, rng, 0.3)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                network(batch.frames, batch.crops, batch.scalars)
            yield Views(taken.pop(), batch.free, batch.types, batch.turns)
    finally:
        hook.remove()


def learn(network: QualityNetwork, known: Views, settings: Settings) -> None:
    """Replace the last layers, in place, by others that were learned from these."""
    torch.manual_seed(settings.seed)
    mean, spread = known.seen.mean(0), known.seen.std(0).clamp(min=1e-4)
    spread[-network.computed :] /= settings.computed_weight
    known = replace(known, seen=(known.seen - mean) / spread)
    last = nn.ModuleList([network.trunk, network.criteria, network.types, network.sides, network.turns])
    for layer in last.modules():
        if isinstance(layer, nn.Linear):
            layer.reset_parameters()
    weights = list(last.parameters())
    optimiser = torch.optim.AdamW(weights, settings.peak_lr, weight_decay=settings.weight_decay)
    steps = settings.epochs * (len(known.seen) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, settings.peak_lr, max(2, steps))
    means = [weight.detach().clone() for weight in weights]
    network.train()
    for step in range(steps):
        batch = known[torch.randint(len(known.seen), (settings.batch,))]
        total = torch.stack([*_losses(network, batch).values()]).sum()
        optimiser.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            for kept, weight in zip(means, weights, strict=True):
                kept.lerp_(weight, 1 - min(settings.average, step / (step + 10)))
    network.eval()
    with torch.no_grad():
        for kept, weight in zip(means, weights, strict=True):
            weight.copy_(kept)
        first = network.trunk[0]
        assert isinstance(first, nn.Linear)
        first.bias -= first.weight @ (mean / spread)
        first.weight /= spread


def _losses(network: QualityNetwork, known: Views) -> dict[str, Tensor]:
    answers = Answers(*network.conclude(known.seen), *[torch.empty(0)] * 4)
    return loss_of_heads(answers, known.free, known.types, known.turns)


@torch.no_grad()
def told(network: QualityNetwork, known: Views) -> dict[str, float]:
    """How well each criterion is told (AUROC; nan without examples), and the share of types and turns that is right."""
    criteria, types, _, turns = network.eval().conclude(known.seen)
    found = {}
    for name, logits, free in zip(NAMES, criteria.T.numpy(), known.free.T.numpy(), strict=True):
        found[name] = auroc(logits[~np.isnan(free)], free[~np.isnan(free)] > 0)
    for name, logits, truth in (("types", types, known.types), ("turns", turns, known.turns)):
        found[name] = float((logits.argmax(1) == truth)[truth >= 0].float().mean())
    return {name: round(value, 4) for name, value in found.items()}


@torch.no_grad()
def calibrated(network: QualityNetwork, known: Views) -> dict[str, Platt]:
    """By criterion."""
    logits, free = network.conclude(known.seen)[0].numpy(), known.free.numpy()
    return {name: calibrate(logits[:, i], free[:, i]) for i, name in enumerate(NAMES)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--photos", type=Path, required=True, metavar="DIR", help="made by training.quality")
    parser.add_argument("--out", type=Path, required=True, metavar="WEIGHTS")
    parser.add_argument("--passes", type=int, default=2, help="how often each photo is seen, varied")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    torch.set_num_threads(1)
    network, _ = load(options.weights)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    held_back = views(network, Shards(options.photos, "calibrate"))
    log.info("before %s", json.dumps(told(network, held_back)))
    learn(network, views(network, Shards(options.photos, "train"), options.passes), Settings())
    log.info("after %s", json.dumps(told(network, held_back)))
    save(options.out, network, calibrated(network, held_back))


if __name__ == "__main__":
    main()
