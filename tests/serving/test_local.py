"""The application in this process, asked by several threads at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import anyio
import pytest

from docextract.pipeline.models import ExtractionTask, ModelFailedError
from docextract.registry import promote
from docextract.serving import local
from docextract.settings import Settings
from tests.cli import models as plain
from tests.http.conftest import jpeg

PATIENCE_S = 10.0


class Counting(plain.Extractor):
    """Notes the size of each batch; works while it is told to wait; cannot read "broken"."""

    def __init__(self):
        self.batches = []
        self.may_answer = threading.Event()
        self.working = threading.Event()

    def extract(self, pages, document_types):
        self.batches.append(len(pages))
        self.working.set()
        self.may_answer.wait(PATIENCE_S)
        if "broken" in document_types:
            raise ValueError
        if pages[0] is not None:
            return super().extract(pages, document_types)
        return [f"answer to {kind}" for kind in document_types]


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Promoted models, of which the extraction model counts; and that one."""
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "config.json").write_text("{}")
    for name, loader in (("quality", "Assessor"), ("extraction", "Extractor")):
        promote(
            name, tmp_path / "weights", "1.2.3", tmp_path / "models",
            day=date(2026, 1, 1), loader=f"{plain.__name__}:{loader}", document_types=["receipt"],
        )  # fmt: skip
    counting = Counting()
    monkeypatch.setattr(plain.Extractor, "load", classmethod(lambda cls, folder, device: counting))
    return tmp_path / "models", counting


def asked_while_busy(models, counting, kinds):
    """One question is being worked on; then these are asked, each by a thread of its own, and all may be answered."""

    def ask(kind):
        return anyio.run(models.extract, [ExtractionTask(None, kind)])

    with ThreadPoolExecutor(len(kinds) + 1) as pool:
        first = pool.submit(ask, "first")
        assert counting.working.wait(PATIENCE_S)
        others = [pool.submit(ask, kind) for kind in kinds]
        waiting = models._models["extraction"]._waiting
        while len(waiting) < len(kinds):
            pass
        counting.may_answer.set()
        return [first, *others]


def test_what_waits_is_answered_together(made):
    """Who asks while the model works shares the next batch, up to its size, and gets the answer to their own page."""
    folder, counting = made
    models = local.LocalModels(folder, batch=3)

    asked = asked_while_busy(models, counting, ["a", "b", "c", "d"])

    assert [one.result() for one in asked] == [[f"answer to {kind}"] for kind in ["first", "a", "b", "c", "d"]]
    assert counting.batches == [1, 3, 1]


def test_by_itself_every_question_is_a_batch(made):
    """Unless one says otherwise: then no answer depends on who else asked."""
    folder, counting = made
    models = local.LocalModels(folder)

    asked = asked_while_busy(models, counting, ["a", "b"])

    assert [one.result() for one in asked[1:]] == [["answer to a"], ["answer to b"]]
    assert counting.batches == [1, 1, 1]


def test_a_page_on_which_the_model_fails_spoils_no_other(made):
    """As in the service: only who sent it hears of it."""
    folder, counting = made
    models = local.LocalModels(folder, batch=3)

    _, good, broken, other = asked_while_busy(models, counting, ["a", "broken", "c"])

    assert [good.result(), other.result()] == [["answer to a"], ["answer to c"]]
    with pytest.raises(ModelFailedError):
        broken.result()


def test_nobody_is_turned_away_for_a_long_wait(made):
    """Eight at once for a model that takes its time: a service would rather say no."""
    folder, counting = made
    counting.may_answer.set()
    settings = Settings(max_wait_s=0.001)

    with local.client(local.LocalModels(folder), settings) as client:
        outcomes = list(client.extract_many([jpeg()] * 8, 8, document_type="receipt"))

    assert [one.error for one in outcomes] == [None] * 8
