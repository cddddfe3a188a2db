"""The same small request, thousands of times: does it stay fast, and does memory stay flat?"""

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import httpx
import numpy as np

from benchmarks.service_process import Service

SAMPLES = 40  # of memory
SETTLED = 0.5  # share of the requests after which memory is looked at: buffers grow to the largest photograph first


@dataclass(frozen=True)
class Soaked:
    """What came of it."""

    requests: int
    clients: int
    seconds: float
    memory: Sequence[tuple[int, float]]  # after so many requests, MB of all processes together; empty if unseen

    @property
    def per_second(self) -> float:
        """Answers."""
        return self.requests / self.seconds

    @property
    def mb_per_thousand(self) -> float | None:
        """How much memory grew in every thousand requests, once settled; none where it cannot be seen."""
        settled = [(done, mb) for done, mb in self.memory if done >= SETTLED * self.requests]
        if len(settled) < 3:
            return None
        done, mb = np.array(settled).T
        return float(1000 * np.polyfit(done, mb, 1)[0])


def soak(
    service: Service, connect: Callable[[], httpx.Client], jpegs: Sequence[bytes], requests: int, clients: int
) -> Soaked:
    """So many requests of /validation, shared by so many clients. Raises httpx.HTTPStatusError if one is refused."""
    turn = itertools.count()
    every = max(1, requests // SAMPLES)
    memory: list[tuple[int, float]] = []
    looking = threading.Lock()  # one look at a time, without holding up the other clients

    def look(done: int) -> None:
        if done % every == 0 and looking.acquire(blocking=False):
            with_memory = service.memory_mb()
            if with_memory is not None:
                memory.append((done, with_memory))
            looking.release()

    def ask() -> None:
        with connect() as client:
            while (number := next(turn)) < requests:
                sent = jpegs[number % len(jpegs)]
                client.post(
                    "/v1/validation", content=sent, headers={"content-type": "image/jpeg"}
                ).raise_for_status()  # fmt: skip
                look(number)

    start = perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        for one in [pool.submit(ask) for _ in range(clients)]:
            one.result()
    return Soaked(requests, clients, perf_counter() - start, sorted(memory))
