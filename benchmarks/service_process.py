"""Start a service for a benchmark, observe its processes and stop it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import httpx
import psutil

_T = TypeVar("_T")
ROOT = Path(__file__).resolve().parents[1]
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 30.0
_PROCESS_LABELS = {"quality_runner": "quality runner", "extraction_runner": "extraction runner", "docextract": "front"}


@dataclass(frozen=True)
class ServiceProcess:
    """The address of a service, and its first process if it runs on this machine."""

    address: str
    pid: int | None = None

    def cpu_s(self) -> float | None:
        """CPU seconds that all its processes have used so far, ended ones too; None if they cannot be observed."""
        if self.pid is None:
            return None
        # The kernel counts hundredths; the sum of floating-point seconds may end below one that is equal.
        return round(sum(self._of_each(_cpu_s)), 2)

    def peak_mb(self) -> dict[str, float]:
        """Peak resident memory of each process in MB, by label; shared libraries are counted in each process."""
        return dict(self._of_each(lambda process: (_label(process), _peak_mb(process.pid))))

    def memory_mb(self) -> float | None:
        """Resident memory of all processes in MB, shared libraries counted in each; None if it cannot be observed."""
        held = self._of_each(lambda process: process.memory_info().rss)
        return sum(held) / 1e6 if held else None

    def workers(self, name: str) -> list[psutil.Process]:
        """The processes that run a BentoML service, by the service's name."""
        return [one for one, its_name in self._of_each(lambda one: (one, _service_name(one))) if its_name == name]

    def _of_each(self, measure: Callable[[psutil.Process], _T]) -> list[_T]:
        """Measure every process; one that ends meanwhile is left out."""
        if self.pid is None:
            return []
        measured = []
        with contextlib.suppress(psutil.NoSuchProcess):
            first = psutil.Process(self.pid)
            for process in [first, *first.children(recursive=True)]:
                with contextlib.suppress(psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
                    measured.append(measure(process))
        return measured


def _cpu_s(process: psutil.Process) -> float:
    """CPU seconds of a process and of its children that have ended and been waited for."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


def _label(process: psutil.Process) -> str:
    worker = _service_name(process)
    if worker:
        return _PROCESS_LABELS.get(worker, worker)
    return "bentoml serve" if "serve" in process.cmdline() else "bentoml's helpers"


def _service_name(process: psutil.Process) -> str:
    return next((after for word, after in pairwise(process.cmdline()) if word == "--service-name"), "")


def _peak_mb(pid: int) -> float:
    """Peak resident memory in MB. Read from /proc because psutil reports only the current size; the kernel keeps kB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0) * 1024 / 1e6


@contextlib.contextmanager
def running_service(settings: Mapping[str, str], cores: Collection[int] = ()) -> Iterator[ServiceProcess]:
    """Run a service on the promoted models.

    settings: environment variables. cores: the only CPU cores that the service may use; all if empty.
    Raises RuntimeError if it is not ready within START_TIMEOUT_S.
    """
    port = free_port()
    process = start_process(settings, port, cores)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_ready(address, process)
        yield ServiceProcess(address, process.pid)
    finally:
        stop_process(process)


def free_port() -> int:
    """Return a TCP port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_process(
    settings: Mapping[str, str], port: int, cores: Collection[int] = (), log: Path = Path(os.devnull)
) -> subprocess.Popen[bytes]:
    """Start `bentoml serve` in a process group of its own; the caller ends it with `stop_process`."""
    command = [sys.executable, "-m", "bentoml", "serve", "service:DocumentService", "--host", "127.0.0.1"]
    with log.open("ab") as output:
        return subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=(lambda: os.sched_setaffinity(0, cores)) if cores else None,
        )


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Stop every process of the group: SIGTERM, then SIGKILL after STOP_TIMEOUT_S."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_TIMEOUT_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until_ready(address: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until the service is ready. Raises RuntimeError if it ends before, or after START_TIMEOUT_S."""
    until = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{address}/readyz", timeout=5).is_success:
                return
        time.sleep(0.2)
    raise RuntimeError("the service did not start; run `make serve` to see why")


def parse_server_timing(server_timing: str) -> dict[str, float]:
    """Parse a Server-Timing header, `decode;dur=1.2, validation;dur=9.8`, into milliseconds by step."""
    parts = (step.strip().partition(";dur=") for step in server_timing.split(","))
    return {name: float(value) for name, _, value in parts}
