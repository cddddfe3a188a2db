"""Tests of comparing two quality models on the same photos."""

import dataclasses
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import torch

from docextract.quality.assessor import save_weights
from docextract.quality.network import QualityNetwork
from docextract.registry import candidate_version, gate
from tests.quality.conftest import TINY
from tests.training.evaluation.test_usability import photos
from tests.training.tasks.quality.test_train import FINE, sample
from training.datasets import LabelledPage, pictures
from training.evaluation import compare_quality
from training.evaluation.bootstrap import ANY_GAIN
from training.evaluation.compare_quality import Folders, compare_quality_models
from training.tasks.quality import photos as quality_photos

SHARD_PHOTOS = 24  # fewer than in training


def version(folder, seed):
    """A tiny network with random weights."""
    torch.manual_seed(seed)
    save_weights(folder, QualityNetwork(TINY), {})
    return candidate_version("quality", folder, str(seed), day=date(2026, 1, 31))


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Synthetic photos; every third is labelled as blurred."""
    monkeypatch.setattr(quality_photos, "SHARD_PHOTOS", SHARD_PHOTOS)
    rng, blurred = np.random.default_rng(0), dataclasses.replace(FINE, blur_sigma_px=30.0)
    made = tmp_path / "photos"
    made.mkdir()
    photos = [sample(rng) for _ in range(SHARD_PHOTOS)]
    photos = [dataclasses.replace(one, conditions=blurred) if n % 3 == 0 else one for n, one in enumerate(photos)]
    quality_photos._write(made, "test", 0, photos)
    return Folders(made=made)


@pytest.fixture
def mine(tmp_path):
    """Six photos of a user, two of them tagged as dark."""
    rng, pages = np.random.default_rng(1), []
    for number in range(6):
        image = tmp_path / f"{number}.jpg"
        pictures.save(sample(rng).photo, image)
        pages.append(LabelledPage(image, "receipt", {}, ("dark",) if number < 2 else ()))
    return pages


def test_two_models_are_compared_by_criterion_and_as_a_whole(tmp_path, folders, mine):
    """On synthetic photos by every criterion that some fail; on a user's photos by the criteria that tags name."""
    scores = compare_quality_models(version(tmp_path / "a", 1), version(tmp_path / "b", 2), {"mine": mine}, folders)

    rows = scores[gate.COMPARISON]
    for row in ("synthetic.criteria.blurry.auroc", "synthetic.overall.auroc",
    "synthetic.corners_of_fine_photos.mean_iou",
                "synthetic.accepted.normal.of_fine_photos", "mine.accepted", "mine.criteria.dark.auroc"):  # fmt: skip
        one = rows[row]
        assert one["low"] <= one["gain"] <= one["high"], row
    assert rows["synthetic.criteria.blurry.auroc"]["candidate"] == scores["synthetic"]["criteria"]["blurry"]["auroc"]
    assert rows["synthetic.overall.auroc"]["candidate"] == scores["synthetic"]["overall"]["auroc"]
    assert rows["synthetic.criteria.blurry.auroc"]["gain"] != 0
    assert "mine.criteria.blurry.auroc" not in rows


def test_photos_of_one_original_are_drawn_together(tmp_path, mine):
    """Six photos of two slips are not enough to tell which model is better."""
    models = version(tmp_path / "a", 1), version(tmp_path / "b", 2)
    twins = [dataclasses.replace(page, group=str(number % 2)) for number, page in enumerate(mine)]

    rows = compare_quality_models(*models, {"alone": mine, "twins": twins}, Folders())[gate.COMPARISON]

    alone, together = (rows[f"{name}.criteria.dark.auroc"] for name in ("alone", "twins"))
    assert alone["gain"] == together["gain"]
    assert (together["low"], together["high"]) == ANY_GAIN != (alone["low"], alone["high"])


def test_a_model_loses_nothing_to_itself(tmp_path, mine):
    """Equal results have an interval of width 0, however small the set."""
    same = version(tmp_path / "a", 1)

    rows = compare_quality_models(same, same, {"mine": mine}, Folders())[gate.COMPARISON]

    assert {(one["gain"], one["low"], one["high"]) for one in rows.values()} == {(0.0, 0.0, 0.0)}


def test_usability_is_compared_on_photos_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Of two networks with the same criteria, the one whose map knows the lost field wins."""
    known = photos(60)
    blind = [dataclasses.replace(photo, fields=(0.9, 0.9)) for photo in known]
    by_weights = {tmp_path / "a": known, tmp_path / "b": blind}
    monkeypatch.setattr(compare_quality, "read_photos", lambda root, models, weights: by_weights[weights])
    monkeypatch.setattr(compare_quality, "RecordingModels", lambda models: None)

    scores = compare_quality_models(
        version(tmp_path / "a", 1), version(tmp_path / "b", 1), {}, Folders(usability=tmp_path)
    )

    rows = scores[gate.COMPARISON]
    assert scores["usability"]["auroc"] == rows["usability.auroc"]["candidate"] > 0.99
    assert rows["usability.auroc"]["low"] > 0
    assert rows["usability.spoilt_stopped"]["candidate"] == scores["usability"]["spoilt_stopped"] == 1.0
    assert rows["usability.usable_passed"]["gain"] > 0
