"""Training of the legibility map."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.images.geometry import CROP_COUNT, CROP_PX, FRAME_PX
from docextract.quality.criteria import CRITERIA
from docextract.quality.legibility import LEGIBILITY_CELLS
from docextract.quality.network import QualityNetwork, QualityNetworkShape, size_features
from training.datasets import pictures
from training.datasets.legibility import LegibilityPhoto, ReadLine
from training.tasks.quality.legibility import (
    LegibilitySettings,
    add_legibility,
    fill_blank_cells,
    legibility_scores,
    spread_places,
    train_head,
)
from training.tasks.quality.legibility_samples import (
    FIELD_CHARACTER_WEIGHT,
    collect_samples,
    label_photo,
    turn_photo,
)

SHAPE = QualityNetworkShape(
    tuple(criterion.name for criterion in CRITERIA), ("receipt", "other"), ("front",), (4, 4, 8, 8), (4, 4, 8), 16
)
WHOLE = (FRAME_PX, FRAME_PX)


@pytest.fixture
def network() -> QualityNetwork:
    """A small network without a legibility head."""
    torch.manual_seed(0)
    return QualityNetwork(SHAPE).eval()


def line(text: str, left: float, right: float, y: float, field: str | None = None, read: bool = True) -> ReadLine:
    """A printed line at a height of the photo, relative."""
    polygon = np.array([[left, y], [right, y], [right, y + 0.01], [left, y + 0.01]], np.float32)
    return ReadLine(text, polygon, field, np.full(len(text), read))


def test_cells_are_labelled_where_their_letters_stand():
    """Two cells with two letters each; those in the second are misread."""
    side = 1 / LEGIBILITY_CELLS
    one = replace(line("ABCD", 0, 2 * side, 0.0), right=np.array([True, True, False, False]))

    labels = label_photo([one], frozenset(), WHOLE, ())

    assert labels.characters[0, :3].tolist() == [0.5, 0.5, 0.0]
    assert labels.right[0, :3].tolist() == [0.5, 0.0, 0.0]


def test_blank_cells_get_the_share_of_print_near_them():
    """A cell with print keeps its own; a photo without print says nothing."""
    characters = torch.zeros(2, LEGIBILITY_CELLS, LEGIBILITY_CELLS)
    right = torch.zeros_like(characters)
    characters[0, 2, 2] = characters[0, 2, 20] = 1.0
    right[0, 2, 2] = 1.0

    found = fill_blank_cells(characters, right)

    assert (found[0, 2, 2], found[0, 2, 20]) == (1.0, 0.0)
    assert (found[0, 3, 4], found[0, 4, 19]) == (1.0, 0.0)
    assert 0 < found[0, 23, 11] < 1
    assert found[1].isnan().all()


def test_required_fields_are_labelled_with_their_places():
    """Letters outside the photo count for the place, not for the map. Fields of other types are no places."""
    lines = [line("AB", 0.0, 0.02, 0.0, "total"), line("CD", 0.0, 0.02, 1.5, "total"), line("E", 0.5, 0.52, 0.5, "tip")]

    labels = label_photo(lines, frozenset({"total"}), WHOLE, ("birth_date", "total"))

    assert labels.places[1, 0] == labels.places[1, -1] == 0.5
    assert labels.places[0].sum() == 0
    assert np.isnan(labels.fields_right[0])
    assert labels.characters[0, 0] == pytest.approx(2 * FIELD_CHARACTER_WEIGHT / (2 * FIELD_CHARACTER_WEIGHT + 1))


def test_a_field_is_right_if_one_of_its_lines_is():
    """A total that is printed twice may be hidden once."""
    hidden, visible = line("900", 0.1, 0.2, 0.1, "total", read=False), line("900", 0.1, 0.2, 0.8, "total")
    required = frozenset({"total"})

    assert label_photo([hidden, visible], required, WHOLE, ("total",)).fields_right.tolist() == [1.0]
    assert label_photo([hidden], required, WHOLE, ("total",)).fields_right.tolist() == [0.0]


def test_lines_turn_with_their_photo():
    """A mark in the photo stays under its line."""
    photo = np.zeros((100, 200, 3), np.uint8)
    photo[20:24, 40:60] = 255
    marked = line("A", 0.2, 0.3, 0.2)

    photo, (moved,) = turn_photo(photo, [marked], 1)

    (x, y), (height, width) = moved.places[0], photo.shape[:2]
    assert (height, width) == (200, 100)
    assert photo[int(y * height), int(x * width)].tolist() == [255, 255, 255]


def test_places_are_spread_to_their_neighbours_only():
    """The sum stays 1, also at the border and outside the photo."""
    places = torch.zeros(1, 2, LEGIBILITY_CELLS**2 + 1)
    places[0, 0, 0] = places[0, 1, -1] = 1.0

    spread = spread_places(places)

    torch.testing.assert_close(spread.sum(2), torch.ones(1, 2))
    assert spread[0, 0, 1] > 0
    assert spread[0, 0, 2] == 0
    assert spread[0, 1, -1] == 1


def test_a_new_head_changes_no_other_output(network):
    """Served answers stay equal to the bit when the map is added."""
    dice = torch.Generator().manual_seed(1)
    frames = torch.randint(0, 256, (2, FRAME_PX, FRAME_PX, 3), dtype=torch.uint8, generator=dice)
    crops = torch.randint(0, 256, (2, CROP_COUNT, CROP_PX, CROP_PX, 3), dtype=torch.uint8, generator=dice)
    scalars = size_features(torch.tensor([900, 800]), torch.tensor([1200, 1000]))

    with torch.inference_mode():
        before = network(frames, crops, scalars)
        after = add_legibility(network, ("total",), seed=1)(frames, crops, scalars)

    assert before.legibility.numel() == 0
    assert after.legibility.shape == (2, LEGIBILITY_CELLS, LEGIBILITY_CELLS)
    assert all(torch.equal(one, other) for one, other in zip(before[:-2], after[:-2], strict=True))


def test_the_map_learns_where_print_is_misread(network, tmp_path: Path):
    """Print on the bright half is read right, print on the dark half is not."""
    photos = []
    for number in range(8):
        picture = np.full((FRAME_PX, FRAME_PX, 3), 250, np.uint8)
        dark_left = number % 2 == 0
        half = slice(0, FRAME_PX // 2) if dark_left else slice(FRAME_PX // 2, FRAME_PX)
        picture[:, half] = 30
        pictures.save(picture, tmp_path / f"{number}.png")
        lines = [
            line("A" * 10, start, start + 0.3, y, "total", read=(start < 0.5) != dark_left)
            for start in (0.1, 0.6)
            for y in np.linspace(0.1, 0.9, 9).tolist()
        ]
        photos.append(LegibilityPhoto(tmp_path / f"{number}.png", "receipt", str(number), tuple(lines), {}))
    network = add_legibility(network, ("total",), seed=1)
    samples = collect_samples(network, photos, None)
    assert network.legibility is not None
    untrained = legibility_scores(network.legibility, samples)

    head = train_head(network.legibility, samples, LegibilitySettings(steps=40, batch=8, average=0.9))

    scores = legibility_scores(head, samples)
    assert untrained["cells_within"] < 0.9 < scores["cells_within"]
    assert scores["map"] < untrained["map"]
