"""Many requests, and what they do to memory."""

import os

import pytest

from benchmarks.service_process import Service
from benchmarks.soak import Soaked, soak
from benchmarks.throughput import picture
from tests.benchmarks.test_live_frame import serving
from tests.benchmarks.test_throughput import grey
from tests.http.conftest import PlainModels


def test_every_request_is_sent_once_and_memory_is_watched():
    """By all clients together; of this process."""
    models = PlainModels()
    here = Service("http://testserver", os.getpid())

    found = soak(here, lambda: serving(models), [picture(grey(200)).jpeg], 60, 3)

    assert found.requests == 60
    assert found.per_second > 1
    assert len(found.memory) > 3
    assert all(mb > 10 for _, mb in found.memory)
    assert found.memory == sorted(found.memory)


def test_growth_is_that_of_the_settled_part():
    """The first requests fill buffers."""
    filling = [(done, 100.0 + done) for done in range(0, 300, 10)]
    flat = [(done, 400.0 + 0.002 * done) for done in range(300, 1000, 10)]

    assert Soaked(1000, 8, 1.0, [*filling, *flat]).mb_per_thousand == pytest.approx(2.0)
    assert Soaked(1000, 8, 1.0, []).mb_per_thousand is None


def test_a_refused_request_is_no_success():
    """It ends the measurement."""
    with pytest.raises(Exception, match="422"):
        soak(Service("http://testserver"), lambda: serving(PlainModels()), [b"no picture"], 5, 2)
