"""From kept photos to batches: the network's inputs, and what it should answer.

Photos are varied as they are read, by quarter-turns, by the colour of the light, and by reflections and things in the
way, whose place is known then; everything known of them is varied along. Mirroring is out: mirrored text is no text.
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
from training.tasks.quality.labels import truths
from training.tasks.quality.photos import CONDITIONS, Shards, conditions_of

NAMES = tuple(criterion.name for criterion in CRITERIA)
# The map of what is in the way shows where it lies, on print or not: that can be seen place by place.
# Whether print is under it depends on what is printed around it; that is left to the last layers.
LOCAL = {"glare": "glare_fraction", "occluded": "occluded_fraction"}  # criterion → its share of the document
ADDED = {"glare": 0.25, "occluded": 0.15}  # of the photos free of a local defect are given it
PREVIEWED = 0.12  # of the photos are seen as a preview's frame, of which the same should be said
FINE = ("blur_sigma_px", "motion_px", "ink_contrast", "noise_sigma", "screen")
STREWN = 0.3  # of what is added in the way is thin: pens and cables
UNKNOWN = -1  # of a class label
_INDEX = {name: index for index, name in enumerate(CONDITIONS)}


@dataclass(frozen=True)
class Lesson:
    """A batch of B photos and what is known of them."""

    frames: Tensor  # uint8 [B, FRAME_PX, FRAME_PX, 3]
    crops: Tensor  # uint8 [B, N, CROP_PX, CROP_PX, 3]
    scalars: Tensor  # [B, SCALARS]
    free: Tensor  # [B, C]; 1: free of the defect, 0: has it, nan: not known
    types: Tensor  # [B], UNKNOWN where not known
    turns: Tensor  # [B], UNKNOWN where not known
    corners: Tensor  # [B, 4, 2] frame px, from the photo's top left; nan where not known
    mask: Tensor  # [B, GRID, GRID], 0..1; nan where not known
    shares: Tensor  # [B, L] of the document, covered by each of LOCAL, 0..1; nan where not known
    spots: Tensor  # [B, L, GRID, GRID], covered by each of LOCAL, 0..1; nan off the document and where not known


def lesson(
    shards: Shards, indices: Sequence[int], types: Sequence[str], rng: np.random.Generator | None, turned: float = 0.0
) -> Lesson:
    """Read a batch; with dice, vary it: quarter-turns and the colour of the light."""
    views = [view_of(shards, index, rng, turned) for index in indices]
    kinds = [types.index(view.type) if view.type in types else UNKNOWN for view in views]
    sizes = torch.tensor([view.size for view in views])
    corners = np.stack([in_photo_order(view.polygon)[0] for view in views])
    return Lesson(
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
class View:
    """One photo as it goes into a batch."""

    frame: Page
    crops: Page
    conditions: NDArray[np.float32]
    polygon: NDArray[np.float32]  # frame px, from the document's own top left; nan where not known
    size: tuple[int, int]
    type: str
    spots: NDArray[np.float32]  # [L, GRID, GRID], as in a Lesson


def view_of(shards: Shards, index: int, rng: np.random.Generator | None, turned: float) -> View:
    facts = shards.facts[index]
    frame, crops = shards.pixels(index)
    fitted = facts["fitted"]
    view = View(
        frame,
        crops,
        facts["conditions"].copy(),
        facts["polygon"] * fitted,
        tuple(facts["size"].tolist()),
        str(facts["type"]),
        np.full((len(LOCAL), HEAT_MAP_CELLS, HEAT_MAP_CELLS), np.nan, np.float32),
    )
    if rng is None:
        return view
    if rng.random() < turned:
        for _ in range(rng.integers(1, QUARTER_TURNS)):
            view = turn(view, fitted)
            fitted = fitted[::-1]
    if not np.isnan(view.polygon).any():
        for place, (criterion, add) in enumerate(_ADDING.items()):
            if view.conditions[_INDEX[LOCAL[criterion]]] == 0:
                added = rng.random() < ADDED[criterion]
                covered = add(view, fitted, rng) if added else np.zeros(fitted[::-1], np.float32)
                view.spots[place] = _on_grid(covered, _document(view, fitted))
    if not view.conditions[_INDEX["document_present"]] and rng.random() < ADDED["occluded"]:
        _lay_about(view, fitted, rng)
    if rng.random() < PREVIEWED:
        view = _previewed(view, fitted, rng)
    return _tint(view, fitted, rng)


def _previewed(view: View, fitted: NDArray[np.int32], rng: np.random.Generator) -> View:
    """As a live preview's frame: a picture no larger than FRAME_PX. What shows at full resolution only is not known."""
    width, height = int(fitted[0]), int(fitted[1])
    content = light.compress(np.ascontiguousarray(view.frame[:height, :width]), int(rng.integers(70, 96)))
    frame, conditions = view.frame.copy(), view.conditions.copy()
    frame[:height, :width] = content
    conditions[_INDEX["text_height_px"]] *= width / view.size[0]
    conditions[[_INDEX[name] for name in FINE]] = np.nan
    return replace(view, frame=frame, crops=detail_crops(content), conditions=conditions, size=(width, height))


def _document(view: View, fitted: NDArray[np.int32]) -> Mask:
    """The document's part of the photo, uint8 [h, w] of the frame's content."""
    mask = np.zeros(fitted[::-1], np.uint8)
    cv2.fillPoly(mask, [np.round(view.polygon * 16).astype(np.int32)], 255, shift=4)
    return mask


def _reflect(view: View, fitted: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Lamps mirrored in the paper, in the frame alone; in place. returns: where they blind, [h, w]."""
    document = _document(view, fitted)
    added = light.draw_glare(0.01 + 0.4 * float(rng.random()) ** 1.3, document, rng)
    blinded = (added > light.GLARE_HIDES_PRINT).astype(np.float32)
    brightness = min(1.0, float(view.conditions[_INDEX["exposure"]]) / 95)  # of white paper, L*
    content = view.frame[: fitted[1], : fitted[0]]
    content[:] = np.clip(content + added[..., None] * (255 * brightness), 0, 255).astype(np.uint8)
    view.conditions[_INDEX["glare_fraction"]] = _share_of(document, blinded)
    return blinded


def _obstruct(view: View, fitted: NDArray[np.int32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Fingers, pens and cards over the document, in the frame alone; in place. returns: what they cover, [h, w]."""
    document = _document(view, fitted)
    covered = _put(view, fitted, document, rng)
    hidden = (covered > 127).astype(np.float32)
    visible = float(view.conditions[_INDEX["visible_fraction"]])
    view.conditions[_INDEX["occluded_fraction"]] = _share_of(document, hidden) * visible
    view.conditions[_INDEX["lines_covered"]] = np.nan  # photos are kept without the places of their print
    return hidden


def _lay_about(view: View, fitted: NDArray[np.int32], rng: np.random.Generator) -> None:
    """The same things where no document is, in place: pens and fingers are no sign of one."""
    _put(view, fitted, np.full(fitted[::-1], 255, np.uint8), rng)


def _put(view: View, fitted: NDArray[np.int32], over: Mask, rng: np.random.Generator) -> Mask:
    """Thin things or others into the frame, over this part of its content; in place. returns: what they cover."""
    content = np.ascontiguousarray(view.frame[: fitted[1], : fitted[0]])
    if rng.random() < STREWN:
        covered = surroundings.add_thin_objects(content, over, int(rng.integers(1, 6)), rng)
    else:
        covered = surroundings.add_covering_objects(content, over, 0.01 + 0.35 * float(rng.random()) ** 1.5, rng)
    view.frame[: fitted[1], : fitted[0]] = content
    return covered


_ADDING = {"glare": _reflect, "occluded": _obstruct}


def _share_of(document: Mask, covered: NDArray[np.float32]) -> float:
    inside = covered[document > 127]
    return float(inside.mean()) if len(inside) else 0.0


def _on_grid(covered: NDArray[np.float32], document: Mask) -> NDArray[np.float32]:
    """Of the frame's content, [h, w] → [GRID, GRID], nan off the document."""
    wide = np.zeros((2, HEAT_MAP_CELLS * CELL_PX, HEAT_MAP_CELLS * CELL_PX), np.float32)
    height, width = covered.shape
    for canvas, part in zip(wide, (covered, document / 255), strict=True):
        canvas[FRAME_MARGIN_PX : FRAME_MARGIN_PX + height, FRAME_MARGIN_PX : FRAME_MARGIN_PX + width] = part
    cells = wide.reshape(2, HEAT_MAP_CELLS, CELL_PX, HEAT_MAP_CELLS, CELL_PX).mean((2, 4))
    return np.where(cells[1] > 0.5, cells[0], np.float32(np.nan))


def turn(view: View, fitted: NDArray[np.int32]) -> View:
    """The photo turned clockwise by a quarter, everything known of it with it."""
    width, height = int(fitted[0]), int(fitted[1])
    frame = np.full_like(view.frame, PAPER_WHITE)
    frame[:width, :height] = np.rot90(view.frame[:height, :width], -1)
    conditions = view.conditions.copy()
    x, y = _INDEX["center_offset_x"], _INDEX["center_offset_y"]
    conditions[x], conditions[y] = -view.conditions[y], view.conditions[x]
    conditions[_INDEX["rotation_deg"]] = (conditions[_INDEX["rotation_deg"]] + 90) % 360
    polygon = np.stack([height - view.polygon[:, 1], view.polygon[:, 0]], 1)
    crops = np.ascontiguousarray(np.rot90(view.crops, -1, (1, 2)))
    return View(frame, crops, conditions, polygon, view.size[::-1], view.type, view.spots)


def _tint(view: View, fitted: NDArray[np.int32], rng: np.random.Generator) -> View:
    """Another white balance; too little to turn a good exposure into a bad one."""
    gains = rng.uniform(0.93, 1.04, 3)
    table = np.clip(np.arange(256)[:, None] * gains, 0, 255).astype(np.uint8)[None]  # [1, 256, 3]
    width, height = int(fitted[0]), int(fitted[1])
    view.frame[:height, :width] = cv2.LUT(np.ascontiguousarray(view.frame[:height, :width]), table)
    crops = cv2.LUT(view.crops.reshape(-1, view.crops.shape[2], 3), table).reshape(view.crops.shape)
    return View(view.frame, crops, view.conditions, view.polygon, view.size, view.type, view.spots)


def in_photo_order(polygon: NDArray[np.float32]) -> tuple[NDArray[np.float32], int]:
    """From the document's own top left → from the photo's top left, and by how many quarters it is turned.

    The turn is read off the outline itself, so that corners and turn can never disagree.
    """
    if np.isnan(polygon).any():
        return polygon.astype(np.float32), UNKNOWN
    along = polygon[1] - polygon[0] + polygon[2] - polygon[3]  # the document's own left to right
    turns = round(math.degrees(math.atan2(along[1], along[0])) / 90) % QUARTER_TURNS
    return within_margin(np.roll(polygon, turns, axis=0).astype(np.float32)), turns


def within_margin(corners: NDArray[np.float32]) -> NDArray[np.float32]:
    """A corner far outside is drawn in along the one edge of the document that leads back, or else clamped."""
    low, high = -FRAME_MARGIN_PX + CELL_PX / 2, FRAME_PX + FRAME_MARGIN_PX - CELL_PX / 2
    drawn = corners.copy()
    for i in range(4):
        here = corners[i]
        if low <= here.min() and here.max() <= high:
            continue
        crossings = [
            found for step in (1, -1) if (found := _enter(here, corners[(i + step) % 4], low, high)) is not None
        ]
        drawn[i] = crossings[0] if len(crossings) == 1 else np.clip(here, low, high)
    return drawn


def _enter(start: NDArray[np.float32], end: NDArray[np.float32], low: float, high: float) -> NDArray[np.float32] | None:
    """Where the way from start to end first enters the square low..high; None where it never does."""
    enter, leave = 0.0, 1.0
    for axis in range(2):
        way = float(end[axis] - start[axis])
        if way == 0:
            if not low <= start[axis] <= high:
                return None
            continue
        first, last = sorted(((low - float(start[axis])) / way, (high - float(start[axis])) / way))
        enter, leave = max(enter, first), min(leave, last)
    return start + np.float32(enter) * (end - start) if enter <= leave else None


def _free(conditions: NDArray[np.float32]) -> list[float]:
    found = truths(conditions_of(conditions))
    return [math.nan if (defect := found[name]) is None else float(not defect) for name in NAMES]


def _shares(conditions: NDArray[np.float32]) -> list[float]:
    present = bool(conditions[_INDEX["document_present"]])
    return [float(conditions[_INDEX[name]]) if present else math.nan for name in LOCAL.values()]


def _mask(view: View) -> NDArray[np.float32]:
    mask = np.zeros((HEAT_MAP_CELLS, HEAT_MAP_CELLS), np.float32)
    present = bool(view.conditions[_INDEX["document_present"]])
    if np.isnan(view.polygon).any():
        return np.full_like(mask, np.nan) if present else mask
    # 4 binary places: cells are coarse, and fillPoly takes whole numbers.
    cells = ((view.polygon + FRAME_MARGIN_PX) / CELL_PX - 0.5) * 16
    cv2.fillPoly(mask, [np.round(cells).astype(np.int32)], 1.0, shift=4)
    return mask
