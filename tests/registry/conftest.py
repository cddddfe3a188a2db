import pytest


@pytest.fixture(autouse=True)
def store_home(tmp_path, monkeypatch):
    """A new model store for each test."""
    home = tmp_path / "bentoml"
    monkeypatch.setenv("BENTOML_HOME", str(home))
    return home


@pytest.fixture
def candidate(tmp_path):
    """A folder with files like weights."""
    folder = tmp_path / "candidate"
    (folder / "parts").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "parts" / "model.safetensors").write_bytes(bytes(range(256)) * 9)
    return folder


@pytest.fixture
def models(tmp_path):
    return tmp_path / "models"
