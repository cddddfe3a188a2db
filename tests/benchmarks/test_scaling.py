"""The page on scaling, from a service in this process."""

import argparse

import httpx
import numpy as np
import pytest

from benchmarks import scaling, simulation
from benchmarks.scaling import Check, Node
from benchmarks.service_process import Service
from benchmarks.simulation import Page, Speed
from tests.benchmarks.test_live_frame import serving
from tests.benchmarks.test_throughput import ABOUT, grey
from tests.http.conftest import PlainModels

HERE = Service("http://testserver")
PAGES = (Page(0.1, 0.4), Page(0.05, 0.2), Page(0.2, 0.9))
OPTIONS = argparse.Namespace(
    target_p95_s=3.0, price_per_core_hour=0.05, price_per_gpu_hour=2.0, gpu_pages_per_second=None
)


@pytest.fixture
def node():
    return Node(2, 9.0, Speed(PAGES, 1.1), 1.6, 1.1, 300_000.0, 9_000.0)


@pytest.fixture
def photos():
    return [scaling.picture(grey(200)), scaling.picture(grey(220))]


def connect():
    return serving(PlainModels())


def test_a_node_is_measured_alone_and_in_a_crowd(photos):
    """Each photograph by itself, then as many as can be; the simulated node keeps up with the real one."""
    found = scaling.measure(HERE, connect, photos, 4.0, 0.3)

    assert len(found.speed.pages) == len(photos)
    assert all(page.extraction_s > 0 for page in found.speed.pages)
    assert found.per_s > 0
    assert found.answer_bytes > 100
    assert found.core_s_a_page == pytest.approx(found.cores / found.per_s)


def test_the_same_requests_are_sent_and_simulated(photos):
    """At the same moments, in the same order; none is left out."""
    node = Node(2, 4.0, Speed((Page(0.01, 0.01), Page(0.01, 0.02)), 1.0), 40.0, None, 1.0, 1.0)

    found = scaling.check(connect, photos, node, 0.5, 0.5, np.random.default_rng(2))

    assert len(found.took_s) + found.refused == len(found.simulated_s) > 3
    assert found.simulated(50) >= 0.02
    assert found.measured(50) > 0


def test_who_is_sent_away_is_counted_and_what_fails_is_not_hidden(photos):
    """503 is an answer under load; anything else ends the measurement."""

    def answering(status):
        return lambda: httpx.Client(
            base_url="http://x", transport=httpx.MockTransport(lambda _: httpx.Response(status))
        )

    assert scaling.drive(answering(503), photos, [0.0, 0.01]) == [None, None]
    with pytest.raises(httpx.HTTPStatusError):
        scaling.drive(answering(500), photos, [0.0, 0.01])


def test_a_late_request_counts_from_when_it_was_due(photos):
    """Waiting at the door is waiting, too."""
    (took_s,) = scaling.drive(connect, photos[:1], [-5.0])

    assert took_s > 5.0


def test_a_million_pages_cost_what_their_core_hours_do():
    """1 s a page on nodes half busy: 2 million core seconds."""
    assert scaling.per_million(1.0, 0.9, 0.5) == pytest.approx(2e6 / 3600 * 0.9)


def test_what_is_asked_of_everything_else_follows_from_a_page(node):
    """Bytes, requests under way by Little's law, and the bill."""
    ten, _, most = scaling.demands(node, 0.8, 0.05)

    assert ten.nodes == pytest.approx(10 / 1.6 / 0.8)
    assert ten.in_gbit_s == pytest.approx(10 * 300_000 * 8 / 1e9)
    assert ten.in_flight == pytest.approx(10 * np.mean([0.5, 0.25, 1.1]))
    assert ten.per_day == pytest.approx(ten.cores * 24 * 0.05)
    assert most.cores == pytest.approx(10_000 * ten.cores)


@pytest.mark.parametrize("gpu_per_s", [None, 20.0])
def test_the_page_is_written_whole(node, tmp_path, monkeypatch, gpu_per_s):
    """With every load that was checked; a GPU only as somebody has measured it."""
    monkeypatch.setattr(
        scaling, "BURST", simulation.Burst(base_per_s=3.0, times=4.0, begins_s=20.0, lasts_s=30.0, until_s=90.0)
    )
    options = argparse.Namespace(**{**vars(OPTIONS), "gpu_pages_per_second": gpu_per_s})
    checks = [Check(0.5, 0.8, [0.5, 0.9], 1, [0.4, 1.0], 1.2)]
    out = tmp_path / "scaling.md"

    scaling.write(out, scaling.everything(node, checks, ABOUT, options))

    page = out.read_text()
    assert "| 0.80 | 50 % | 0.70 | 0.88 | 0.70 | 0.97 | 1.20 | 2 | 1 |" in page
    assert ("No GPU has been measured" in page) == (gpu_per_s is None)
    assert page.count("\n| 100,000 |") == 1
    assert "A quick try" in page
    assert "{{" not in page
