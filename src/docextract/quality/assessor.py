"""The served quality model: it assesses photos with the trained quality network.

A folder of weights contains model.safetensors (fp16) and config.json: the shape of the network and, for each criterion,
the calibration that converts its logit into a probability.
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
from torch.nn import functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

from docextract.documents import document_types
from docextract.images.geometry import FRAME_PX, FittedPage, Glimpse, Polygon
from docextract.predictions import Assessment, Legibility
from docextract.processors import has_fast_bfloat16
from docextract.quality.criteria import CRITERIA, DETECTION_THRESHOLD, DOCUMENT_ABSENT
from docextract.quality.legibility import LEGIBILITY_CELLS, describe_legibility
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
    without_margin,
)

WEIGHTS_FILE, CONFIG_FILE = "model.safetensors", "config.json"
MIN_OUTLINE_MASK_IOU = 0.7  # intersection over union; if it is lower, alternative corners are tried
MIN_IOU_GAIN = 0.1  # an alternative must be better by this much
ALTERNATIVES_PER_CORNER = 2
UNDETECTED_SCORE = DETECTION_THRESHOLD - 0.01  # maximum of `detected` for a photo without an outline
MIN_DOCUMENT_AREA = 0.005  # of the photo's area; a smaller outline is an error of the heat maps


@dataclass(frozen=True)
class PlattScaling:
    """Platt scaling of a logit to a probability: sigmoid(scale * logit + shift)."""

    scale: float = 1.0
    shift: float = 0.0

    def __call__(self, logit: float) -> float:
        """Return the calibrated probability, 0..1."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.scale * logit + self.shift))))


@dataclass(frozen=True)
class QualityConfig:
    """The content of config.json, which is stored next to the weights."""

    shape: QualityNetworkShape
    calibration: dict[str, PlattScaling] = field(default_factory=dict)  # by criterion; the identity where missing


_CONFIG = TypeAdapter(QualityConfig)


def save_weights(folder: Path, network: QualityNetwork, calibration: Mapping[str, PlattScaling]) -> None:
    """Write a folder for `Assessor.load`, with weights in fp16."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.half().contiguous() if value.is_floating_point() else value
        for name, value in network.state_dict().items()
    }
    save_file(weights, folder / WEIGHTS_FILE)
    (folder / CONFIG_FILE).write_bytes(
        _CONFIG.dump_json(QualityConfig(network.shape, dict(calibration)), indent=1) + b"\n"
    )


def load_weights(folder: Path) -> tuple[QualityNetwork, dict[str, PlattScaling]]:
    """Read a folder of `save_weights`: the network and its calibration. Raises ValueError if a criterion is missing."""
    config = _CONFIG.validate_json((folder / CONFIG_FILE).read_bytes())
    if missing := {criterion.name for criterion in CRITERIA} - set(config.shape.criteria):
        raise ValueError(f"{folder} lacks the criteria {', '.join(sorted(missing))}: it was trained for other criteria")
    network = QualityNetwork(config.shape)
    network.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS_FILE).items()})
    return network, config.calibration


class Assessor:
    """The network with its calibration; `assess` must not be called from several threads at once."""

    def __init__(self, network: QualityNetwork, calibration: Mapping[str, PlattScaling], device: str = "cpu") -> None:
        """Take over a trained network; its batch norms are folded into its convolutions, for speed."""
        self.shape = network.shape
        self._calibration = {name: calibration.get(name, PlattScaling()) for name in network.shape.criteria}
        self._device = torch.device(device)
        self._network = _fuse_batch_norms(network.eval()).to(self._device)
        self._network = self._network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        # bfloat16 halves the time. On 100 photos no score differed from float32 by more than 0.015, and no verdict did.
        self._use_bfloat16 = self._device.type == "cpu" and has_fast_bfloat16()

    @staticmethod
    def load(folder: Path, device: str = "cpu") -> "Assessor":
        """Read a folder of `save_weights`. Raises ValueError if a criterion is missing."""
        return Assessor(*load_weights(folder), device)

    def assess(self, glimpses: Sequence[Glimpse]) -> list[Assessment]:
        """Return one assessment per glimpse, in input order; an empty list for an empty batch."""
        if not glimpses:
            return []
        inputs = [tensor.to(self._device) for tensor in batch_tensors(glimpses)]
        with torch.inference_mode():
            with torch.autocast("cpu", torch.bfloat16, enabled=self._use_bfloat16):
                raw = self._network(*inputs)
            outputs = QualityOutputs(*(tensor.float() for tensor in raw))
            points, _ = locate_corners(outputs.corners)
        outputs = QualityOutputs(*(tensor.cpu() for tensor in outputs))
        return [self._assessment(glimpse, outputs, i, points[i].cpu().numpy()) for i, glimpse in enumerate(glimpses)]

    def _assessment(self, glimpse: Glimpse, outputs: QualityOutputs, i: int, points: NDArray[np.float32]) -> Assessment:
        logits = zip(self.shape.criteria, outputs.criteria[i].tolist(), strict=True)
        scores = {name: self._calibration[name](logit) for name, logit in logits}
        turns = int(outputs.turns[i].argmax())
        types = outputs.types[i].softmax(0)
        type_name = self.shape.types[int(types.argmax())]
        corners = None
        if scores[DOCUMENT_ABSENT] >= DETECTION_THRESHOLD:
            corners = _outline(
                _consistent_corners(points, outputs.corners[i], outputs.mask[i]), outputs.mask[i], glimpse.frame
            )
        detected = corners is not None
        if not detected:  # a document without an outline counts as not detected, whatever its score
            scores[DOCUMENT_ABSENT] = min(scores[DOCUMENT_ABSENT], UNDETECTED_SCORE)
        return Assessment(
            detected=scores[DOCUMENT_ABSENT],
            type=type_name if detected else None,
            type_confidence=float(types.max()) if detected else 0.0,
            side=self.shape.sides[int(outputs.sides[i].argmax())] if detected else None,
            # From the corner order in the photo to the order from the document's own top-left corner.
            polygon=np.roll(corners, -turns, axis=0) if corners is not None else None,
            rotation_degrees=turns * (360 // QUARTER_TURNS) if detected else 0,
            scores=scores,
            legibility=self._legibility(outputs, i, glimpse.frame, type_name) if self.shape.fields else None,
        )

    def _legibility(self, outputs: QualityOutputs, i: int, frame: FittedPage, type_name: str) -> Legibility:
        kind = document_types().get(type_name)
        required = kind.required if kind else frozenset()
        mask = F.adaptive_avg_pool2d(without_margin(outputs.mask[i].sigmoid())[None], LEGIBILITY_CELLS)[0]
        return describe_legibility(self.shape.fields, outputs.legibility[i], outputs.places[i], mask, frame, required)


def batch_tensors(glimpses: Sequence[Glimpse]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the three inputs of the network: frames, crops and size features of B photos."""
    return (
        torch.from_numpy(np.stack([glimpse.frame.pixels for glimpse in glimpses])),
        torch.from_numpy(np.stack([glimpse.crops for glimpse in glimpses])),
        size_features(
            torch.tensor([glimpse.width for glimpse in glimpses]),
            torch.tensor([glimpse.height for glimpse in glimpses]),
        ),
    )


def _consistent_corners(points: NDArray[np.float32], corners: Tensor, mask: Tensor) -> NDArray[np.float32]:
    """Return the corners, [4, 2] frame px; if they contradict the mask, the alternative corners that fit it best.

    A corner of a table may be taken for a corner of the page: then the page covers only half of the outline.
    """
    covered = (mask.numpy() > 0).astype(np.uint8)
    iou = _outline_mask_iou(points, covered)
    if iou >= MIN_OUTLINE_MASK_IOU or not covered.any():
        return points
    choices = np.concatenate(
        [points[:, None], alternative_corners(corners, ALTERNATIVES_PER_CORNER).numpy()], axis=1
    )  # [4, n, 2]
    outlines = [np.stack(chosen).astype(np.float32) for chosen in itertools.product(*choices)]
    best = max(outlines, key=lambda outline: _outline_mask_iou(outline, covered))
    return best if _outline_mask_iou(best, covered) > iou + MIN_IOU_GAIN else points


def _outline_mask_iou(points: NDArray[np.float32], covered: NDArray[np.uint8]) -> float:
    """Return the intersection over union of the outline and the mask, 0..1."""
    cells = np.round((points + FRAME_MARGIN_PX) / CELL_PX - 0.5).astype(np.int32)
    inside = np.asarray(cv2.fillConvexPoly(np.zeros_like(covered), cells, 1), np.uint8)
    return float((inside & covered).sum() / max(1, (inside | covered).sum()))


def _outline(points: NDArray[np.float32], mask: Tensor, frame: FittedPage) -> Polygon | None:
    """Return the outline relative to the photo, [4, 2]; from the mask if the corners, in frame px, are invalid."""
    corners = points if _is_valid_outline(points, frame) else _rectangle_around(mask)
    if corners is None or not _is_valid_outline(corners, frame):
        return None
    return np.asarray(corners / np.array([frame.width, frame.height], np.float32), np.float32)


def _is_valid_outline(points: NDArray[np.float32], frame: FittedPage) -> bool:
    """Whether the outline is convex, clockwise and not smaller than MIN_DOCUMENT_AREA."""
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turns_right = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0] > 0
    smallest = MIN_DOCUMENT_AREA * frame.width * frame.height
    return bool(turns_right.all()) and cv2.contourArea(points.astype(np.float32)) >= smallest


def _rectangle_around(mask: Tensor) -> NDArray[np.float32] | None:
    """Return the smallest rectangle around the mask, [4, 2] frame px, clockwise from its top-left corner."""
    covered = np.argwhere(mask.numpy() > 0)[:, ::-1].astype(np.float32)  # [n, 2], x and y in cells
    if len(covered) < 4:
        return None
    box = cv2.boxPoints(cv2.minAreaRect(covered)) * CELL_PX + CELL_PX / 2 - FRAME_MARGIN_PX
    center = box.mean(0)
    clockwise = np.argsort(np.arctan2(box[:, 1] - center[1], box[:, 0] - center[0]))
    box = box[clockwise]  # clockwise in image coordinates, from one of the left corners
    first = int(np.argmin(box.sum(1)))
    return np.clip(np.roll(box, -first, axis=0), -FRAME_MARGIN_PX, FRAME_PX + FRAME_MARGIN_PX).astype(np.float32)


def _fuse_batch_norms(network: QualityNetwork) -> QualityNetwork:
    """Fold every batch norm into the convolution before it: equal outputs in less time."""
    for chain in [module for module in network.modules() if isinstance(module, nn.Sequential)]:
        for i in range(len(chain) - 1):
            convolution, norm = chain[i], chain[i + 1]
            if isinstance(convolution, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                chain[i], chain[i + 1] = fuse_conv_bn_eval(convolution, norm), nn.Identity()
    return network
