"""Fine-tune the last layers of the quality network, which predict its criteria; all other layers stay as they are.

    python -m training.tasks.quality.heads models/quality/weights --photos runs/quality/photos \\
        --out runs/quality_next/weights

Trained together with a million other weights, on features of very different magnitudes, the last layers leave much of
their input unused: the glare map alone predicts glare with an AUROC of 0.93 and the outline alone tilt with 0.98, but
the last layers reach 0.74 and 0.90. Here the features of each photo are computed once and standardised, and new last
layers are trained on them in minutes. Outlines do not change, because the layers before stay as they are. The
calibration is fitted again.
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
from training import loop, typefaces
from training.metrics import auroc
from training.tasks.quality.batches import CRITERION_NAMES, load_batch
from training.tasks.quality.photos import Shards
from training.tasks.quality.train import calibrate, criteria_loss

log = logging.getLogger(__name__)

FEATURE_BATCH = 16  # photos whose features are computed together


@dataclass(frozen=True)
class PhotoFeatures:
    """The input of the last layers for N photos, and the labels of the photos."""

    features: Tensor  # [N, D]
    free: Tensor  # [N, C]; 1: free of the defect, 0: has it, nan: unknown


@dataclass(frozen=True)
class HeadSettings:
    """Settings of one run."""

    seed: int = 1
    epochs: int = 40
    batch: int = 256
    peak_lr: float = 2e-3
    hidden: int = 256
    weight_decay: float = 0.1
    average: float = 0.99  # decay of the moving average of the weights
    # Weight of the 44 computed features (geometry, texture, shares) against the 736 of the convolutions. With 1, 4 and
    # 10, the AUROC of tilt on held-out photos was 0.946, 0.964 and 0.972; that of all criteria 0.985, 0.987 and 0.988.
    computed_weight: float = 10.0


def compute_features(network: QualityNetwork, shards: Shards, passes: int = 0, seed: int = 1) -> PhotoFeatures:
    """The input of the last layers. passes: how often each photo is used, augmented; 0: once, not augmented."""
    network.eval()
    parts: list[PhotoFeatures] = []
    for number in range(max(1, passes)):
        rng = np.random.default_rng((seed, number)) if passes else None
        parts += _features_of_batches(network, shards, rng)
    return PhotoFeatures(torch.cat([one.features for one in parts]), torch.cat([one.free for one in parts]))


def _features_of_batches(
    network: QualityNetwork, shards: Shards, rng: np.random.Generator | None
) -> Iterator[PhotoFeatures]:
    inputs_of_trunk: list[Tensor] = []
    hook = network.trunk.register_forward_pre_hook(lambda module, inputs: inputs_of_trunk.append(inputs[0].clone()))
    try:
        for start in range(0, len(shards), FEATURE_BATCH):
            indices = range(start, min(start + FEATURE_BATCH, len(shards)))
            batch = load_batch(shards, indices, network.shape.types, rng, 0.3)
            with torch.no_grad(), loop.autocast("cpu"):
                network(batch.frames, batch.crops, batch.scalars)
            yield PhotoFeatures(inputs_of_trunk.pop(), batch.free)
    finally:
        hook.remove()


def train_last_layers(network: QualityNetwork, photos: PhotoFeatures, settings: HeadSettings) -> QualityNetwork:
    """The same network with new last layers for its criteria, trained on these photos."""
    torch.manual_seed(settings.seed)
    mean, spread = photos.features.mean(0), photos.features.std(0).clamp(min=1e-4)
    spread[-network.computed :] /= settings.computed_weight
    features = (photos.features - mean) / spread
    first, last = nn.Linear(features.shape[1], settings.hidden), nn.Linear(settings.hidden, photos.free.shape[1])
    layers = nn.Sequential(first, nn.ReLU(), nn.Dropout(0.1), last)
    average = copy.deepcopy(layers)
    optimizer = torch.optim.AdamW(layers.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
    steps = settings.epochs * (len(features) // settings.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.peak_lr, max(2, steps))
    for step in range(steps):
        rows = torch.randint(len(features), (settings.batch,))
        optimizer.zero_grad()
        criteria_loss(layers(features[rows]), photos.free[rows]).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        loop.update_ema(average, layers, settings.average, step)
    layers.load_state_dict(average.state_dict())
    with torch.no_grad():  # the standardisation becomes a part of the first layer
        first.bias -= first.weight @ (mean / spread)
        first.weight /= spread
    return _with_layers(network, first, last)


@torch.no_grad()
def _with_layers(network: QualityNetwork, first: nn.Linear, last: nn.Linear) -> QualityNetwork:
    """The network with these layers for its criteria; types, sides and turns keep the hidden units that they use."""
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
def criterion_auroc(network: QualityNetwork, photos: PhotoFeatures) -> dict[str, float]:
    """AUROC by criterion; nan without examples."""
    logits = network.eval().classify(photos.features)[0].numpy()
    columns = zip(CRITERION_NAMES, logits.T, photos.free.numpy().T, strict=True)
    return {name: round(auroc(own[~np.isnan(free)], free[~np.isnan(free)] > 0), 4) for name, own, free in columns}


@torch.no_grad()
def fit_scalings(network: QualityNetwork, photos: PhotoFeatures) -> dict[str, PlattScaling]:
    """Calibration by criterion."""
    logits, free = network.eval().classify(photos.features)[0].numpy(), photos.free.numpy()
    return {name: calibrate(logits[:, i], free[:, i]) for i, name in enumerate(CRITERION_NAMES)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="made by training.tasks.quality.train"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="WEIGHTS")
    parser.add_argument("--passes", type=int, default=1, help="how often each photo is used, augmented")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    torch.set_num_threads(1)
    network, _ = load_weights(options.weights)
    network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    held_out = compute_features(network, Shards(options.photos, "calibrate"))
    log.info("AUROC before: %s", json.dumps(criterion_auroc(network, held_out)))
    photos = compute_features(network, Shards(options.photos, "train"), options.passes)
    network = train_last_layers(network, photos, HeadSettings())
    log.info("AUROC after: %s", json.dumps(criterion_auroc(network, held_out)))
    save_weights(options.out, network, fit_scalings(network, held_out))
    typefaces.keep_record(options.weights, options.out)


if __name__ == "__main__":
    main()
