"""Tests of the outcomes of photos and their cache."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.predictions import Assessment, PagePrediction
from docextract.quality.criteria import CRITERIA
from docextract.registry import Version
from docextract.serving import local
from training.datasets import labelled_folder
from training.evaluation import photo_outcomes
from training.evaluation.photo_outcomes import (
    PhotoOutcome,
    RecordingModels,
    collect_outcomes,
    dump_outcomes,
    load,
    required_fields,
)

OUTCOME = PhotoOutcome(
    "1",
    "receipt",
    True,
    {"blurry": 0.5},
    {"total": True, "tip": False},
    0.9,
)


VERSIONS = {
    name: Version(name, "1", "tiny", "none:None", "sha256:0", date(2026, 1, 1), Path(), {"w": name})
    for name in ("quality", "extraction")
}


class EmptyModel:
    """Both models in one: it finds nothing, and counts the pages that it reads."""

    def __init__(self):
        self.pages_read = 0

    def assess(self, glimpses):
        scores = {criterion.name: 0.9 for criterion in CRITERIA}
        return [Assessment(0.9, "receipt", 0.9, "front", None, 0, scores) for _ in glimpses]

    def extract(self, pages, types):
        self.pages_read += len(pages)
        return [PagePrediction("receipt", 0.9, Conventions()) for _ in pages]


@pytest.fixture
def model(monkeypatch):
    """A model that is promoted as both models."""
    model = EmptyModel()
    monkeypatch.setattr(local, "promoted_version", lambda name, models_dir: VERSIONS[name])
    monkeypatch.setattr(Version, "load", lambda version, device: model)
    return model


@pytest.fixture
def folder(tmp_path):
    """A labelled folder with two photos."""
    with labelled_folder.LabelledFolderWriter(tmp_path) as writer:
        for key in ("a", "b"):
            writer.add(key, np.full((400, 300, 3), 200, np.uint8), "receipt", {"total": "9.00", "tip": None})
    return tmp_path


def test_photos_are_measured_once(folder, model):
    """The second call uses the cache; an outcome whose line was cut off is computed again."""
    first = collect_outcomes(folder, RecordingModels(folder))
    (cache,) = folder.glob("outcomes-*.jsonl")
    whole = cache.read_text()
    cache.write_text(whole[:-20])

    assert collect_outcomes(folder, RecordingModels(folder)) == first
    assert cache.read_text() == whole
    assert model.pages_read == 3
    assert [outcome.key for outcome in first] == ["a", "b"]
    assert first[0].right == {"total": False}
    assert first[0].sure == 0.0
    assert not first[0].detected


def test_a_new_usability_model_needs_no_new_outcomes():
    """The usability model is not part of the network; other weights are."""
    quality = VERSIONS["quality"]
    judged = replace(quality, files={**quality.files, "yardstick.json": "0"})
    retrained = replace(quality, files={"w": "other"})

    assert photo_outcomes._network_digest(judged) == photo_outcomes._network_digest(quality)
    assert photo_outcomes._network_digest(retrained) != photo_outcomes._network_digest(quality)


def test_outcomes_survive_dump_and_load(tmp_path):
    """What is loaded is what was dumped."""
    (tmp_path / "cache").write_text(dump_outcomes(OUTCOME) + dump_outcomes(OUTCOME)[:30])

    assert load(tmp_path / "cache") == [OUTCOME]
    assert load(tmp_path / "none") == []
    assert json.loads(dump_outcomes(OUTCOME))["key"] == "1"


def test_only_required_fields_that_are_known_count():
    """An optional field does not count."""
    assert required_fields(OUTCOME) == ["total"]
