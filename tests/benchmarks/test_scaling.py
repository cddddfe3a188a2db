"""Tests of the scaling benchmark and its page, on a service in this process."""

import argparse

import httpx
import numpy as np
import pytest

from benchmarks import scaling, simulation
from benchmarks.scaling import LoadCheck, MeasuredNode
from benchmarks.service_process import ServiceProcess
from benchmarks.simulation import NodeSpeed, PageTiming
from tests.benchmarks.test_live_frame import open_test_client
from tests.benchmarks.test_throughput import RUN_INFO, grey
from tests.http.conftest import PlainModels

TEST_SERVICE = ServiceProcess("http://testserver")
PAGES = (PageTiming(0.1, 0.4), PageTiming(0.05, 0.2), PageTiming(0.2, 0.9))
OPTIONS = argparse.Namespace(
    target_p95_s=3.0, price_per_core_hour=0.05, price_per_gpu_hour=2.0, gpu_pages_per_second=None
)


@pytest.fixture
def node():
    return MeasuredNode(2, 9.0, NodeSpeed(PAGES, 1.1), 1.6, 1.1, 300_000.0, 9_000.0)


@pytest.fixture
def photos():
    return [scaling.encode_photo(grey(200)), scaling.encode_photo(grey(220))]


def connect():
    return open_test_client(PlainModels())


def test_node_is_measured_alone_and_under_load(photos):
    """Each photo is measured alone, then the throughput with many clients."""
    result = scaling.measure(TEST_SERVICE, connect, photos, 4.0, 0.3)

    assert len(result.speed.pages) == len(photos)
    assert all(page.extraction_s > 0 for page in result.speed.pages)
    assert result.pages_per_s > 0
    assert result.answer_bytes > 100
    assert result.core_s_per_page == pytest.approx(result.cores / result.pages_per_s)


def test_same_requests_are_sent_and_simulated(photos):
    """The same times and the same order; no request is left out."""
    node = MeasuredNode(2, 4.0, NodeSpeed((PageTiming(0.01, 0.01), PageTiming(0.01, 0.02)), 1.0), 40.0, None, 1.0, 1.0)

    result = scaling.check_load(connect, photos, node, 0.5, 0.5, np.random.default_rng(2))

    assert len(result.latencies_s) + result.refused == len(result.simulated_latencies_s) > 3
    assert result.simulated_s(50) >= 0.02
    assert result.measured_s(50) > 0


def test_refusals_are_counted_and_failures_raise(photos):
    """A 503 is a refusal; any other error ends the measurement."""

    def answering(status):
        return lambda: httpx.Client(
            base_url="http://x", transport=httpx.MockTransport(lambda _: httpx.Response(status))
        )

    assert scaling.send_open_loop(answering(503), photos, [0.0, 0.01]) == [None, None]
    with pytest.raises(httpx.HTTPStatusError):
        scaling.send_open_loop(answering(500), photos, [0.0, 0.01])


def test_latency_counts_from_the_planned_time(photos):
    """Waiting before the request was sent is part of the latency."""
    (latency_s,) = scaling.send_open_loop(connect, photos[:1], [-5.0])

    assert latency_s > 5.0


def test_cost_of_a_million_pages_follows_from_core_hours():
    """1 s per page on nodes at 50 % utilisation: 2 million core seconds."""
    assert scaling.cost_per_million_pages(1.0, 0.9, 0.5) == pytest.approx(2e6 / 3600 * 0.9)


def test_capacity_demands_follow_from_one_page(node):
    """Network traffic, requests in flight by Little's law, and cost."""
    small, _, large = scaling.capacity_demands(node, 0.8, 0.05)

    assert small.nodes == pytest.approx(10 / 1.6 / 0.8)
    assert small.in_gbit_s == pytest.approx(10 * 300_000 * 8 / 1e9)
    assert small.in_flight == pytest.approx(10 * np.mean([0.5, 0.25, 1.1]))
    assert small.cost_per_day == pytest.approx(small.cores * 24 * 0.05)
    assert large.cores == pytest.approx(10_000 * small.cores)


@pytest.mark.parametrize("gpu_per_s", [None, 20.0])
def test_page_is_complete(node, tmp_path, monkeypatch, gpu_per_s):
    """Every measured load has a row; GPU results appear only if given."""
    monkeypatch.setattr(
        scaling, "BURST", simulation.Burst(base_per_s=3.0, times=4.0, begins_s=20.0, lasts_s=30.0, until_s=90.0)
    )
    options = argparse.Namespace(**{**vars(OPTIONS), "gpu_pages_per_second": gpu_per_s})
    checks = [LoadCheck(0.5, 0.8, [0.5, 0.9], 1, [0.4, 1.0], 1.2)]
    out = tmp_path / "scaling.md"

    scaling.write(out, scaling.page_values(node, checks, RUN_INFO, options))

    page = out.read_text()
    assert "| 0.80 | 50 % | 0.70 | 0.88 | 0.70 | 0.97 | 1.20 | 2 | 1 |" in page
    assert ("No GPU has been measured" in page) == (gpu_per_s is None)
    assert page.count("\n| 100,000 |") == 1
    assert "A quick run" in page
    assert "{{" not in page
