"""A service of a benchmark's own: started for it, watched from outside, and ended with it."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import httpx
import psutil

ROOT = Path(__file__).resolve().parents[1]
START_WITHIN_S = 120.0
STOP_WITHIN_S = 30.0
_NAMES = {"quality_runner": "quality runner", "extraction_runner": "extraction runner", "docextract": "front"}


@dataclass(frozen=True)
class Service:
    """Where it answers, and its first process if that runs here."""

    address: str
    pid: int | None = None

    def cpu_s(self) -> float | None:
        """CPU seconds that all its processes have used so far."""
        if self.pid is None:
            return None
        times = [process.cpu_times() for process in self._processes()]
        return float(sum(one.user + one.system for one in times))

    def peak_mb(self) -> dict[str, float]:
        """The most memory that each process ever held, by what it does; shared libraries count in each."""
        return {_named(process): _peak_mb(process.pid) for process in self._processes()}

    def memory_mb(self) -> float | None:
        """What all its processes hold now, shared libraries counted in each; none where they cannot be seen."""
        held = [process.memory_info().rss for process in self._processes()]
        return sum(held) / 1e6 if held else None

    def workers(self, name: str) -> list[psutil.Process]:
        """Those in which a service of service.py runs, by its BentoML name."""
        return [one for one in self._processes() if _service_name(one) == name]

    def _processes(self) -> list[psutil.Process]:
        if self.pid is None:
            return []
        first = psutil.Process(self.pid)
        return [first, *first.children(recursive=True)]


def _named(process: psutil.Process) -> str:
    worker = _service_name(process)
    if worker:
        return _NAMES.get(worker, worker)
    return "bentoml serve" if "serve" in process.cmdline() else "bentoml's helpers"


def _service_name(process: psutil.Process) -> str:
    return next((after for word, after in pairwise(process.cmdline()) if word == "--service-name"), "")


def _peak_mb(pid: int) -> float:
    """psutil knows the present size alone; the kernel keeps the greatest, in kB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0) * 1024 / 1e6


@contextlib.contextmanager
def started(settings: Mapping[str, str], cores: Collection[int] = ()) -> Iterator[Service]:
    """A service on the promoted models. settings: environment variables; cores: the only ones for it, if any are named.

    Raises RuntimeError if it does not answer within START_WITHIN_S.
    """
    port = free_port()
    process = launch(settings, port, cores)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address, process)
        yield Service(address, process.pid)
    finally:
        end(process)


def free_port() -> int:
    """One on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch(
    settings: Mapping[str, str], port: int, cores: Collection[int] = (), log: Path = Path(os.devnull)
) -> subprocess.Popen[bytes]:
    """`bentoml serve` in a process group of its own, which whoever calls ends with `end`."""
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


def end(process: subprocess.Popen[bytes]) -> None:
    """Every process of the group, however they are."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_WITHIN_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    """Until it is ready. Raises RuntimeError if it ends before, or takes longer than START_WITHIN_S."""
    until = time.monotonic() + START_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{address}/readyz", timeout=5).is_success:
                return
        time.sleep(0.2)
    raise RuntimeError("the service did not start; run `make serve` to see why")


def steps_ms(server_timing: str) -> dict[str, float]:
    """decode;dur=1.2, validation;dur=9.8 → ms by step."""
    parts = (step.strip().partition(";dur=") for step in server_timing.split(","))
    return {name: float(value) for name, _, value in parts}
