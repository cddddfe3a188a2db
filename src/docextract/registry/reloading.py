"""Tell a running service to take on what is promoted: SIGHUP to `bentoml serve`, after looking whether it can.

BentoML answers it by starting every worker anew on the same sockets. The old workers end what they are doing and no
request is lost; but they are gone before the new ones are known to work, so the look comes first. And it drops a
SIGHUP without a word while it is still answering another: whoever sends one stays to see the old workers go.
"""

import signal
import time
from itertools import pairwise
from pathlib import Path

import psutil

from docextract.registry.ledger import LEDGER_FILE, promoted_version
from docextract.registry.version import RegistryError

RESEND_AFTER_S = 20.0  # longer than a worker takes to leave; asked once too often, a service only starts them once more
RESTART_TIMEOUT_S = 150.0  # requests that are being answered, and what they may take, included
_MODELS_DIR = "DOCEXTRACT_MODELS_DIR"  # as docextract.settings names it


def reload_services(models_dir: Path, pid: int | None = None) -> list[int]:
    """Have the services that serve from this folder, or `pid`, start their workers anew; which they were.

    Raises RegistryError, and sends nothing, where a promoted version is not whole, or no service is found; and where
    old workers are still there after GONE_WITHIN_S.
    """
    for ledger in sorted(models_dir.glob(f"*/{LEDGER_FILE}")):
        promoted_version(ledger.parent.name, models_dir).verified()
    found = [pid] if pid is not None else find_services(models_dir)
    if not found:
        raise RegistryError(
            f"no running `bentoml serve` serves from {models_dir.resolve()}; say which process it is with --pid"
        )
    for one in found:
        try:
            restart_workers(psutil.Process(one))
        except psutil.Error as error:
            raise RegistryError(f"process {one} was not told to reload: {error}") from None
    return found


def restart_workers(service: psutil.Process) -> None:
    """SIGHUP, until none of the workers of before is left."""
    deadline = time.monotonic() + RESTART_TIMEOUT_S
    old = service.children()
    while True:
        service.send_signal(signal.SIGHUP)
        _, old = psutil.wait_procs(old, timeout=RESEND_AFTER_S)
        if not old:
            return
        if time.monotonic() > deadline:
            left = ", ".join(str(worker.pid) for worker in old)
            raise RegistryError(f"process {service.pid} still has workers of before: {left}; its log may say why")


def find_services(models_dir: Path) -> list[int]:
    """The `bentoml serve` processes, of those we may look into, whose models folder this is."""
    return [process.pid for process in psutil.process_iter() if _models_dir_of(process) == models_dir.resolve()]


def _models_dir_of(process: psutil.Process) -> Path | None:
    try:
        command = process.cmdline()
        if not any(Path(word).name == "bentoml" and after == "serve" for word, after in pairwise(command)):
            return None
        models_dir: str = process.environ().get(_MODELS_DIR, "models")
        return Path(process.cwd(), models_dir).resolve()
    except (psutil.Error, OSError):
        return None
