"""Tests of the queueing formulas against known results."""

import math

import pytest

from benchmarks import queueing
from benchmarks.queueing import ServiceTime

EXPONENTIAL = ServiceTime(mean_s=1.0, squared_cv=1.0, p95_s=3.0)  # exponential
CONSTANT = ServiceTime(mean_s=1.0, squared_cv=0.0, p95_s=1.0)


def test_erlang_c_matches_published_values():
    """Two servers with one Erlang of load: one request in three waits. A hundred servers with ninety: 21.7 %."""
    assert queueing.erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert queueing.erlang_c(100, 90.0) == pytest.approx(0.217, abs=0.001)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_one_server_has_the_pollaczek_khinchine_wait(load):
    """M/M/1: the mean wait is load / (1 - load) service times; half of that for constant service times."""
    assert queueing.mean_wait_s(load, 1, EXPONENTIAL) == pytest.approx(load / (1 - load))
    assert queueing.mean_wait_s(load, 1, CONSTANT) == pytest.approx(load / (1 - load) / 2)


def test_tail_is_exact_for_one_exponential_server():
    """M/M/1: the share load · exp(-(1 - load) t) of requests waits longer than t."""
    p95_wait_s = queueing.wait_quantile_s(0.95, 0.8, 1, EXPONENTIAL)

    assert 0.8 * math.exp(-0.2 * p95_wait_s) == pytest.approx(0.05)
    assert queueing.wait_quantile_s(0.95, 0.01, 1, EXPONENTIAL) == 0.0  # 99 % find an idle server


def test_overload_waits_for_ever():
    """The result is infinite."""
    assert queueing.response_time_p95_s(2.0, 2, EXPONENTIAL) == math.inf


def test_more_servers_allow_higher_utilisation():
    """The target is the same for all numbers of servers."""
    utilisations = [queueing.max_utilisation(4.0, servers, EXPONENTIAL) for servers in (1, 4, 64)]

    assert utilisations == sorted(utilisations)
    assert 0 < utilisations[0] < utilisations[2] < 1
    for servers, utilisation in zip((1, 4, 64), utilisations, strict=True):
        assert queueing.response_time_p95_s(utilisation * servers, servers, EXPONENTIAL) == pytest.approx(4.0, rel=1e-6)


def test_target_below_the_service_time_cannot_be_met():
    """More servers do not help."""
    assert queueing.max_utilisation(2.0, 1000, EXPONENTIAL) == 0.0
