"""How many pages a second the service answers, how long each takes, and what the time goes to.

    python -m benchmarks.throughput [--out docs/performance.md] [--seconds 20] [--server http://127.0.0.1:3000]

Sends made-up photographs, always the same, to a service of its own on the promoted models; with --server to a running
one, whose processes it cannot see. The figures of a busy machine are worth little: the page says how busy it was.
"""

import argparse
import contextlib
import itertools
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import httpx
import numpy as np
import psutil
import torch
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.serving import ROOT, Service, started, steps_ms
from docextract.imaging import Page
from training.accuracy.photographs import JPEG_QUALITY, MadeUp, take
from training.evaluate import circumstances
from training.synth.examples import printable

OPERATIONS = ("validation", "extraction")
CLIENTS = (1, 8)
PHOTOGRAPHS = 16
SEED = 11  # not the judge's: nothing is chosen by these
SECONDS = 20.0  # of each measurement
SIZES_PX = (800, 1600, 3200)  # the photo's longer side
TIMEOUT_S = 120.0
BUSY_LOAD = 0.5  # processes that wanted to run, on average over the last minute, before anything was started
TEMPLATE = "performance.md.j2"

Connect = Callable[[], httpx.Client]


@dataclass(frozen=True)
class Picture:
    """A photograph as it is sent."""

    jpeg: bytes
    width: int  # px
    height: int


@dataclass(frozen=True)
class Answered:
    """One request, seen from both sides."""

    at_s: float  # when the answer was there, on the benchmark's clock
    took_ms: float
    steps_ms: Mapping[str, float]  # as the service tells them; "total" is all of its own time


@dataclass(frozen=True)
class Load:
    """What came of so many clients that ask one thing after another, while none was starting or ending."""

    operation: str
    clients: int
    seconds: float  # from the opening of the window to the last answer in it: no answer is counted by halves
    answers: Sequence[Answered]  # that came in it
    cpu_s: float | None  # of all the service's processes; none where they cannot be seen
    items_per_batch: Mapping[str, float]  # by model

    @property
    def per_second(self) -> float:
        """Answers, each for one page."""
        return len(self.answers) / self.seconds

    @property
    def seconds_a_page(self) -> float:
        """Of the window, whoever asked."""
        return self.seconds / len(self.answers)

    @property
    def cpu_s_a_page(self) -> float | None:
        """Of all cores together."""
        return None if self.cpu_s is None else self.cpu_s / len(self.answers)

    def took_ms(self, percentile: float) -> float:
        """As the client waits."""
        return float(np.percentile([one.took_ms for one in self.answers], percentile))

    def step_ms(self, name: str) -> float:
        """Median; 0 of a step that is not taken."""
        return float(np.median([one.steps_ms.get(name, 0.0) for one in self.answers]))

    @property
    def other_ms(self) -> float:
        """Median of what the service's steps leave: receiving, parsing, writing the answer, waiting for a turn."""
        rest = [
            one.took_ms - sum(value for name, value in one.steps_ms.items() if name != "total") for one in self.answers
        ]
        return float(np.median(rest))


def photographs(count: int = PHOTOGRAPHS) -> list[Page]:
    """Everyday photographs of made-up documents, the types in turn; the same each time."""
    kinds = itertools.cycle(printable())
    return [take(MadeUp(next(kinds).name, index, seed=SEED), ()).photo for index in range(count)]


def picture(photo: Page, longer_px: int | None = None) -> Picture:
    """A JPEG of the photo, scaled to this longer side if one is named."""
    scale = longer_px / max(photo.shape[:2]) if longer_px else 1.0
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=how) if longer_px else photo
    data = cv2.imencode(".jpg", cv2.cvtColor(scaled, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    return Picture(data.tobytes(), scaled.shape[1], scaled.shape[0])


def load(
    service: Service, connect: Connect, operation: str, pictures: Sequence[Picture], clients: int, seconds: float
) -> Load:
    """Let so many clients ask without a pause. The window opens when each has had an answer, and ends before any stops.

    Raises httpx.HTTPStatusError if a request is refused.
    """
    turn, over = itertools.count(), threading.Event()
    begun = threading.Barrier(clients + 1)
    answered: list[Answered] = []

    def ask() -> None:
        try:
            with connect() as client:
                _ask(client, operation, pictures[next(turn) % len(pictures)])
                begun.wait()
                while not over.is_set():
                    answered.append(_ask(client, operation, pictures[next(turn) % len(pictures)]))
        except Exception:
            begun.abort()  # nobody waits for this one
            raise

    with ThreadPoolExecutor(clients) as pool, connect() as watcher:
        asking = [pool.submit(ask) for _ in range(clients)]
        try:
            begun.wait()
            opened_s, cpu_before, batches_before = time.perf_counter(), service.cpu_s(), _batches(watcher)
            _sleep(seconds, asking, lambda: len(answered) >= clients)
            closed_s, cpu_after, batches_after = time.perf_counter(), service.cpu_s(), _batches(watcher)
        except threading.BrokenBarrierError:
            pass  # the client that failed tells why, below
        finally:
            over.set()
            begun.abort()  # if it ends before all have begun, none is to wait
        for one in asking:
            with contextlib.suppress(threading.BrokenBarrierError):
                one.result()
    inside = [one for one in answered if opened_s <= one.at_s <= closed_s]
    seconds_told = max(one.at_s for one in inside) - opened_s
    share = seconds_told / (closed_s - opened_s)
    return Load(
        operation,
        clients,
        seconds_told,
        inside,
        None if cpu_before is None or cpu_after is None else share * (cpu_after - cpu_before),
        _items_per_batch(batches_before, batches_after),
    )


def _sleep(seconds: float, asking: Sequence[Future[None]], enough: Callable[[], bool]) -> None:
    """Longer where not enough has come by then; no longer than all are at work."""
    until = time.perf_counter() + seconds
    while (time.perf_counter() < until or not enough()) and not any(one.done() for one in asking):
        time.sleep(0.02)


def _ask(client: httpx.Client, operation: str, sent: Picture) -> Answered:
    start = time.perf_counter()
    response = client.post(f"/v1/{operation}", content=sent.jpeg, headers={"content-type": "image/jpeg"})
    response.raise_for_status()
    end = time.perf_counter()
    return Answered(end, 1000 * (end - start), steps_ms(response.headers["server-timing"]))


def _batches(client: httpx.Client) -> dict[str, tuple[float, float]]:
    """Items and batches so far, by model; empty where /metrics is not to be seen."""
    response = client.get("/metrics")
    return batches(response.text) if response.is_success else {}


def batches(metrics: str) -> dict[str, tuple[float, float]]:
    """Items and batches so far, by model, from the text of /metrics."""
    found: dict[str, dict[str, float]] = {}
    for model, what, value in re.findall(r"^docextract_(\w+)_batch_items_(sum|count)(?:\{.*\})? (\S+)", metrics, re.M):
        found.setdefault(model, {"sum": 0.0, "count": 0.0})[what] += float(value)
    return {model: (one["sum"], one["count"]) for model, one in found.items()}


def _items_per_batch(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    shares = {}
    for model, (items, count) in after.items():
        items_before, count_before = before.get(model, (0.0, 0.0))
        if count > count_before:
            shares[model] = (items - items_before) / (count - count_before)
    return shares


@dataclass(frozen=True)
class Measured:
    """Everything that the page tells."""

    loads: Sequence[Load]
    sizes: Sequence[tuple[int, Mapping[str, Load]]]  # the longer side in px; by operation, one client
    peak_mb: Mapping[str, float]  # by process


def measure(service: Service, connect: Connect, photos: Sequence[Page], seconds: float) -> Measured:
    """All loads, then one client with the photographs at several sizes."""
    as_taken = [picture(photo) for photo in photos]
    loads = []
    for operation, clients in itertools.product(OPERATIONS, CLIENTS):
        loads.append(load(service, connect, operation, as_taken, clients, seconds))
        _print(loads[-1], "")
    peak_mb = service.peak_mb()  # before sizes that few people send
    sizes = []
    for longer_px in SIZES_PX:
        scaled = [picture(photo, longer_px) for photo in photos]
        by_operation = {name: load(service, connect, name, scaled, 1, seconds) for name in OPERATIONS}
        for one in by_operation.values():
            _print(one, f"{longer_px} px")
        sizes.append((longer_px, by_operation))
    return Measured(loads, sizes, peak_mb)


def _print(one: Load, note: str) -> None:
    cpu = "–" if one.cpu_s_a_page is None else f"{one.cpu_s_a_page:.3f}"
    print(
        f"{one.operation:10} {note:>8} {one.clients:2} clients {one.per_second:7.2f} /s   p50 {one.took_ms(50):6.0f} ms"
        f"   p95 {one.took_ms(95):6.0f} ms   CPU {cpu} s a page   {len(one.answers)} answers",
        flush=True,
    )


def write(out: Path, measured: Measured, about: Mapping[str, Any]) -> None:
    """The page. about: see `about`."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    out.write_text(environment.get_template(TEMPLATE).render(measured=measured, about=about), encoding="utf-8")


def about(served_from: str, seconds: float, load_average: float, photos: Sequence[Page]) -> dict[str, Any]:
    """What a figure travels with. load_average: before anything was started."""
    longer = sorted(max(photo.shape[:2]) for photo in photos)
    return {
        **circumstances(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": psutil.virtual_memory().total / 1e9,
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU",
        "load_average": load_average,
        "busy": load_average > BUSY_LOAD,
        "service": served_from,
        "settings": sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("DOCEXTRACT_")),
        "seconds": seconds,
        "photographs": len(photos),
        "longer_px": (longer[0], longer[-1]),
    }


def _processor() -> str:
    found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1].strip() if found else "unknown processor"


@contextlib.contextmanager
def _service(server: str | None) -> Iterator[Service]:
    if server:
        yield Service(server)
    else:
        with started({}) as service:
            yield service


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "performance.md")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of each measurement; {SECONDS:g} if not given")
    parser.add_argument("--server", help="address of a running service; else one is started with the promoted models")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service is ended, too
    load_average = os.getloadavg()[0]
    if load_average > BUSY_LOAD:
        print(f"this machine is busy (load average {load_average:.1f}); the page will say so", file=sys.stderr)
    photos = photographs()
    with _service(options.server) as service:

        def connect() -> httpx.Client:
            return httpx.Client(base_url=service.address, timeout=TIMEOUT_S)

        measured = measure(service, connect, photos, options.seconds)
    served_from = "a running one" if options.server else "its own"
    write(options.out, measured, about(served_from, options.seconds, load_average, photos))
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
