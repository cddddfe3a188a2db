"""The formulas, where the answer is known."""

import math

import pytest

from benchmarks import queueing
from benchmarks.queueing import Service

RANDOM = Service(mean_s=1.0, variation=1.0, p95_s=3.0)  # exponential
STEADY = Service(mean_s=1.0, variation=0.0, p95_s=1.0)


def test_erlangs_table_is_met():
    """Two servers with an Erlang of work: one in three waits. A hundred with ninety: 21.7 % do."""
    assert queueing.erlang_c(2, 1.0) == pytest.approx(1 / 3)
    assert queueing.erlang_c(100, 90.0) == pytest.approx(0.217, abs=0.001)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9])
def test_one_server_waits_as_pollaczek_and_khinchine_say(load):
    """M/M/1: load / (1 - load) service times; half of that where all services take as long."""
    assert queueing.wait_mean_s(load, 1, RANDOM) == pytest.approx(load / (1 - load))
    assert queueing.wait_mean_s(load, 1, STEADY) == pytest.approx(load / (1 - load) / 2)


def test_the_tail_is_exact_where_it_is_known():
    """M/M/1: more than t waits a share load · exp(-(1 - load) t)."""
    wait_s = queueing.wait_s(0.95, 0.8, 1, RANDOM)

    assert 0.8 * math.exp(-0.2 * wait_s) == pytest.approx(0.05)
    assert queueing.wait_s(0.95, 0.01, 1, RANDOM) == 0.0  # 99 % find nobody


def test_more_than_can_be_served_waits_for_ever():
    """And no finite number is made up for it."""
    assert queueing.time_p95_s(2.0, 2, RANDOM) == math.inf


def test_many_servers_may_be_busier():
    """For the same target: what one cannot do at once, another can."""
    busy = [queueing.most_utilisation(4.0, servers, RANDOM) for servers in (1, 4, 64)]

    assert busy == sorted(busy)
    assert 0 < busy[0] < busy[2] < 1
    for servers, share in zip((1, 4, 64), busy, strict=True):
        assert queueing.time_p95_s(share * servers, servers, RANDOM) == pytest.approx(4.0, rel=1e-6)


def test_a_target_under_a_single_service_cannot_be_met():
    """By no number of servers."""
    assert queueing.most_utilisation(2.0, 1000, RANDOM) == 0.0
