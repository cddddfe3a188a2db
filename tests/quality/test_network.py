"""The geometry and the inputs of the quality network."""

import math

import cv2
import numpy as np
import pytest
import torch

from docextract.images.geometry import CROP_COUNT, CROP_PX, FRAME_PX
from docextract.quality.network import (
    CELL_PX,
    FRAME_MARGIN_PX,
    HEAT_MAP_CELLS,
    alternative_corners,
    defect_coverage,
    locate_corners,
    outline_features,
    size_features,
    texture_features,
)
from docextract.quality.verdict import tilt_degrees


def inputs(batch: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    dice = torch.Generator().manual_seed(seed)
    frames = torch.randint(0, 256, (batch, FRAME_PX, FRAME_PX, 3), dtype=torch.uint8, generator=dice)
    crops = torch.randint(0, 256, (batch, CROP_COUNT, CROP_PX, CROP_PX, 3), dtype=torch.uint8, generator=dice)
    return frames, crops, size_features(torch.full((batch,), 900), torch.full((batch,), 1200))


def peaks_at(points: np.ndarray) -> torch.Tensor:
    """Heat maps [1, 4, G, G] with a narrow peak at each point [4, 2], frame px."""
    cells = (torch.tensor(points, dtype=torch.float32) + FRAME_MARGIN_PX) / CELL_PX - 0.5
    along = torch.arange(HEAT_MAP_CELLS)
    dx = (along[None] - cells[:, :1]) ** 2
    dy = (along[None] - cells[:, 1:]) ** 2
    return -(dy[:, :, None] + dx[:, None, :])[None] / (2 * 0.9**2)


def test_corners_are_located_between_cells_and_outside_the_photo():
    """Corners are located more precisely than a heat-map cell, and slightly beyond the border."""
    points = np.array([[-20.0, 13.7], [301.3, 40.2], [330.0, 400.5], [12.1, 350.9]])

    located, mass = locate_corners(peaks_at(points))

    assert np.abs(located[0].numpy() - points).max() < 0.5
    assert (mass > 0.9).all()


def test_alternative_corners_are_the_next_highest_peaks():
    """Not the highest peak again, nor the cells around it."""
    best = np.array([[10.0, 10.0], [300.0, 10.0], [300.0, 300.0], [10.0, 300.0]])
    second, third = best + 60.0, best + [0.0, 30.0]
    belief = torch.logsumexp(
        torch.stack([peaks_at(best)[0], peaks_at(second)[0] - 1.0, peaks_at(third)[0] - 2.0]), dim=0
    )

    found = alternative_corners(belief, count=2).numpy()

    assert np.abs(found[:, 0] - second).max() <= CELL_PX
    assert np.abs(found[:, 1] - third).max() <= CELL_PX


def test_a_photo_is_assessed_independently_of_its_batch(tiny):
    """The other photos of a batch do not change the outputs."""
    frames, crops, scalars = inputs(3)
    with torch.inference_mode():
        together = tiny(frames, crops, scalars)
        alone = tiny(frames[1:2], crops[1:2], scalars[1:2])

    for one, many in zip(alone, together, strict=True):
        assert torch.allclose(one[0], many[1], atol=1e-3)


def test_the_order_of_the_crops_does_not_matter(tiny):
    """It has no meaning."""
    frames, crops, scalars = inputs(1)
    with torch.inference_mode():
        first = tiny(frames, crops, scalars).criteria
        second = tiny(frames, crops.flip(1), scalars).criteria
        other = tiny(frames, 255 - crops, scalars).criteria

    assert torch.allclose(first, second, atol=1e-3)
    assert not torch.allclose(first, other, atol=1e-3)


def test_heat_maps_cover_the_margin(tiny):
    """There is a cell for every place up to a twelfth of a frame outside the photo."""
    with torch.inference_mode():
        answers = tiny(*inputs(2))

    assert answers.corners.shape == (2, 4, HEAT_MAP_CELLS, HEAT_MAP_CELLS)
    assert answers.mask.shape == (2, HEAT_MAP_CELLS, HEAT_MAP_CELLS)
    assert HEAT_MAP_CELLS * CELL_PX == FRAME_PX + 2 * FRAME_MARGIN_PX


def test_network_and_verdict_agree_on_tilt():
    """The tilt feature of the network equals the tilt in the answer."""
    points = np.array([[50, 40], [230, 60], [260, 330], [20, 300]], np.float32)

    told = outline_features(torch.from_numpy(points)[None], size_features(torch.tensor([900]), torch.tensor([1200])))

    stated = tilt_degrees(points * (1200 / FRAME_PX), 900, 1200)
    assert math.degrees(float(told[0, 7])) == pytest.approx(stated, abs=0.01)


def test_texture_features_distinguish_blur_from_noise():
    """Blur reduces differences between pixels; noise causes them everywhere."""
    rng = np.random.default_rng(0)
    sharp = np.kron(rng.integers(0, 2, (CROP_COUNT * 8, 8)), np.ones((16, 16))).astype(np.uint8) * 200
    blurred = cv2.GaussianBlur(sharp, (0, 0), 3)
    noisy = np.clip(sharp + rng.normal(0, 20, sharp.shape), 0, 255).astype(np.uint8)
    views = [np.repeat(view.reshape(CROP_COUNT, CROP_PX, CROP_PX, 1), 3, 3) for view in (sharp, blurred, noisy)]

    clear, soft, grainy = texture_features(torch.from_numpy(np.stack(views)))

    assert soft[1] < clear[1]  # the sharpest place
    assert grainy[2] > clear[2]  # the quietest place


def test_defect_coverage_is_a_fraction_of_the_document():
    """Only cells on the document count."""
    inside, spots = torch.zeros(1, 8, 8), torch.full((1, 1, 8, 8), -50.0)
    inside[0, :4] = 1.0
    spots[0, 0, :2, :4] = 50.0  # a quarter of the document
    spots[0, 0, 6:] = 50.0  # beside it

    shares, strongest = defect_coverage(spots, inside)

    assert shares.item() == pytest.approx(0.25, abs=1e-4)
    assert strongest.item() == pytest.approx(1.0)
