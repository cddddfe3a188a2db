import pytest
from pydantic import ValidationError

from docextract.settings import Settings


def test_every_setting_comes_from_the_environment(monkeypatch):
    """DOCEXTRACT_ and the name in capitals."""
    monkeypatch.setenv("DOCEXTRACT_MAX_IMAGES", "4")
    monkeypatch.setenv("DOCEXTRACT_MAX_SIDE_PX", "5000")

    settings = Settings()

    assert settings.max_images == 4
    assert settings.limits.max_side_px == 5000


def test_settings_cannot_change_while_the_service_runs():
    """Read once, at the edge."""
    with pytest.raises(ValidationError):
        Settings().max_images = 3


@pytest.mark.parametrize(("name", "value"), [("MAX_IMAGES", "0"), ("TIMEOUT_S", "soon"), ("DEVICE", "abacus")])
def test_a_senseless_setting_stops_the_start(monkeypatch, name, value):
    """Better no service than one with another limit than was meant."""
    monkeypatch.setenv(f"DOCEXTRACT_{name}", value)

    with pytest.raises(ValidationError):
        Settings()


def test_the_inner_clock_rings_first():
    """A runner gives up before the request does, so that the answer says what was slow."""
    settings = Settings()

    assert 0 < settings.runner_timeout_s < settings.timeout_s
