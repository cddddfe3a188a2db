"""The service in one process, called by several threads at the same time."""

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

TIMEOUT_S = 10.0


class Counting(plain.Extractor):
    """Records the size of each batch; answers only when `may_answer` is set; fails on the type "broken"."""

    def __init__(self):
        self.batches = []
        self.may_answer = threading.Event()
        self.working = threading.Event()

    def extract(self, pages, document_types):
        self.batches.append(len(pages))
        self.working.set()
        self.may_answer.wait(TIMEOUT_S)
        if "broken" in document_types:
            raise ValueError
        if pages[0] is not None:
            return super().extract(pages, document_types)
        return [f"answer to {kind}" for kind in document_types]


@pytest.fixture
def promoted(tmp_path, monkeypatch):
    """The folder of promoted models, and their extraction model, which counts."""
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


def call_while_busy(models, counting, kinds):
    """Make one call; while the model works on it, make the others, each in its own thread; then let all be answered."""

    def ask(kind):
        return anyio.run(models.extract, [ExtractionTask(None, kind)])

    with ThreadPoolExecutor(len(kinds) + 1) as pool:
        first = pool.submit(ask, "first")
        assert counting.working.wait(TIMEOUT_S)
        others = [pool.submit(ask, kind) for kind in kinds]
        waiting = models._models["extraction"]._waiting
        while len(waiting) < len(kinds):
            pass
        counting.may_answer.set()
        return [first, *others]


def test_waiting_calls_are_answered_as_one_batch(promoted):
    """Calls that arrive while the model works share the next batch, up to its size; each gets its own answer."""
    folder, counting = promoted
    models = local.LocalModels(folder, batch=3)

    calls = call_while_busy(models, counting, ["a", "b", "c", "d"])

    assert [one.result() for one in calls] == [[f"answer to {kind}"] for kind in ["first", "a", "b", "c", "d"]]
    assert counting.batches == [1, 3, 1]


def test_by_default_each_call_is_its_own_batch(promoted):
    """Then no answer depends on other calls."""
    folder, counting = promoted
    models = local.LocalModels(folder)

    calls = call_while_busy(models, counting, ["a", "b"])

    assert [one.result() for one in calls[1:]] == [["answer to a"], ["answer to b"]]
    assert counting.batches == [1, 1, 1]


def test_failing_page_does_not_affect_other_calls(promoted):
    """As in the service, only its own call raises an error."""
    folder, counting = promoted
    models = local.LocalModels(folder, batch=3)

    _, good, broken, other = call_while_busy(models, counting, ["a", "broken", "c"])

    assert [good.result(), other.result()] == [["answer to a"], ["answer to c"]]
    with pytest.raises(ModelFailedError):
        broken.result()


def test_local_client_is_not_refused_for_a_long_wait(promoted):
    """Eight requests at the same time, where a service would answer 503."""
    folder, counting = promoted
    counting.may_answer.set()
    settings = Settings(max_wait_s=0.001)

    with local.client(local.LocalModels(folder), settings) as client:
        outcomes = list(client.extract_many([jpeg()] * 8, 8, document_type="receipt"))

    assert [one.error for one in outcomes] == [None] * 8
