"""The simulation, held against what theory knows and what common sense expects."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import queueing, simulation
from benchmarks.simulation import Burst, Page, Scaling, Speed

PAGES = (Page(0.1, 0.4), Page(0.05, 0.2), Page(0.2, 0.9))
STEADY = Speed(PAGES, 1.0)
BURST = Burst(base_per_s=4.0, times=5.0, begins_s=100.0, lasts_s=100.0, until_s=500.0)
SECOND = [1.0]


def test_a_request_alone_takes_what_its_page_takes():
    """No queue, no crowd."""
    took_s = simulation.one_node(Speed(PAGES, 3.0), [0.0, 100.0, 200.0], [0, 1, 2])

    assert took_s == pytest.approx([0.5, 0.25, 1.1])


def test_what_waits_is_one_batch_and_is_answered_together():
    """Two that came while a page was read leave the runner at the same moment."""
    pages = [Page(0.0, 1.0)]

    took_s = simulation.one_node(Speed(pages, 1.0), [0.0, 0.2, 0.5], [0, 0, 0])

    assert took_s == pytest.approx([1.0, 2.8, 2.5])


def test_the_fit_gives_the_measured_rate_back():
    """What a crowd was seen to get is what a simulated crowd gets."""
    for per_s in (1.4, 2.5):
        speed = simulation.fitted(PAGES, per_s)

        assert simulation.closed_loop_per_s(speed, simulation.CROWD) == pytest.approx(per_s, rel=0.01)
        assert speed.slowing(1) == 1.0


def test_one_node_in_the_fleet_waits_as_the_formula_says():
    """M/D/1 at 70 %: Pollaczek and Khinchine's mean."""
    quiet = Burst(base_per_s=0.7, times=1.0, begins_s=0.0, lasts_s=0.0, until_s=20_000.0)
    outcome = simulation.many_nodes(SECOND, quiet, Scaling(1, 1, 1.0, 0.0), np.random.default_rng(3))

    expected_s = 1.0 + queueing.wait_mean_s(0.7, 1, queueing.Service(1.0, 0.0, 1.0))
    assert np.mean(outcome.took_s) == pytest.approx(expected_s, rel=0.1)
    assert outcome.refused == 0


def test_a_burst_is_as_many_as_it_says():
    """Five times the usual, for as long as it lasts."""
    arrivals_s = np.array(BURST.arrivals_s(np.random.default_rng(1)))

    inside = np.sum((arrivals_s >= 100) & (arrivals_s < 200))
    assert inside == pytest.approx(2000, rel=0.1)
    assert len(arrivals_s) - inside == pytest.approx(1600, rel=0.1)
    assert (np.diff(arrivals_s) >= 0).all()


def test_scaling_answers_more_of_a_burst_than_standing_still():
    """And costs less than to be ready for it always; all requests are accounted for."""

    long = replace(BURST, until_s=2000.0)

    def outcome(least, most):
        return simulation.many_nodes(SECOND, long, Scaling(least, most, 1.0, 20.0), np.random.default_rng(1))

    still, scaled, ready = outcome(5, 5), outcome(5, 24), outcome(24, 24)

    assert still.refused > scaled.refused >= ready.refused == 0
    assert np.percentile(ready.took_s, 95) < np.percentile(scaled.took_s, 95)
    assert still.node_s < scaled.node_s < ready.node_s
    assert 5 < scaled.most_nodes <= 24


def test_nodes_go_when_they_are_no_longer_wanted():
    """Not at once: what was wanted in the last minutes stays."""

    def nodes(until_s):
        burst = replace(BURST, until_s=until_s)
        outcome = simulation.many_nodes(SECOND, burst, Scaling(5, 40, 1.0, 20.0), np.random.default_rng(1))
        return outcome.node_s / until_s

    assert nodes(450.0) > 20
    assert nodes(4000.0) < 14


def test_the_same_seed_is_the_same_burst():
    """A table can be written again."""
    one, other = (
        simulation.many_nodes(SECOND, BURST, Scaling(5, 40, 1.0, 20.0), np.random.default_rng(1)) for _ in range(2)
    )

    assert one == other
