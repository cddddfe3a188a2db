"""Simulate what cannot be measured on one machine: one node under any load, and many nodes in a burst.

A simulated node uses measurements of a real one: how long each photo takes alone, in the extraction runner and
elsewhere, and how many pages per second it answers to eight clients. Nothing else is fitted.
"""

import math
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

DECODE_THREADS = 2  # docextract.settings: pictures decoded at once
EXTRACTION_BATCH = 8  # docextract.settings: largest batch of pages
MAX_WAIT_S = 20.0  # docextract.settings: requests that would wait longer are refused
SATURATION_CLIENTS = 8  # number of clients in the second measurement of a node
_FIT_PAGES = 400
_FIT_STEPS = 30

Process = Generator[simpy.Event, Any, None]


@dataclass(frozen=True)
class PageTiming:
    """Time that a node needs for one photo when nothing else runs."""

    other_s: float  # receiving, decoding, quality assessment, writing the answer
    extraction_s: float  # in the extraction runner

    @property
    def alone_s(self) -> float:
        """Total time in seconds."""
        return self.other_s + self.extraction_s


@dataclass(frozen=True)
class NodeSpeed:
    """Speed of a node: a batch takes the sum of its pages' times alone, multiplied by a slow-down under load."""

    pages: Sequence[PageTiming]
    # Factor with SATURATION_CLIENTS requests in the node; below 1 if batching saves more than shared cores cost.
    saturation_slowdown: float

    def slowdown(self, in_flight: int) -> float:
        """Return the factor for this number of requests in the node, linear from 1 at one request."""
        return 1 + (self.saturation_slowdown - 1) * min(1.0, (in_flight - 1) / (SATURATION_CLIENTS - 1))


class SimulatedNode:
    """One service: a few pictures are decoded at a time, then all waiting pages are read as one batch."""

    def __init__(self, env: simpy.Environment, speed: NodeSpeed) -> None:
        self._env = env
        self._speed = speed
        self._decoders = simpy.Resource(env, DECODE_THREADS)
        self._queue = simpy.Store(env)
        self._in_flight = 0
        env.process(self._run_extraction())

    def answer(self, page: PageTiming) -> Process:
        """Process of one request, from arrival to answer."""
        self._in_flight += 1
        with self._decoders.request() as turn:
            yield turn
            yield self._env.timeout(page.other_s)
        answered = self._env.event()
        yield self._queue.put((page, answered))
        yield answered
        self._in_flight -= 1

    def _run_extraction(self) -> Process:
        while True:
            batch = [(yield self._queue.get())]
            while self._queue.items and len(batch) < EXTRACTION_BATCH:
                batch.append((yield self._queue.get()))
            alone_s = sum(page.extraction_s for page, _ in batch)
            yield self._env.timeout(alone_s * self._speed.slowdown(self._in_flight))
            for _, answered in batch:
                answered.succeed()


def simulate_node(speed: NodeSpeed, arrivals_s: Sequence[float], photo_order: Sequence[int]) -> list[float]:
    """Simulate one node; return the latency of each request in seconds.

    photo_order: index of each request's photo.
    """
    env = simpy.Environment()
    node = SimulatedNode(env, speed)
    latencies_s = [math.nan] * len(photo_order)

    def request(number: int) -> Process:
        yield env.timeout(arrivals_s[number])
        yield from node.answer(speed.pages[photo_order[number]])
        latencies_s[number] = env.now - arrivals_s[number]

    for number in range(len(photo_order)):
        env.process(request(number))
    env.run()
    return latencies_s


def closed_loop_pages_per_s(speed: NodeSpeed, clients: int, pages: int = _FIT_PAGES) -> float:
    """Return the throughput when each client sends its next request as soon as it is answered."""
    env = simpy.Environment()
    node = SimulatedNode(env, speed)
    turn_numbers = iter(range(pages))

    def client() -> Process:
        for turn in turn_numbers:
            yield from node.answer(speed.pages[turn % len(speed.pages)])

    env.run(env.all_of([env.process(client()) for _ in range(clients)]))
    return pages / env.now


def fit_node_speed(pages: Sequence[PageTiming], saturated_pages_per_s: float) -> NodeSpeed:
    """Fit the slow-down so that SATURATION_CLIENTS clients get this throughput."""
    low, high = 0.1, 10.0
    for _ in range(_FIT_STEPS):
        middle = math.sqrt(low * high)
        faster = closed_loop_pages_per_s(NodeSpeed(pages, middle), SATURATION_CLIENTS) > saturated_pages_per_s
        low, high = (middle, high) if faster else (low, middle)
    return NodeSpeed(pages, math.sqrt(low * high))


@dataclass(frozen=True)
class Burst:
    """Arrivals: a constant rate, multiplied by `times` for a while."""

    base_per_s: float
    times: float
    begins_s: float
    lasts_s: float
    until_s: float

    def arrivals_s(self, rng: np.random.Generator) -> list[float]:
        """Return sorted arrival times of a Poisson process with the rate of the moment."""
        peak_per_s = self.base_per_s * self.times
        count = rng.poisson(peak_per_s * self.until_s)
        times = np.sort(rng.uniform(0, self.until_s, count))
        inside = (times >= self.begins_s) & (times < self.begins_s + self.lasts_s)
        return times[inside | (rng.uniform(size=count) < 1 / self.times)].tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class AutoscalerConfig:
    """Settings of Kubernetes' HorizontalPodAutoscaler, with its defaults.

    Every 15 s it sets the number of nodes to metric / target. It adds at most the current number of nodes or 4,
    whichever is more, and removes only what was not needed within the last 5 minutes.
    """

    min_nodes: int  # nodes
    max_nodes: int
    target_requests_per_node: float  # requests in progress
    node_start_s: float  # from the decision to start a node to its first answer
    interval_s: float = 15.0
    scale_down_window_s: float = 300.0


@dataclass(frozen=True)
class BurstOutcome:
    """Result of a simulated burst."""

    latencies_s: Sequence[float]  # of answered requests, from arrival to answer
    refused: int  # answered 503 on arrival
    node_s: float  # node seconds including nodes that are starting
    peak_nodes: int

    @property
    def refused_share(self) -> float:
        """Refused requests as a share of all."""
        return self.refused / (self.refused + len(self.latencies_s))


class _Cluster:
    """Nodes that share one queue, as behind an ideal load balancer, and the autoscaler."""

    def __init__(self, env: simpy.Environment, times_s: Sequence[float], config: AutoscalerConfig) -> None:
        self._env = env
        self._times_s = times_s
        self._mean_s = float(np.mean(times_s))
        self._config = config
        self._queue: simpy.Store = simpy.Store(env)
        self._recent_targets: deque[tuple[float, int]] = deque()
        self.ready = self.starting = self.surplus = self.busy = 0
        self.latencies_s: list[float] = []
        self.refused = 0
        self.node_s = 0.0
        self.peak_nodes = config.min_nodes
        for _ in range(config.min_nodes):
            self.ready += 1
            env.process(self._node())
        env.process(self._scale())

    def arrive(self, photo: int) -> None:
        """Queue a request, or refuse it if the estimated wait is longer than MAX_WAIT_S."""
        if len(self._queue.items) * self._mean_s / max(1, self.ready) > MAX_WAIT_S:
            self.refused += 1
        else:
            self._queue.put((self._env.now, photo))

    def _node(self) -> Process:
        while True:
            arrived_s, photo = yield self._queue.get()
            self.busy += 1
            yield self._env.timeout(self._times_s[photo % len(self._times_s)])
            self.busy -= 1
            self.latencies_s.append(self._env.now - arrived_s)
            if self.surplus:
                self.surplus -= 1
                self.ready -= 1
                return

    def _start_node(self) -> Process:
        self.starting += 1
        yield self._env.timeout(self._config.node_start_s)
        self.starting -= 1
        self.ready += 1
        self._env.process(self._node())

    def _scale(self) -> Process:
        config = self._config
        while True:
            yield self._env.timeout(config.interval_s)
            nodes = self.ready + self.starting - self.surplus
            self.node_s += (self.ready + self.starting) * config.interval_s
            self.peak_nodes = max(self.peak_nodes, self.ready + self.starting)
            target_nodes = math.ceil((len(self._queue.items) + self.busy) / config.target_requests_per_node)
            target_nodes = max(config.min_nodes, min(config.max_nodes, target_nodes, max(2 * nodes, nodes + 4)))
            self._recent_targets.append((self._env.now, target_nodes))
            while self._recent_targets[0][0] <= self._env.now - config.scale_down_window_s:
                self._recent_targets.popleft()
            target_nodes = max(target_nodes, min(nodes, max(recent for _, recent in self._recent_targets)))
            kept = min(self.surplus, max(0, target_nodes - nodes))  # nodes that were to be removed and are kept
            self.surplus += max(0, nodes - target_nodes) - kept
            for _ in range(max(0, target_nodes - nodes) - kept):
                self._env.process(self._start_node())


def simulate_cluster(
    times_s: Sequence[float], burst: Burst, config: AutoscalerConfig, rng: np.random.Generator
) -> BurstOutcome:
    """Simulate a burst on an autoscaled cluster. times_s: time that a busy node needs for a page, by photo."""
    env = simpy.Environment()
    cluster = _Cluster(env, times_s, config)

    def source() -> Process:
        for number, arrives_s in enumerate(burst.arrivals_s(rng)):
            yield env.timeout(arrives_s - env.now)
            cluster.arrive(number)

    env.process(source())
    env.run(burst.until_s)
    return BurstOutcome(cluster.latencies_s, cluster.refused, cluster.node_s, cluster.peak_nodes)
