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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_IMAGES", "0"),
        ("TIMEOUT_S", "soon"),
        ("DEVICE", "abacus"),
        ("STRICTNESS", "harsh"),
        ("SEVERITY", "glair:error"),
        ("THRESHOLDS", '{"normal": 2}'),
    ],
)
def test_a_senseless_setting_stops_the_start(monkeypatch, name, value):
    """Better no service than one with another limit than was meant."""
    monkeypatch.setenv(f"DOCEXTRACT_{name}", value)

    with pytest.raises(ValidationError):
        Settings()


def test_the_inner_clock_rings_first():
    """A runner gives up before the request does, so that the answer says what was slow."""
    settings = Settings()

    assert 0 < settings.runner_timeout_s < settings.timeout_s


def test_settings_can_stand_in_a_file(monkeypatch, tmp_path):
    """TOML that DOCEXTRACT_CONFIG names; the environment has the last word."""
    file = tmp_path / "docextract.toml"
    file.write_text(
        'max_images = 4\nstrictness = "strict"\n[severity]\nglare = "warning"\n[thresholds]\nstrict = 0.8\n'
    )
    monkeypatch.setenv("DOCEXTRACT_CONFIG", str(file))
    monkeypatch.setenv("DOCEXTRACT_MAX_IMAGES", "5")

    settings = Settings()

    assert settings.max_images == 5
    assert (settings.strictness, settings.severity, settings.thresholds) == (
        "strict", {"glare": "warning"}, {"strict": 0.8},
    )  # fmt: skip


def test_a_file_that_is_not_there_stops_the_start(monkeypatch, tmp_path):
    """A misspelt path is no reason to serve with other settings than were meant."""
    monkeypatch.setenv("DOCEXTRACT_CONFIG", str(tmp_path / "docextract.tml"))

    with pytest.raises(FileNotFoundError, match="DOCEXTRACT_CONFIG"):
        Settings()


def test_severities_are_set_as_callers_write_them(monkeypatch):
    """glare:error,rotated:off, in the environment too."""
    monkeypatch.setenv("DOCEXTRACT_SEVERITY", "glare:error,rotated:off")

    assert Settings().severity == {"glare": "error", "rotated": "off"}


@pytest.mark.parametrize(
    ("cores", "judge", "read", "processes"), [(1, 1, 1, 1), (2, 1, 2, 1), (8, 4, 8, 1), (16, 8, 8, 2), (64, 8, 8, 8)]
)
def test_threads_and_processes_follow_the_cores(monkeypatch, cores, judge, read, processes):
    """Reading is most of the work and gets all of them, in processes of eight."""
    monkeypatch.setattr("docextract.settings._core_count", lambda: cores)
    settings = Settings()

    assert (settings.quality_threads, settings.extraction_threads) == (judge, read)
    assert settings.extraction_workers == processes


def test_threads_that_are_set_hold_for_both_models():
    """Whoever knows better says so once."""
    settings = Settings(runner_threads=3)

    assert (settings.quality_threads, settings.extraction_threads) == (3, 3)
