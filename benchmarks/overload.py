"""Far more than can be done, and callers who hold on to what they have: what it costs those who behave.

The service runs on the promoted models here. Used by benchmarks.reliability, which writes its page.
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

from benchmarks.verifying_clients import TOLD_PAUSE_S
from benchmarks.service_process import Service, started
from benchmarks.throughput import photographs, picture

SECONDS = 120.0
TIMES_CAPACITY = 10
CALM_SECONDS = 20.0  # before and after
CALM_CLIENTS = 4  # enough for batches, few enough for all to be let in
MOST_AT_ONCE = 400  # requests under way
PHOTOGRAPHS = 8
TIMEOUT_S = 120.0
SLOW_CALLERS = 64
GONE_CALLERS = 32


@dataclass(frozen=True)
class Answered:
    """One request."""

    at_s: float  # when it was sent, on time.monotonic's clock
    took_s: float
    status: int  # 0: none came
    told: bool  # when to come back

    @property
    def refused(self) -> bool:
        """In the way that a caller can act on."""
        return self.status in (429, 503) and self.told


@dataclass(frozen=True)
class Phase:
    """Some time with some load."""

    name: str
    seconds: float
    answers: Sequence[Answered]

    @property
    def accepted(self) -> list[Answered]:
        """Those that were answered."""
        return [one for one in self.answers if one.status == 200]

    @property
    def refused(self) -> list[Answered]:
        """Those that were sent away and told when to come back."""
        return [one for one in self.answers if one.refused]

    @property
    def lost(self) -> Counter[int]:
        """All others, by status; 0: no answer."""
        return Counter(one.status for one in self.answers if one.status != 200 and not one.refused)

    @staticmethod
    def took_ms(answers: Sequence[Answered], percentile: float) -> float | None:
        """None of none."""
        return 1000 * float(np.percentile([one.took_s for one in answers], percentile)) if answers else None


@dataclass(frozen=True)
class Overload:
    """What came of it all."""

    per_second: float  # pages, before
    extraction: Sequence[Phase]  # before, during, after
    validation: Phase  # one caller of /validation during the flood
    recovered_s: float | None  # from the end of the flood to an answer as fast as nineteen in twenty were before
    slow: "Slow"
    gone: "Gone"


@dataclass(frozen=True)
class Slow:
    """Callers who never finish, and one who does."""

    before: Phase
    during: Phase
    uploads_ended: Counter[str]  # how: the status line, or that the connection was closed
    uploads_ended_s: float  # the last of them
    headers_ended: Counter[str]
    headers_ended_s: float


@dataclass(frozen=True)
class Gone:
    """Callers who hung up after they had sent everything."""

    sent: int
    read_for_nobody: float  # pages
    answered_s: float  # one who stayed and asked right after them


def measure(seconds: float) -> Overload:
    """Start a service on the promoted models and do all of it. seconds: of the flood."""
    jpegs = [picture(photo).jpeg for photo in photographs(PHOTOGRAPHS)]
    with started({}) as service, httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
        _ask(client, "extraction", jpegs[0])
        before = _calm("before", service, jpegs)
        per_second = len(before.accepted) / before.seconds
        with _Asking(service, "validation", jpegs) as validating:
            during = _flood(service, jpegs, TIMES_CAPACITY * per_second, seconds)
        over_s = during.answers[0].at_s + seconds
        after = _calm("after", service, jpegs)
        usual_s = Phase.took_ms(before.accepted, 95)
        recovered = [one.at_s + one.took_s - over_s for one in after.accepted if 1000 * one.took_s <= (usual_s or 0)]
        found = Overload(
            per_second,
            (before, during, after),
            Phase("during", seconds, validating.answers),
            min(recovered, default=None),
            _slow(service, jpegs),
            _gone(service, client, jpegs),
        )
    return found


def _ask(client: httpx.Client, operation: str, jpeg: bytes) -> Answered:
    start_s, status, told = time.monotonic(), 0, False
    with contextlib.suppress(httpx.TransportError):
        response = client.post(f"/v1/{operation}", content=jpeg, headers={"content-type": "image/jpeg"})
        status, told = response.status_code, "retry-after" in response.headers
    return Answered(start_s, time.monotonic() - start_s, status, told)


class _Asking:
    """One caller, one request after another, while it is entered."""

    def __init__(self, service: Service, operation: str, jpegs: Sequence[bytes]) -> None:
        self._service, self._operation, self._jpegs = service, operation, jpegs
        self._over = threading.Event()
        self.answers: list[Answered] = []

    def __enter__(self) -> "_Asking":
        self._thread = threading.Thread(target=self._keep_asking)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _keep_asking(self) -> None:
        with httpx.Client(base_url=self._service.address, timeout=TIMEOUT_S) as client:
            for jpeg in itertools.cycle(self._jpegs):
                if self._over.is_set():
                    return
                self.answers.append(_ask(client, self._operation, jpeg))
                if self.answers[-1].refused:
                    time.sleep(TOLD_PAUSE_S)


def _calm(name: str, service: Service, jpegs: Sequence[bytes], operation: str = "extraction",
          clients: int = CALM_CLIENTS, seconds: float = CALM_SECONDS) -> Phase:  # fmt: skip
    start_s = time.monotonic()
    with contextlib.ExitStack() as stack:
        asking = [stack.enter_context(_Asking(service, operation, jpegs)) for _ in range(clients)]
        time.sleep(seconds)
    answers = [answer for one in asking for answer in one.answers]
    return Phase(name, time.monotonic() - start_s, sorted(answers, key=lambda one: one.at_s))


def _flood(service: Service, jpegs: Sequence[bytes], per_second: float, seconds: float) -> Phase:
    """So many requests a second, whatever comes of those before."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=MOST_AT_ONCE)
    with (
        ThreadPoolExecutor(MOST_AT_ONCE) as pool,
        httpx.Client(base_url=service.address, timeout=TIMEOUT_S, limits=limits) as client,
    ):
        start_s = time.monotonic()
        asked = []
        for number in range(round(per_second * seconds)):
            time.sleep(max(0.0, start_s + number / per_second - time.monotonic()))
            asked.append(pool.submit(_ask, client, "extraction", jpegs[number % len(jpegs)]))
        return Phase("during", seconds, [one.result() for one in asked])


def _slow(service: Service, jpegs: Sequence[bytes]) -> Slow:
    before = _calm("before", service, jpegs, "validation", clients=1, seconds=CALM_SECONDS / 2)
    with _Asking(service, "validation", jpegs) as asking:
        uploads, headers = asyncio.run(_hold_on(service.address))
    return Slow(
        before,
        Phase("during", 0.0, asking.answers),
        Counter(how for how, _ in uploads),
        max(after_s for _, after_s in uploads),
        Counter(how for how, _ in headers),
        max(after_s for _, after_s in headers),
    )


async def _hold_on(address: str) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Bodies and headers that come at a byte a second: how each ended, and after how many seconds."""
    host = urlsplit(address).netloc
    header = f"POST /v1/extraction HTTP/1.1\r\nHost: {host}\r\n".encode()
    body = header + b"Content-Type: image/jpeg\r\nContent-Length: 1000000\r\n\r\n"
    ended = await asyncio.gather(*(_trickle(host, begin) for begin in [body, header] * SLOW_CALLERS))
    return ended[0::2], ended[1::2]


async def _trickle(host: str, begin: bytes) -> tuple[str, float]:
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


def _gone(service: Service, client: httpx.Client, jpegs: Sequence[bytes]) -> Gone:
    read_before = _pages_read(client)
    asyncio.run(_send_and_hang_up(service.address, jpegs))
    start_s = time.monotonic()
    while _ask(client, "extraction", jpegs[0]).refused:
        time.sleep(TOLD_PAUSE_S)
    return Gone(GONE_CALLERS, _pages_read(client) - read_before - 1, time.monotonic() - start_s)


async def _send_and_hang_up(address: str, jpegs: Sequence[bytes]) -> None:
    host = urlsplit(address).netloc
    name, _, port = host.partition(":")

    async def one(jpeg: bytes) -> None:
        _, writer = await asyncio.open_connection(name, int(port))
        header = f"POST /v1/extraction HTTP/1.1\r\nHost: {host}\r\nContent-Type: image/jpeg\r\n"
        writer.write(f"{header}Content-Length: {len(jpeg)}\r\n\r\n".encode() + jpeg)
        await writer.drain()
        await asyncio.sleep(0.5)
        writer.close()

    await asyncio.gather(*(one(jpegs[number % len(jpegs)]) for number in range(GONE_CALLERS)))


def _pages_read(client: httpx.Client) -> float:
    sums = re.findall(r"^docextract_extraction_batch_items_sum(?:\{.*\})? (\S+)", client.get("/metrics").text, re.M)
    return sum(map(float, sums))
