"""The samples that the legibility map of the quality network is trained on: inputs of its head, and labels of cells."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from docextract.documents import document_types
from docextract.images.geometry import Glimpse, Page, take_glimpse
from docextract.quality.assessor import batch_tensors
from docextract.quality.legibility import LEGIBILITY_CELL_PX, LEGIBILITY_CELLS
from docextract.quality.network import QualityNetwork
from training import loop
from training.datasets import pictures
from training.datasets.legibility import LegibilityPhoto, ReadLine

MAP_BATCH = 16  # photos whose features are computed together
FIELD_CHARACTER_WEIGHT = 3.0  # of a letter of a required field, against any other
TURNED_SHARE, PREVIEW_FRAME_SHARE = 0.3, 0.2  # of the augmented photos: turned by quarter turns; as live preview frames
_CELLS = LEGIBILITY_CELLS * LEGIBILITY_CELLS
_SQUARE = (LEGIBILITY_CELLS, LEGIBILITY_CELLS)


@dataclass(frozen=True)
class LegibilitySamples:
    """The inputs of the head for N photos, and their labels. M = LEGIBILITY_CELLS, K fields."""

    inputs: tuple[Tensor, ...]  # of LegibilityHead.forward, [N, …], in half precision
    characters: Tensor  # [N, M, M]; weighted number of letters and digits in each cell; sums to 1 or 0
    right: Tensor  # [N, M, M]; the part of them that is read right
    places: Tensor  # [N, K, M·M + 1]; share of each field's letters in each cell, last: outside; 0 where unknown
    fields_right: Tensor  # [N, K]; 1: some line of the field is read right throughout, 0: none; nan: not printed

    def __len__(self) -> int:
        return len(self.characters)

    def __getitem__(self, rows: Tensor) -> "LegibilitySamples":
        return LegibilitySamples(
            tuple(part[rows].float() for part in self.inputs),
            self.characters[rows], self.right[rows], self.places[rows], self.fields_right[rows],
        )  # fmt: skip

    @staticmethod
    def join(parts: Sequence["LegibilitySamples"]) -> "LegibilitySamples":
        """All samples of several passes."""
        names = ("characters", "right", "places", "fields_right")
        inputs = tuple(torch.cat(one) for one in zip(*(part.inputs for part in parts), strict=True))
        return LegibilitySamples(inputs, *(torch.cat([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class PhotoLabels:
    """The labels of one photo, as in `LegibilitySamples`."""

    characters: NDArray[np.float32]
    right: NDArray[np.float32]
    places: NDArray[np.float32]
    fields_right: NDArray[np.float32]


def label_photo(
    lines: Sequence[ReadLine], required: frozenset[str], content: tuple[int, int], fields: Sequence[str]
) -> PhotoLabels:
    """Label the cells of a photo's frame.

    lines: with places relative to the photo. required: fields of its document type. content: width and height of the
    photo within the frame, px.
    """
    characters, right = np.zeros(_CELLS + 1, np.float32), np.zeros(_CELLS + 1, np.float32)
    places = np.zeros((len(fields), _CELLS + 1), np.float32)
    fields_right = np.full(len(fields), np.nan, np.float32)
    for line in lines:
        at = cell_indices(line.places, content)
        weight = FIELD_CHARACTER_WEIGHT if line.field in required else 1.0
        np.add.at(characters, at, weight)
        np.add.at(right, at, weight * line.right)
        if line.field in required and line.field in fields:
            field = fields.index(line.field)
            np.add.at(places[field], at, 1.0)
            fields_right[field] = np.fmax(fields_right[field], float(line.right.all()))
    total = max(1.0, float(characters[:_CELLS].sum()))
    places /= np.maximum(places.sum(1, keepdims=True), 1)
    return PhotoLabels(
        characters[:_CELLS].reshape(_SQUARE) / total, right[:_CELLS].reshape(_SQUARE) / total, places, fields_right
    )


def cell_indices(places: NDArray[np.float32], content: tuple[int, int]) -> NDArray[np.int64]:
    """Return the cell of each place [N, 2], relative to the photo, row by row; M·M outside the photo."""
    inside = ((places >= 0) & (places < 1)).all(1)
    columns, rows = (np.clip(places, 0, 1) * np.array(content) / LEGIBILITY_CELL_PX).astype(np.int64).T
    limit = LEGIBILITY_CELLS - 1
    cells = np.minimum(rows, limit) * LEGIBILITY_CELLS + np.minimum(columns, limit)
    return np.where(inside, cells, _CELLS)


def turn_photo(photo: Page, lines: Sequence[ReadLine], quarters: int) -> tuple[Page, list[ReadLine]]:
    """Turn a photo with its lines clockwise by quarter turns."""
    for _ in range(quarters):
        photo = np.rot90(photo, -1)
        lines = [
            replace(line, polygon=np.stack([1 - line.polygon[:, 1], line.polygon[:, 0]], 1).astype(np.float32))
            for line in lines
        ]
    return np.ascontiguousarray(photo), list(lines)


def collect_samples(
    network: QualityNetwork, photos: Sequence[LegibilityPhoto], rng: np.random.Generator | None
) -> LegibilitySamples:
    """Compute the inputs of the head and the labels. rng: augments the photos; None: no augmentation."""
    head = network.legibility
    assert head is not None
    inputs: list[tuple[Tensor, ...]] = []
    labels: list[PhotoLabels] = []
    hook = head.register_forward_pre_hook(lambda module, given: inputs.append(tuple(one.half() for one in given)))
    try:
        for start in range(0, len(photos), MAP_BATCH):
            views = [_view(photo, rng) for photo in photos[start : start + MAP_BATCH]]
            with torch.inference_mode(), loop.autocast("cpu"):
                network(*batch_tensors([glimpse for glimpse, _ in views]))
            for photo, (glimpse, lines) in zip(photos[start : start + MAP_BATCH], views, strict=True):
                content = (glimpse.frame.width, glimpse.frame.height)
                required = document_types()[photo.type].required
                labels.append(label_photo(lines, required, content, network.shape.fields))
    finally:
        hook.remove()
    return LegibilitySamples(
        tuple(torch.cat(parts) for parts in zip(*inputs, strict=True)),
        *(
            torch.from_numpy(np.stack([getattr(one, name) for one in labels]))
            for name in ("characters", "right", "places", "fields_right")
        ),
    )


def _view(photo: LegibilityPhoto, rng: np.random.Generator | None) -> tuple[Glimpse, list[ReadLine]]:
    """The glimpse of a photo and its lines, augmented. The lines of a preview frame are those of its whole photo."""
    pixels, lines = pictures.load(photo.image), list(photo.lines)
    if rng is None:
        return take_glimpse(pixels), lines
    if rng.random() < TURNED_SHARE:
        pixels, lines = turn_photo(pixels, lines, int(rng.integers(1, 4)))
    glimpse = take_glimpse(pixels)
    if rng.random() < PREVIEW_FRAME_SHARE:
        frame = glimpse.frame.pixels[: glimpse.frame.height, : glimpse.frame.width]
        glimpse = take_glimpse(np.ascontiguousarray(frame))
    return glimpse, lines
