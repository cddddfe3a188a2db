"""Tests of the soak test."""

import os

import pytest

from benchmarks.service_process import ServiceProcess
from benchmarks.soak import SoakResult, run_soak_test
from benchmarks.throughput import encode_photo
from tests.benchmarks.test_live_frame import open_test_client
from tests.benchmarks.test_throughput import grey
from tests.http.conftest import PlainModels


def test_each_request_is_sent_once_and_memory_is_sampled():
    """All clients share the requests; the memory is that of this process."""
    models = PlainModels()
    process = ServiceProcess("http://testserver", os.getpid())

    result = run_soak_test(process, lambda: open_test_client(models), [encode_photo(grey(200)).jpeg], 60, 3)

    assert result.requests == 60
    assert result.requests_per_s > 1
    assert len(result.memory_samples) > 3
    assert all(mb > 10 for _, mb in result.memory_samples)
    assert result.memory_samples == sorted(result.memory_samples)


def test_growth_is_measured_after_settling():
    """The first requests fill buffers, so they do not count."""
    filling = [(done, 100.0 + done) for done in range(0, 300, 10)]
    flat = [(done, 400.0 + 0.002 * done) for done in range(300, 1000, 10)]

    assert SoakResult(1000, 8, 1.0, [*filling, *flat]).memory_growth_mb_per_1000 == pytest.approx(2.0)
    assert SoakResult(1000, 8, 1.0, []).memory_growth_mb_per_1000 is None


def test_refused_request_ends_the_soak_test():
    """The error is raised."""
    with pytest.raises(Exception, match="422"):
        run_soak_test(
            ServiceProcess("http://testserver"), lambda: open_test_client(PlainModels()), [b"no picture"], 5, 2
        )
