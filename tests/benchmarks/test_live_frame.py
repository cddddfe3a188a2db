"""The live-frame benchmark, on a service in this process."""

import numpy as np
import pytest
from starlette.testclient import TestClient

from benchmarks import live_frame
from docextract.http.app import create_app, paths
from docextract.http.error_contract import ErrorContractMiddleware
from docextract.settings import Settings
from tests.http.conftest import PlainModels, version


class Forgiving(PlainModels):
    """Sees blur by the photo's brightness, as its parent, and in dark frames glare as well."""

    def __init__(self, frames_glare: bool):
        super().__init__()
        self.frames_glare = frames_glare

    async def assess(self, glimpses):
        found = await super().assess(glimpses)
        for glimpse, one in zip(glimpses, found, strict=True):
            if self.frames_glare and max(glimpse.width, glimpse.height) <= 384:
                one.scores["glare"] = 0.05
        return found


def serving(models):
    served = {"quality": version("quality"), "extraction": version("extraction")}
    app = create_app(models, Settings(), served)
    return TestClient(ErrorContractMiddleware(app, paths(app), 25_000_000))


def grey(level: int) -> np.ndarray:
    return np.full((1200, 900, 3), level, np.uint8)


def test_a_frame_is_the_photo_at_384_px():
    """The longer side; the shape is kept."""
    assert live_frame.frame_of(grey(9)).shape == (384, 288, 3)
    assert live_frame.frame_of(np.zeros((500, 2000, 3), np.uint8)).shape == (96, 384, 3)


def test_criteria_that_a_frame_cannot_show_do_not_count_as_disagreement():
    """A blurred photo's frame is accepted, and the photo itself too once it is not asked about blur."""
    found = live_frame.agreement(serving(Forgiving(False)), [grey(230), grey(40)])

    assert (found["accepted"], found["pairs"], found["reached"]) == (1.0, 2, True)
    assert "blurry" in found["not_asked_of_frames"]
    assert "blurry" not in found["criteria"]
    assert set(found["criteria"].values()) == {1.0}


def test_disagreement_is_counted_and_named():
    """Frames in which glare is seen that the photos do not have."""
    found = live_frame.agreement(serving(Forgiving(True)), [grey(230), grey(220)])

    assert (found["accepted"], found["reached"]) == (0.0, False)
    assert found["criteria"]["glare"] == 0.0
    assert found["criteria"]["dark"] == 1.0


def test_speed_is_told_with_its_parts(monkeypatch):
    """What the client waits, and where the service spends it."""
    monkeypatch.setattr(live_frame, "REQUESTS", 5)
    found = live_frame.speed(serving(PlainModels()), grey(200))

    assert found["steps_median_ms"].keys() == {"decode", "validation", "total"}
    assert 0 < found["steps_median_ms"]["total"] <= found["median_ms"] <= found["p95_ms"]


def test_a_folder_without_pictures_is_named(tmp_path):
    """Before any service is started."""
    with pytest.raises(SystemExit, match="no pictures"):
        live_frame.main([str(tmp_path)])
