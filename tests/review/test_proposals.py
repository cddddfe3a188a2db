"""What the models propose for the documents of a folder: when stored answers are used."""

import json
import threading
from dataclasses import dataclass, field, replace

import pytest

from docextract.review.folder import ReviewedFolder
from docextract.review.proposals import Proposals
from docextract.serving import local
from docextract.settings import Settings
from tests.review.conftest import ReviewModels


@dataclass
class CountingModels(ReviewModels):
    """Stub models. read: one entry for each call of the extraction model."""

    read: list[int] = field(default_factory=list)

    async def extract(self, tasks):
        self.read.append(len(tasks))
        return await super().extract(tasks)


def answer_all(photos, models, **settings):
    """Answer the folder in a run of its own; return the problems and uncertainties by name."""
    folder = ReviewedFolder(photos)
    try:
        with local.client(models, Settings(**settings)) as client:
            proposals = Proposals(folder, client, models, Settings(**settings))
            proposals.answer_all(threading.Event())
            return {
                one.name: (proposals.problem(key), proposals.uncertainty(key)) for key, one in folder.documents.items()
            }
    finally:
        folder.close()


def other_model(name):
    models = CountingModels()
    models.served[name] = replace(models.served[name], digest="sha256:another")
    return models


@pytest.mark.parametrize(
    ("models", "settings", "read"),
    [
        (CountingModels(), {}, 0),
        (other_model("quality"), {}, 2),
        (other_model("extraction"), {}, 2),
        (CountingModels(), {"target_error": 0.0001}, 2),
    ],
)
def test_stored_answers_are_used_while_nothing_changes_them(photos, models, settings, read):
    """Both models and the target error decide which values are doubtful."""
    answer_all(photos, CountingModels())

    answer_all(photos, models, **settings)

    assert len(models.read) == read


def test_answers_of_another_release_are_made_anew(photos, monkeypatch):
    """It may read the same file differently with the same models."""
    answer_all(photos, CountingModels())
    monkeypatch.setattr("docextract.review.proposals.installed_release", lambda: "another")
    models = CountingModels()

    answer_all(photos, models)

    assert len(models.read) == 2


@pytest.mark.parametrize("change", [lambda stored: stored["answer"].pop("images"), lambda stored: stored.pop("answer")])
def test_a_damaged_answer_is_made_anew(photos, change):
    """And the other documents are answered."""
    answer_all(photos, CountingModels())
    for file in (photos / ".review" / "answers").iterdir():
        stored = json.loads(file.read_text("utf-8"))
        change(stored)
        file.write_text(json.dumps(stored), "utf-8")
    models = CountingModels()

    answered = answer_all(photos, models)

    assert len(models.read) == 2
    assert all(problem is None and uncertainty for problem, uncertainty in answered.values())
