"""Soak test: send thousands of requests to /validation and watch latency and memory."""

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from time import perf_counter

import httpx
import numpy as np

from benchmarks.service_process import ServiceProcess

MEMORY_SAMPLES = 40  # number of memory samples
SETTLED_SHARE = 0.5  # share of the requests before memory is fitted: buffers first grow to the largest photo


@dataclass(frozen=True)
class SoakResult:
    """Result of a soak test."""

    requests: int
    clients: int
    seconds: float
    memory_samples: Sequence[tuple[int, float]]  # (requests sent so far, MB of all processes); empty if not observable

    @property
    def requests_per_s(self) -> float:
        """Mean throughput."""
        return self.requests / self.seconds

    @property
    def memory_growth_mb_per_1000(self) -> float | None:
        """Memory growth in MB per 1,000 requests after the settling phase; None if memory was not observable."""
        settled = [(done, mb) for done, mb in self.memory_samples if done >= SETTLED_SHARE * self.requests]
        if len(settled) < 3:
            return None
        done, mb = np.array(settled).T
        return float(1000 * np.polyfit(done, mb, 1)[0])


def run_soak_test(
    service: ServiceProcess, connect: Callable[[], httpx.Client], jpegs: Sequence[bytes], requests: int, clients: int
) -> SoakResult:
    """Send `requests` requests to /validation from `clients` threads.

    Raises httpx.HTTPStatusError if a request is refused.
    """
    counter = itertools.count()
    every = max(1, requests // MEMORY_SAMPLES)
    memory_samples: list[tuple[int, float]] = []
    sampling = threading.Lock()  # one thread samples at a time; the others do not wait for it

    def sample_memory(done: int) -> None:
        if done % every == 0 and sampling.acquire(blocking=False):
            memory_mb = service.memory_mb()
            if memory_mb is not None:
                memory_samples.append((done, memory_mb))
            sampling.release()

    def send_requests() -> None:
        with connect() as client:
            while (number := next(counter)) < requests:
                sent = jpegs[number % len(jpegs)]
                client.post(
                    "/v1/validation", content=sent, headers={"content-type": "image/jpeg"}
                ).raise_for_status()  # fmt: skip
                sample_memory(number)

    start = perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        for one in [pool.submit(send_requests) for _ in range(clients)]:
            one.result()
    return SoakResult(requests, clients, perf_counter() - start, sorted(memory_samples))
