"""Tests of fine-tuning the quality network; the training loop is replaced by a recorder."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
import torch

from docextract.images.geometry import Glimpse
from docextract.quality.assessor import Assessor, save_weights
from docextract.quality.network import QualityNetwork, QualityNetworkShape
from docextract.quality.usability import UsabilityModel
from docextract.registry import promote, promoted_version
from training import history
from training.commands import retrain_quality
from training.commands.retrain import CONFIGS
from training.datasets import LabelledPage, UnusableDataError, is_held_out, part_of, pictures
from training.loop import WEIGHTS
from training.progress import progress_bar
from training.tasks.quality import photos as quality_photos
from training.tasks.quality import train as quality_training
from training.tasks.quality.batches import CRITERION_NAMES, LOCAL_CRITERIA

SHARES = quality_photos.SourceShares()
SERVED = QualityNetworkShape(
    CRITERION_NAMES, ("receipt", "other"), ("front",), (8, 8, 8, 8), (8, 8, 8), 16, tuple(LOCAL_CRITERIA)
)


@pytest.fixture
def models(tmp_path):
    """A registry that serves a tiny quality network with random weights."""
    torch.manual_seed(0)
    save_weights(tmp_path / "served", QualityNetwork(SERVED), {})
    promote("quality", tmp_path / "served", "1.0.0", tmp_path / "models", day=date(2026, 1, 1))
    return tmp_path / "models"


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Fifteen photos of a slip on a table, three of them held out, and an assessor that always finds its outline."""
    labels = []
    for number in range(15):
        photo = np.full((160, 120, 3), 40, np.uint8)
        photo[40:120, 30:90] = 200 + number
        pictures.save(photo, tmp_path / f"{number:02}.jpg")
        labels.append(LabelledPage(tmp_path / f"{number:02}.jpg", "slip", {}, key=f"{number:02}"))
    original = Assessor.assess

    def assess(self, glimpses: list[Glimpse]):
        seen = original(self, glimpses)
        for one in seen:
            object.__setattr__(one, "detected", 0.9)
            object.__setattr__(one, "polygon", np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]]))
        return seen

    monkeypatch.setattr(Assessor, "assess", assess)
    return labels


@pytest.fixture
def trained(monkeypatch):
    """Records the arguments of the training, and writes the files that training leaves."""
    recorded = {}
    monkeypatch.setattr(quality_photos, "SHARD_PHOTOS", 4)

    def record(network, settings, folders, out, progress):
        recorded.update(network=network, settings=settings, folders=folders)
        save_weights(out / WEIGHTS, network, {})
        history.append(out, {"step": 7, "loss": {"type": 0.5}, "held_back": {"loss": 4, "defects": 0.9, "types": 1}})
        (out / quality_training.PHOTOS).mkdir()
        empty = quality_photos.PhotoSample(np.full((80, 60, 3), 90, np.uint8), quality_photos._unknown(False), None, "")
        quality_photos._write(out / quality_training.PHOTOS, "test", 0, [empty] * 4)

    monkeypatch.setattr(quality_training, "train_quality", record)
    return recorded


def retrain(labels, out, models):
    settings = replace(
        quality_training.QualitySettings.read(CONFIGS["quality"]), photos=quality_training.PhotoSettings(test=4)
    )
    return retrain_quality.retrain_quality(labels, out, models, settings, progress_bar())


def test_training_starts_from_the_served_weights_with_the_new_type(photos, models, trained, tmp_path):
    """All weights that both networks have are the served ones."""
    retrain(photos, tmp_path / "out", models)

    network, settings = trained["network"], trained["settings"]
    torch.manual_seed(0)
    served = QualityNetwork(SERVED)
    assert settings.types == ("receipt", "other", "slip")
    assert torch.allclose(network.types.weight[:2], served.types.weight, atol=1e-2)
    assert torch.allclose(network.criteria.weight, served.criteria.weight, atol=1e-2)
    assert settings.photos.shares.passport == 0  # the served network does not know passports, so they are not mixed in
    assert settings.photos.shares.receipt > 0


def test_pages_are_cut_out_of_the_photos(photos, models, trained, tmp_path):
    """Only the paper, because the camera simulation places it on other surfaces."""
    retrain(photos, tmp_path / "out", models)

    cut = sorted(trained["folders"].own.glob("*/slip/*.jpg"))
    page = pictures.load(cut[0])
    assert len(cut) == 15
    assert page[5:-5, 5:-5].min() > 150


def test_too_few_documents_are_refused(photos, models, trained, tmp_path):
    """The message has their number."""
    with pytest.raises(UnusableDataError, match="2 of 2"):
        retrain(photos[:3], tmp_path / "out", models)


def test_held_out_photos_are_reported_and_not_trained_on(photos, models, trained, tmp_path):
    """The report shows them with outline and verdict, and the training curves."""
    retrain(photos, tmp_path / "out", models)

    html = (tmp_path / "out" / "report.html").read_text()
    held_out = {label.key for label in photos if is_held_out(label)}
    judged_on = {path.stem for path in (trained["folders"].own / "test" / "slip").glob("*.jpg")}
    assert judged_on == held_out
    assert all(f'<th colspan="3">{key}: refused' in html or f"{key}: accepted" in html for key in held_out)
    assert html.count("data:image/jpeg;base64,") == len(held_out)
    assert "document_absent" in html
    assert "7 steps" in html
    assert html.count("<polyline") == 4


def test_some_group_stops_the_training(photos):
    """Also if no group would by its name."""
    labels = [replace(label, group="BC"[number % 2]) for number, label in enumerate(photos)]
    assert {part_of(label) for label in labels} == {"train"}

    assert retrain_quality.splits_by_group(labels) == {"B": "train", "C": "calibrate"}


def test_a_type_that_would_not_be_trained_is_refused(photos, models, trained, tmp_path):
    held_out = next(label for label in photos if is_held_out(label))

    with pytest.raises(UnusableDataError, match="all photos of 'menu' are held back from training"):
        retrain([*photos, replace(held_out, type="menu", key="menu")], tmp_path / "out", models)


def test_cut_outs_of_one_original_are_in_one_split(photos, models, trained, tmp_path):
    """What stops the training, and what judges it, shows other originals than those that are trained on."""
    groups = {label.key: f"scale {number % 10}" for number, label in enumerate(photos)}
    retrain([replace(label, group=groups[label.key]) for label in photos], tmp_path / "out", models)

    split_of = {path.stem: path.parts[-3] for path in trained["folders"].own.glob("*/slip/*.jpg")}
    sources = {
        split: {path.stem for path in quality_photos.PhotoSource(trained["folders"], split, 1, SHARES)._own}
        for split in quality_photos.PHOTO_SPLITS
    }

    assert len({(groups[key], split) for key, split in split_of.items()}) == 10
    assert set(split_of.values()) == {"train", "calibrate", "test"}
    assert sources == {split: {key for key, own in split_of.items() if own == split} for split in sources}


def test_the_served_usability_model_is_kept(photos, models, trained, tmp_path):
    """The usability model is fitted to calibrated probabilities, which the new network has, too."""
    served = promoted_version("quality", models).folder
    UsabilityModel(shift=2.25).save(served)
    promote("quality", served, "1.0.1", models, day=date(2026, 1, 2))

    weights = retrain(photos, tmp_path / "out", models)

    assert UsabilityModel.load(weights).shift == 2.25
