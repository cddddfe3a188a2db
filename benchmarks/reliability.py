"""Nothing is lost: what happens to requests while parts of the service die, stall, end, or cannot write.

    python -m benchmarks.reliability [--out docs/reliability.md] [--only "SIGHUP"] [--seconds 120]

Starts services of its own, does to each what its fault says while sixteen clients send, and counts what became of
every request. Then sends far more than the promoted models can do, and callers who never finish. As root on Linux it
also fills a disk and makes one read-only, a small one of its own in memory; else it says that it did not.
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
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks import overload
from benchmarks.verifying_clients import WAYS, Crowd, Tally, recovered_after_s
from benchmarks.service_process import ROOT, Service, end, free_port, launch, wait_for
from benchmarks.environment import surroundings
from docextract.registry import promote
from docextract.settings import Settings

CLIENTS = 16
CALM_S = 3.0  # before a fault, and after all is well again
RECOVERS_WITHIN_S = 60.0
TIMEOUT_S = 6.0  # the service's, where a runner stalls for longer
DISK_MB = 48
FRONT, QUALITY, EXTRACTION = "docextract", "quality_runner", "extraction_runner"
STUBS = "tests.end_to_end.stub_models"
STUB_CONFIGS = {"quality": ("StubAssessor", '{"batch_s": 0.02}'), "extraction": ("StubExtractor", '{"batch_s": 0.1}')}
TEMPLATE = "reliability.md.j2"


@dataclass
class Scene:
    """A service on stub models, and what can be done to it."""

    folder: Path
    log: Path  # elsewhere: what happens to the folder's disk is not to be hidden by it
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    ended: list[tuple[float, int]] = field(default_factory=list)  # when, and with which exit status

    def __enter__(self) -> "Scene":
        promote_stubs(self.folder / "models")
        (self.folder / "tmp").mkdir()
        self._over = threading.Event()
        self.process = self._launch()
        wait_for(self.address, self.process)
        self._watch = threading.Thread(target=self._wait_for_its_end)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watch.join()
        end(self.process)

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def drain_file(self) -> Path:
        """While it exists, /readyz says 503."""
        return self.folder / "drain"

    def worker(self, name: str) -> psutil.Process:
        """One in which this service runs."""
        return Service(self.address, self.process.pid).workers(name)[0]

    def signal(self, what: signal.Signals) -> None:
        """To the first process."""
        self.process.send_signal(what)

    def _launch(self) -> subprocess.Popen[bytes]:
        settings = {
            "BENTOML_HOME": str(self.folder / "bentoml"),
            "TMPDIR": str(self.folder / "tmp"),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            "OMP_NUM_THREADS": "1",
            "DOCEXTRACT_MODELS_DIR": str(self.folder / "models"),
            "DOCEXTRACT_DRAIN_FILE": str(self.drain_file),
            **self.settings,
        }
        return launch(settings, self.port, log=self.log)

    def _wait_for_its_end(self) -> None:
        while not self._over.wait(0.1):
            status = self.process.poll()
            if status is not None:
                self.ended.append((time.monotonic(), status))
                return


def promote_stubs(models: Path) -> None:
    """Promote the tests' stub models, as anyone promotes a model."""
    for name, (loader, config) in STUB_CONFIGS.items():
        candidate = models.parent / f"{name}_candidate"
        candidate.mkdir(parents=True)
        (candidate / "config.json").write_text(config)
        promote(name, candidate, "0.0.1", models, day=date(2026, 1, 1), loader=f"{STUBS}:{loader}")


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong, or is done on purpose."""

    name: str
    strike: Callable[[Scene, Crowd], None]
    settings: dict[str, str] = field(default_factory=dict)
    ends: bool = False  # the service is to be gone afterwards
    disk: Callable[[Scene], None] | None = None  # done before to a disk of its own, while clients send


def _kill(name: str) -> Callable[[Scene, Crowd], None]:
    return lambda scene, crowd: scene.worker(name).kill()


def _stall(name: str, seconds: float) -> Callable[[Scene, Crowd], None]:
    def strike(scene: Scene, crowd: Crowd) -> None:
        worker = scene.worker(name)
        worker.suspend()
        time.sleep(seconds)
        worker.resume()

    return strike


def _reload(scene: Scene, crowd: Crowd) -> None:
    scene.signal(signal.SIGHUP)


def _end(scene: Scene, crowd: Crowd) -> None:
    scene.signal(signal.SIGTERM)


def _drain_and_end(scene: Scene, crowd: Crowd) -> None:
    """As a load balancer and an orchestrator do it together."""
    scene.drain_file.touch()
    while httpx.get(f"{scene.address}/readyz", timeout=10).status_code != 503:
        time.sleep(0.1)
    crowd.stop_asking()
    time.sleep(2.0)
    scene.signal(signal.SIGTERM)


def _fill_the_disk(scene: Scene) -> None:
    """Nothing can be written any more to the store, the folder for temporary files, or beside them."""
    with contextlib.suppress(OSError), (scene.folder / "filling").open("wb", buffering=0) as filling:
        while True:
            filling.write(bytes(65_536))


def _make_read_only(scene: Scene) -> None:
    """The same folders."""
    subprocess.run(["mount", "-o", "remount,ro", str(scene.folder)], check=True)


FAULTS = [
    Fault("kill -9, the quality runner", _kill(QUALITY)),
    Fault("kill -9, the extraction runner", _kill(EXTRACTION)),
    Fault("kill -9, the extraction runner, in a container", _kill(EXTRACTION), {"BENTOML_CONTAINERIZED": "true"}),
    Fault("kill -9, the front's only worker", _kill(FRONT)),
    Fault("kill -9, one of two front workers", _kill(FRONT), {"DOCEXTRACT_FRONT_WORKERS": "2"}),
    Fault("the extraction runner stands still for 5 s", _stall(EXTRACTION, 5.0)),
    Fault("… for 10 s, where a request may take 6 s", _stall(EXTRACTION, 10.0),
          {"DOCEXTRACT_TIMEOUT_S": f"{TIMEOUT_S:g}"}),
    Fault("SIGHUP: everything is loaded anew", _reload),
    Fault("SIGTERM after draining", _drain_and_end, ends=True),
    Fault("SIGTERM without draining", _end, ends=True),
    Fault("kill -9, the extraction runner, when the disk is full", _kill(EXTRACTION), disk=_fill_the_disk),
    Fault("SIGHUP when the disk, with the models, has turned read-only", _reload, disk=_make_read_only),
]  # fmt: skip


@dataclass(frozen=True)
class Suffered:
    """What a fault did."""

    name: str
    tallies: Sequence[Tally]
    recovered_s: float | None  # none where it was to end
    unready_s: float | None  # after the fault, /readyz said no
    ready_s: float | None  # … and yes again
    ended: Sequence[tuple[float, int]]  # seconds after the fault, exit status


class Readiness:
    """What /readyz says, five times a second."""

    def __init__(self, address: str) -> None:
        """Looks while it is entered."""
        self._address = address
        self._over = threading.Event()
        self._seen: list[tuple[float, int]] = []  # when it was asked, status; 0: no answer

    def __enter__(self) -> "Readiness":
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.2):
            asked_s, status = time.monotonic(), 0
            with contextlib.suppress(httpx.TransportError):
                status = httpx.get(f"{self._address}/readyz", timeout=5).status_code
            self._seen.append((asked_s, status))

    def after(self, fault_s: float) -> tuple[float | None, float | None]:
        """Seconds after the fault until it first said no, and then yes again."""
        unready = next((at_s for at_s, status in self._seen if at_s >= fault_s and status != 200), None)
        ready = next((at_s for at_s, status in self._seen if unready and at_s > unready and status == 200), None)
        return tuple(None if at_s is None else at_s - fault_s for at_s in (unready, ready))  # type: ignore[return-value]


def suffer(fault: Fault) -> Suffered | None:
    """Let it happen. None where this machine does not let us."""
    with contextlib.ExitStack() as stack:
        folder, logs = (
            Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f"docextract-{what}-")))
            for what in ("fault", "log")
        )
        if fault.disk:
            try:
                stack.enter_context(_disk(folder))
            except (OSError, subprocess.CalledProcessError):
                return None
        scene = stack.enter_context(Scene(folder, logs / "log", fault.settings))
        readiness = stack.enter_context(Readiness(scene.address))
        with Crowd(scene.address, CLIENTS) as crowd:
            time.sleep(CALM_S)
            if fault.disk:
                fault.disk(scene)
                time.sleep(CALM_S)
            fault_s = time.monotonic()
            fault.strike(scene, crowd)
            _until(lambda: bool(scene.ended) if fault.ends else recovered_after_s(crowd.asked, fault_s) is not None)
            time.sleep(CALM_S)
        unready_s, ready_s = readiness.after(fault_s)
        return Suffered(
            fault.name,
            [Tally.of(way, crowd.asked) for way in WAYS],
            None if fault.ends else recovered_after_s(crowd.asked, fault_s),
            unready_s,
            ready_s,
            [(at_s - fault_s, status) for at_s, status in scene.ended],
        )


def _until(happened: Callable[[], bool]) -> None:
    until_s = time.monotonic() + RECOVERS_WITHIN_S
    while not happened() and time.monotonic() < until_s:
        time.sleep(0.1)


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[None]:
    """A small disk in memory, of its own. Raises where we may not mount one."""
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    subprocess.run(mounting, check=True, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _print(name: str, suffered: Suffered | None) -> None:
    if suffered is None:
        print(f"{name}: not run, it needs root on Linux", flush=True)
        return
    print(f"{name}: recovered {suffered.recovered_s}, unready {suffered.unready_s}, ready {suffered.ready_s}, "
          f"ended {suffered.ended}", flush=True)  # fmt: skip
    for tally in suffered.tallies:
        print(f"    {tally.way:20} sent {tally.sent} {dict(tally.fates)} {dict(tally.details)} "
              f"longest {tally.longest_s:.1f} s", flush=True)  # fmt: skip


def write(
    out: Path, suffered: Sequence[tuple[str, Suffered | None]], overloaded: overload.Overload, about: dict[str, Any]
) -> None:
    """The page. suffered: by fault; about: see benchmarks/surroundings.py."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.get_template(TEMPLATE).render(
        suffered=suffered, overload=overloaded, about=about, clients=CLIENTS, settings=Settings()
    )
    out.write_text(page, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reliability.md")
    parser.add_argument("--only", help="faults whose name has this, printed and not written")
    parser.add_argument("--seconds", type=float, default=overload.SECONDS, help="of overload")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the services are ended, too
    about = surroundings()
    suffered = []
    for fault in FAULTS:
        if options.only is None or options.only in fault.name:
            suffered.append((fault.name, suffer(fault)))
            _print(*suffered[-1])
    if options.only is None:
        write(options.out, suffered, overload.measure(options.seconds), about)
        print(f"written to {options.out}")


if __name__ == "__main__":
    main()
