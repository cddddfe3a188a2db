"""How long one waits in a queue, by formulas that every textbook has.

Arrivals are Poisson, service times are as they are, several servers share one queue: M/G/c. With one server the mean
wait is Pollaczek and Khinchine's, exact; with more, Allen and Cunneen's approximation over Erlang's C (all in Bolch,
Greiner, de Meer and Trivedi, Queueing Networks and Markov Chains, 2nd ed. 2006, chapter 6). The wait's tail is taken
to be that of an exponential with this mean, which is exact for M/M/c alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_BISECTIONS = 40


@dataclass(frozen=True)
class Service:
    """What a server does with one request, if nobody waits."""

    mean_s: float
    variation: float  # squared coefficient: variance / mean²; 0 where all take as long, 1 of an exponential
    p95_s: float

    @classmethod
    def of(cls, times_s: Sequence[float]) -> "Service":
        """As these took."""
        mean_s = float(np.mean(times_s))
        return cls(mean_s, float(np.var(times_s)) / mean_s**2, float(np.percentile(times_s, 95)))


def erlang_c(servers: int, load: float) -> float:
    """The probability that all servers are busy. load: arrivals a second x seconds each, under `servers`."""
    blocked = 1.0  # Erlang's B, server by server: the formula with factorials overflows at 170
    for server in range(1, servers + 1):
        blocked = load * blocked / (server + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def wait_mean_s(rate: float, servers: int, service: Service) -> float:
    """Before the service begins. rate: arrivals a second; infinite where that is more than can be served."""
    load = rate * service.mean_s
    if load >= servers:
        return math.inf
    return erlang_c(servers, load) * service.mean_s / (servers - load) * (1 + service.variation) / 2


def wait_s(share: float, rate: float, servers: int, service: Service) -> float:
    """What this share of requests waits at most: 0.95 for the 95th percentile."""
    mean_s = wait_mean_s(rate, servers, service)
    if mean_s in (0.0, math.inf):
        return mean_s
    waiting = erlang_c(servers, rate * service.mean_s)
    return max(0.0, mean_s / waiting * math.log(waiting / (1 - share)))


def time_p95_s(rate: float, servers: int, service: Service) -> float:
    """From arrival to answer: the longer of a slow service, and a long wait before a usual one."""
    return max(service.p95_s, wait_s(0.95, rate, servers, service) + service.mean_s)


def most_utilisation(target_p95_s: float, servers: int, service: Service) -> float:
    """How busy servers may be, 0 to 1, for the 95th percentile to stay within its target; 0 where it never does."""
    if service.p95_s > target_p95_s:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        rate = middle * servers / service.mean_s
        low, high = (middle, high) if time_p95_s(rate, servers, service) <= target_p95_s else (low, middle)
    return low
