"""The quality network goes on from the served one with a user's pages; training itself has tests of its own."""

from datetime import date

import numpy as np
import pytest
import torch

from docextract.imaging import Glimpse
from docextract.quality.assessor import Assessor, save
from docextract.quality.network import QualityNetwork, Shape
from docextract.registry import promote
from training import quality, retrain_quality
from training.datasets import LabelledPage, UnusableDataError, pictures
from training.quality_lessons import LOCAL, NAMES
from training.retrain import CONFIGS, progress_bar

SERVED = Shape(NAMES, ("receipt", "other"), ("front",), (8, 8, 8, 8), (8, 8, 8), 16, tuple(LOCAL))


@pytest.fixture
def models(tmp_path):
    """A ledger that serves a tiny quality network of random weights."""
    torch.manual_seed(0)
    save(tmp_path / "served", QualityNetwork(SERVED), {})
    promote("quality", tmp_path / "served", "1.0.0", tmp_path / "models", day=date(2026, 1, 1))
    return tmp_path / "models"


@pytest.fixture
def photos(tmp_path, monkeypatch):
    """Twelve photos of a slip on a table, and an assessor that knows where it lies."""
    labels = []
    for number in range(12):
        photo = np.full((160, 120, 3), 40, np.uint8)
        photo[40:120, 30:90] = 200 + number
        pictures.save(photo, tmp_path / f"{number:02}.jpg")
        labels.append(LabelledPage(tmp_path / f"{number:02}.jpg", "slip", {}, key=f"{number:02}"))
    look = Assessor.assess

    def assess(self, glimpses: list[Glimpse]):
        seen = look(self, glimpses)
        for one in seen:
            object.__setattr__(one, "detected", 0.9)
            object.__setattr__(one, "polygon", np.array([[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]]))
        return seen

    monkeypatch.setattr(Assessor, "assess", assess)
    return labels


@pytest.fixture
def trained(monkeypatch):
    """What would have been trained, instead of training it."""
    asked = {}

    def note(run, settings, folders, out, progress):
        asked.update(run=run, settings=settings, folders=folders)

    monkeypatch.setattr(quality, "train_with_makers", note)
    return asked


def retrain(labels, out, models):
    settings = quality.Settings.read(CONFIGS["quality"])
    return retrain_quality.retrain_quality(labels, out, models, settings, progress_bar())


def test_it_begins_with_what_is_served_and_knows_the_new_type(photos, models, trained, tmp_path):
    """Every weight that both have is the served one's."""
    retrain(photos, tmp_path / "out", models)

    network, settings = trained["run"].network, trained["settings"]
    torch.manual_seed(0)
    served = QualityNetwork(SERVED)
    assert settings.types == ("receipt", "other", "slip")
    assert torch.allclose(network.types.weight[:2], served.types.weight, atol=1e-2)
    assert torch.allclose(network.criteria.weight, served.criteria.weight, atol=1e-2)
    assert settings.photos.shares.passport == 0  # never taught, so not suddenly among the photos
    assert settings.photos.shares.receipt > 0


def test_pages_are_cut_out_of_the_photos(photos, models, trained, tmp_path):
    """The paper alone: the camera lays it onto other tables."""
    retrain(photos, tmp_path / "out", models)

    cut = sorted((trained["folders"].own / "slip").glob("*.jpg"))
    page = pictures.load(cut[0])
    assert len(cut) == 12
    assert page[5:-5, 5:-5].min() > 150


def test_too_few_documents_are_refused(photos, models, trained, tmp_path):
    """With how many there were."""
    with pytest.raises(UnusableDataError, match="3 of 3"):
        retrain(photos[:3], tmp_path / "out", models)
