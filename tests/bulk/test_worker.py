"""Tests of the bulk worker, with plain models in this process."""

import hashlib
import json
import os

import pytest
from PIL import Image

from docextract.bulk import worker as worker_module
from docextract.bulk.inputs import Inputs
from docextract.bulk.output import OutputFolder
from docextract.bulk.worker import BulkWorker, WorkerJob
from docextract.files import printable_name
from docextract.serving import local
from docextract.settings import Settings
from tests.cli.conftest import models_dir  # noqa: F401
from tests.http.conftest import jpeg


@pytest.fixture
def scans(tmp_path):
    """A good, a poor and a broken photo, and a PDF with two pages."""
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
    output = OutputFolder(str(tmp_path / "answers"), "jsonl")
    output.start({})
    return WorkerJob(Inputs(str(scans)), output, {}, models_dir, "cpu", Settings(), batch_size=2)


def group(names):
    return {"names": [json.dumps(names)]}


def rows(job):
    return {row["path"]: row for row in job.output.rows()}


def test_each_file_becomes_one_row(job, scans):
    """No file is missing, and a faulty file does not affect the others."""
    counts = BulkWorker(job)(group(["good.jpg", "poor.jpg", "broken.jpg", "two.pdf", "gone.jpg"]))

    rows_by_name = rows(job)
    assert counts == {"good": [1], "review": [2], "failed": [2]}
    assert (rows_by_name["good.jpg"]["status"], rows_by_name["good.jpg"]["accepted"]) == (200, True)
    assert (rows_by_name["poor.jpg"]["accepted"], rows_by_name["poor.jpg"]["needs_review"]) == (False, True)
    assert (rows_by_name["broken.jpg"]["status"], rows_by_name["broken.jpg"]["code"]) == (422, "image_undecodable")
    assert [document["images"] for document in rows_by_name["two.pdf"]["documents"]] == [[0, 1]]
    assert (rows_by_name["gone.jpg"]["code"], rows_by_name["gone.jpg"]["status"]) == ("unreadable", None)
    assert rows_by_name["good.jpg"]["sha256"] == hashlib.sha256((scans / "good.jpg").read_bytes()).hexdigest()
    assert rows_by_name["good.jpg"]["extraction_version"] == rows_by_name["good.jpg"]["quality_version"] == "1.2.3"


def test_row_equals_the_answer_of_the_service(job, scans):
    """The documents are equal to those of the service."""
    BulkWorker(job)(group(["good.jpg", "two.pdf"]))

    with local.client(local.LocalModels(job.models_dir)) as client:
        for name, row in rows(job).items():
            body = client.extract(scans / name).model_dump(mode="json", exclude_unset=True)
            assert row["documents"] == body["documents"]
            assert row["score"] == body["verdict"]["score"]


def test_options_are_applied(job, scans):
    """A photo that is refused keeps its verdict."""
    Image.new("L", (300, 400), 230).save(scans / "empty.pdf")
    job_with_options = WorkerJob(**{**vars(job), "options": {"validation": "enforce", "group": "file"}})
    BulkWorker(job_with_options)(group(["poor.jpg", "empty.pdf"]))

    rows_by_name = rows(job)
    assert rows_by_name["poor.jpg"]["code"] == "image_quality_insufficient"
    assert rows_by_name["poor.jpg"]["accepted"] is False
    assert rows_by_name["poor.jpg"]["score"] < 0.5
    assert rows_by_name["empty.pdf"]["code"] == "image_quality_insufficient"


def test_file_with_undecodable_name_is_processed(job, scans):
    """File systems allow any bytes in a name; the row escapes them."""
    os.rename(scans / "good.jpg", os.fsencode(scans) + b"/caf\xe9.jpg")
    (name,) = [name for name in job.inputs.names() if name.startswith("caf")]

    BulkWorker(job)(group([name]))

    assert rows(job)[printable_name(name)]["status"] == 200
    assert printable_name(name) == r"caf\xe9.jpg"


class WorkerCrash(BaseException):
    """Stands for the crash of a process: `except Exception` does not catch it."""


@pytest.fixture
def crashing_files(monkeypatch):
    """Names at which the worker crashes, and a record of all processed names."""
    names, read = set(), []
    process_file = BulkWorker._process_file

    def row(self, name):
        read.append(name)
        if name in names:
            raise WorkerCrash
        return process_file(self, name)

    monkeypatch.setattr(BulkWorker, "_process_file", row)
    return names, read


def expect_crash(worker, names):
    with pytest.raises(WorkerCrash):
        worker(group(names))


def test_file_that_crashes_the_worker_becomes_a_row(job, crashing_files):
    """The next actor finds the file that crashes, and processes all others."""
    crash_names, _ = crashing_files
    crash_names.add("poor.jpg")
    names = ["good.jpg", "poor.jpg", "two.pdf"]
    worker = BulkWorker(job)
    for _ in range(3):  # first the whole part; then twice file by file
        expect_crash(worker, names)

    assert worker(group(names)) == {"good": [1], "review": [1], "failed": [1]}
    rows_by_name = rows(job)
    assert rows_by_name["poor.jpg"]["code"] == "worker_died"
    assert rows_by_name["good.jpg"]["status"] == rows_by_name["two.pdf"]["status"] == 200
    assert not [path for path in os.listdir(job.output.url) if path.startswith(".")]


def test_one_crash_does_not_cost_a_file_its_answer(job, crashing_files):
    """One crash may have another cause, such as memory that another process used."""
    crash_names, _ = crashing_files
    crash_names.add("poor.jpg")
    worker = BulkWorker(job)
    for _ in range(2):
        expect_crash(worker, ["good.jpg", "poor.jpg"])
    crash_names.clear()

    worker(group(["good.jpg", "poor.jpg"]))

    assert rows(job)["poor.jpg"]["status"] == 200


def test_stuck_worker_ends_itself(job, monkeypatch):
    """A stall timer runs while a file is open."""
    timers_started = []
    monkeypatch.setattr(
        worker_module.faulthandler, "dump_traceback_later", lambda after_s, **how: timers_started.append(after_s)
    )
    timers_cancelled = []
    monkeypatch.setattr(
        worker_module.faulthandler, "cancel_dump_traceback_later", lambda: timers_cancelled.append(len(timers_started))
    )

    BulkWorker(job)(group(["good.jpg", "poor.jpg"]))

    assert timers_started == [worker_module.STALL_TIMEOUT_S] * 3  # at the start, and after each answer
    assert timers_cancelled == [3]
