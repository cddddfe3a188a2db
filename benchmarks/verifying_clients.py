"""Concurrent clients that verify every answer, for the fault benchmarks and tests.

Each client sends an image of one grey level; the stub extractor of the tests returns that level. So an answer that
belongs to another request is detected, and so is an answer that never arrives.
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

import cv2
import httpx
import numpy as np

from docextract.client import Client, ProblemError, RetryPolicy, UnreachableError

# refused: 429 or 503 with Retry-After. cut_off: sent, but the connection ended without an answer.
# not_connected: no connection could be made, so nothing was sent.
RequestResult = Literal["correct", "wrong", "refused", "failed", "cut_off", "not_connected"]
GREY_LEVELS = range(20, 220)
PAUSE_AFTER_REFUSAL_S = 0.2  # shorter than Retry-After says, so that clients are active when a fault happens
TIMEOUT_S = 120.0
ECHO_FIELD = "merchant_name"


@dataclass(frozen=True)
class RequestRecord:
    """One request."""

    client_kind: str
    sent_at_s: float  # on the clock of time.monotonic
    duration_s: float
    result: RequestResult
    detail: str  # status and code, or the exception type; empty for correct and refused


@dataclass(frozen=True)
class GreyImage:
    """A square image of one grey level."""

    level: int
    png: bytes

    @classmethod
    def of(cls, level: int) -> "GreyImage":
        """Make an image of 64 x 64 px."""
        return cls(level, cv2.imencode(".png", np.full((64, 64), level, np.uint8))[1].tobytes())

    def matches(self, value: object) -> bool:
        """Return True if the value is what the stub extractor returns for this image."""
        return value == f"GREY {self.level}"


SendImage = Callable[[GreyImage], tuple[RequestResult, str]]
OpenClient = Callable[[str], AbstractContextManager[SendImage]]


class RawHttpClient:
    """A plain HTTP client: one attempt, no retries."""

    def __init__(self, address: str) -> None:
        """Open a client that keeps its connection alive."""
        self._http = httpx.Client(base_url=address, timeout=TIMEOUT_S)

    def __enter__(self) -> SendImage:
        return self._send

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def _send(self, image: GreyImage) -> tuple[RequestResult, str]:
        try:
            response = self._http.post("/v1/extraction", content=image.png, headers={"content-type": "image/png"})
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return "not_connected", type(error).__name__
        except httpx.TransportError as error:
            return "cut_off", type(error).__name__
        if response.status_code == 200:
            value = response.json()["documents"][0]["fields"][ECHO_FIELD]["value"]
            return ("correct", "") if image.matches(value) else ("wrong", str(value))
        if response.status_code in (429, 503) and "retry-after" in response.headers:
            return "refused", ""
        return "failed", f"{response.status_code} {response.json().get('code')}"


class PythonClient:
    """`docextract.client` with its default retry policy."""

    def __init__(self, address: str) -> None:
        """Open a client that retries refused and broken requests."""
        self._client = Client(address, timeout_s=TIMEOUT_S, retry_policy=RetryPolicy())

    def __enter__(self) -> SendImage:
        return self._send

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def _send(self, image: GreyImage) -> tuple[RequestResult, str]:
        try:
            answer = self._client.extract(image.png)
        except ProblemError as error:
            refused = error.status in (429, 503) and error.retry_after_s is not None
            return ("refused", "") if refused else ("failed", f"{error.status} {error.code}")
        except UnreachableError as error:
            not_connected = isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout)
            return "not_connected" if not_connected else "cut_off", type(error.__cause__).__name__
        value = answer.documents[0].fields[ECHO_FIELD].value
        return ("correct", "") if image.matches(value) else ("wrong", str(value))


CLIENT_KINDS: dict[str, OpenClient] = {"raw HTTP": RawHttpClient, "docextract.client": PythonClient}


class LoadGenerator:
    """Send requests in threads until stopped: half the clients use raw HTTP, half use `docextract.client`.

    Each client sends its next request when the previous one is answered. `requests` holds every finished request.
    """

    def __init__(self, address: str, clients: int) -> None:
        """clients: number of threads."""
        self._address = address
        self._clients = list(itertools.islice(itertools.cycle(CLIENT_KINDS.items()), clients))
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(clients)
        self.requests: list[RequestRecord] = []

    def __enter__(self) -> Self:
        self._futures = [
            self._pool.submit(self._send_until_stopped, *client_kind, at)
            for at, client_kind in enumerate(self._clients)
        ]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._pool.shutdown()
        for one in self._futures:
            one.result()  # raises the exception that ended a client, if any

    def stop_sending(self) -> None:
        """Send no new requests; leaving the context waits for those in flight."""
        self._stopped.set()

    def _send_until_stopped(self, client_kind: str, open_client: OpenClient, index: int) -> None:
        with open_client(self._address) as send:
            # Each client starts at another level, so that concurrent clients send different images.
            for level in itertools.islice(itertools.cycle(GREY_LEVELS), 13 * index, None):
                if self._stopped.is_set():
                    return
                start_s = time.monotonic()
                result, detail = send(GreyImage.of(level))
                self.requests.append(RequestRecord(client_kind, start_s, time.monotonic() - start_s, result, detail))
                if result in ("refused", "not_connected"):
                    time.sleep(PAUSE_AFTER_REFUSAL_S)


@dataclass(frozen=True)
class RequestCounts:
    """Number of requests by result, for one kind of client."""

    client_kind: str
    results: Counter[RequestResult]
    details: Counter[str]  # of the failed, wrong and cut_off requests
    max_duration_s: float

    @classmethod
    def of(cls, client_kind: str, requests: Sequence[RequestRecord]) -> "RequestCounts":
        """Count the requests that this kind of client sent."""
        own = [one for one in requests if one.client_kind == client_kind]
        details = Counter(one.detail for one in own if one.result in ("wrong", "failed", "cut_off"))
        return cls(
            client_kind, Counter(one.result for one in own), details, max((one.duration_s for one in own), default=0.0)
        )

    @property
    def sent(self) -> int:
        """Number of requests for which a connection was made."""
        return self.results.total() - self.results["not_connected"]


def recovery_time_s(requests: Sequence[RequestRecord], fault_s: float, in_a_row: int = 10) -> float | None:
    """Return seconds from the fault to the first of `in_a_row` consecutive correct answers.

    Only requests sent after the fault count. None if there is no such series.
    """
    row: list[float] = []
    for one in sorted(
        (one for one in requests if one.sent_at_s >= fault_s), key=lambda one: one.sent_at_s + one.duration_s
    ):
        row = [*row, one.sent_at_s + one.duration_s] if one.result == "correct" else []
        if len(row) == in_a_row:
            return row[0] - fault_s
    return None
