"""Tests of a run on a local Ray: workers and the run are killed, and finally every file has exactly one row."""

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
from docextract.bulk.output import OutputFolder
from docextract.serving import local
from tests.cli.conftest import models_dir  # noqa: F401
from tests.http.conftest import jpeg
from tests.processes import children_where

ROOT = Path(__file__).parents[2]
SCAN_COUNT = 40
TIMEOUT_S = 240.0  # a busy machine needs ten times as long as an idle one


def test_every_file_is_in_one_part():
    """Parts are small enough that all workers end at about the same time, and not above the maximum."""
    names = [f"{number}.jpg" for number in range(1000)]

    parts = running.split_into_parts(names, workers=4)

    assert [name for group in parts for name in group] == names
    assert len(parts) >= 4 * running.MIN_PARTS_PER_WORKER
    assert max(map(len, running.split_into_parts(names * 100, workers=4))) == running.MAX_FILES_PER_PART
    assert running.split_into_parts(["a.jpg"], workers=4) == [["a.jpg"]]


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
def test_pool_uses_the_whole_machine(resources, device, workers, expected):
    """One worker for each GPU, with an equal share of the cores; without GPUs one worker for each core."""
    pool = running._size_pool(resources, device, workers)

    assert (pool.actors, pool.cpus, pool.gpus, pool.device) == expected


def test_missing_gpu_raises():
    """The run does not silently fall back to the CPU."""
    with pytest.raises(running.GpuNotFoundError):
        running._size_pool({"CPU": 8.0}, "cuda", None)


@pytest.fixture
def scans(tmp_path):
    """Photos from dark to bright, and one broken file."""
    folder = tmp_path / "scans"
    folder.mkdir()
    for number in range(SCAN_COUNT):
        (folder / f"{number:02}.jpg").write_bytes(jpeg(20 + 5 * number))
    (folder / "broken.jpg").write_bytes(jpeg()[:300])
    return folder


@pytest.fixture
def start_bulk(models_dir, scans, tmp_path):  # noqa: F811
    """Start the command with the plain models, in a process group of its own."""
    processes = []

    def start_process():
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "DOCEXTRACT_MODELS_DIR": str(models_dir),
            "HOME": str(tmp_path),  # Ray stores its token there
            "RAY_TMPDIR": "/tmp",  # the paths of its sockets must be short
        }
        command = [sys.executable, "-m", "docextract", "bulk", str(scans), str(tmp_path / "answers"), "--workers", "2"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes.append(process)
        return process

    yield start_process
    for process in processes:
        process.kill()
        process.communicate()


def wait_until(condition, process):
    deadline = time.monotonic() + TIMEOUT_S
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come to that"
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    return found


def workers(process):
    """Processes of the actors."""
    return children_where(lambda command: "MapWorker" in "".join(command), process.pid)


@pytest.mark.processes
@pytest.mark.slow
def test_killed_run_resumes_where_it_stopped(start_bulk, scans, models_dir, tmp_path):  # noqa: F811
    """First a worker is killed during its work, then the run itself, and its workers end with it.

    The same command processes only the remaining files. Finally every file has one row, with the same answer as from
    the service.
    """
    answers = tmp_path / "answers"

    def parts():
        return list(answers.glob("part-*"))

    first = start_bulk()
    wait_until(parts, first)
    wait_until(lambda: workers(first), first)[0].kill()
    parts_before = len(parts())
    wait_until(lambda: len(parts()) >= parts_before + 4, first)
    actors = workers(first)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    first_parts = {path: path.stat().st_mtime_ns for path in parts()}
    _, alive = psutil.wait_procs(actors, timeout=20)

    second = start_bulk()
    stdout, stderr = second.communicate(timeout=TIMEOUT_S)

    rows = list(OutputFolder(str(answers), "parquet").rows())
    assert alive == []
    assert len(first_parts) < len(parts()), "the first run was done before it was killed"
    assert {path: path.stat().st_mtime_ns for path in first_parts} == first_parts  # no part was written again
    assert sorted(row["path"] for row in rows) == sorted(path.name for path in scans.iterdir())
    assert second.returncode == 3, stderr
    assert stdout.startswith(f"{SCAN_COUNT + 1} files: ")
    with local.client(local.LocalModels(models_dir)) as client:
        for row in rows:
            if row["path"] == "broken.jpg":
                assert row["code"] == "image_undecodable"
            else:
                body = client.extract(scans / row["path"]).model_dump(mode="json", exclude_unset=True)
                assert json.dumps(row["documents"]) == json.dumps(body["documents"])
