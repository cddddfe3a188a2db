"""A run on a local Ray: workers die, the whole run is killed, and in the end every file has its one row."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from docextract.bulk import running
from docextract.bulk.output import Output
from docextract.serving import local
from tests.cli.conftest import models_dir  # noqa: F401
from tests.http.conftest import jpeg

ROOT = Path(__file__).parents[2]
SCANS = 40
WITHIN_S = 240.0  # a busy machine takes ten times as long as an idle one


def test_every_file_is_in_one_group():
    """Groups are small enough that all workers end at about the same time, and no larger than one part may be."""
    names = [f"{number}.jpg" for number in range(1000)]

    groups = running.grouped(names, workers=4)

    assert [name for group in groups for name in group] == names
    assert len(groups) >= 4 * running.PARTS_A_WORKER
    assert max(map(len, running.grouped(names * 100, workers=4))) == running.MOST_FILES
    assert running.grouped(["a.jpg"], workers=4) == [["a.jpg"]]


@pytest.mark.parametrize(
    ("resources", "device", "workers", "expected"),
    [
        ({"CPU": 8.0}, "auto", None, (8, 1, 0, "cpu")),
        ({"CPU": 8.0}, "auto", 3, (3, 2, 0, "cpu")),
        ({"CPU": 8.0}, "cpu", 99, (8, 1, 0, "cpu")),
        ({"CPU": 8.0, "GPU": 2.0}, "auto", None, (2, 4, 1, "cuda")),
        ({"CPU": 8.0, "GPU": 2.0}, "cuda", 1, (1, 8, 1, "cuda")),
        ({"CPU": 8.0, "GPU": 2.0}, "cpu", None, (8, 1, 0, "cpu")),
    ],
)
def test_the_pool_is_as_large_as_the_machine(resources, device, workers, expected):
    """A worker for each GPU, which share the cores; where there is none, one for each core."""
    pool = running._pool(resources, device, workers)

    assert (pool.actors, pool.cpus, pool.gpus, pool.device) == expected


def test_a_gpu_that_is_not_there_is_said():
    """Nothing is done on a processor by surprise."""
    with pytest.raises(running.NoSuchDeviceError):
        running._pool({"CPU": 8.0}, "cuda", None)


@pytest.fixture
def scans(tmp_path):
    """Photos from dark to bright, and one that no library opens."""
    folder = tmp_path / "scans"
    folder.mkdir()
    for number in range(SCANS):
        (folder / f"{number:02}.jpg").write_bytes(jpeg(20 + 5 * number))
    (folder / "broken.jpg").write_bytes(jpeg()[:300])
    return folder


@pytest.fixture
def start(models_dir, scans, tmp_path):  # noqa: F811
    """Start the command on the plain models, in a process group of its own."""
    started = []

    def begin():
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "DOCEXTRACT_MODELS_DIR": str(models_dir),
            "HOME": str(tmp_path),  # Ray keeps its token there
            "RAY_TMPDIR": "/tmp",  # its sockets need a short name
        }
        command = [sys.executable, "-m", "docextract", "bulk", str(scans), str(tmp_path / "answers"), "--workers", "2"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def until(happened, process):
    deadline = time.monotonic() + WITHIN_S
    while not (found := happened()):
        assert time.monotonic() < deadline, "it did not come to that"
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    return found


def workers(process):
    """The actors' processes."""
    found = psutil.Process(process.pid).children(recursive=True)
    return [one for one in found if one.is_running() and "MapWorker" in "".join(one.cmdline())]


@pytest.mark.processes
def test_what_is_killed_goes_on_where_it_stopped(start, scans, models_dir, tmp_path):  # noqa: F811
    """A worker is killed amid its work, then the run itself, and its workers end with it. The same command again does
    the rest and nothing else; then every file has one row, with the very answer that the service gives."""
    answers = tmp_path / "answers"

    def parts():
        return list(answers.glob("part-*"))

    first = start()
    until(parts, first)
    until(lambda: workers(first), first)[0].kill()
    there = len(parts())
    until(lambda: len(parts()) >= there + 4, first)
    at_work = workers(first)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    finished = {path: path.stat().st_mtime_ns for path in parts()}
    _, alive = psutil.wait_procs(at_work, timeout=20)

    second = start()
    told, trouble = second.communicate(timeout=WITHIN_S)

    rows = list(Output(str(answers), "parquet").rows())
    assert alive == []
    assert len(finished) < len(parts()), "the first run was done before it was killed"
    assert {path: path.stat().st_mtime_ns for path in finished} == finished  # nothing was done again
    assert sorted(row["path"] for row in rows) == sorted(path.name for path in scans.iterdir())
    assert second.returncode == 3, trouble
    assert told.startswith(f"{SCANS + 1} files: ")
    with local.client(local.LocalModels(models_dir)) as client:
        for row in rows:
            if row["path"] == "broken.jpg":
                assert row["code"] == "image_undecodable"
            else:
                body = client.extract(scans / row["path"]).model_dump(mode="json", exclude_unset=True)
                assert json.dumps(row["documents"]) == json.dumps(body["documents"])
