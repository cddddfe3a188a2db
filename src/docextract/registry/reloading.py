"""Reloading of the promoted versions by a running service: SIGHUP to `bentoml serve`, after a check of the files.

On SIGHUP, BentoML starts new workers on the same sockets. The old workers finish their requests, so no request is lost;
but they end before the new workers are known to work, so the files are verified first. BentoML ignores a SIGHUP while
it is still handling another one, so the sender waits until the old workers have ended, and repeats the signal.
"""

import signal
import time
from itertools import pairwise
from pathlib import Path

import psutil

from docextract.registry.ledger import LEDGER_FILE, promoted_version
from docextract.registry.version import RegistryError
from docextract.settings import models_folder_of

RESEND_AFTER_S = 20.0  # longer than a worker needs to end; one signal too many only starts the workers once more
RESTART_TIMEOUT_S = 150.0  # includes the time for requests that are being answered


def reload_services(models_dir: Path, pid: int | None = None) -> list[int]:
    """Restart the workers of the services that serve from this folder, or of `pid`; return their process ids.

    Raises RegistryError before any signal if files of a promoted version are damaged, or no service is found; and
    afterwards if old workers still run after RESTART_TIMEOUT_S.
    """
    for ledger in sorted(models_dir.glob(f"*/{LEDGER_FILE}")):
        promoted_version(ledger.parent.name, models_dir).verified()
    pids = [pid] if pid is not None else find_services(models_dir)
    if not pids:
        raise RegistryError(
            f"no running `bentoml serve` serves from {models_dir.resolve()}; name its process with --pid"
        )
    for one in pids:
        try:
            restart_workers(psutil.Process(one))
        except psutil.Error as error:
            raise RegistryError(f"process {one} could not be reloaded: {error}") from None
    return pids


def restart_workers(service: psutil.Process) -> None:
    """Send SIGHUP until all old workers have ended. Raises RegistryError after RESTART_TIMEOUT_S."""
    deadline = time.monotonic() + RESTART_TIMEOUT_S
    old = service.children()
    while True:
        service.send_signal(signal.SIGHUP)
        _, old = psutil.wait_procs(old, timeout=RESEND_AFTER_S)
        if not old:
            return
        if time.monotonic() > deadline:
            remaining = ", ".join(str(worker.pid) for worker in old)
            raise RegistryError(f"process {service.pid} still has old workers: {remaining}; see its log")


def find_services(models_dir: Path) -> list[int]:
    """Return the ids of the readable `bentoml serve` processes that use this models folder."""
    return [process.pid for process in psutil.process_iter() if _models_dir_of(process) == models_dir.resolve()]


def _models_dir_of(process: psutil.Process) -> Path | None:
    try:
        command = process.cmdline()
        if not any(Path(word).name == "bentoml" and after == "serve" for word, after in pairwise(command)):
            return None
        return models_folder_of(process.environ(), Path(process.cwd())).resolve()
    except (psutil.Error, OSError, ValueError):
        return None
