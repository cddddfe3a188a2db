"""Tests of the options that training programs share."""

from argparse import ArgumentParser
from pathlib import Path

import pytest

from training.command_line import add_models_option
from training.commands import label_check


@pytest.mark.parametrize(("given", "found"), [([], "own"), (["--models", "others"], "others")])
def test_models_are_those_of_the_setting(tmp_path, monkeypatch, given, found):
    """Unless the option names others."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", "own")
    parser = ArgumentParser()
    add_models_option(parser)

    assert parser.parse_args(given).models == Path(found)


def test_commands_use_the_setting(tmp_path, monkeypatch, capsys):
    """The folder has no model, unlike the folder of the clone."""
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", str(tmp_path))

    with pytest.raises(SystemExit):
        label_check.main([str(tmp_path)])
    assert str(tmp_path) in capsys.readouterr().err
