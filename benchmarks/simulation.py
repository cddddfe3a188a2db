"""The service as a simulation, to ask what cannot be measured here: one node under any load, many nodes in a burst.

A node is simulated from what was measured on a real one: how long each photograph takes there alone, before and in the
extraction runner, and how many pages a second it answers when eight clients ask. Nothing else is fitted.
"""

import math
from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import simpy

DECODE_THREADS = 2  # docextract.settings: pictures opened at once
EXTRACTION_BATCH = 8  # docextract.settings: pages in one batch
MAX_WAIT_S = 20.0  # docextract.settings: whoever would wait longer is sent away
CROWD = 8  # requests in a node at which it was measured a second time
_FIT_PAGES = 400
_FIT_STEPS = 30

Process = Generator[simpy.Event, Any, None]


@dataclass(frozen=True)
class Page:
    """How long a node takes for one photograph, alone."""

    before_s: float  # receiving, decoding, judging, and writing the answer
    extraction_s: float  # in the extraction runner

    @property
    def alone_s(self) -> float:
        """All of it."""
        return self.before_s + self.extraction_s


@dataclass(frozen=True)
class Speed:
    """Of a node. A batch takes as long as its pages would alone, times what a crowd makes of it."""

    pages: Sequence[Page]
    crowded: (
        float  # how much longer with CROWD requests in the node; under 1 where batches save more than cores are short
    )

    def slowing(self, inside: int) -> float:
        """With so many requests in the node: in a straight line from one to CROWD."""
        return 1 + (self.crowded - 1) * min(1.0, (inside - 1) / (CROWD - 1))


class Node:
    """One service: pictures are decoded a few at a time, then whatever waits is read as one batch."""

    def __init__(self, env: simpy.Environment, speed: Speed) -> None:
        self._env = env
        self._speed = speed
        self._opening = simpy.Resource(env, DECODE_THREADS)
        self._waiting = simpy.Store(env)
        self._inside = 0
        env.process(self._extract())

    def answer(self, page: Page) -> Process:
        """One request, from its arrival to its answer."""
        self._inside += 1
        with self._opening.request() as turn:
            yield turn
            yield self._env.timeout(page.before_s)
        answered = self._env.event()
        yield self._waiting.put((page, answered))
        yield answered
        self._inside -= 1

    def _extract(self) -> Process:
        while True:
            batch = [(yield self._waiting.get())]
            while self._waiting.items and len(batch) < EXTRACTION_BATCH:
                batch.append((yield self._waiting.get()))
            alone_s = sum(page.extraction_s for page, _ in batch)
            yield self._env.timeout(alone_s * self._speed.slowing(self._inside))
            for _, answered in batch:
                answered.succeed()


def one_node(speed: Speed, arrivals_s: Sequence[float], order: Sequence[int]) -> list[float]:
    """Seconds from arrival to answer of each request. order: which photograph each of them is."""
    env = simpy.Environment()
    node = Node(env, speed)
    took_s = [math.nan] * len(order)

    def request(number: int) -> Process:
        yield env.timeout(arrivals_s[number])
        yield from node.answer(speed.pages[order[number]])
        took_s[number] = env.now - arrivals_s[number]

    for number in range(len(order)):
        env.process(request(number))
    env.run()
    return took_s


def closed_loop_per_s(speed: Speed, clients: int, pages: int = _FIT_PAGES) -> float:
    """Answers a second where so many clients each ask again as soon as they are answered."""
    env = simpy.Environment()
    node = Node(env, speed)
    turns = iter(range(pages))

    def client() -> Process:
        for turn in turns:
            yield from node.answer(speed.pages[turn % len(speed.pages)])

    env.run(env.all_of([env.process(client()) for _ in range(clients)]))
    return pages / env.now


def fitted(pages: Sequence[Page], crowd_per_s: float) -> Speed:
    """The node that answers so many pages a second to CROWD clients."""
    low, high = 0.1, 10.0
    for _ in range(_FIT_STEPS):
        middle = math.sqrt(low * high)
        faster = closed_loop_per_s(Speed(pages, middle), CROWD) > crowd_per_s
        low, high = (middle, high) if faster else (low, middle)
    return Speed(pages, math.sqrt(low * high))


@dataclass(frozen=True)
class Burst:
    """What comes in: a steady rate, and for a while a multiple of it."""

    base_per_s: float
    times: float
    begins_s: float
    lasts_s: float
    until_s: float

    def arrivals_s(self, rng: np.random.Generator) -> list[float]:
        """When requests come, in order: Poisson, of the rate of the moment."""
        peak_per_s = self.base_per_s * self.times
        count = rng.poisson(peak_per_s * self.until_s)
        times = np.sort(rng.uniform(0, self.until_s, count))
        inside = (times >= self.begins_s) & (times < self.begins_s + self.lasts_s)
        return times[inside | (rng.uniform(size=count) < 1 / self.times)].tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Scaling:
    """Kubernetes' HorizontalPodAutoscaler with its defaults: every 15 s to metric / target, up at most to the double or
    by 4 at a time, down to the most that was wanted in the last 5 minutes."""

    least: int  # nodes
    most: int
    target: float  # requests in a node
    start_s: float  # from the wish for a node to its first answer
    every_s: float = 15.0
    stays_s: float = 300.0


@dataclass(frozen=True)
class Outcome:
    """What came of a burst."""

    took_s: Sequence[float]  # of the answered, from arrival to answer
    refused: int  # 503 at the door
    node_s: float  # that were paid for, starting ones included
    most_nodes: int

    @property
    def refused_share(self) -> float:
        """Of all that came."""
        return self.refused / (self.refused + len(self.took_s))


class _Fleet:
    """Nodes that take from one queue, as behind a balancer that knows who is free; and who adds and removes them."""

    def __init__(self, env: simpy.Environment, times_s: Sequence[float], scaling: Scaling) -> None:
        self._env = env
        self._times_s = times_s
        self._mean_s = float(np.mean(times_s))
        self._scaling = scaling
        self._queue: simpy.Store = simpy.Store(env)
        self._wished: deque[tuple[float, int]] = deque()
        self.ready = self.starting = self.surplus = self.busy = 0
        self.took_s: list[float] = []
        self.refused = 0
        self.node_s = 0.0
        self.most_nodes = scaling.least
        for _ in range(scaling.least):
            self.ready += 1
            env.process(self._node())
        env.process(self._scale())

    def arrive(self, which: int) -> None:
        """Let in, or sent away because of the work before it."""
        if len(self._queue.items) * self._mean_s / max(1, self.ready) > MAX_WAIT_S:
            self.refused += 1
        else:
            self._queue.put((self._env.now, which))

    def _node(self) -> Process:
        while True:
            arrived_s, which = yield self._queue.get()
            self.busy += 1
            yield self._env.timeout(self._times_s[which % len(self._times_s)])
            self.busy -= 1
            self.took_s.append(self._env.now - arrived_s)
            if self.surplus:
                self.surplus -= 1
                self.ready -= 1
                return

    def _start_node(self) -> Process:
        self.starting += 1
        yield self._env.timeout(self._scaling.start_s)
        self.starting -= 1
        self.ready += 1
        self._env.process(self._node())

    def _scale(self) -> Process:
        scaling = self._scaling
        while True:
            yield self._env.timeout(scaling.every_s)
            nodes = self.ready + self.starting - self.surplus
            self.node_s += (self.ready + self.starting) * scaling.every_s
            self.most_nodes = max(self.most_nodes, self.ready + self.starting)
            wanted = math.ceil((len(self._queue.items) + self.busy) / scaling.target)
            wanted = max(scaling.least, min(scaling.most, wanted, max(2 * nodes, nodes + 4)))
            self._wished.append((self._env.now, wanted))
            while self._wished[0][0] <= self._env.now - scaling.stays_s:
                self._wished.popleft()
            wanted = max(wanted, min(nodes, max(wish for _, wish in self._wished)))
            spared = min(self.surplus, max(0, wanted - nodes))  # those that were to go, and stay
            self.surplus += max(0, nodes - wanted) - spared
            for _ in range(max(0, wanted - nodes) - spared):
                self._env.process(self._start_node())


def many_nodes(times_s: Sequence[float], burst: Burst, scaling: Scaling, rng: np.random.Generator) -> Outcome:
    """A burst on nodes that come and go. times_s: what a busy node takes for a page, by photograph."""
    env = simpy.Environment()
    fleet = _Fleet(env, times_s, scaling)

    def source() -> Process:
        for number, arrives_s in enumerate(burst.arrivals_s(rng)):
            yield env.timeout(arrives_s - env.now)
            fleet.arrive(number)

    env.process(source())
    env.run(burst.until_s)
    return Outcome(fleet.took_s, fleet.refused, fleet.node_s, fleet.most_nodes)
