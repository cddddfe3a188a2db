"""Fine-tuning the last layers of a quality network: small features are used, and all other layers stay."""

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
from training.tasks.quality.heads import (
    HeadSettings,
    PhotoFeatures,
    compute_features,
    criterion_auroc,
    train_last_layers,
)
from training.tasks.quality.photos import PhotoSample, Shards

SHARD_PHOTOS = 20  # fewer than in training, and more than one batch
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


def features(count: int, width: int, seed: int) -> PhotoFeatures:
    """Photos whose only useful feature, a computed one, is a hundredth of the size of the others."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 1, (count, width)).astype(np.float32)
    glare = rng.random(count) < 0.3
    values[:, -3] = 5 + 0.01 * (glare + 0.2 * rng.normal(0, 1, count))
    free = torch.full((count, len(NAMES)), torch.nan)
    free[:, NAMES.index("glare")] = torch.tensor(~glare).float()
    return PhotoFeatures(torch.from_numpy(values), free)


def test_small_features_count_as_much_as_large_ones(network):
    """A useful feature that is a hundredth of the size of all others is found and used."""
    width = network.trunk[0].in_features

    learned = train_last_layers(network, features(1500, width, 0), HeadSettings(epochs=8, batch=64))

    assert criterion_auroc(learned, features(300, width, 1))["glare"] > 0.95


def test_other_outputs_stay_the_same(network):
    """Outlines, types, sides and turns do not change, however often the last layers are trained."""
    examples = features(64, network.trunk[0].in_features, 0)
    once = train_last_layers(network, examples, HeadSettings(epochs=1, batch=16, hidden=8))
    twice = train_last_layers(once, examples, HeadSettings(epochs=1, batch=16, hidden=8, seed=2))

    assert (once.shape.hidden, twice.shape.hidden) == (network.shape.hidden + 8, network.shape.hidden + 8)
    before, first, second = (one.classify(examples.features) for one in (network, once, twice))
    for part in (1, 2, 3):
        assert torch.allclose(first[part], before[part], atol=1e-5)
        assert torch.allclose(second[part], before[part], atol=1e-5)
    assert not torch.allclose(first[0], second[0], atol=1e-3)
    for name, weight in network.state_dict().items():
        if name.split(".")[0] not in ("trunk", "criteria", "types", "sides", "turns"):
            assert torch.equal(once.state_dict()[name], weight), name


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """A shard of grey photos for each split, as training.tasks.quality.train stores them."""
    monkeypatch.setattr(quality_photos, "SHARD_PHOTOS", SHARD_PHOTOS)
    rng = np.random.default_rng(0)

    def sample(number: int) -> PhotoSample:
        photo = rng.integers(60, 230, (60, 50, 3)).astype(np.uint8)
        polygon = np.array([[5, 5], [40, 5], [40, 50], [5, 50]], np.float32)
        return PhotoSample(photo, replace(FINE, glare_fraction=0.1 * (number % 3 == 0)), polygon, "receipt")

    folder = tmp_path / "photos"
    folder.mkdir()
    for split in ("train", "calibrate"):
        quality_photos._write(folder, split, 0, map(sample, range(SHARD_PHOTOS)))
    return folder


def test_features_are_the_input_of_the_last_layers(network, photos):
    """The last layers give for them what the whole network gives for the photo; augmented photos have others."""
    shards = Shards(photos, "train")

    found = compute_features(network, shards)
    outputs = network.classify(found.features)
    batch = heads.load_batch(shards, range(4), network.shape.types, None)
    whole = network(batch.frames, batch.crops, batch.scalars)

    assert len(found.features) == SHARD_PHOTOS
    assert torch.allclose(outputs[0][:4], whole.criteria, atol=0.05)
    assert not torch.equal(compute_features(network, shards, passes=1).features, found.features)


def test_the_command_writes_weights_that_can_be_served(network, photos, tmp_path):
    """They are calibrated again, and have the shape of the network plus the new hidden units."""
    save_weights(tmp_path / "old", network, {})

    heads.main([str(tmp_path / "old"), "--photos", str(photos), "--out", str(tmp_path / "new"), "--passes", "1"])

    assert load_weights(tmp_path / "new")[0].shape == replace(
        network.shape, hidden=network.shape.hidden + HeadSettings().hidden
    )
    assert load_weights(tmp_path / "new")[1].keys() == set(NAMES)
    Assessor.load(tmp_path / "new")
