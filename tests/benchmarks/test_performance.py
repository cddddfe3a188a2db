"""The page on speed, on a service in this process."""

import os
import re
from contextlib import nullcontext

import cv2
import pytest

from benchmarks import performance, throughput
from benchmarks.donut_decoding import Decoded
from benchmarks.offline import Ran
from benchmarks.performance import Measured, Sized, Thoroughness
from benchmarks.service_process import Service
from benchmarks.soak import Soaked
from tests.benchmarks.test_live_frame import serving
from tests.benchmarks.test_throughput import ABOUT, HERE, grey
from tests.http.conftest import PlainModels

FACTS = ABOUT | {"quick": False, "whose": "made up"}
BRIEF = Thoroughness(seconds=0.2, photographs=2, soaked=30)


def connect():
    return serving(PlainModels())


@pytest.fixture
def photos(tmp_path):
    """Files, as they would be sent."""
    files = [tmp_path / f"{level}.jpg" for level in (200, 220)]
    for file, level in zip(files, (200, 220), strict=True):
        cv2.imwrite(str(file), grey(level))
    return files


@pytest.fixture
def measured(photos, monkeypatch):
    monkeypatch.setattr(performance, "CLIENTS", (1, 2))
    monkeypatch.setattr(performance, "SIZES_PX", (300,))
    monkeypatch.setattr(performance, "AT_ONCE", (1, 2))
    return performance.over_http(lambda: nullcontext((HERE, connect)), photos, BRIEF)


def test_everything_is_asked_of_the_service(measured):
    """Each operation with few clients and many; sizes, several pictures, and many requests."""
    assert [(one.operation, one.clients) for one in measured.loads] == [
        ("validation", 1), ("validation", 2), ("extraction", 1), ("extraction", 2),
    ]  # fmt: skip
    assert [one.longer_px for one in measured.sizes] == [300]
    assert [one.pictures for one in measured.together] == [1, 2]
    assert measured.soaked.requests == 30
    assert sum(answers for *_, answers in measured.by_values()) == len(measured.of("extraction")[0].answers)


@pytest.mark.parametrize("busy", [False, True])
def test_the_page_names_a_busy_machine(measured, tmp_path, busy):
    """And only a busy one; every load has its line, and what was not measured has none."""
    out = tmp_path / "performance.md"

    performance.write(out, measured, FACTS | {"busy": busy})

    page = out.read_text()
    assert ("busy" in page) == busy
    assert "| `/validation` | 1 |" in page
    assert "| `/extraction` | 2 |" in page
    assert "## Memory" not in page
    assert "other readers" not in page


def test_peers_have_their_lines_with_ratios(measured, tmp_path):
    """How many times faster ours is; and what is kept over HTTP."""
    ours = Ran("docextract", 16, 4.0, 7.0, 0.3, 900.0, 3.0, 0.9)
    theirs = Ran("Stock + rules", 16, 12.0, 20.0, 1.0, 800.0, 1.0, 0.4)
    out = tmp_path / "performance.md"
    whole = Measured(
        measured.loads,
        measured.sizes,
        contenders=[ours, theirs],
        decoded=Decoded(8, 128, 17_000_000, 30.0, 12.0, 9.0, True),
    )

    performance.write(out, whole, FACTS)

    page = out.read_text()
    assert "| Stock + rules | 1.33 | 3.00 |" in page
    assert "| 30.00 | 3.33 |" in page
    assert whole.kept_over_http == pytest.approx(whole.of("extraction")[-1].per_second / 4.0)
    assert (tmp_path / "images" / "performance" / "clients.svg").exists()


def test_memory_and_settings_are_told_where_they_are_known(photos, tmp_path):
    """Of this very process, whose memory is its greatest so far."""
    here = Service("http://testserver", os.getpid())
    jpegs = [throughput.Picture(photo.read_bytes(), 300, 400) for photo in photos]
    loads = {name: throughput.load(here, connect, name, jpegs, 1, 0.2) for name in throughput.OPERATIONS}
    out = tmp_path / "performance.md"
    soaked = Soaked(1000, 8, 20.0, [(done, 700.0 + done / 100) for done in range(0, 1000, 50)])

    performance.write(
        out,
        Measured(list(loads.values()), [Sized(800, loads, here.peak_mb())], here.peak_mb(), 4.0, soaked=soaked),
        FACTS | {"settings": ["DOCEXTRACT_DEVICE=cpu"]},
    )

    assert loads["extraction"].cpu_s_a_page > 0
    assert re.search(r"^\| .* \| [1-9]\d+ \|$", out.read_text().partition("## Memory")[2], re.M)
    assert "`DOCEXTRACT_DEVICE=cpu`" in out.read_text()
    assert "grew by 10.00 MB" in out.read_text()
