"""Train the legibility map of the quality network; all its other layers stay as they are.

    python -m training.datasets.legibility runs/legibility/photos --photos 3000
    python -m training.tasks.quality.legibility models/quality/weights --photos runs/legibility/photos \\
        --out runs/legibility/weights

The map learns from the letters and digits that the served reader read right (training/datasets/legibility.py), the
places from the printed lines of the required fields. The features of each photo are computed once, because the layers
before do not change: all other outputs of the network stay equal to the bit.
"""

import argparse
import copy
import json
import logging
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from docextract.documents import document_types
from docextract.quality.assessor import load_weights, save_weights
from docextract.quality.legibility import LEGIBILITY_CELLS, LegibilityHead, field_legibility
from docextract.quality.network import QualityNetwork
from docextract.quality.usability import UsabilityModel
from training import loop, typefaces
from training.datasets import legibility
from training.datasets.legibility import LegibilityPhoto
from training.metrics import auroc
from training.tasks.quality.legibility_samples import LegibilitySamples, collect_samples

log = logging.getLogger(__name__)

HELD_OUT_DOCUMENTS = 8  # one document in so many is held out, to report how well the map works


@dataclass(frozen=True)
class LegibilitySettings:
    """Settings of one run."""

    seed: int = 1
    steps: int = 3000
    batch: int = 32
    peak_lr: float = 2e-3
    weight_decay: float = 0.05
    average: float = 0.995  # decay of the moving average of the weights
    passes: int = 2  # how often each photo is used: once as it is, then augmented
    places_weight: float = 0.3  # of the loss of the places against that of the map, both in nats
    blank_weight: float = 0.2  # of the loss of the map where nothing is printed, see `fill_blank_cells`


def required_field_names() -> tuple[str, ...]:
    """The required fields of all document types, sorted."""
    return tuple(sorted({name for kind in document_types().values() for name in kind.required}))


def add_legibility(network: QualityNetwork, fields: Sequence[str], seed: int) -> QualityNetwork:
    """The same network with a legibility head of random weights."""
    torch.manual_seed(seed)
    extended = QualityNetwork(replace(network.shape, fields=tuple(fields)))
    kept = {name: value for name, value in network.state_dict().items() if not name.startswith("legibility.")}
    extended.load_state_dict(extended.state_dict() | kept)
    return extended.eval()


def legibility_losses(outputs: tuple[Tensor, Tensor], samples: LegibilitySamples) -> tuple[Tensor, Tensor]:
    """The losses of the map and of the places, in nats for each letter of a photo, and for each field."""
    logits, places = outputs
    wrong = samples.characters - samples.right
    cost = samples.right * functional.softplus(-logits) + wrong * functional.softplus(logits)
    known = samples.places.sum(2) > 0  # [B, K]
    placed = -(spread_places(samples.places) * places.log_softmax(2)).sum(2)[known]
    return cost.sum() / max(1.0, float(samples.characters.sum())), placed.sum() / max(1, len(placed))


def blank_loss(logits: Tensor, samples: LegibilitySamples) -> Tensor:
    """The loss of the map in cells without print, in nats for each cell. logits: [B, M, M]."""
    target = fill_blank_cells(samples.characters, samples.right)
    blank = (samples.characters == 0) & ~target.isnan()
    cost = functional.binary_cross_entropy_with_logits(logits, target.nan_to_num(), reduction="none")
    return (cost * blank).sum() / blank.sum().clamp(min=1)


def fill_blank_cells(characters: Tensor, right: Tensor) -> Tensor:
    """Return the share of letters that are read right in or near each cell, [B, M, M]; nan without any on the photo.

    Nothing is known of blank paper. Without a target, a map of it is noise: here it gets the share of the smallest
    square around it that has print. characters, right: [B, M, M].
    """
    share = torch.full_like(characters, float("nan"))
    for side in (1, 3, 7, 15, 2 * LEGIBILITY_CELLS - 1):
        near, near_right = (
            functional.avg_pool2d(one[:, None], side, 1, side // 2, divisor_override=1)[:, 0]
            for one in (characters, right)
        )
        share = torch.where(share.isnan() & (near > 0), near_right / near, share)
    return share.clamp(0, 1)


def spread_places(places: Tensor) -> Tensor:
    """Spread a third of each cell's share to the cells around it, [B, K, M·M + 1]: the next page is set differently."""
    within, outside = places[:, :, :-1], places[:, :, -1:]
    square = within.unflatten(2, (LEGIBILITY_CELLS, LEGIBILITY_CELLS))
    near = functional.avg_pool2d(functional.pad(square, (1, 1, 1, 1), mode="replicate"), 3, 1).flatten(2)
    mixed = (2 * within + near) / 3
    # Spreading at the border of the frame must not change the sum.
    scale = within.sum(2, keepdim=True) / mixed.sum(2, keepdim=True).clamp(min=1e-9)
    return torch.cat([mixed * scale, outside], 2)


def train_head(head: LegibilityHead, samples: LegibilitySamples, settings: LegibilitySettings) -> LegibilityHead:
    """Train a head of random weights in place; returns it with the moving average of its weights."""
    torch.manual_seed(settings.seed)
    average = copy.deepcopy(head)
    optimizer = torch.optim.AdamW(head.parameters(), settings.peak_lr, weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.peak_lr, max(2, settings.steps))
    head.train()
    for step in range(settings.steps):
        batch = samples[torch.randint(len(samples), (settings.batch,))]
        outputs = head(*batch.inputs)
        legible, placed = legibility_losses(outputs, batch)
        blank = blank_loss(outputs[0], batch)
        optimizer.zero_grad()
        (legible + settings.places_weight * placed + settings.blank_weight * blank).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        schedule.step()
        loop.update_ema(average, head, settings.average, step)
        if step % 200 == 0:
            log.info("step %d: map %.4f, places %.4f", step, float(legible.detach()), float(placed.detach()))
    head.load_state_dict(average.state_dict())
    return head.eval()


@torch.inference_mode()
def legibility_scores(head: LegibilityHead, samples: LegibilitySamples) -> dict[str, float]:
    """Losses, and AUROCs of cells and of fields, on photos that the head has not learned from.

    cells: of single cells of all photos, mostly right against mostly wrong. cells_within: the same, mean over the
    photos that have both, so that only the place counts. fields: each required field, read right throughout or not.
    """
    outputs = [head(*samples[rows].inputs) for rows in torch.split(torch.arange(len(samples)), 64)]
    logits, places = (torch.cat(parts) for parts in zip(*outputs, strict=True))
    legible, placed = legibility_losses((logits, places), samples)
    share = (samples.right / samples.characters.clamp(min=1e-9)).flatten(1)
    printed = samples.characters.flatten(1) > 0
    within = [
        area
        for one, right, known in zip(logits.flatten(1), share, printed, strict=True)
        if not np.isnan(area := auroc(one[known].tolist(), (right[known] > 0.5).tolist()))
    ]
    expected, known_fields = field_legibility(logits, places), ~samples.fields_right.isnan()
    return {
        "photos": len(samples),
        "map": float(legible),
        "places": float(placed),
        "cells": auroc(logits.flatten(1)[printed].tolist(), (share[printed] > 0.5).tolist()),
        "cells_within": float(np.mean(within)) if within else float("nan"),
        "photos_with_both": len(within),
        "fields": auroc(expected[known_fields].tolist(), (samples.fields_right[known_fields] > 0).tolist()),
        "fields_known": int(known_fields.sum()),
    }


def is_left_out(photo: LegibilityPhoto) -> bool:
    """Whether a photo's document is held out; the same for all photos of a document."""
    return zlib.crc32(photo.origin.encode()) % HELD_OUT_DOCUMENTS == 0


def train_legibility(
    network: QualityNetwork, photos: Sequence[LegibilityPhoto], settings: LegibilitySettings
) -> QualityNetwork:
    """The network with a new legibility head, trained on these photos."""
    network = add_legibility(network, required_field_names(), settings.seed)
    held_out = collect_samples(network, [photo for photo in photos if is_left_out(photo)], None)
    learned = [photo for photo in photos if not is_left_out(photo)]
    rng = np.random.default_rng(settings.seed)
    passes = [collect_samples(network, learned, rng if number else None) for number in range(settings.passes)]
    assert network.legibility is not None
    train_head(network.legibility, LegibilitySamples.join(passes), settings)
    log.info("held out: %s", json.dumps(legibility_scores(network.legibility, held_out)))
    return network


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weights", type=Path)
    parser.add_argument(
        "--photos", type=Path, required=True, metavar="DIR", help="made by training.datasets.legibility"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="WEIGHTS")
    parser.add_argument("--steps", type=int, default=LegibilitySettings.steps)
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    network, calibration = load_weights(options.weights)
    settings = LegibilitySettings(steps=options.steps)
    save_weights(options.out, train_legibility(network, legibility.load(options.photos), settings), calibration)
    UsabilityModel.load(options.weights).save(options.out)  # scores do not change
    typefaces.keep_record(options.weights, options.out)


if __name__ == "__main__":
    main()
