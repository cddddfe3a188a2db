"""Tests of the simulation, against theory and plausibility."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import queueing, simulation
from benchmarks.simulation import AutoscalerConfig, Burst, NodeSpeed, PageTiming

PAGES = (PageTiming(0.1, 0.4), PageTiming(0.05, 0.2), PageTiming(0.2, 0.9))
STEADY = NodeSpeed(PAGES, 1.0)
BURST = Burst(base_per_s=4.0, times=5.0, begins_s=100.0, lasts_s=100.0, until_s=500.0)
ONE_SECOND = [1.0]


def test_single_request_takes_its_page_time():
    """There is no queue and no slow-down."""
    latencies_s = simulation.simulate_node(NodeSpeed(PAGES, 3.0), [0.0, 100.0, 200.0], [0, 1, 2])

    assert latencies_s == pytest.approx([0.5, 0.25, 1.1])


def test_waiting_pages_form_one_batch():
    """Two requests that arrived while a page was read leave the runner together."""
    pages = [PageTiming(0.0, 1.0)]

    latencies_s = simulation.simulate_node(NodeSpeed(pages, 1.0), [0.0, 0.2, 0.5], [0, 0, 0])

    assert latencies_s == pytest.approx([1.0, 2.8, 2.5])


def test_fit_reproduces_the_measured_throughput():
    """The simulated throughput with many clients equals the measured one."""
    for pages_per_s in (1.4, 2.5):
        speed = simulation.fit_node_speed(PAGES, pages_per_s)

        assert simulation.closed_loop_pages_per_s(speed, simulation.SATURATION_CLIENTS) == pytest.approx(
            pages_per_s, rel=0.01
        )
        assert speed.slowdown(1) == 1.0


def test_one_node_waits_as_the_formula_says():
    """M/D/1 at 70 % utilisation: the Pollaczek-Khinchine mean."""
    steady_rate = Burst(base_per_s=0.7, times=1.0, begins_s=0.0, lasts_s=0.0, until_s=20_000.0)
    outcome = simulation.simulate_cluster(
        ONE_SECOND, steady_rate, AutoscalerConfig(1, 1, 1.0, 0.0), np.random.default_rng(3)
    )

    expected_s = 1.0 + queueing.mean_wait_s(0.7, 1, queueing.ServiceTime(1.0, 0.0, 1.0))
    assert np.mean(outcome.latencies_s) == pytest.approx(expected_s, rel=0.1)
    assert outcome.refused == 0


def test_burst_has_the_configured_rates():
    """Five times the base rate during the burst, the base rate elsewhere."""
    arrivals_s = np.array(BURST.arrivals_s(np.random.default_rng(1)))

    inside = np.sum((arrivals_s >= 100) & (arrivals_s < 200))
    assert inside == pytest.approx(2000, rel=0.1)
    assert len(arrivals_s) - inside == pytest.approx(1600, rel=0.1)
    assert (np.diff(arrivals_s) >= 0).all()


def test_autoscaling_answers_more_of_a_burst_than_a_fixed_size():
    """It also costs fewer node seconds than a fixed size for the burst."""

    long_burst = replace(BURST, until_s=2000.0)

    def outcome(min_nodes, max_nodes):
        return simulation.simulate_cluster(
            ONE_SECOND, long_burst, AutoscalerConfig(min_nodes, max_nodes, 1.0, 20.0), np.random.default_rng(1)
        )

    small_fixed, autoscaled, large_fixed = outcome(5, 5), outcome(5, 24), outcome(24, 24)

    assert small_fixed.refused > autoscaled.refused >= large_fixed.refused == 0
    assert np.percentile(large_fixed.latencies_s, 95) < np.percentile(autoscaled.latencies_s, 95)
    assert small_fixed.node_s < autoscaled.node_s < large_fixed.node_s
    assert 5 < autoscaled.peak_nodes <= 24


def test_unneeded_nodes_are_removed():
    """Nodes that were needed in the last minutes stay for a while."""

    def nodes(until_s):
        burst = replace(BURST, until_s=until_s)
        outcome = simulation.simulate_cluster(
            ONE_SECOND, burst, AutoscalerConfig(5, 40, 1.0, 20.0), np.random.default_rng(1)
        )
        return outcome.node_s / until_s

    assert nodes(450.0) > 20
    assert nodes(4000.0) < 14


def test_same_seed_gives_the_same_burst():
    """The page's table is reproducible."""
    one, other = (
        simulation.simulate_cluster(ONE_SECOND, BURST, AutoscalerConfig(5, 40, 1.0, 20.0), np.random.default_rng(1))
        for _ in range(2)
    )

    assert one == other
