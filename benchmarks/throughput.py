"""How many pages a second a service answers, how long each takes, and what the time goes to: one load at a time."""

import contextlib
import itertools
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import cv2
import httpx
import numpy as np
import torch

from benchmarks.service_process import Service, steps_ms
from benchmarks.environment import BUSY_LOAD, surroundings
from docextract.images.geometry import Page
from training.evaluation.accuracy.photographs import JPEG_QUALITY, SyntheticPhoto, Taken, take
from training.synth.examples import printable

OPERATIONS = ("validation", "extraction")
PHOTOGRAPHS = 16
SEED = 11  # not the judge's: nothing is chosen by these
TIMEOUT_S = 120.0

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
    values: int = 0  # in the answer: fields, and cells of lists


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


def taken(count: int = PHOTOGRAPHS) -> Iterator[tuple[str, str, Taken]]:
    """Everyday photographs of synthetic documents, the types in turn, each with its key; the same each time."""
    for index, kind in zip(range(count), itertools.cycle(printable()), strict=False):
        yield f"{index:02}", kind.name, take(SyntheticPhoto(kind.name, index, seed=SEED, typefaces="all"), ())


def photographs(count: int = PHOTOGRAPHS) -> list[Page]:
    """Their pixels alone."""
    return [one.photo for _, _, one in taken(count)]


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
    values = len(re.findall(rb'"content":', response.content))  # every value of an answer says what is printed
    return Answered(end, 1000 * (end - start), steps_ms(response.headers["server-timing"]), values)


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


def request_ms(connect: Connect, pictures: Sequence[Picture], at_once: int) -> float:
    """What a page takes when so many travel in one request of /extraction; the median of three rounds after one."""
    took = []
    with connect() as client:
        for start in [-1, *range(0, 3 * at_once, at_once)]:
            some = [pictures[(max(0, start) + at) % len(pictures)] for at in range(at_once)]
            files = [("images", (f"{at}.jpg", one.jpeg, "image/jpeg")) for at, one in enumerate(some)]
            begun = time.perf_counter()
            client.post("/v1/extraction", files=files).raise_for_status()
            took.append(1000 * (time.perf_counter() - begun) / at_once)
    return float(np.median(took[1:]))


def tell(one: Load, note: str = "") -> None:
    """On the screen."""
    cpu = "–" if one.cpu_s_a_page is None else f"{one.cpu_s_a_page:.3f}"
    print(
        f"{one.operation:10} {note:>8} {one.clients:2} clients {one.per_second:7.2f} /s   p50 {one.took_ms(50):6.0f} ms"
        f"   p95 {one.took_ms(95):6.0f} ms   CPU {cpu} s a page   {len(one.answers)} answers",
        flush=True,
    )


def about(served_from: str, seconds: float, load_average: float, photos: Sequence[Page]) -> dict[str, Any]:
    """What a figure travels with. load_average: before anything was started."""
    longer = sorted(max(photo.shape[:2]) for photo in photos)
    return {
        **surroundings(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU",
        "load_average": load_average,
        "busy": load_average > BUSY_LOAD,
        "service": served_from,
        "settings": sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("DOCEXTRACT_")),
        "seconds": seconds,
        "photographs": len(photos),
        "longer_px": (longer[0], longer[-1]),
    }
