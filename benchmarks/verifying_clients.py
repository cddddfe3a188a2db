"""Many callers at once, each of whom knows what was sent and looks at what comes back.

A picture of one grey is sent; the stub extractor of the tests reads its level. So an answer that belongs to somebody
else is seen, and so is one that never comes.
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

from docextract.client import Client, Patience, ProblemError, UnreachableError

# told: 429 or 503 with Retry-After. cut: sent, and never answered. nobody: no connection was made, so nothing was sent.
Fate = Literal["right", "wrong", "told", "failed", "cut", "nobody"]
LEVELS = range(20, 220)
TOLD_PAUSE_S = 0.2  # after a refusal; less than Retry-After asks, so that a fault meets callers
TIMEOUT_S = 120.0
FIELD = "merchant_name"


@dataclass(frozen=True)
class Asked:
    """One request."""

    way: str
    at_s: float  # when it was sent, on time.monotonic's clock
    took_s: float
    fate: Fate
    detail: str  # of what is neither right nor told: status and code, or the kind of exception


@dataclass(frozen=True)
class Picture:
    """A page of one grey."""

    level: int
    png: bytes

    @classmethod
    def of(cls, level: int) -> "Picture":
        """64 px square."""
        return cls(level, cv2.imencode(".png", np.full((64, 64), level, np.uint8))[1].tobytes())

    def is_read(self, name: object) -> bool:
        """Whether this name is what the stub extractor reads on it."""
        return name == f"GREY {self.level}"


Ask = Callable[[Picture], tuple[Fate, str]]
Connect = Callable[[str], AbstractContextManager[Ask]]


class RawHttp:
    """As any HTTP client: one try."""

    def __init__(self, address: str) -> None:
        """Keeps its connection, as clients do."""
        self._http = httpx.Client(base_url=address, timeout=TIMEOUT_S)

    def __enter__(self) -> Ask:
        return self._ask

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def _ask(self, picture: Picture) -> tuple[Fate, str]:
        try:
            response = self._http.post("/v1/extraction", content=picture.png, headers={"content-type": "image/png"})
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return "nobody", type(error).__name__
        except httpx.TransportError as error:
            return "cut", type(error).__name__
        if response.status_code == 200:
            read = response.json()["documents"][0]["fields"][FIELD]["value"]
            return ("right", "") if picture.is_read(read) else ("wrong", str(read))
        if response.status_code in (429, 503) and "retry-after" in response.headers:
            return "told", ""
        return "failed", f"{response.status_code} {response.json().get('code')}"


class OurClient:
    """`docextract.client`, with the patience that it has by itself."""

    def __init__(self, address: str) -> None:
        """Asks again by itself."""
        self._client = Client(address, timeout_s=TIMEOUT_S, patience=Patience())

    def __enter__(self) -> Ask:
        return self._ask

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def _ask(self, picture: Picture) -> tuple[Fate, str]:
        try:
            answer = self._client.extract(picture.png)
        except ProblemError as error:
            told = error.status in (429, 503) and error.retry_after_s is not None
            return ("told", "") if told else ("failed", f"{error.status} {error.code}")
        except UnreachableError as error:
            nobody = isinstance(error.__cause__, httpx.ConnectError | httpx.ConnectTimeout)
            return "nobody" if nobody else "cut", type(error.__cause__).__name__
        read = answer.documents[0].fields[FIELD].value
        return ("right", "") if picture.is_read(read) else ("wrong", str(read))


WAYS: dict[str, Connect] = {"raw HTTP": RawHttp, "docextract.client": OurClient}


class Crowd:
    """Half of them ask by raw HTTP and half by our client, one request after another, until they are told to stop."""

    def __init__(self, address: str, clients: int) -> None:
        """clients: of each way, half."""
        self._address = address
        self._ways = list(itertools.islice(itertools.cycle(WAYS.items()), clients))
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor(clients)
        self.asked: list[Asked] = []

    def __enter__(self) -> Self:
        self._busy = [self._pool.submit(self._keep_asking, *way, at) for at, way in enumerate(self._ways)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._pool.shutdown()
        for one in self._busy:
            one.result()  # raises what a client stumbled over

    def stop_asking(self) -> None:
        """Send nothing new; what was sent is waited for when the crowd is left."""
        self._over.set()

    def _keep_asking(self, way: str, connect: Connect, number: int) -> None:
        with connect(self._address) as ask:
            # Each begins elsewhere, so that neighbours send different levels.
            for level in itertools.islice(itertools.cycle(LEVELS), 13 * number, None):
                if self._over.is_set():
                    return
                start_s = time.monotonic()
                fate, detail = ask(Picture.of(level))
                self.asked.append(Asked(way, start_s, time.monotonic() - start_s, fate, detail))
                if fate in ("told", "nobody"):
                    time.sleep(TOLD_PAUSE_S)


@dataclass(frozen=True)
class Tally:
    """What became of all that was sent in one way."""

    way: str
    fates: Counter[Fate]
    details: Counter[str]  # of those that failed, were wrong or cut
    longest_s: float

    @classmethod
    def of(cls, way: str, asked: Sequence[Asked]) -> "Tally":
        """Only what was asked this way."""
        these = [one for one in asked if one.way == way]
        details = Counter(one.detail for one in these if one.fate in ("wrong", "failed", "cut"))
        return cls(way, Counter(one.fate for one in these), details, max((one.took_s for one in these), default=0.0))

    @property
    def sent(self) -> int:
        """Requests for which there was a connection."""
        return self.fates.total() - self.fates["nobody"]


def recovered_after_s(asked: Sequence[Asked], fault_s: float, in_a_row: int = 10) -> float | None:
    """From the fault to the first of so many right answers in a row, to requests that were sent after it.

    None if there were none.
    """
    row: list[float] = []
    for one in sorted((one for one in asked if one.at_s >= fault_s), key=lambda one: one.at_s + one.took_s):
        row = [*row, one.at_s + one.took_s] if one.fate == "right" else []
        if len(row) == in_a_row:
            return row[0] - fault_s
    return None
