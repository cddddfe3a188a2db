"""What a training run notes of its typefaces."""

import json
import logging

import pytest

from docextract.registry import RegistryError
from docextract.registry.typefaces import TYPEFACES_FILE, check_typefaces
from training import typefaces
from training.synth import fonts


@pytest.fixture
def recipe(tmp_path):
    """One that asks for more than the locked packages have."""
    path = tmp_path / "recipe.toml"
    path.write_text("seed = 1\ntypefaces = 200\n")
    return path


def test_a_run_logs_and_notes_what_it_has(recipe, tmp_path, caplog):
    """Number, roles and digest in one line; the files' digests beside the weights."""
    caplog.set_level(logging.INFO)

    typefaces.record(recipe, tmp_path / "run")

    noted = json.loads((tmp_path / "run" / TYPEFACES_FILE).read_text())
    here = fonts.available()
    assert (noted["found"], noted["required"]) == (fonts.count(here), 200)
    assert noted["digest"] == fonts.digest(here)
    assert noted["by_role"]["serif"] == fonts.count_by_role(here)["serif"]
    assert noted["files"]["sans: PT Sans"] == [
        file.sha256 for typeface in here if typeface.name == "PT Sans" for file in typeface.files
    ]
    said = caplog.text
    assert f"{len(here)} typefaces (2 mono, 2 sans" in said
    assert noted["digest"] in said
    assert "asks for 200 typefaces, found 10: run `make fonts`" in said


def test_promotion_refuses_what_the_note_says_was_too_few(recipe, tmp_path):
    """The two sides of the file agree."""
    typefaces.record(recipe, tmp_path / "run")

    with pytest.raises(RegistryError, match="trained with 10 typefaces; its recipe requires 200"):
        check_typefaces(tmp_path / "run" / "weights")


def test_a_recipe_that_asks_for_none_is_content(recipe, tmp_path, caplog):
    recipe.write_text("seed = 1\n")

    typefaces.record(recipe, tmp_path / "run")

    check_typefaces(tmp_path / "run" / "weights")
    assert "make fonts" not in caplog.text


def test_weights_made_of_others_have_their_note(recipe, tmp_path):
    """Interpolated weights, or those with another head, are refused as well."""
    typefaces.record(recipe, tmp_path / "run")
    typefaces.keep_record(tmp_path / "run" / "weights", tmp_path / "run" / "judged")
    typefaces.keep_record(tmp_path / "run" / "weights", tmp_path / "between" / "weights")
    typefaces.keep_record(tmp_path / "served" / "weights", tmp_path / "other" / "weights")

    with pytest.raises(RegistryError, match="trained with 10 typefaces; its recipe requires 200"):
        check_typefaces(tmp_path / "between" / "weights")
    assert not (tmp_path / "other").exists()


def test_weights_without_a_note_are_not_asked(tmp_path):
    """Public checkpoints, and weights of before."""
    check_typefaces(tmp_path / "weights")


def test_a_run_is_not_resumed_with_other_typefaces(recipe, tmp_path, monkeypatch):
    """Half of its pages would be printed in one set and half in another."""
    typefaces.record(recipe, tmp_path / "run")
    typefaces.record(recipe, tmp_path / "run")
    fewer = fonts.available()[1:]
    monkeypatch.setattr(fonts, "available", lambda: fewer)

    with pytest.raises(fonts.TypefaceError, match=r"was begun with 10 typefaces.* now there are 9.*make fonts"):
        typefaces.record(recipe, tmp_path / "run")
