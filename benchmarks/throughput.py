"""Closed-loop load tests of a running service: throughput, latency percentiles and the time of each step."""

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

from benchmarks.environment import BUSY_LOAD_AVERAGE, describe_environment
from benchmarks.service_process import ServiceProcess, parse_server_timing
from docextract.images.geometry import Page
from training.datasets.simulated_photos import JPEG_QUALITY, SimulatedPhoto, SyntheticPhotoSpec, simulate_photo
from training.synth.examples import printable

OPERATIONS = ("validation", "extraction")
PHOTO_COUNT = 16
PHOTO_SEED = 11  # differs from the seed of the accuracy evaluation: nothing is selected by these photos
REQUEST_TIMEOUT_S = 120.0

ClientFactory = Callable[[], httpx.Client]


@dataclass(frozen=True)
class EncodedPhoto:
    """A photo as it is sent, a JPEG."""

    jpeg: bytes
    width_px: int
    height_px: int


@dataclass(frozen=True)
class TimedAnswer:
    """One answered request, timed by the client and by the service."""

    received_at_s: float  # when the answer arrived, on time.perf_counter's clock
    latency_ms: float
    server_steps_ms: Mapping[str, float]  # from Server-Timing; "total" is all of the service's own time
    value_count: int = 0  # in the answer: fields, and cells of tables


@dataclass(frozen=True)
class LoadResult:
    """Result of one closed-loop load, in a window in which every client was active."""

    operation: str
    clients: int
    seconds: float  # from the start of the window to its last answer, so that no partial answer counts
    answers: Sequence[TimedAnswer]  # received inside the window
    cpu_s: float | None  # of all processes of the service; None if they cannot be observed
    mean_batch_size: Mapping[str, float]  # by model

    @property
    def pages_per_s(self) -> float:
        """Throughput; each answer is for one page."""
        return len(self.answers) / self.seconds

    @property
    def seconds_per_page(self) -> float:
        """Length of the window divided by its answers."""
        return self.seconds / len(self.answers)

    @property
    def cpu_s_per_page(self) -> float | None:
        """CPU seconds of all cores per page."""
        return None if self.cpu_s is None else self.cpu_s / len(self.answers)

    def latency_ms(self, percentile: float) -> float:
        """Return a percentile of the latency that clients measure, in ms."""
        return float(np.percentile([one.latency_ms for one in self.answers], percentile))

    def median_step_ms(self, name: str) -> float:
        """Return the median time of a step in ms; 0 for a step that did not run."""
        return float(np.median([one.server_steps_ms.get(name, 0.0) for one in self.answers]))

    @property
    def median_other_ms(self) -> float:
        """Median time outside the service's steps, in ms: receive, parse, write the answer, wait for a turn."""
        rest = [
            one.latency_ms - sum(value for name, value in one.server_steps_ms.items() if name != "total")
            for one in self.answers
        ]
        return float(np.median(rest))


def synthetic_photos(count: int = PHOTO_COUNT) -> Iterator[tuple[str, str, SimulatedPhoto]]:
    """Yield (key, document type, simulated photo) of synthetic documents, one type after another; always the same."""
    for index, kind in zip(range(count), itertools.cycle(printable()), strict=False):
        spec = SyntheticPhotoSpec(kind.name, index, seed=PHOTO_SEED, typefaces="all")
        yield f"{index:02}", kind.name, simulate_photo(spec, ())


def photo_pixels(count: int = PHOTO_COUNT) -> list[Page]:
    """Return the pixels of the synthetic photos."""
    return [one.photo for _, _, one in synthetic_photos(count)]


def encode_photo(photo: Page, longer_px: int | None = None) -> EncodedPhoto:
    """Encode a photo as JPEG, scaled to `longer_px` on its longer side if that is given."""
    scale = longer_px / max(photo.shape[:2]) if longer_px else 1.0
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = cv2.resize(photo, None, fx=scale, fy=scale, interpolation=interpolation) if longer_px else photo
    data = cv2.imencode(".jpg", cv2.cvtColor(scaled, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    return EncodedPhoto(data.tobytes(), scaled.shape[1], scaled.shape[0])


def run_closed_loop(
    service: ServiceProcess,
    open_client: ClientFactory,
    operation: str,
    photos: Sequence[EncodedPhoto],
    clients: int,
    seconds: float,
) -> LoadResult:
    """Send requests from `clients` threads, each one after the previous answer (closed loop).

    The window opens when each client has had one answer, and closes before any client stops. It is longer than
    `seconds` if fewer answers than clients arrived by then. Raises httpx.HTTPStatusError if a request is refused.
    """
    counter, stopped = itertools.count(), threading.Event()
    warmed_up = threading.Barrier(clients + 1)
    answers: list[TimedAnswer] = []

    def send_until_stopped() -> None:
        try:
            with open_client() as client:
                _send(client, operation, photos[next(counter) % len(photos)])
                warmed_up.wait()
                while not stopped.is_set():
                    answers.append(_send(client, operation, photos[next(counter) % len(photos)]))
        except Exception:
            warmed_up.abort()  # the other threads must not wait for this one
            raise

    with ThreadPoolExecutor(clients) as pool, open_client() as metrics_client:
        futures = [pool.submit(send_until_stopped) for _ in range(clients)]
        try:
            warmed_up.wait()
            opened_s, cpu_before = time.perf_counter(), service.cpu_s()
            batches_before = _read_batch_counts(metrics_client)
            _wait(seconds, futures, lambda: len(answers) >= clients)
            closed_s, cpu_after = time.perf_counter(), service.cpu_s()
            batches_after = _read_batch_counts(metrics_client)
        except threading.BrokenBarrierError:
            pass  # the future of the failed client raises the reason below
        finally:
            stopped.set()
            warmed_up.abort()  # if the test ends before all clients are warm, none may keep waiting
        for one in futures:
            with contextlib.suppress(threading.BrokenBarrierError):
                one.result()
    inside = [one for one in answers if opened_s <= one.received_at_s <= closed_s]
    window_s = max(one.received_at_s for one in inside) - opened_s
    share = window_s / (closed_s - opened_s)
    return LoadResult(
        operation,
        clients,
        window_s,
        inside,
        None if cpu_before is None or cpu_after is None else share * (cpu_after - cpu_before),
        _mean_batch_sizes(batches_before, batches_after),
    )


def _wait(seconds: float, futures: Sequence[Future[None]], enough: Callable[[], bool]) -> None:
    """Sleep for `seconds`, longer if not enough answers have arrived, and stop early if a client ended."""
    until = time.perf_counter() + seconds
    while (time.perf_counter() < until or not enough()) and not any(one.done() for one in futures):
        time.sleep(0.02)


def _send(client: httpx.Client, operation: str, photo: EncodedPhoto) -> TimedAnswer:
    start = time.perf_counter()
    response = client.post(f"/v1/{operation}", content=photo.jpeg, headers={"content-type": "image/jpeg"})
    response.raise_for_status()
    end = time.perf_counter()
    value_count = len(re.findall(rb'"content":', response.content))  # every value of an answer has this member
    return TimedAnswer(end, 1000 * (end - start), parse_server_timing(response.headers["server-timing"]), value_count)


def _read_batch_counts(client: httpx.Client) -> dict[str, tuple[float, float]]:
    """Read (items, batches) so far by model; empty if /metrics is not accessible."""
    response = client.get("/metrics")
    return parse_batch_counts(response.text) if response.is_success else {}


def parse_batch_counts(metrics: str) -> dict[str, tuple[float, float]]:
    """Parse (items, batches) so far by model from the text of /metrics."""
    found: dict[str, dict[str, float]] = {}
    for model, what, value in re.findall(r"^docextract_(\w+)_batch_items_(sum|count)(?:\{.*\})? (\S+)", metrics, re.M):
        found.setdefault(model, {"sum": 0.0, "count": 0.0})[what] += float(value)
    return {model: (one["sum"], one["count"]) for model, one in found.items()}


def _mean_batch_sizes(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> dict[str, float]:
    shares = {}
    for model, (items, count) in after.items():
        items_before, count_before = before.get(model, (0.0, 0.0))
        if count > count_before:
            shares[model] = (items - items_before) / (count - count_before)
    return shares


def latency_per_image_ms(open_client: ClientFactory, photos: Sequence[EncodedPhoto], images_per_request: int) -> float:
    """Measure milliseconds per image when several images travel in one request of /extraction.

    Returns the median of three requests after one warm-up request.
    """
    took = []
    with open_client() as client:
        for start in [-1, *range(0, 3 * images_per_request, images_per_request)]:
            some = [photos[(max(0, start) + at) % len(photos)] for at in range(images_per_request)]
            files = [("images", (f"{at}.jpg", one.jpeg, "image/jpeg")) for at, one in enumerate(some)]
            begun_s = time.perf_counter()
            client.post("/v1/extraction", files=files).raise_for_status()
            took.append(1000 * (time.perf_counter() - begun_s) / images_per_request)
    return float(np.median(took[1:]))


def print_load(result: LoadResult, note: str = "") -> None:
    """Print one line about a load."""
    cpu = "–" if result.cpu_s_per_page is None else f"{result.cpu_s_per_page:.3f}"
    print(
        f"{result.operation:10} {note:>8} {result.clients:2} clients {result.pages_per_s:7.2f} pages/s"
        f"   p50 {result.latency_ms(50):6.0f} ms   p95 {result.latency_ms(95):6.0f} ms"
        f"   CPU {cpu} s per page   {len(result.answers)} answers",
        flush=True,
    )


def run_info(served_from: str, seconds: float, load_average: float, photos: Sequence[Page]) -> dict[str, Any]:
    """Return what the page reports about the run. load_average: before anything was started."""
    longer = sorted(max(photo.shape[:2]) for photo in photos)
    return {
        **describe_environment(),
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU",
        "load_average": load_average,
        "busy": load_average > BUSY_LOAD_AVERAGE,
        "service": served_from,
        "settings": sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("DOCEXTRACT_")),
        "seconds": seconds,
        "photographs": len(photos),
        "longer_px": (longer[0], longer[-1]),
    }
