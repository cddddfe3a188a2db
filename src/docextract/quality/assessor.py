"""Glimpses in, assessments out: the trained quality network as the service uses it.

A folder of weights holds model.safetensors (fp16) and config.json: the network's shape and, for each
criterion, the calibration that turns its logit into a probability.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import TypeAdapter
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from docextract.images.geometry import FRAME_PX, FittedPage, Glimpse, Polygon
from docextract.predictions import Assessment
from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD, DOCUMENT_ABSENT
from docextract.quality.network import (
    CELL_PX,
    FRAME_MARGIN_PX,
    QUARTER_TURNS,
    QualityNetwork,
    QualityNetworkShape,
    QualityOutputs,
    alternative_corners,
    locate_corners,
    size_features,
)

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
MIN_OUTLINE_MASK_IOU = 0.7  # of outline and mask, intersection over union; with less, another corner is looked for
MIN_IOU_GAIN = 0.1  # by so much more
ALTERNATIVES_PER_CORNER = 2  # of each
UNDETECTED_SCORE = DETECTION_THRESHOLD - 0.01
MIN_DOCUMENT_AREA = 0.005  # of the photo's area; a smaller outline is a slip of the heat maps


@dataclass(frozen=True)
class PlattScaling:
    """Logit → probability: sigmoid(scale · logit + shift)."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, logit: float) -> float:
        """0..1."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.scale * logit + self.shift))))


@dataclass(frozen=True)
class QualityConfig:
    """What travels beside the weights."""

    shape: QualityNetworkShape
    calibration: dict[str, PlattScaling] = field(default_factory=dict)  # by criterion; the identity where missing


_CONFIG = TypeAdapter(QualityConfig)


def save_weights(folder: Path, network: QualityNetwork, calibration: Mapping[str, PlattScaling]) -> None:
    """Write a folder that `Assessor.load` reads; weights in fp16."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.half().contiguous() if value.is_floating_point() else value
        for name, value in network.state_dict().items()
    }
    save_file(weights, folder / WEIGHTS_FILE)
    (folder / CONFIG_FILE).write_bytes(_CONFIG.dump_json(QualityConfig(network.shape, dict(calibration)), indent=1) + b"\n")


def load_weights(folder: Path) -> tuple[QualityNetwork, dict[str, PlattScaling]]:
    """What `save` has written: the network and its calibration. Raises ValueError if it was made for other criteria."""
    config = _CONFIG.validate_json((folder / CONFIG_FILE).read_bytes())
    if missing := {criterion.name for criterion in CRITERIA} - set(config.shape.criteria):
        raise ValueError(f"{folder} does not answer {', '.join(sorted(missing))}: it was trained for other criteria")
    network = QualityNetwork(config.shape)
    network.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS_FILE).items()})
    return network, config.calibration


class Assessor:
    """Holds the network; `assess` may be called from one thread at a time."""

    def __init__(self, network: QualityNetwork, calibration: Mapping[str, PlattScaling], device: str = "cpu") -> None:
        """Take a trained network over: its batch norms are folded into its convolutions, for speed."""
        self.shape = network.shape
        self._calibration = {name: calibration.get(name, PlattScaling()) for name in network.shape.criteria}
        self._device = torch.device(device)
        self._network = _fuse(network.eval()).to(self._device)
        self._network = self._network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        # Half the time. On 100 photographs no score differed by more than 0.015 from float32's, and no verdict did.
        self._half = self._device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()

    @staticmethod
    def load(folder: Path, device: str = "cpu") -> "Assessor":
        """Read a folder that `save` has written. Raises ValueError if it was made for other criteria."""
        return Assessor(*load_weights(folder), device)

    def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """One assessment for each glimpse, in the order given. An empty batch gives an empty list."""
        if not glimpses:
            return []
        seen = [tensor.to(self._device) for tensor in batch_tensors(glimpses)]
        with torch.inference_mode():
            with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
                raw = self._network(*seen)
            answers = QualityOutputs(*(tensor.float() for tensor in raw))
            points, _ = locate_corners(answers.corners)
        answers = QualityOutputs(*(tensor.cpu() for tensor in answers))
        return [self._assessment(glimpse, answers, i, points[i].cpu().numpy()) for i, glimpse in enumerate(glimpses)]

    def _assessment(self, seen: Glimpse, answers: QualityOutputs, i: int, points: NDArray[np.float32]) -> Assessment:
        logits = zip(self.shape.criteria, answers.criteria[i].tolist(), strict=True)
        scores = {name: self._calibration[name](logit) for name, logit in logits}
        turns = int(answers.turns[i].argmax())
        types = answers.types[i].softmax(0)
        corners = None
        if scores[DOCUMENT_ABSENT] >= DETECTION_THRESHOLD:
            corners = _outline(_settled(points, answers.corners[i], answers.mask[i]), answers.mask[i], seen.frame)
        found = corners is not None
        if not found:  # what has no outline was not detected, however likely it seemed
            scores[DOCUMENT_ABSENT] = min(scores[DOCUMENT_ABSENT], UNDETECTED_SCORE)
        return Assessment(
            detected=scores[DOCUMENT_ABSENT],
            type=self.shape.types[int(types.argmax())] if found else None,
            type_confidence=float(types.max()) if found else 0.0,
            side=self.shape.sides[int(answers.sides[i].argmax())] if found else None,
            # As seen in the photo → from the document's own top-left corner.
            polygon=np.roll(corners, -turns, axis=0) if corners is not None else None,
            rotation_degrees=turns * (360 // QUARTER_TURNS) if found else 0,
            scores=scores,
        )


def batch_tensors(glimpses: Sequence[Glimpse]) -> tuple[Tensor, Tensor, Tensor]:
    """The network's three inputs."""
    return (
        torch.from_numpy(np.stack([glimpse.frame.pixels for glimpse in glimpses])),
        torch.from_numpy(np.stack([glimpse.crops for glimpse in glimpses])),
        size_features(
            torch.tensor([glimpse.width for glimpse in glimpses]),
            torch.tensor([glimpse.height for glimpse in glimpses]),
        ),
    )


def _settled(points: NDArray[np.float32], corners: Tensor, mask: Tensor) -> NDArray[np.float32]:
    """The corners, [4, 2] in frame px; where they contradict the mask, those of the next best that suit it most.

    A table has corners, too: one that is taken for the page's makes an outline that the page fills by half.
    """
    covered = (mask.numpy() > 0).astype(np.uint8)
    agreement = _agreement(points, covered)
    if agreement >= MIN_OUTLINE_MASK_IOU or not covered.any():
        return points
    choices = np.concatenate([points[:, None], alternative_corners(corners, ALTERNATIVES_PER_CORNER).numpy()], axis=1)  # [4, n, 2]
    tried = [np.stack(some).astype(np.float32) for some in itertools.product(*choices)]
    best = max(tried, key=lambda some: _agreement(some, covered))
    return best if _agreement(best, covered) > agreement + MIN_IOU_GAIN else points


def _agreement(points: NDArray[np.float32], covered: NDArray[np.uint8]) -> float:
    """Intersection over union of the outline and the mask, 0..1."""
    cells = np.round((points + FRAME_MARGIN_PX) / CELL_PX - 0.5).astype(np.int32)
    inside = np.asarray(cv2.fillConvexPoly(np.zeros_like(covered), cells, 1), np.uint8)
    return float((inside & covered).sum() / max(1, (inside | covered).sum()))


def _outline(points: NDArray[np.float32], mask: Tensor, frame: FittedPage) -> Polygon | None:
    """Corners in frame px → relative to the photo, [4, 2]; from the mask where the corners make no outline."""
    corners = points if _is_outline(points, frame) else _box_around(mask)
    if corners is None or not _is_outline(corners, frame):
        return None
    return np.asarray(corners / np.array([frame.width, frame.height], np.float32), np.float32)


def _is_outline(points: NDArray[np.float32], frame: FittedPage) -> bool:
    """Convex, clockwise and not tiny."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turns_right = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0
    smallest = MIN_DOCUMENT_AREA * frame.width * frame.height
    return bool(turns_right.all()) and cv2.contourArea(points.astype(np.float32)) >= smallest


def _box_around(mask: Tensor) -> NDArray[np.float32] | None:
    """The tightest rectangle around the mask, in frame px, from its top-left corner clockwise."""
    covered = np.argwhere(mask.numpy() > 0)[:, ::-1].astype(np.float32)  # [n, 2], x and y in cells
    if len(covered) < 4:
        return None
    box = cv2.boxPoints(cv2.minAreaRect(covered)) * CELL_PX + CELL_PX / 2 - FRAME_MARGIN_PX
    center = box.mean(0)
    around = np.argsort(np.arctan2(box[:, 1] - center[1], box[:, 0] - center[0]))
    box = box[around]  # clockwise on a screen, from somewhere left
    first = int(np.argmin(box.sum(1)))
    return np.clip(np.roll(box, -first, axis=0), -FRAME_MARGIN_PX, FRAME_PX + FRAME_MARGIN_PX).astype(np.float32)


def _fuse(network: QualityNetwork) -> QualityNetwork:
    """Fold every batch norm into the convolution before it: the same answers, sooner."""
    for chain in [module for module in network.modules() if isinstance(module, nn.Sequential)]:
        for i in range(len(chain) - 1):
            convolution, norm = chain[i], chain[i + 1]
            if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                chain[i], chain[i + 1] = fuse_conv_bn_eval(convolution, norm), nn.Identity()
    return network
