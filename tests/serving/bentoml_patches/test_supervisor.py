"""The configuration of BentoML's supervisor; tests/end_to_end tests its behaviour."""

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
transports = [endpoint.partition(":")[0] for endpoint in (supervisor.endpoint, supervisor.ctrl.endpoint)]
print(watcher.respawn, supervisor.check_delay, *transports)
from bentoml.serving import ensure_prometheus_dir
print(ensure_prometheus_dir().startswith("/dev/shm/docextract-"))
supervisor._exclusive_running_command = "arbiter_reload"
print(supervisor.manage_watchers())
later = []
supervisor.loop = type("Loop", (), {"call_later": lambda self, delay_s, call, *given, **more: later.append(call)})()
print(supervisor.reload(graceful=True), supervisor.stop(), len(later))
"""


VARIABLES = """
import os
from circus.watcher import Watcher
from bentoml._internal.utils import circus
from docextract.serving.bentoml_patches.supervisor import patch_supervisor

versions = iter("12")
patch_supervisor(lambda: {"VERSIONS": next(versions)})
watchers = [Watcher("with", "true", env={"GPU": "0"}), Watcher("without", "true")]
supervisor = circus.create_standalone_arbiter(watchers=watchers, threaded=False)
print(*(watcher.env for watcher in watchers))
supervisor.prereload_fn(supervisor)
print(*(watcher.env for watcher in watchers))
"""


def run(monkeypatch, worker: bool):
    if worker:
        monkeypatch.setenv("BENTOML_RUNNER_MAP", "{}")
    done = subprocess.run([sys.executable, "-c", SUPERVISOR], capture_output=True, text=True, check=False)
    return done.stdout.splitlines(), done.stderr


def test_supervisor_is_patched(monkeypatch):
    """Restarts within 2 s, no error during a reload, no command port, metrics in memory, signals are not lost."""
    lines, _ = run(monkeypatch, worker=False)

    assert lines == ["True 2.0 inproc inproc", str(os.access("/dev/shm", os.W_OK)), "None", "None None 2"]


def test_worker_processes_are_not_patched(monkeypatch):
    """Workers import the same module."""
    lines, stderr = run(monkeypatch, worker=True)

    assert lines == ["False 10 tcp tcp", "False"]
    assert "ConflictError" in stderr


def test_variables_of_processes_change_only_with_a_reload():
    """A process that is restarted meanwhile has those of its run, and those of its own stay."""
    done = subprocess.run([sys.executable, "-c", VARIABLES], capture_output=True, text=True, check=False)

    assert done.stdout.splitlines() == [
        "{'GPU': '0', 'VERSIONS': '1'} {'VERSIONS': '1'}",
        "{'GPU': '0', 'VERSIONS': '2'} {'VERSIONS': '2'}",
    ], done.stderr
