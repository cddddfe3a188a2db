"""Measure what happens to requests while parts of the service crash, hang, stop or cannot write.

    python -m benchmarks.reliability [--out docs/reliability.md] [--only "SIGHUP"] [--seconds 120]

For each fault the program starts a service, injects the fault while sixteen clients send requests, and counts the
results of every request. Afterwards it overloads the promoted models and holds connections open with slow clients. As
root on Linux it also fills a small disk in memory and makes it read-only; otherwise the page says that it did not.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import psutil

from benchmarks import overload
from benchmarks.environment import describe_environment
from benchmarks.pages import page_template
from benchmarks.service_process import ROOT, ServiceProcess, free_port, start_process, stop_process, wait_until_ready
from benchmarks.verifying_clients import CLIENT_KINDS, LoadGenerator, RequestCounts, recovery_time_s
from docextract.registry import promote
from docextract.settings import Settings

CLIENTS = 16
STEADY_S = 3.0  # before a fault, and after the recovery
RECOVERY_TIMEOUT_S = 60.0
TIMEOUT_S = 6.0  # DOCEXTRACT_TIMEOUT_S in the test in which a runner hangs for longer
DISK_MB = 48
FRONT, QUALITY, EXTRACTION = "docextract", "quality_runner", "extraction_runner"
STUBS = "tests.end_to_end.stub_models"
STUB_CONFIGS = {"quality": ("StubAssessor", '{"batch_s": 0.02}'), "extraction": ("StubExtractor", '{"batch_s": 0.1}')}
TEMPLATE = "reliability.md.j2"


@dataclass
class StubService:
    """A service on stub models, and the actions that faults need."""

    folder: Path
    log: Path  # outside `folder`, so that faults of that disk do not hide it
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    exits: list[tuple[float, int]] = field(default_factory=list)  # (time, exit status) of each exit

    def __enter__(self) -> "StubService":
        promote_stubs(self.folder / "models")
        (self.folder / "tmp").mkdir()
        self._stopped = threading.Event()
        self.process = self._start()
        wait_until_ready(self.address, self.process)
        self._watcher = threading.Thread(target=self._wait_for_exit)
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._watcher.join()
        stop_process(self.process)

    @property
    def address(self) -> str:
        """The address of the service."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def drain_file(self) -> Path:
        """While this file exists, /readyz answers 503."""
        return self.folder / "drain"

    def worker(self, name: str) -> psutil.Process:
        """Return a worker process of this BentoML service."""
        return ServiceProcess(self.address, self.process.pid).workers(name)[0]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the first process."""
        self.process.send_signal(number)

    def _start(self) -> subprocess.Popen[bytes]:
        settings = {
            "BENTOML_HOME": str(self.folder / "bentoml"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "OMP_NUM_THREADS": "1",
            "DOCEXTRACT_MODELS_DIR": str(self.folder / "models"),
            "DOCEXTRACT_DRAIN_FILE": str(self.drain_file),
            **self.settings,
        }
        return start_process(settings, self.port, log=self.log)

    def _wait_for_exit(self) -> None:
        while not self._stopped.wait(0.1):
            status = self.process.poll()
            if status is not None:
                self.exits.append((time.monotonic(), status))
                return


def promote_stubs(models: Path) -> None:
    """Promote the stub models of the tests, with the same function as real models."""
    for name, (loader, config) in STUB_CONFIGS.items():
        candidate = models.parent / f"{name}_candidate"
        candidate.mkdir(parents=True)
        (candidate / "config.json").write_text(config)
        promote(name, candidate, "0.0.1", models, day=date(2026, 1, 1), loader=f"{STUBS}:{loader}")


@dataclass(frozen=True)
class Fault:
    """A fault or an operation, and how to cause it."""

    name: str
    inject: Callable[[StubService, LoadGenerator], None]
    settings: dict[str, str] = field(default_factory=dict)
    stops_service: bool = False  # the fault stops the service
    # Breaks the service's own disk before `inject`, while clients send.
    prepare_disk: Callable[[StubService], None] | None = None


def _kill(name: str) -> Callable[[StubService, LoadGenerator], None]:
    return lambda service, load: service.worker(name).kill()


def _suspend(name: str, seconds: float) -> Callable[[StubService, LoadGenerator], None]:
    def inject(service: StubService, load: LoadGenerator) -> None:
        worker = service.worker(name)
        worker.suspend()
        time.sleep(seconds)
        worker.resume()

    return inject


def _reload(service: StubService, load: LoadGenerator) -> None:
    service.signal(signal.SIGHUP)


def _terminate(service: StubService, load: LoadGenerator) -> None:
    service.signal(signal.SIGTERM)


def _drain_and_terminate(service: StubService, load: LoadGenerator) -> None:
    """Drain, then stop, as a load balancer and an orchestrator do it together."""
    service.drain_file.touch()
    while httpx.get(f"{service.address}/readyz", timeout=10).status_code != 503:
        time.sleep(0.1)
    load.stop_sending()
    time.sleep(2.0)
    service.signal(signal.SIGTERM)


def _fill_disk(service: StubService) -> None:
    """Fill the disk that holds the BentoML store, the temporary files and the models."""
    with contextlib.suppress(OSError), (service.folder / "filling").open("wb", buffering=0) as filling:
        while True:
            filling.write(bytes(65_536))


def _make_read_only(service: StubService) -> None:
    """Make the same disk read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(service.folder)], check=True)


FAULTS = [
    Fault("kill -9, the quality runner", _kill(QUALITY)),
    Fault("kill -9, the extraction runner", _kill(EXTRACTION)),
    Fault("kill -9, the extraction runner, in a container", _kill(EXTRACTION), {"BENTOML_CONTAINERIZED": "true"}),
    Fault("kill -9, the front's only worker", _kill(FRONT)),
    Fault("kill -9, one of two front workers", _kill(FRONT), {"DOCEXTRACT_FRONT_WORKERS": "2"}),
    Fault("the extraction runner is suspended for 5 s", _suspend(EXTRACTION, 5.0)),
    Fault("… for 10 s, with a request timeout of 6 s", _suspend(EXTRACTION, 10.0),
          {"DOCEXTRACT_TIMEOUT_S": f"{TIMEOUT_S:g}"}),
    Fault("SIGHUP: all models are reloaded", _reload),
    Fault("SIGTERM after draining", _drain_and_terminate, stops_service=True),
    Fault("SIGTERM without draining", _terminate, stops_service=True),
    Fault("kill -9, the extraction runner, when the disk is full", _kill(EXTRACTION), prepare_disk=_fill_disk),
    Fault("SIGHUP, when the disk with the models is read-only", _reload, prepare_disk=_make_read_only),
]  # fmt: skip


@dataclass(frozen=True)
class FaultResult:
    """Result of one fault."""

    name: str
    counts: Sequence[RequestCounts]
    recovery_s: float | None  # None if the fault stops the service
    unready_s: float | None  # from the fault until /readyz failed
    ready_s: float | None  # from the fault until /readyz succeeded again
    exits: Sequence[tuple[float, int]]  # seconds after the fault, exit status


class ReadinessProbe:
    """Poll /readyz five times per second while the context is active."""

    def __init__(self, address: str) -> None:
        """address: of the service."""
        self._address = address
        self._stopped = threading.Event()
        self._samples: list[tuple[float, int]] = []  # (time of the request, status); 0: no answer

    def __enter__(self) -> "ReadinessProbe":
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _poll(self) -> None:
        while not self._stopped.wait(0.2):
            sent_at_s, status = time.monotonic(), 0
            with contextlib.suppress(httpx.TransportError):
                status = httpx.get(f"{self._address}/readyz", timeout=5).status_code
            self._samples.append((sent_at_s, status))

    def after(self, fault_s: float) -> tuple[float | None, float | None]:
        """Return seconds from the fault until /readyz failed, and until it succeeded again."""
        unready = next((at_s for at_s, status in self._samples if at_s >= fault_s and status != 200), None)
        ready = next((at_s for at_s, status in self._samples if unready and at_s > unready and status == 200), None)
        return tuple(None if at_s is None else at_s - fault_s for at_s in (unready, ready))  # type: ignore[return-value]


def inject_fault(fault: Fault) -> FaultResult | None:
    """Start a service, inject the fault under load and return the result. None if this machine does not allow it."""
    with contextlib.ExitStack() as stack:
        folder, logs = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"docextract-{purpose}-")))
            for purpose in ("fault", "log")
        )
        if fault.prepare_disk:
            try:
                stack.enter_context(_mount_disk(folder))
            except (OSError, subprocess.CalledProcessError):
                return None
        service = stack.enter_context(StubService(folder, logs / "log", fault.settings))
        readiness = stack.enter_context(ReadinessProbe(service.address))
        with LoadGenerator(service.address, CLIENTS) as load:
            time.sleep(STEADY_S)
            if fault.prepare_disk:
                fault.prepare_disk(service)
                time.sleep(STEADY_S)
            fault_s = time.monotonic()
            fault.inject(service, load)
            if fault.stops_service:
                _wait_until(lambda: bool(service.exits))
            else:
                _wait_until(lambda: recovery_time_s(load.requests, fault_s) is not None)
            time.sleep(STEADY_S)
        unready_s, ready_s = readiness.after(fault_s)
        return FaultResult(
            fault.name,
            [RequestCounts.of(client_kind, load.requests) for client_kind in CLIENT_KINDS],
            None if fault.stops_service else recovery_time_s(load.requests, fault_s),
            unready_s,
            ready_s,
            [(at_s - fault_s, status) for at_s, status in service.exits],
        )


def _wait_until(condition: Callable[[], bool]) -> None:
    until_s = time.monotonic() + RECOVERY_TIMEOUT_S
    while not condition() and time.monotonic() < until_s:
        time.sleep(0.1)


@contextlib.contextmanager
def _mount_disk(folder: Path) -> Iterator[None]:
    """Mount a small disk in memory on the folder. Raises if this process may not mount."""
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    subprocess.run(mounting, check=True, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _print(name: str, result: FaultResult | None) -> None:
    if result is None:
        print(f"{name}: not run, it needs root on Linux", flush=True)
        return
    print(f"{name}: recovered {result.recovery_s}, unready {result.unready_s}, ready {result.ready_s}, "
          f"ended {result.exits}", flush=True)  # fmt: skip
    for count in result.counts:
        print(f"    {count.client_kind:20} sent {count.sent} {dict(count.results)} {dict(count.details)} "
              f"longest {count.max_duration_s:.1f} s", flush=True)  # fmt: skip


def write(
    out: Path,
    results: Sequence[tuple[str, FaultResult | None]],
    overload_result: overload.OverloadResult,
    run_info: dict[str, Any],
) -> None:
    """Write the page. results: (fault name, result); run_info: see benchmarks/environment.py."""
    page = page_template(TEMPLATE).render(
        results=results, overload=overload_result, run_info=run_info, clients=CLIENTS, settings=Settings()
    )
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reliability.md")
    parser.add_argument("--only", help="run only faults whose name contains this text, and print the result")
    parser.add_argument(
        "--seconds", type=float, default=overload.FLOOD_S, help=f"length of the overload test ({overload.FLOOD_S:g})"
    )
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the services are stopped, too
    run_info = describe_environment()
    results = []
    for fault in FAULTS:
        if options.only is None or options.only in fault.name:
            results.append((fault.name, inject_fault(fault)))
            _print(*results[-1])
    if options.only is None:
        write(options.out, results, overload.measure(options.seconds), run_info)
        print(f"written to {options.out}")


if __name__ == "__main__":
    main()
