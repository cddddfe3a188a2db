"""Our versions in BentoML's model store: its own commands find them, and nothing half is ever there."""

import shutil
import tempfile

import bentoml
import pytest
from bentoml._internal.models import ModelStore

from docextract.registry import store

TAG = "quality:1.0-0123456789ab"


def test_bentoml_lists_what_we_keep(candidate, store_home):
    """Name, version and files, as of any of its models."""
    store.add_version(TAG, candidate, "version = 1\n")

    (model,) = bentoml.models.list("quality", _model_store=ModelStore(store_home / "models"))

    assert str(model.tag) == TAG
    assert model.path_of("weights/config.json") == str(store.weights_folder(TAG) / "config.json")
    assert store.list_tags("quality") == [TAG]
    assert (store.version_folder(TAG) / "version.toml").read_text() == "version = 1\n"
    assert list((store_home / "tmp").iterdir()) == []


def test_keeping_a_version_leaves_nothing_among_temporary_files(candidate, monkeypatch, tmp_path):
    """BentoML would leave a folder there each time."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    store.add_version(TAG, candidate, "")

    assert list(scratch.iterdir()) == []


def test_a_copy_that_breaks_off_leaves_nothing(candidate, monkeypatch):
    """What was there stays as it was."""
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


def test_weights_that_were_for_one_alone_are_for_everybody(candidate):
    """safetensors writes for its owner, a folder may be his too, and the service runs as someone else."""
    (candidate / "parts" / "model.safetensors").chmod(0o600)
    (candidate / "parts").chmod(0o700)
    candidate.chmod(0o700)

    store.add_version(TAG, candidate, "")

    assert modes(store.weights_folder(TAG)) == {0o40755, 0o100644}


def modes(folder):
    return {path.stat().st_mode for path in (folder, *folder.rglob("*"))}


def test_the_version_served_last_is_bentoml_s_latest(candidate, store_home):
    """`bentoml models get quality:latest` is what runs."""
    assert store.latest_tag("quality") is None
    for version in ("1", "2"):
        store.add_version(f"quality:{version}-0123456789ab", candidate, "")
    store.mark_latest("quality:1-0123456789ab")

    assert store.latest_tag("quality") == "quality:1-0123456789ab"
    found = bentoml.models.get("quality:latest", _model_store=ModelStore(store_home / "models"))
    assert found.tag.version == "1-0123456789ab"


def test_an_absent_store_holds_nothing(store_home):
    """And is not made by looking into it."""
    assert store.list_tags("quality") == []
    assert store.latest_tag("quality") is None
    assert not store_home.exists()
