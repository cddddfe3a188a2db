"""What came of each photo, kept so that it is found out once."""

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
from training.evaluation import trials
from training.evaluation.trials import Trial, Watched, collect, dump, load, required

TRIAL = Trial("1", "receipt", True, {"blurry": 0.5}, {"total": True, "tip": False}, {"total": 1.0, "tip": 0.5})


VERSIONS = {
    name: Version(name, "1", "tiny", "none:None", "sha256:0", date(2026, 1, 1), Path(), {"w": name})
    for name in ("quality", "extraction")
}


class Plain:
    """Both models in one: finds nothing, and counts how many pages it reads."""

    def __init__(self):
        self.read = 0

    def assess(self, glimpses):
        scores = {criterion.name: 0.9 for criterion in CRITERIA}
        return [Assessment(0.9, "receipt", 0.9, "front", None, 0, scores) for _ in glimpses]

    def extract(self, pages, types):
        self.read += len(pages)
        return [PagePrediction("receipt", 0.9, Conventions()) for _ in pages]


@pytest.fixture
def plain(monkeypatch):
    """Promoted in the place of both."""
    model = Plain()
    monkeypatch.setattr(local, "promoted", lambda name, models_dir: VERSIONS[name])
    monkeypatch.setattr(Version, "load", lambda version, device: model)
    return model


@pytest.fixture
def folder(tmp_path):
    """Two labelled photos."""
    with labelled_folder.Writer(tmp_path) as writer:
        for key in ("a", "b"):
            writer.add(key, np.full((400, 300, 3), 200, np.uint8), "receipt", {"total": "9.00", "tip": None})
    return tmp_path


def test_photos_are_tried_once(folder, plain):
    """The second time everything is known; a trial that was cut off while being written is done again."""
    first = collect(folder, Watched(folder))
    (cache,) = folder.glob("trials-*.jsonl")
    whole = cache.read_text()
    cache.write_text(whole[:-20])

    assert collect(folder, Watched(folder)) == first
    assert cache.read_text() == whole
    assert plain.read == 3
    assert [trial.key for trial in first] == ["a", "b"]
    assert first[0].right == {"total": False}
    assert not first[0].detected


def test_a_new_yardstick_needs_no_new_trials():
    """It is beside the weights, and changes nothing that the networks do; other weights do."""
    quality = VERSIONS["quality"]
    judged = replace(quality, files={**quality.files, "yardstick.json": "0"})
    retrained = replace(quality, files={"w": "other"})

    assert trials._short(judged) == trials._short(quality)
    assert trials._short(retrained) != trials._short(quality)


def test_trials_survive_the_disk(tmp_path):
    """What is read is what was written."""
    (tmp_path / "cache").write_text(dump(TRIAL) + dump(TRIAL)[:30])

    assert load(tmp_path / "cache") == [TRIAL]
    assert load(tmp_path / "none") == []
    assert json.loads(dump(TRIAL))["key"] == "1"


def test_only_required_fields_that_are_known_count():
    """A tip that is wrong spoils no receipt."""
    assert required(TRIAL) == ["total"]
