"""Batches for training the quality network: its inputs and labels, from stored photos.

Photos are augmented when they are loaded: by quarter turns, by the colour of the light, and by reflections and covering
objects, whose position is then known. Their labels change accordingly. Mirroring is not used: mirrored text is no text.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docextract.images.geometry import FRAME_PX, PAPER_WHITE, Page, detail_crops
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import CELL_PX, FRAME_MARGIN_PX, HEAT_MAP_CELLS, QUARTER_TURNS, size_features
from training.synth.camera import light, surroundings
from training.synth.camera.surroundings import Mask
from training.tasks.quality.labels import label_defects
from training.tasks.quality.photos import CONDITIONS, Shards, conditions_of

CRITERION_NAMES = tuple(criterion.name for criterion in CRITERIA)
# Criteria with a map of the places where the document is covered, on print or not: that can be seen at each place.
# Whether there is print below depends on the print around it; that is decided by the last layers.
LOCAL_CRITERIA = {
    "glare": "glare_fraction",
    "occluded": "occluded_fraction",
}  # criterion: covered share of the document
ADDED_SHARES = {"glare": 0.25, "occluded": 0.15}  # of the photos without this defect, to which it is added
PREVIEW_SHARE = 0.12  # of the photos, which are reduced to a frame of the live preview, with the same labels
CONDITIONS_AT_FULL_RESOLUTION = ("blur_sigma_px", "motion_px", "ink_contrast", "noise_sigma", "screen")
THIN_OBJECTS_SHARE = 0.3  # of the added covering objects: pens and cables
UNKNOWN = -1  # class label
_INDEX = {name: index for index, name in enumerate(CONDITIONS)}


@dataclass(frozen=True)
class QualityBatch:
    """B photos and their labels. N crops, C criteria, L local criteria."""

    frames: Tensor  # uint8 [B, FRAME_PX, FRAME_PX, 3]
    crops: Tensor  # uint8 [B, N, CROP_PX, CROP_PX, 3]
    scalars: Tensor  # [B, SCALARS]
    free: Tensor  # [B, C]; 1: free of the defect, 0: has it, nan: unknown
    types: Tensor  # [B], or UNKNOWN
    turns: Tensor  # [B], quarter turns clockwise, or UNKNOWN
    corners: Tensor  # [B, 4, 2] frame px, from the photo's top left; nan where unknown
    mask: Tensor  # [B, HEAT_MAP_CELLS, HEAT_MAP_CELLS], 0..1; nan where unknown
    shares: Tensor  # [B, L], covered share of the document, 0..1; nan where unknown
    spots: Tensor  # [B, L, HEAT_MAP_CELLS, HEAT_MAP_CELLS], covered, 0..1; nan outside the document, where unknown


def load_batch(
    shards: Shards, indices: Sequence[int], types: Sequence[str], rng: np.random.Generator | None, turned: float = 0.0
) -> QualityBatch:
    """Load photos as a batch. rng: augments them; None: no augmentation. turned: share that is rotated."""
    views = [load_photo(shards, index, rng, turned) for index in indices]
    kinds = [types.index(view.type) if view.type in types else UNKNOWN for view in views]
    sizes = torch.tensor([view.size for view in views])
    corners = np.stack([in_photo_order(view.polygon)[0] for view in views])
    return QualityBatch(
        frames=torch.from_numpy(np.stack([view.frame for view in views])),
        crops=torch.from_numpy(np.stack([view.crops for view in views])),
        scalars=size_features(sizes[:, 0], sizes[:, 1]),
        free=torch.tensor([_free(view.conditions) for view in views]),
        types=torch.tensor(kinds),
        turns=torch.tensor([in_photo_order(view.polygon)[1] for view in views]),
        corners=torch.from_numpy(corners),
        mask=torch.from_numpy(np.stack([_mask(view) for view in views])),
        shares=torch.tensor([_shares(view.conditions) for view in views]),
        spots=torch.from_numpy(np.stack([view.spots for view in views])),
    )


@dataclass(frozen=True)
class PhotoView:
    """One photo of a batch, with its labels."""

    frame: Page
    crops: Page
    conditions: NDArray[np.float32]
    polygon: NDArray[np.float32]  # frame px, from the document's own top left; nan where unknown
    size: tuple[int, int]
    type: str
    spots: NDArray[np.float32]  # [L, HEAT_MAP_CELLS, HEAT_MAP_CELLS], as in `QualityBatch`


def load_photo(shards: Shards, index: int, rng: np.random.Generator | None, turned: float) -> PhotoView:
    """Load one photo. rng: augments it; None: no augmentation. turned: probability of a rotation by quarter turns."""
    facts = shards.facts[index]
    frame, crops = shards.pixels(index)
    fitted = facts["fitted"]
    view = PhotoView(
        frame,
        crops,
        facts["conditions"].copy(),
        facts["polygon"] * fitted,
        tuple(facts["size"].tolist()),
        str(facts["type"]),
        np.full((len(LOCAL_CRITERIA), HEAT_MAP_CELLS, HEAT_MAP_CELLS), np.nan, np.float32),
    )
    if rng is None:
        return view
    if rng.random() < turned:
        for _ in range(rng.integers(1, QUARTER_TURNS)):
            view = turn_quarter(view, fitted)
            fitted = fitted[::-1]
    if not np.isnan(view.polygon).any():
        for place, (criterion, add) in enumerate(_ADD_DEFECT.items()):
            if view.conditions[_INDEX[LOCAL_CRITERIA[criterion]]] == 0:
                added = rng.random() < ADDED_SHARES[criterion]
                covered = add(view, fitted, rng) if added else np.zeros(fitted[::-1], np.float32)
                view.spots[place] = _on_grid(covered, _document(view, fitted))
    if not view.conditions[_INDEX["document_present"]] and rng.random() < ADDED_SHARES["occluded"]:
        _add_surrounding_objects(view, fitted, rng)
    if rng.random() < PREVIEW_SHARE:
        view = _to_preview_frame(view, fitted, rng)
    return _tint(view, fitted, rng)


def _to_preview_frame(view: PhotoView, fitted: NDArray[np.int32], rng: np.random.Generator) -> PhotoView:
    """Reduce a photo to a frame of the live preview, at most FRAME_PX large.

    Conditions that show only at full resolution become unknown.
    """
    width, height = int(fitted[0]), int(fitted[1])
    content = light.compress(np.ascontiguousarray(view.frame[:height, :width]), int(rng.integers(70, 96)))
    frame, conditions = view.frame.copy(), view.conditions.copy()
    frame[:height, :width] = content
    conditions[_INDEX["text_height_px"]] *= width / view.size[0]
    conditions[[_INDEX[name] for name in CONDITIONS_AT_FULL_RESOLUTION]] = np.nan
    return replace(view, frame=frame, crops=detail_crops(content), conditions=conditions, size=(width, height))


def _document(view: PhotoView, fitted: NDArray[np.int32]) -> Mask:
    """Mask of the document in the frame's content, uint8 [h, w]."""
    mask = np.zeros(fitted[::-1], np.uint8)
    cv2.fillPoly(mask, [np.round(view.polygon * 16).astype(np.int32)], 255, shift=4)
    return mask


def _add_glare(view: PhotoView, fitted: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Add reflections of lamps on the paper, to the frame only, in place. returns: where they hide print, [h, w]."""
    document = _document(view, fitted)
    added = light.draw_glare(0.01 + 0.4 * float(rng.random()) ** 1.3, document, rng)
    hidden = (added > light.GLARE_HIDES_PRINT).astype(np.float32)
    brightness = min(1.0, float(view.conditions[_INDEX["exposure"]]) / 95)  # of white paper, L*
    content = view.frame[: fitted[1], : fitted[0]]
    content[:] = np.clip(content + added[..., None] * (255 * brightness), 0, 255).astype(np.uint8)
    view.conditions[_INDEX["glare_fraction"]] = _share_of(document, hidden)
    return hidden


def _add_occlusion(view: PhotoView, fitted: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Add fingers, pens and cards over the document, to the frame only, in place. returns: what they hide, [h, w]."""
    document = _document(view, fitted)
    covered = _add_objects(view, fitted, document, rng)
    hidden = (covered > 127).astype(np.float32)
    visible = float(view.conditions[_INDEX["visible_fraction"]])
    view.conditions[_INDEX["occluded_fraction"]] = _share_of(document, hidden) * visible
    view.conditions[_INDEX["lines_covered"]] = np.nan  # the positions of text lines are not stored
    return hidden


def _add_surrounding_objects(view: PhotoView, fitted: NDArray[np.int32], rng: np.random.Generator) -> None:
    """Add the same objects to a photo without a document, in place: they must not become a sign of a document."""
    _add_objects(view, fitted, np.full(fitted[::-1], 255, np.uint8), rng)


def _add_objects(view: PhotoView, fitted: NDArray[np.int32], over: Mask, rng: np.random.Generator) -> Mask:
    """Add thin objects or others to the frame, over a part of its content, in place. returns: what they cover."""
    content = np.ascontiguousarray(view.frame[: fitted[1], : fitted[0]])
    if rng.random() < THIN_OBJECTS_SHARE:
        covered = surroundings.add_thin_objects(content, over, int(rng.integers(1, 6)), rng)
    else:
        covered = surroundings.add_covering_objects(content, over, 0.01 + 0.35 * float(rng.random()) ** 1.5, rng)
    view.frame[: fitted[1], : fitted[0]] = content
    return covered


_ADD_DEFECT = {"glare": _add_glare, "occluded": _add_occlusion}


def _share_of(document: Mask, covered: NDArray[np.float32]) -> float:
    inside = covered[document > 127]
    return float(inside.mean()) if len(inside) else 0.0


def _on_grid(covered: NDArray[np.float32], document: Mask) -> NDArray[np.float32]:
    """From pixels of the frame's content, [h, w], to [HEAT_MAP_CELLS, HEAT_MAP_CELLS]; nan outside the document."""
    wide = np.zeros((2, HEAT_MAP_CELLS * CELL_PX, HEAT_MAP_CELLS * CELL_PX), np.float32)
    height, width = covered.shape
    for canvas, part in zip(wide, (covered, document / 255), strict=True):
        canvas[FRAME_MARGIN_PX : FRAME_MARGIN_PX + height, FRAME_MARGIN_PX : FRAME_MARGIN_PX + width] = part
    cells = wide.reshape(2, HEAT_MAP_CELLS, CELL_PX, HEAT_MAP_CELLS, CELL_PX).mean((2, 4))
    return np.where(cells[1] > 0.5, cells[0], np.float32(np.nan))


def turn_quarter(view: PhotoView, fitted: NDArray[np.int32]) -> PhotoView:
    """Turn a photo by 90° clockwise, with its labels. fitted: width and height of the frame's content."""
    width, height = int(fitted[0]), int(fitted[1])
    frame = np.full_like(view.frame, PAPER_WHITE)
    frame[:width, :height] = np.rot90(view.frame[:height, :width], -1)
    conditions = view.conditions.copy()
    x, y = _INDEX["center_offset_x"], _INDEX["center_offset_y"]
    conditions[x], conditions[y] = -view.conditions[y], view.conditions[x]
    conditions[_INDEX["rotation_deg"]] = (conditions[_INDEX["rotation_deg"]] + 90) % 360
    polygon = np.stack([height - view.polygon[:, 1], view.polygon[:, 0]], 1)
    crops = np.ascontiguousarray(np.rot90(view.crops, -1, (1, 2)))
    return PhotoView(frame, crops, conditions, polygon, view.size[::-1], view.type, view.spots)


def _tint(view: PhotoView, fitted: NDArray[np.int32], rng: np.random.Generator) -> PhotoView:
    """Change the white balance, too little to make a good exposure a bad one."""
    gains = rng.uniform(0.93, 1.04, 3)
    table = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)[None]  # [1, 256, 3]
    width, height = int(fitted[0]), int(fitted[1])
    view.frame[:height, :width] = cv2.LUT(np.ascontiguousarray(view.frame[:height, :width]), table)
    crops = cv2.LUT(view.crops.reshape(-1, view.crops.shape[2], 3), table).reshape(view.crops.shape)
    return PhotoView(view.frame, crops, view.conditions, view.polygon, view.size, view.type, view.spots)


def in_photo_order(polygon: NDArray[np.float32]) -> tuple[NDArray[np.float32], int]:
    """Reorder corners that start at the document's own top left: from the photo's top left; and the quarter turns.

    The turns are computed from the polygon itself, so that corners and turns are always consistent.
    """
    if np.isnan(polygon).any():
        return polygon.astype(np.float32), UNKNOWN
    along = polygon[1] - polygon[0] + polygon[2] - polygon[3]  # from the document's own left to its right
    turns = round(math.degrees(math.atan2(along[1], along[0])) / 90) % QUARTER_TURNS
    return pull_into_margin(np.roll(polygon, turns, axis=0).astype(np.float32)), turns


def pull_into_margin(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """Move corners outside the heat maps to their edge: along the one edge of the document that enters, or clamped."""
    low, high = -FRAME_MARGIN_PX + CELL_PX / 2, FRAME_PX + FRAME_MARGIN_PX - CELL_PX / 2
    moved = corners.copy()
    for i in range(4):
        here = corners[i]
        if low <= here.min() and here.max() <= high:
            continue
        crossings = [
            point for step in (1, -1) if (point := _enter(here, corners[(i + step) % 4], low, high)) is not None
        ]
        moved[i] = crossings[0] if len(crossings) == 1 else np.clip(here, low, high)
    return moved


def _enter(start: NDArray[np.float32], end: NDArray[np.float32], low: float, high: float) -> NDArray[np.float32] | None:
    """The point where the line from start to end enters the square low..high; None if it never does."""
    enter, leave = 0.0, 1.0
    for axis in range(2):
        length = float(end[axis] - start[axis])
        if length == 0:
            if not low <= start[axis] <= high:
                return None
            continue
        first, last = sorted(((low - float(start[axis])) / length, (high - float(start[axis])) / length))
        enter, leave = max(enter, first), min(leave, last)
    return start + np.float32(enter) * (end - start) if enter <= leave else None


def _free(conditions: NDArray[np.float32]) -> list[float]:
    defects = label_defects(conditions_of(conditions))
    return [math.nan if (defect := defects[name]) is None else float(not defect) for name in CRITERION_NAMES]


def _shares(conditions: NDArray[np.float32]) -> list[float]:
    present = bool(conditions[_INDEX["document_present"]])
    return [float(conditions[_INDEX[name]]) if present else math.nan for name in LOCAL_CRITERIA.values()]


def _mask(view: PhotoView) -> NDArray[np.float32]:
    mask = np.zeros((HEAT_MAP_CELLS, HEAT_MAP_CELLS), np.float32)
    present = bool(view.conditions[_INDEX["document_present"]])
    if np.isnan(view.polygon).any():
        return np.full_like(mask, np.nan) if present else mask
    # 4 binary places: cells are coarse, and fillPoly takes whole numbers.
    cells = ((view.polygon + FRAME_MARGIN_PX) / CELL_PX - 0.5) * 16
    cv2.fillPoly(mask, [np.round(cells).astype(np.int32)], 1.0, shift=4)
    return mask
