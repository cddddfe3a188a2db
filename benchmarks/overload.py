"""Measure overload and slow or disconnecting clients: their effect on well-behaved clients.

The service runs here on the promoted models. benchmarks.reliability uses this module and writes its page.
"""

import asyncio
import contextlib
import itertools
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
import numpy as np

from benchmarks.service_process import ServiceProcess, running_service
from benchmarks.throughput import encode_photo, photo_pixels
from benchmarks.verifying_clients import PAUSE_AFTER_REFUSAL_S

FLOOD_S = 120.0
OVERLOAD_FACTOR = 10
BASELINE_S = 20.0  # length of the measurement before and after the flood
BASELINE_CLIENTS = 4  # enough to fill batches, few enough that no request is refused
MAX_IN_FLIGHT = 400
PHOTO_COUNT = 8
TIMEOUT_S = 120.0
SLOW_CLIENTS = 64
DISCONNECTING_CLIENTS = 32


@dataclass(frozen=True)
class OverloadRequest:
    """One request."""

    sent_at_s: float  # on the clock of time.monotonic
    latency_s: float
    status: int  # 0: no answer
    has_retry_after: bool

    @property
    def refused(self) -> bool:
        """True if the answer is 429 or 503 with Retry-After, on which a client can act."""
        return self.status in (429, 503) and self.has_retry_after


@dataclass(frozen=True)
class LoadPhase:
    """Requests during a period of constant load."""

    name: str
    seconds: float
    answers: Sequence[OverloadRequest]

    @property
    def accepted(self) -> list[OverloadRequest]:
        """The requests with status 200."""
        return [one for one in self.answers if one.status == 200]

    @property
    def refused(self) -> list[OverloadRequest]:
        """The requests refused with Retry-After."""
        return [one for one in self.answers if one.refused]

    @property
    def other_statuses(self) -> Counter[int]:
        """The number of all other requests by status; 0: no answer."""
        return Counter(one.status for one in self.answers if one.status != 200 and not one.refused)

    @staticmethod
    def latency_ms(answers: Sequence[OverloadRequest], percentile: float) -> float | None:
        """Return a percentile of the latency in ms; None without requests."""
        return 1000 * float(np.percentile([one.latency_s for one in answers], percentile)) if answers else None


@dataclass(frozen=True)
class OverloadResult:
    """All results on overload."""

    capacity_per_s: float  # throughput in pages before the flood
    extraction: Sequence[LoadPhase]  # before, during and after the flood
    validation: LoadPhase  # one client of /validation during the flood
    recovery_s: float | None  # from the end of the flood to an answer within the earlier 95th percentile
    slow_clients: "SlowClientResult"
    disconnected: "DisconnectResult"


@dataclass(frozen=True)
class SlowClientResult:
    """Clients that send one byte per second, and one well-behaved client."""

    before: LoadPhase
    during: LoadPhase
    uploads_ended: Counter[str]  # number by outcome: the status line, or "closed" for a closed connection
    uploads_ended_s: float  # time until the last of them ended
    headers_ended: Counter[str]
    headers_ended_s: float


@dataclass(frozen=True)
class DisconnectResult:
    """Clients that disconnected after they had sent a complete request."""

    clients: int
    abandoned_pages: float  # read although nobody waited for the answer
    next_answer_s: float  # latency of the next client's request


def measure(seconds: float) -> OverloadResult:
    """Start a service on the promoted models and run all measurements. seconds: length of the flood."""
    jpegs = [encode_photo(photo).jpeg for photo in photo_pixels(PHOTO_COUNT)]
    with running_service({}) as service, httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
        _send(client, "extraction", jpegs[0])
        before = _measure_baseline("before", service, jpegs)
        capacity_per_s = len(before.accepted) / before.seconds
        with _BackgroundClient(service, "validation", jpegs) as validation_client:
            during = _send_open_loop(service, jpegs, OVERLOAD_FACTOR * capacity_per_s, seconds)
        flood_end_s = during.answers[0].sent_at_s + seconds
        after = _measure_baseline("after", service, jpegs)
        baseline_p95_ms = LoadPhase.latency_ms(before.accepted, 95)
        recovery_times_s = [
            one.sent_at_s + one.latency_s - flood_end_s
            for one in after.accepted
            if 1000 * one.latency_s <= (baseline_p95_ms or 0)
        ]
        found = OverloadResult(
            capacity_per_s,
            (before, during, after),
            LoadPhase("during", seconds, validation_client.answers),
            min(recovery_times_s, default=None),
            _measure_slow_clients(service, jpegs),
            _measure_disconnects(service, client, jpegs),
        )
    return found


def _send(client: httpx.Client, operation: str, jpeg: bytes) -> OverloadRequest:
    start_s, status, has_retry_after = time.monotonic(), 0, False
    with contextlib.suppress(httpx.TransportError):
        response = client.post(f"/v1/{operation}", content=jpeg, headers={"content-type": "image/jpeg"})
        status, has_retry_after = response.status_code, "retry-after" in response.headers
    return OverloadRequest(start_s, time.monotonic() - start_s, status, has_retry_after)


class _BackgroundClient:
    """One client that sends one request after another while the context is active."""

    def __init__(self, service: ServiceProcess, operation: str, jpegs: Sequence[bytes]) -> None:
        self._service, self._operation, self._jpegs = service, operation, jpegs
        self._stopped = threading.Event()
        self.answers: list[OverloadRequest] = []

    def __enter__(self) -> "_BackgroundClient":
        self._thread = threading.Thread(target=self._send_until_stopped)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _send_until_stopped(self) -> None:
        with httpx.Client(base_url=self._service.address, timeout=TIMEOUT_S) as client:
            for jpeg in itertools.cycle(self._jpegs):
                if self._stopped.is_set():
                    return
                self.answers.append(_send(client, self._operation, jpeg))
                if self.answers[-1].refused:
                    time.sleep(PAUSE_AFTER_REFUSAL_S)


def _measure_baseline(name: str, service: ServiceProcess, jpegs: Sequence[bytes], operation: str = "extraction",
                      clients: int = BASELINE_CLIENTS, seconds: float = BASELINE_S) -> LoadPhase:  # fmt: skip
    start_s = time.monotonic()
    with contextlib.ExitStack() as stack:
        background_clients = [stack.enter_context(_BackgroundClient(service, operation, jpegs)) for _ in range(clients)]
        time.sleep(seconds)
    answers = [answer for one in background_clients for answer in one.answers]
    return LoadPhase(name, time.monotonic() - start_s, sorted(answers, key=lambda one: one.sent_at_s))


def _send_open_loop(
    service: ServiceProcess, jpegs: Sequence[bytes], requests_per_s: float, seconds: float
) -> LoadPhase:
    """Send requests at a constant rate, without waiting for answers (open loop)."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=MAX_IN_FLIGHT)
    with (
        ThreadPoolExecutor(MAX_IN_FLIGHT) as pool,
        httpx.Client(base_url=service.address, timeout=TIMEOUT_S, limits=limits) as client,
    ):
        start_s = time.monotonic()
        futures = []
        for number in range(round(requests_per_s * seconds)):
            time.sleep(max(0.0, start_s + number / requests_per_s - time.monotonic()))
            futures.append(pool.submit(_send, client, "extraction", jpegs[number % len(jpegs)]))
        return LoadPhase("during", seconds, [one.result() for one in futures])


def _measure_slow_clients(service: ServiceProcess, jpegs: Sequence[bytes]) -> SlowClientResult:
    before = _measure_baseline("before", service, jpegs, "validation", clients=1, seconds=BASELINE_S / 2)
    with _BackgroundClient(service, "validation", jpegs) as steady_client:
        uploads, headers = asyncio.run(_send_slowly(service.address))
    return SlowClientResult(
        before,
        LoadPhase("during", 0.0, steady_client.answers),
        Counter(outcome for outcome, _ in uploads),
        max(after_s for _, after_s in uploads),
        Counter(outcome for outcome, _ in headers),
        max(after_s for _, after_s in headers),
    )


async def _send_slowly(address: str) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Send bodies and headers at one byte per second; return how each ended and after how many seconds."""
    host = urlsplit(address).netloc
    header = f"POST /v1/extraction HTTP/1.1\r\nHost: {host}\r\n".encode()
    body = header + b"Content-Type: image/jpeg\r\nContent-Length: 1000000\r\n\r\n"
    outcomes = await asyncio.gather(*(_send_byte_per_second(host, begin) for begin in [body, header] * SLOW_CLIENTS))
    return outcomes[0::2], outcomes[1::2]


async def _send_byte_per_second(host: str, begin: bytes) -> tuple[str, float]:
    name, _, port = host.partition(":")
    start_s = time.monotonic()
    reader, writer = await asyncio.open_connection(name, int(port))
    writer.write(begin)
    line = b""
    with contextlib.suppress(ConnectionError):
        while True:
            try:
                line = await asyncio.wait_for(reader.readline(), 1.0)
                break
            except TimeoutError:
                writer.write(b"x")
    writer.close()
    return line.decode().strip() or "closed", time.monotonic() - start_s


def _measure_disconnects(service: ServiceProcess, client: httpx.Client, jpegs: Sequence[bytes]) -> DisconnectResult:
    read_before = _count_pages_read(client)
    asyncio.run(_send_and_disconnect(service.address, jpegs))
    start_s = time.monotonic()
    while _send(client, "extraction", jpegs[0]).refused:
        time.sleep(PAUSE_AFTER_REFUSAL_S)
    return DisconnectResult(
        DISCONNECTING_CLIENTS, _count_pages_read(client) - read_before - 1, time.monotonic() - start_s
    )


async def _send_and_disconnect(address: str, jpegs: Sequence[bytes]) -> None:
    host = urlsplit(address).netloc
    name, _, port = host.partition(":")

    async def one(jpeg: bytes) -> None:
        _, writer = await asyncio.open_connection(name, int(port))
        header = f"POST /v1/extraction HTTP/1.1\r\nHost: {host}\r\nContent-Type: image/jpeg\r\n"
        writer.write(f"{header}Content-Length: {len(jpeg)}\r\n\r\n".encode() + jpeg)
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.close()

    await asyncio.gather(*(one(jpegs[number % len(jpegs)]) for number in range(DISCONNECTING_CLIENTS)))


def _count_pages_read(client: httpx.Client) -> float:
    sums = re.findall(r"^docextract_extraction_batch_items_sum(?:\{.*\})? (\S+)", client.get("/metrics").text, re.M)
    return sum(map(float, sums))
