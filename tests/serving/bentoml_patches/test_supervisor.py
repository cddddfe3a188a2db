"""What BentoML's supervisor is told to do; that it does it is shown in tests/end_to_end."""

import os
import subprocess
import sys

SUPERVISOR = """
from circus.watcher import Watcher
from bentoml._internal.utils import circus
from docextract.serving.bentoml_patches.supervisor import patch_supervisor

patch_supervisor()
watcher = Watcher("w", "true", respawn=False)
supervisor = circus.create_standalone_arbiter(watchers=[watcher], threaded=False)
ways = [endpoint.partition(":")[0] for endpoint in (supervisor.endpoint, supervisor.ctrl.endpoint)]
print(watcher.respawn, supervisor.check_delay, *ways)
from bentoml.serving import ensure_prometheus_dir
print(ensure_prometheus_dir().startswith("/dev/shm/docextract-"))
supervisor._exclusive_running_command = "arbiter_reload"
print(supervisor.manage_watchers())
later = []
supervisor.loop = type("Loop", (), {"call_later": lambda self, delay_s, call, *given, **more: later.append(call)})()
print(supervisor.reload(graceful=True), supervisor.stop(), len(later))
"""


def run(monkeypatch, worker: bool):
    if worker:
        monkeypatch.setenv("BENTOML_RUNNER_MAP", "{}")
    done = subprocess.run([sys.executable, "-c", SUPERVISOR], capture_output=True, text=True, check=False)
    return done.stdout.splitlines(), done.stderr


def test_what_dies_is_started_again_also_where_bentoml_would_end(monkeypatch):
    """Soon; without a complaint while everything is loaded anew; no port takes orders; counts are kept in memory."""
    lines, _ = run(monkeypatch, worker=False)

    assert lines == ["True 2.0 inproc inproc", str(os.access("/dev/shm", os.W_OK)), "None", "None None 2"]


def test_other_processes_are_left_alone(monkeypatch):
    """A worker imports the same module."""
    lines, complaint = run(monkeypatch, worker=True)

    assert lines == ["False 10 tcp tcp", "False"]
    assert "ConflictError" in complaint
