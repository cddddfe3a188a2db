"""Waiting times of M/G/c queues, by textbook formulas.

Arrivals are Poisson, service times have any distribution, and c servers share one queue. With one server the mean
wait is the Pollaczek-Khinchine formula, which is exact; with more servers it is the Allen-Cunneen approximation with
Erlang's C (all in Bolch, Greiner, de Meer and Trivedi, Queueing Networks and Markov Chains, 2nd ed. 2006, chapter 6).
The tail of the waiting time is modelled as an exponential with this mean, which is exact only for M/M/c.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_BISECTIONS = 40


@dataclass(frozen=True)
class ServiceTime:
    """Distribution of the time that a server needs for one request, without waiting."""

    mean_s: float
    squared_cv: float  # squared coefficient of variation, variance / mean²: 0 is constant, 1 is exponential
    p95_s: float

    @classmethod
    def of(cls, times_s: Sequence[float]) -> "ServiceTime":
        """Estimate the distribution from measured times."""
        mean_s = float(np.mean(times_s))
        return cls(mean_s, float(np.var(times_s)) / mean_s**2, float(np.percentile(times_s, 95)))


def erlang_c(servers: int, load: float) -> float:
    """Return the probability that all servers are busy. load: arrivals per second x seconds each, below `servers`."""
    blocked = 1.0  # Erlang's B by recursion over the servers: the formula with factorials overflows at 170
    for server in range(1, servers + 1):
        blocked = load * blocked / (server + load * blocked)
    return blocked / (1 - load / servers * (1 - blocked))


def mean_wait_s(rate: float, servers: int, service: ServiceTime) -> float:
    """Return the mean waiting time. rate: arrivals per second; the result is infinite if the servers cannot keep up."""
    load = rate * service.mean_s
    if load >= servers:
        return math.inf
    return erlang_c(servers, load) * service.mean_s / (servers - load) * (1 + service.squared_cv) / 2


def wait_quantile_s(share: float, rate: float, servers: int, service: ServiceTime) -> float:
    """Return the quantile of the waiting time. share: 0.95 for the 95th percentile."""
    mean_s = mean_wait_s(rate, servers, service)
    if mean_s in (0.0, math.inf):
        return mean_s
    waiting = erlang_c(servers, rate * service.mean_s)
    return max(0.0, mean_s / waiting * math.log(waiting / (1 - share)))


def response_time_p95_s(rate: float, servers: int, service: ServiceTime) -> float:
    """Return the approximate 95th percentile of the response time.

    It is the larger of a slow service without waiting, and a long wait before an average service.
    """
    return max(service.p95_s, wait_quantile_s(0.95, rate, servers, service) + service.mean_s)


def max_utilisation(target_p95_s: float, servers: int, service: ServiceTime) -> float:
    """Return the highest utilisation, 0..1, whose 95th percentile stays within the target; 0 if none does."""
    if service.p95_s > target_p95_s:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        rate = middle * servers / service.mean_s
        low, high = (middle, high) if response_time_p95_s(rate, servers, service) <= target_p95_s else (low, middle)
    return low
