import os
import subprocess
import sys

import pytest

from docextract.observability import metrics


def test_live_gauges_of_a_killed_process_are_removed(tmp_path, monkeypatch):
    """Its counters stay, because what they counted has happened. Files of running processes stay, too."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in (f"gauge_livesum_{ended.pid}.db", f"counter_{ended.pid}.db", f"gauge_livesum_{os.getpid()}.db"):
        (tmp_path / name).touch()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))

    metrics.remove_gauges_of_dead_processes()

    assert {file.name for file in tmp_path.iterdir()} == {
        f"counter_{ended.pid}.db", f"gauge_livesum_{os.getpid()}.db",
    }  # fmt: skip


def test_without_a_metrics_folder_no_file_is_touched(tmp_path, monkeypatch):
    """As under a test client: files in the working directory that look like gauges belong to somebody else."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gauge = tmp_path / f"gauge_livesum_{ended.pid}.db"
    gauge.touch()
    marked = []
    monkeypatch.setattr(metrics.multiprocess, "mark_process_dead", lambda *arguments: marked.append(arguments))
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)
    monkeypatch.chdir(tmp_path)

    metrics.remove_gauges_of_dead_processes()

    assert marked == []
    assert gauge.exists()


@pytest.mark.parametrize("get_metrics", [metrics.front, lambda: metrics.runner("quality")])
def test_metrics_are_registered_once_in_a_process(get_metrics):
    """However often they are requested: the Prometheus client refuses a name that exists."""
    assert get_metrics() is get_metrics()
