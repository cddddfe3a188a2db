"""The last layers of a quality network learned anew: the others stay, and what they see is used."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from docextract.quality.assessor import Assessor, load_weights, save_weights
from docextract.quality.criteria import CRITERIA
from docextract.quality.network import QualityNetwork, QualityNetworkShape
from tests.training.tasks.quality.test_train import FINE
from training.tasks.quality import heads
from training.tasks.quality import photos as quality_photos
from training.tasks.quality.heads import Settings, Views, learn, told, views
from training.tasks.quality.photos import SHARD, Sample, Shards

NAMES = tuple(criterion.name for criterion in CRITERIA)


@pytest.fixture
def network() -> QualityNetwork:
    """A small one with random weights."""
    torch.manual_seed(0)
    shape = QualityNetworkShape(
        NAMES, ("receipt", "other"), ("front",), widths=(4, 4, 8, 8), crop_widths=(4, 4, 8), hidden=16,
        local=("glare", "occluded"),
    )  # fmt: skip
    return QualityNetwork(shape).eval()


def known(count: int, width: int, seed: int) -> Views:
    """Photos whose one telling feature, a computed one, is a hundredth of the size of the others."""
    rng = np.random.default_rng(seed)
    seen = rng.normal(0, 1, (count, width)).astype(np.float32)
    glare = rng.random(count) < 0.3
    seen[:, -3] = 5 + 0.01 * (glare + 0.2 * rng.normal(0, 1, count))
    free = torch.full((count, len(NAMES)), torch.nan)
    free[:, NAMES.index("glare")] = torch.tensor(~glare).float()
    return Views(torch.from_numpy(seen), free)


def test_small_features_count_as_much_as_large_ones(network):
    """A clue that is a hundredth of the size of all others is found, and used by the network as it stands."""
    width = network.trunk[0].in_features

    learned = learn(network, known(1500, width, 0), Settings(epochs=8, batch=64))

    assert told(learned, known(300, width, 1))["glare"] > 0.95


def test_all_but_criteria_is_said_as_before(network):
    """Outlines, types, sides and turns to the last bit of their weights, however often criteria are learned anew."""
    taught = known(64, network.trunk[0].in_features, 0)
    once = learn(network, taught, Settings(epochs=1, batch=16, hidden=8))
    twice = learn(once, taught, Settings(epochs=1, batch=16, hidden=8, seed=2))

    assert (once.shape.hidden, twice.shape.hidden) == (network.shape.hidden + 8, network.shape.hidden + 8)
    before, first, second = (one.classify(taught.seen) for one in (network, once, twice))
    for part in (1, 2, 3):
        assert torch.allclose(first[part], before[part], atol=1e-5)
        assert torch.allclose(second[part], before[part], atol=1e-5)
    assert not torch.allclose(first[0], second[0], atol=1e-3)
    for name, weight in network.state_dict().items():
        if name.split(".")[0] not in ("trunk", "criteria", "types", "sides", "turns"):
            assert torch.equal(once.state_dict()[name], weight), name


@pytest.fixture
def photos(tmp_path):
    """A shard each of grey photos, as training.tasks.quality.train keeps them."""
    rng = np.random.default_rng(0)

    def sample(number: int) -> Sample:
        photo = rng.integers(60, 230, (60, 50, 3)).astype(np.uint8)
        polygon = np.array([[5, 5], [40, 5], [40, 50], [5, 50]], np.float32)
        return Sample(photo, replace(FINE, glare_fraction=0.1 * (number % 3 == 0)), polygon, "receipt")

    folder = tmp_path / "photos"
    folder.mkdir()
    for split in ("train", "calibrate"):
        quality_photos._write(folder, split, 0, map(sample, range(SHARD)))
    return folder


def test_what_the_last_layers_get_is_what_the_others_give(network, photos):
    """Concluding from it says what the whole network says of the photo, whatever else was looked at before."""
    shards = Shards(photos, "train")

    found = views(network, shards)
    said = network.classify(found.seen)
    lesson = heads.lesson(shards, range(4), network.shape.types, None)
    whole = network(lesson.frames, lesson.crops, lesson.scalars)

    assert len(found.seen) == SHARD
    assert torch.allclose(said[0][:4], whole.criteria, atol=0.05)
    assert not torch.equal(views(network, shards, passes=1).seen, found.seen)


def test_the_command_leaves_weights_that_can_be_served(network, photos, tmp_path):
    """Calibrated anew, of the same shape."""
    save_weights(tmp_path / "old", network, {})

    heads.main([str(tmp_path / "old"), "--photos", str(photos), "--out", str(tmp_path / "new"), "--passes", "1"])

    assert load_weights(tmp_path / "new")[0].shape == replace(network.shape, hidden=network.shape.hidden + Settings().hidden)
    assert load_weights(tmp_path / "new")[1].keys() == set(NAMES)
    Assessor.load(tmp_path / "new")
