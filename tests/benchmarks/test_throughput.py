"""The throughput benchmark, on a service in this process."""

import numpy as np
import pytest

from benchmarks import throughput
from benchmarks.service_process import Service, steps_ms
from tests.benchmarks.test_live_frame import serving
from tests.http.conftest import PlainModels

HERE = Service("http://testserver")
ABOUT = {
    "date": "2026-01-31", "commit": "abc", "machine": "x86_64", "processor": "a processor", "cores": 2,
    "memory_gb": 8.0, "gpu": "no GPU", "load_average": 0.1, "busy": False, "service": "its own", "settings": [],
    "seconds": 20.0, "photographs": 2, "longer_px": (400, 500),
}  # fmt: skip


def grey(level: int, height: int = 400) -> np.ndarray:
    return np.full((height, 300, 3), level, np.uint8)


@pytest.fixture
def photos():
    return [throughput.picture(grey(200)), throughput.picture(grey(220))]


def test_the_photographs_are_the_same_each_time():
    """Of every type in turn, so that two runs can be compared."""
    first, again = throughput.photographs(1), throughput.photographs(1)

    assert np.array_equal(first[0], again[0])


def test_a_picture_is_scaled_by_its_longer_side():
    """Or sent as it is."""
    assert (throughput.picture(grey(9), 800).width, throughput.picture(grey(9), 800).height) == (600, 800)
    assert (throughput.picture(grey(9)).width, throughput.picture(grey(9)).height) == (300, 400)


def test_only_answers_inside_the_window_are_counted(photos):
    """Rates, waits and steps are those of the window; what nobody can see is not made up."""
    found = throughput.load(HERE, lambda: serving(PlainModels()), "extraction", photos, 2, 0.3)

    assert len(found.answers) >= 2
    assert found.per_second == pytest.approx(len(found.answers) / found.seconds)
    assert found.took_ms(50) <= found.took_ms(95)
    assert found.step_ms("extraction") > 0
    assert found.step_ms("decode") + found.other_ms < 2 * found.took_ms(100)
    assert found.cpu_s is None
    assert found.items_per_batch == {}  # no /metrics here


def test_a_refused_request_ends_the_benchmark():
    """Figures of a service that says no would look splendid. The other clients do not wait for ever."""
    broken = [throughput.Picture(b"no picture", 1, 1)]

    with pytest.raises(Exception, match="422"):
        throughput.load(HERE, lambda: serving(PlainModels()), "validation", broken, 3, 5.0)


def test_the_size_of_batches_is_what_was_counted_meanwhile():
    """Of all workers, and of nothing before."""
    before = throughput.batches(METRICS.format(7, 7))
    after = throughput.batches(METRICS.format(31, 13))

    assert before == {"quality": (7.0, 7.0)}
    assert throughput._items_per_batch(before, after) == {"quality": 4.0}
    assert throughput._items_per_batch(after, after) == {}


METRICS = """# HELP docextract_quality_batch_items Items in each batch
docextract_quality_batch_items_sum {}.0
docextract_quality_batch_items_count {}.0
docextract_quality_batch_items_bucket{{le="1.0"}} 3.0
"""


def test_steps_are_read_from_the_header():
    """As the service writes it."""
    assert steps_ms("decode;dur=1.2, validation;dur=9.8, total;dur=12.0") == {
        "decode": 1.2, "validation": 9.8, "total": 12.0,
    }  # fmt: skip
