import os
import subprocess
import sys

import pytest

from docextract.observability import metrics


def test_what_a_killed_process_said_of_its_present_is_forgotten(tmp_path, monkeypatch):
    """Its counts stay: they have happened. Those of the living stay altogether."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in (f"gauge_livesum_{ended.pid}.db", f"counter_{ended.pid}.db", f"gauge_livesum_{os.getpid()}.db"):
        (tmp_path / name).touch()
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))

    metrics.remove_gauges_of_dead_processes()

    assert {file.name for file in tmp_path.iterdir()} == {
        f"counter_{ended.pid}.db", f"gauge_livesum_{os.getpid()}.db",
    }  # fmt: skip


def test_without_a_folder_there_is_nobody_to_forget(monkeypatch):
    """As under a test client."""
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR", raising=False)

    metrics.remove_gauges_of_dead_processes()


@pytest.mark.parametrize("made", [metrics.front, lambda: metrics.runner("quality")])
def test_metrics_are_registered_once_in_a_process(made):
    """However often they are asked for: Prometheus' client takes no name twice."""
    assert made() is made()
