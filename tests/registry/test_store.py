"""Versions in BentoML's model store: visible to its commands, and never incomplete."""

import shutil
import tempfile

import bentoml
import pytest
from bentoml._internal.models import ModelStore

from docextract.registry import store

TAG = "quality:1.0-0123456789ab"


def test_bentoml_lists_our_versions(candidate, store_home):
    """With name, version and files, like any of its models."""
    store.add_version(TAG, candidate, "version = 1\n")

    (model,) = bentoml.models.list("quality", _model_store=ModelStore(store_home / "models"))

    assert str(model.tag) == TAG
    assert model.path_of("weights/config.json") == str(store.weights_folder(TAG) / "config.json")
    assert store.list_tags("quality") == [TAG]
    assert (store.version_folder(TAG) / "version.toml").read_text() == "version = 1\n"
    assert list((store_home / "tmp").iterdir()) == []


def test_adding_a_version_leaves_no_temporary_files(candidate, monkeypatch, tmp_path):
    """BentoML itself would leave a folder each time."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    store.add_version(TAG, candidate, "")

    assert list(scratch.iterdir()) == []


def test_an_interrupted_copy_leaves_nothing(candidate, monkeypatch):
    """The previous content of the store stays."""
    store.add_version(TAG, candidate, "first")
    copy = shutil.copytree

    def break_off(source, target, **options):
        if source == candidate:
            raise OSError("no space left on device")
        return copy(source, target, **options)

    monkeypatch.setattr(shutil, "copytree", break_off)
    for tag in (TAG, "quality:2-0123456789ab"):
        with pytest.raises(OSError, match="no space"):
            store.add_version(tag, candidate, "second")

    assert store.list_tags("quality") == [TAG]
    assert (store.version_folder(TAG) / "version.toml").read_text() == "first"


def test_stored_weights_are_readable_for_every_user(candidate):
    """safetensors writes files for their owner only, but the service runs as another user."""
    (candidate / "parts" / "model.safetensors").chmod(0o600)
    (candidate / "parts").chmod(0o700)
    candidate.chmod(0o700)

    store.add_version(TAG, candidate, "")

    assert modes(store.weights_folder(TAG)) == {0o40755, 0o100644}


def modes(folder):
    return {path.stat().st_mode for path in (folder, *folder.rglob("*"))}


def test_the_version_served_last_is_bentoml_s_latest(candidate, store_home):
    """`bentoml models get quality:latest` shows the served version."""
    assert store.latest_tag("quality") is None
    for version in ("1", "2"):
        store.add_version(f"quality:{version}-0123456789ab", candidate, "")
    store.mark_latest("quality:1-0123456789ab")

    assert store.latest_tag("quality") == "quality:1-0123456789ab"
    found = bentoml.models.get("quality:latest", _model_store=ModelStore(store_home / "models"))
    assert found.tag.version == "1-0123456789ab"


def test_a_missing_store_is_empty(store_home):
    """Reading does not create it."""
    assert store.list_tags("quality") == []
    assert store.latest_tag("quality") is None
    assert not store_home.exists()
