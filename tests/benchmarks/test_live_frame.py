"""Tests of the live-frame benchmark, on a service in this process."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from benchmarks import live_frame
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version


class FrameSensitiveModels(PlainModels):
    """Models that report blur by brightness, as their base class, and optionally glare on frames only."""

    def __init__(self, frames_glare: bool):
        super().__init__()
        self.frames_glare = frames_glare

    async def assess(self, glimpses):
        report = await super().assess(glimpses)
        for glimpse, one in zip(glimpses, report, strict=True):
            if self.frames_glare and max(glimpse.width, glimpse.height) <= 384:
                one.scores["glare"] = 0.05
        return report


def open_test_client(models):
    served = {"quality": version("quality"), "extraction": version("extraction")}
    app = create_app(models, Settings(), served)
    return TestClient(ErrorContractMiddleware(app, paths(app), 25_000_000))


def grey(level: int) -> np.ndarray:
    return np.full((1200, 900, 3), level, np.uint8)


def test_frame_is_the_photo_at_384_px():
    """The longer side is 384 px; the aspect ratio is kept."""
    assert live_frame.shrink_to_frame(grey(9)).shape == (384, 288, 3)
    assert live_frame.shrink_to_frame(np.zeros((500, 2000, 3), np.uint8)).shape == (96, 384, 3)


def test_criteria_not_assessable_on_a_frame_are_no_disagreement():
    """A blurred photo's frame is accepted, and so is the photo when blur is switched off for it."""
    report = live_frame.measure_agreement(open_test_client(FrameSensitiveModels(False)), [grey(230), grey(40)])

    assert (report["accepted"], report["pairs"], report["reached"]) == (1.0, 2, True)
    assert "blurry" in report["not_asked_of_frames"]
    assert "blurry" not in report["criteria"]
    assert set(report["criteria"].values()) == {1.0}


def test_disagreement_is_counted_by_criterion():
    """Glare is detected on frames but not on their photos."""
    report = live_frame.measure_agreement(open_test_client(FrameSensitiveModels(True)), [grey(230), grey(220)])

    assert (report["accepted"], report["reached"]) == (0.0, False)
    assert report["criteria"]["glare"] == 0.0
    assert report["criteria"]["dark"] == 1.0


def test_speed_report_contains_steps(monkeypatch):
    """The report has the client's latency and the service's time by step."""
    monkeypatch.setattr(live_frame, "MEASURED_REQUESTS", 5)
    report = live_frame.measure_speed(open_test_client(PlainModels()), grey(200))

    assert report["steps_median_ms"].keys() == {"decode", "validation", "total"}
    assert 0 < report["steps_median_ms"]["total"] <= report["median_ms"] <= report["p95_ms"]


def test_empty_folder_is_reported(tmp_path):
    """The program exits before it starts a service."""
    with pytest.raises(SystemExit, match="no pictures"):
        live_frame.main([str(tmp_path)])
