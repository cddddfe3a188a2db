import pytest
from pydantic import ValidationError

from docextract.settings import Settings, misspelt_variables, models_folder_of


def test_settings_come_from_the_environment(monkeypatch):
    """From DOCEXTRACT_ and the name in capitals."""
    monkeypatch.setenv("DOCEXTRACT_MAX_IMAGES", "4")
    monkeypatch.setenv("DOCEXTRACT_MAX_SIDE_PX", "5000")

    settings = Settings()

    assert settings.max_images == 4
    assert settings.limits.max_side_px == 5000


def test_settings_are_frozen():
    """They are read once, at the start."""
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
def test_invalid_setting_stops_the_start(monkeypatch, name, value):
    """No service is better than one with an unintended limit."""
    monkeypatch.setenv(f"DOCEXTRACT_{name}", value)

    with pytest.raises(ValidationError):
        Settings()


def test_runner_timeout_is_shorter_than_the_request_timeout():
    """So the answer names the model that was slow."""
    settings = Settings()

    assert 0 < settings.runner_timeout_s < settings.timeout_s


def test_settings_come_from_a_file(monkeypatch, tmp_path):
    """The TOML file that DOCEXTRACT_CONFIG names; the environment takes precedence."""
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


def test_missing_file_stops_the_start(monkeypatch, tmp_path):
    """A misspelt path must not start the service with unintended settings."""
    monkeypatch.setenv("DOCEXTRACT_CONFIG", str(tmp_path / "docextract.tml"))

    with pytest.raises(FileNotFoundError, match="DOCEXTRACT_CONFIG"):
        Settings()


def test_misspelt_setting_in_the_file_stops_the_start(monkeypatch, tmp_path):
    """Without its keys file, this service would be open to all. Other programs may use variables with this prefix."""
    file = tmp_path / "docextract.toml"
    file.write_text('api_key_file = "keys.toml"\nopen_to_all = true\n')
    monkeypatch.setenv("DOCEXTRACT_SERVICE_HOST", "10.0.0.7")
    Settings()
    monkeypatch.setenv("DOCEXTRACT_CONFIG", str(file))

    with pytest.raises(ValidationError, match=r"api_key_file is no setting, did you mean api_keys_file\?"):
        Settings()


def test_misspelt_variables_are_named():
    """Not those of the command line, and not those that Kubernetes sets for a service with the name docextract."""
    others = ("SERVICE_HOST", "SERVICE_PORT", "PORT", "PORT_3000_TCP", "API_KEY", "SERVER", "CONFIG", "MAX_IMAGES")
    environment = {f"DOCEXTRACT_{name}": "" for name in (*others, "API_KEY_FILE", "MAX_IMAGE_SIZE", "TIMEOUT")}

    assert misspelt_variables({"PATH": "", "docextract_max_images": "", **environment}) == {
        "DOCEXTRACT_API_KEY_FILE": "DOCEXTRACT_API_KEYS_FILE",
        "DOCEXTRACT_MAX_IMAGE_SIZE": "DOCEXTRACT_MAX_IMAGES",
        "DOCEXTRACT_TIMEOUT": "DOCEXTRACT_TIMEOUT_S",
    }


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "models"),
        ({"DOCEXTRACT_CONFIG": "docextract.toml"}, "own"),
        ({"DOCEXTRACT_CONFIG": "docextract.toml", "DOCEXTRACT_MODELS_DIR": "models"}, "models"),
    ],
)
def test_models_folder_of_another_process_is_what_its_settings_have(monkeypatch, tmp_path, environment, folder):
    """From its environment and its file, relative to its working directory."""
    for name in ("models", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "docextract.toml").write_text('models_dir = "own"\n')

    found = models_folder_of(environment, tmp_path)

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOCEXTRACT_MODELS_DIR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert found == tmp_path / folder == Settings().models_folder.resolve()


def test_severities_have_the_format_of_requests(monkeypatch):
    """glare:error,rotated:off"""
    monkeypatch.setenv("DOCEXTRACT_SEVERITY", "glare:error,rotated:off")

    assert Settings().severity == {"glare": "error", "rotated": "off"}


@pytest.mark.parametrize(
    ("cores", "quality", "extraction", "processes"),
    [(1, 1, 1, 1), (2, 1, 2, 1), (8, 4, 8, 1), (16, 8, 8, 2), (64, 8, 8, 8)],
)
def test_threads_and_processes_depend_on_the_cores(monkeypatch, cores, quality, extraction, processes):
    """Extraction is most of the work and gets all cores, in processes with eight threads."""
    monkeypatch.setattr("docextract.settings._core_count", lambda: cores)
    settings = Settings()

    assert (settings.quality_threads, settings.extraction_threads) == (quality, extraction)
    assert settings.extraction_workers == processes


def test_configured_threads_apply_to_both_models():
    """One setting for both models."""
    settings = Settings(runner_threads=3)

    assert (settings.quality_threads, settings.extraction_threads) == (3, 3)
