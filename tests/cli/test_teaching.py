"""Tests of the commands that need the training code."""

import importlib
import sys
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from docextract.cli import teaching
from docextract.cli.app import app


@pytest.fixture
def calls(monkeypatch):
    """The arguments that the training command got."""
    seen = []
    command = SimpleNamespace(main=lambda arguments: seen.append(arguments) or 0)
    monkeypatch.setattr(importlib, "import_module", lambda name: command)
    return seen


@pytest.mark.parametrize(("name", "more"), [("teach", []), ("calibrate", ["--only-confidences"])])
def test_folders_and_options_reach_the_training(calls, tmp_path, monkeypatch, name, more):
    """Several folders are one set of documents."""
    monkeypatch.delenv("DOCEXTRACT_MODELS_DIR", raising=False)
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()

    done = CliRunner().invoke(
        app, [name, *map(str, folders), "--out", "runs/mine", "--models", "m", "--synthetic", "5"]
    )

    assert done.exit_code == 0, done.output
    (arguments,) = calls
    assert arguments[:4] == [*map(str, folders), "--out", "runs/mine"]
    assert sorted(arguments[4:]) == sorted(["--models", "m", "--synthetic", "5", *more])


def test_package_without_training_code_says_what_is_needed(tmp_path, monkeypatch, capsys):
    """The package has no training code; the error names the command that sets it up."""
    monkeypatch.setattr(teaching, "_CLONE", tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" in path])
    monkeypatch.delitem(sys.modules, "training.commands.retrain", raising=False)

    def missing(name):
        raise ModuleNotFoundError("No module named 'training'")

    monkeypatch.setattr(importlib, "import_module", missing)

    assert teaching.run([tmp_path], tmp_path / "out") == 4
    assert "clone of docextract" in capsys.readouterr().err


def test_failed_training_is_reported(calls, tmp_path, monkeypatch):
    """Labels that cannot be used end the command with its status for failures."""
    monkeypatch.setattr(importlib, "import_module", lambda name: SimpleNamespace(main=lambda arguments: 1))

    assert CliRunner().invoke(app, ["teach", str(tmp_path)]).exit_code == 4


def test_folders_without_labels_are_reported(tmp_path, capsys):
    """With the same status, although the training command ends by itself then."""
    assert teaching.run([tmp_path], tmp_path / "out") == 4
    assert "holds no labels" in capsys.readouterr().err


def test_missing_folder_is_a_usage_error(calls, tmp_path):
    """Nothing is started."""
    assert CliRunner().invoke(app, ["teach", str(tmp_path / "gone")]).exit_code == 2
    assert calls == []
