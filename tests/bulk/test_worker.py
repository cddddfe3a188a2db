"""What becomes of a group of files, on plain models in this process."""

import hashlib
import json
import os

import pytest
from PIL import Image

from docextract.bulk import answering
from docextract.bulk.worker import Answering, Job, shown
from docextract.bulk.inputs import Inputs
from docextract.bulk.output import Output
from docextract.serving import local
from docextract.settings import Settings
from tests.cli.conftest import models_dir  # noqa: F401
from tests.http.conftest import jpeg


@pytest.fixture
def scans(tmp_path):
    """One of each kind that people have."""
    folder = tmp_path / "scans"
    folder.mkdir()
    (folder / "good.jpg").write_bytes(jpeg(230))
    (folder / "poor.jpg").write_bytes(jpeg(40))
    (folder / "broken.jpg").write_bytes(jpeg()[:300])
    pages = [Image.new("L", (300, 400), grey) for grey in (230, 40)]
    pages[0].save(folder / "two.pdf", save_all=True, append_images=pages[1:])
    return folder


@pytest.fixture
def job(models_dir, scans, tmp_path):  # noqa: F811
    output = Output(str(tmp_path / "answers"), "jsonl")
    output.begin({})
    return Job(Inputs(str(scans)), output, {}, models_dir, "cpu", Settings(), batch=2)


def group(names):
    return {"names": [json.dumps(names)]}


def rows(job):
    return {row["path"]: row for row in job.output.rows()}


def test_each_file_becomes_its_row(job, scans):
    """Good, poor, broken, of several pages, or gone meanwhile: none is missing, none ends the others."""
    told = Answering(job)(group(["good.jpg", "poor.jpg", "broken.jpg", "two.pdf", "gone.jpg"]))

    found = rows(job)
    assert told == {"good": [1], "review": [2], "failed": [2]}
    assert (found["good.jpg"]["status"], found["good.jpg"]["accepted"]) == (200, True)
    assert (found["poor.jpg"]["accepted"], found["poor.jpg"]["needs_review"]) == (False, True)
    assert (found["broken.jpg"]["status"], found["broken.jpg"]["code"]) == (422, "image_undecodable")
    assert [document["images"] for document in found["two.pdf"]["documents"]] == [[0], [1]]
    assert (found["gone.jpg"]["code"], found["gone.jpg"]["status"]) == ("unreadable", None)
    assert found["good.jpg"]["sha256"] == hashlib.sha256((scans / "good.jpg").read_bytes()).hexdigest()
    assert found["good.jpg"]["extraction_version"] == found["good.jpg"]["quality_version"] == "1.2.3"


def test_a_row_has_the_service_s_own_answer(job, scans):
    """The same application answers: documents are equal to the last figure."""
    Answering(job)(group(["good.jpg", "two.pdf"]))

    with local.client(local.LocalModels(job.models_dir)) as client:
        for name, row in rows(job).items():
            body = client.extract(scans / name).model_dump(mode="json", exclude_unset=True)
            assert row["documents"] == body["documents"]
            assert row["score"] == body["validation"]["score"]


def test_what_was_asked_for_is_done(job):
    """Options are the service's; a photo that is refused keeps its verdict."""
    strict = Job(**{**vars(job), "options": {"validation": "enforce", "group": "single"}})
    Answering(strict)(group(["poor.jpg", "two.pdf"]))

    found = rows(job)
    assert found["poor.jpg"]["code"] == "image_quality_insufficient"
    assert found["poor.jpg"]["accepted"] is False
    assert found["poor.jpg"]["score"] < 0.5
    assert found["two.pdf"]["code"] == "image_quality_insufficient"


def test_a_file_whose_name_is_no_text_is_answered(job, scans):
    """Disks allow any bytes in a name; the row has them written out."""
    os.rename(scans / "good.jpg", os.fsencode(scans) + b"/caf\xe9.jpg")
    (name,) = [name for name in job.inputs.names() if name.startswith("caf")]

    Answering(job)(group([name]))

    assert rows(job)[shown(name)]["status"] == 200
    assert shown(name) == r"caf\xe9.jpg"


class Died(BaseException):
    """Stands for the end of a process: no `except Exception` sees it."""


@pytest.fixture
def deadly(monkeypatch):
    """Names at which a worker dies; every file that is read is noted."""
    names, read = set(), []
    true_row = Answering._row

    def row(self, name):
        read.append(name)
        if name in names:
            raise Died
        return true_row(self, name)

    monkeypatch.setattr(Answering, "_row", row)
    return names, read


def die_at(worker, names):
    with pytest.raises(Died):
        worker(group(names))


def test_a_file_that_kills_the_worker_becomes_a_row(job, deadly):
    """Whoever takes over finds out which it was, and answers all others."""
    killers, _ = deadly
    killers.add("poor.jpg")
    names = ["good.jpg", "poor.jpg", "two.pdf"]
    worker = Answering(job)
    for _ in range(3):  # all at once; then twice one by one
        die_at(worker, names)

    assert worker(group(names)) == {"good": [1], "review": [1], "failed": [1]}
    found = rows(job)
    assert found["poor.jpg"]["code"] == "worker_died"
    assert found["good.jpg"]["status"] == found["two.pdf"]["status"] == 200
    assert not [path for path in os.listdir(job.output.url) if path.startswith(".")]


def test_a_worker_killed_from_outside_costs_no_file_its_answer(job, deadly):
    """One death at a file is chance: a machine that was taken away, memory that another used."""
    killers, _ = deadly
    killers.add("poor.jpg")
    worker = Answering(job)
    for _ in range(2):
        die_at(worker, ["good.jpg", "poor.jpg"])
    killers.clear()

    worker(group(["good.jpg", "poor.jpg"]))

    assert rows(job)["poor.jpg"]["status"] == 200


def test_a_worker_that_is_stuck_ends_itself(job, monkeypatch):
    """A library that loops for ever on a file holds up nothing for ever: the clock runs while a file is open."""
    armed = []
    monkeypatch.setattr(answering.faulthandler, "dump_traceback_later", lambda after_s, **how: armed.append(after_s))
    disarmed = []
    monkeypatch.setattr(answering.faulthandler, "cancel_dump_traceback_later", lambda: disarmed.append(len(armed)))

    Answering(job)(group(["good.jpg", "poor.jpg"]))

    assert armed == [answering.STUCK_S] * 3  # at the start, and after each answer
    assert disarmed == [3]
