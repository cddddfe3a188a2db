"""Tests of the speed benchmark and its page, on a service in this process."""

import os
import re
from contextlib import nullcontext
from dataclasses import replace

import cv2
import pytest

from benchmarks import performance, throughput
from benchmarks.donut_decoding import DecodingTimes
from benchmarks.offline import OfflineResult, SystemRuns
from benchmarks.performance import PerformanceResults, PhotoSizeResult, RunLength
from benchmarks.service_process import ServiceProcess
from benchmarks.soak import SoakResult
from tests.benchmarks.test_live_frame import open_test_client
from tests.benchmarks.test_throughput import RUN_INFO, TEST_SERVICE, grey
from tests.http.conftest import PlainModels
from training.datasets import labelled_folder

INFO = RUN_INFO | {"quick": False}
SHORT_RUN = RunLength(seconds=0.2, photo_count=2, soak_requests=30)


def connect():
    return open_test_client(PlainModels())


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Two photos as JPEG files."""
    folder = tmp_path_factory.mktemp("photos")
    files = [folder / f"{level}.jpg" for level in (200, 220)]
    for file, level in zip(files, (200, 220), strict=True):
        cv2.imwrite(str(file), grey(level))
    return files


@pytest.fixture(scope="module")
def results(photos):
    """Of a measurement that is as short as possible."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(performance, "CLIENT_COUNTS", (1, 2))
        patch.setattr(performance, "LONGER_SIDES_PX", (300,))
        patch.setattr(performance, "IMAGES_PER_REQUEST", (1, 2))
        return performance.measure_over_http(lambda: nullcontext((TEST_SERVICE, connect)), photos, SHORT_RUN)


def test_service_is_measured_in_all_dimensions(results):
    """Both operations with several numbers of clients; photo sizes, several images per request, and the soak test."""
    assert [(one.operation, one.clients) for one in results.loads] == [
        ("validation", 1), ("validation", 2), ("extraction", 1), ("extraction", 2),
    ]  # fmt: skip
    assert [one.longer_side_px for one in results.sizes] == [300]
    assert [one.images for one in results.multi_image] == [1, 2]
    assert results.soak_result.requests == 30
    assert sum(answers for *_, answers in results.latency_by_value_count()) == len(
        results.loads_of("extraction")[0].answers
    )


def test_throughput_without_http_is_that_before_and_after_the_loads(photos, monkeypatch):
    """Both are on a machine of the same speed."""
    monkeypatch.setattr(performance, "CLIENT_COUNTS", (1,))
    monkeypatch.setattr(performance, "LONGER_SIDES_PX", ())
    monkeypatch.setattr(performance, "IMAGES_PER_REQUEST", ())
    runs = [OfflineResult("docextract", 16, seconds, 7.0, 0.3, 900.0, 3.0, 0.9) for seconds in (2.0, 6.0)]
    left = iter(runs)

    found = performance.measure_over_http(
        lambda: nullcontext((TEST_SERVICE, connect)), photos, SHORT_RUN, lambda: next(left)
    )

    assert found.offline_pages_per_s == 4.0
    assert next(left, None) is None


@pytest.mark.parametrize("busy", [False, True])
def test_page_warns_of_a_busy_machine(results, tmp_path, busy):
    """Only a busy machine causes the warning. Every load has its row; sections without results are left out."""
    out = tmp_path / "performance.md"

    performance.write(out, results, INFO | {"busy": busy})

    page = out.read_text()
    assert ("busy" in page) == busy
    assert "| `/validation` | 1 |" in page
    assert "| `/extraction` | 2 |" in page
    assert "## Memory" not in page
    assert "other readers" not in page


def test_other_readers_have_rows_with_ratios(results, tmp_path):
    """The page shows speed-ups; throughput over HTTP is compared with that without."""
    ours = OfflineResult("docextract", 16, 4.0, 7.0, 0.3, 900.0, 3.0, 0.9)
    theirs = OfflineResult("Stock + rules", 16, 12.0, 20.0, 1.0, 800.0, 1.0, 0.4)
    out = tmp_path / "performance.md"
    complete = PerformanceResults(
        results.loads,
        results.sizes,
        comparisons={
            performance.SYNTHETIC_SET: [SystemRuns([ours]), SystemRuns([theirs])],
            "my-receipts": [SystemRuns([ours, ours]), SystemRuns([theirs, replace(theirs, seconds=36.0)])],
        },
        donut_decoding=DecodingTimes(8, 128, 17_000_000, 30.0, 12.0, 9.0, True),
        offline_pages_per_s=4.0,
    )

    performance.write(out, complete, INFO)

    page = out.read_text()
    assert "| Stock + rules | 1.33 | 3.00 |" in page
    assert "| Stock + rules | 0.67 | 6.00 (3.00–9.00) |" in page.partition("**my-receipts**, 16 pages:")[2]
    assert "| 30.00 | 3.33 |" in page
    assert complete.http_share == pytest.approx(complete.loads_of("extraction")[-1].pages_per_s / 4.0)
    assert (tmp_path / "images" / "performance" / "clients.svg").exists()


def test_page_shows_memory_and_settings_if_observed(photos, tmp_path):
    """The memory of this test process is used as a sample."""
    here = ServiceProcess("http://testserver", os.getpid())
    jpegs = [throughput.EncodedPhoto(photo.read_bytes(), 300, 400) for photo in photos]
    loads = {name: throughput.run_closed_loop(here, connect, name, jpegs, 1, 0.2) for name in throughput.OPERATIONS}
    out = tmp_path / "performance.md"
    soak_result = SoakResult(1000, 8, 20.0, [(done, 700.0 + done / 100) for done in range(0, 1000, 50)])

    performance.write(
        out,
        PerformanceResults(
            list(loads.values()),
            [PhotoSizeResult(800, loads, here.peak_mb())],
            here.peak_mb(),
            4.0,
            soak_result=soak_result,
        ),
        INFO | {"settings": ["DOCEXTRACT_DEVICE=cpu"]},
    )

    assert loads["extraction"].cpu_s_per_page > 0
    assert re.search(r"^\| .* \| [1-9]\d+ \|$", out.read_text().partition("## Memory")[2], re.M)
    assert "`DOCEXTRACT_DEVICE=cpu`" in out.read_text()
    assert "grew by 10.00 MB" in out.read_text()


def test_readers_are_compared_on_photos_from_the_whole_folder(tmp_path):
    """The first photos of a folder are often of one source. A folder with fewer photos is taken whole."""
    with labelled_folder.LabelledFolderWriter(tmp_path / "data") as writer:
        for number in range(9):
            writer.add(f"{number:02}", grey(200), "receipt", {"total": f"{number}.00"})

    performance.copy_photos(tmp_path / "some", tmp_path / "data", 3)
    performance.copy_photos(tmp_path / "all", tmp_path / "data", 20)

    some, every = (labelled_folder.load(tmp_path / name)[0] for name in ("some", "all"))
    assert [page.fields["total"] for page in some] == ["0.00", "4.00", "8.00"]
    assert len(every) == 9


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a/receipts", "b/receipts"], "different names"),
        (["a/synthetic photos"], "different names"),
        (["a/receipts", "--server", "http://127.0.0.1:1"], "not done with --server"),
    ],
)
def test_folders_that_would_not_be_compared_are_refused(capsys, arguments, reason):
    """Rows of one name could not be told apart, and a running service is not compared with readers."""
    with pytest.raises(SystemExit):
        performance.main(["--data", *arguments])
    assert reason in capsys.readouterr().err
