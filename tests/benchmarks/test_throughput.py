"""Tests of the closed-loop load, on a service in this process."""

import numpy as np
import pytest

from benchmarks import throughput
from benchmarks.service_process import ServiceProcess, parse_server_timing
from tests.benchmarks.test_live_frame import open_test_client
from tests.http.conftest import PlainModels

TEST_SERVICE = ServiceProcess("http://testserver")
RUN_INFO = {
    "date": "2026-01-31", "commit": "abc", "machine": "x86_64", "processor": "a processor", "cores": 2,
    "memory_gb": 8.0, "gpu": "no GPU", "load_average": 0.1, "busy": False, "service": "its own", "settings": [],
    "seconds": 20.0, "photographs": 2, "longer_px": (400, 500),
}  # fmt: skip


def grey(level: int, height: int = 400) -> np.ndarray:
    return np.full((height, 300, 3), level, np.uint8)


@pytest.fixture
def photos():
    return [throughput.encode_photo(grey(200)), throughput.encode_photo(grey(220))]


def test_photos_are_the_same_each_time():
    """Two runs can be compared."""
    first, again = throughput.photo_pixels(1), throughput.photo_pixels(1)

    assert np.array_equal(first[0], again[0])


def test_photo_is_scaled_by_its_longer_side():
    """Without a size it is sent unscaled."""
    assert (throughput.encode_photo(grey(9), 800).width_px, throughput.encode_photo(grey(9), 800).height_px) == (
        600,
        800,
    )
    assert (throughput.encode_photo(grey(9)).width_px, throughput.encode_photo(grey(9)).height_px) == (300, 400)


def test_only_answers_inside_the_window_count(photos):
    """Throughput, latency and steps are those of the window; values that cannot be observed are None or empty."""
    result = throughput.run_closed_loop(
        TEST_SERVICE, lambda: open_test_client(PlainModels()), "extraction", photos, 2, 0.3
    )

    assert len(result.answers) >= 2
    assert result.pages_per_s == pytest.approx(len(result.answers) / result.seconds)
    assert result.latency_ms(50) <= result.latency_ms(95)
    assert result.median_step_ms("extraction") > 0
    assert result.median_step_ms("decode") + result.median_other_ms < 2 * result.latency_ms(100)
    assert result.cpu_s is None
    assert result.mean_batch_size == {}  # the test service has no /metrics


def test_refused_request_ends_the_load():
    """Refusals are fast and would look like high throughput. The other clients stop as well."""
    broken = [throughput.EncodedPhoto(b"no picture", 1, 1)]

    with pytest.raises(Exception, match="422"):
        throughput.run_closed_loop(TEST_SERVICE, lambda: open_test_client(PlainModels()), "validation", broken, 3, 5.0)


def test_mean_batch_size_counts_only_the_window():
    """Requests before the window do not count."""
    before = throughput.parse_batch_counts(METRICS.format(7, 7))
    after = throughput.parse_batch_counts(METRICS.format(31, 13))

    assert before == {"quality": (7.0, 7.0)}
    assert throughput._mean_batch_sizes(before, after) == {"quality": 4.0}
    assert throughput._mean_batch_sizes(after, after) == {}


METRICS = """# HELP docextract_quality_batch_items Items in each batch
docextract_quality_batch_items_sum {}.0
docextract_quality_batch_items_count {}.0
docextract_quality_batch_items_bucket{{le="1.0"}} 3.0
"""


def test_steps_are_parsed_from_the_header():
    """In the format that the service writes."""
    assert parse_server_timing("decode;dur=1.2, validation;dur=9.8, total;dur=12.0") == {
        "decode": 1.2, "validation": 9.8, "total": 12.0,
    }  # fmt: skip
