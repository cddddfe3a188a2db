import re
import subprocess
import sys
from datetime import date

import pytest

from docextract.registry import RegistryError, promote, promoted

DAY = date(2026, 1, 31)


@pytest.fixture
def candidate(tmp_path):
    folder = tmp_path / "candidate"
    (folder / "parts").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "parts" / "model.bin").write_bytes(bytes(range(256)) * 9)
    return folder


@pytest.fixture
def models(tmp_path):
    return tmp_path / "models"


def test_what_was_promoted_is_what_is_served(candidate, models):
    """The ledger gives back all that promotion knew."""
    written = promote("quality", candidate, "1.2.0", models, day=DAY, document_types=["receipt"],
                      scores={"receipt": {"total": 0.9, "unmeasured": None}})  # fmt: skip
    version = promoted("quality", models)

    version.verify()
    assert version == written
    assert version.promoted == DAY
    assert version.scores == {"receipt": {"total": 0.9}}
    assert sorted(version.files) == ["config.json", "parts/model.bin"]


def test_promoting_again_replaces_every_file(candidate, models):
    """No file of the last version stays behind."""
    promote("quality", candidate, "1", models, day=DAY)
    (candidate / "parts" / "model.bin").rename(candidate / "parts" / "renamed.bin")
    promote("quality", candidate, "2", models, day=DAY)

    version = promoted("quality", models)
    version.verify()
    assert version.version == "2"
    assert not (version.folder / "parts" / "model.bin").exists()


def test_weights_in_place_can_be_promoted(candidate, models):
    """Training may have written straight into models/; promoting them must not delete them."""
    promote("quality", candidate, "1", models, day=DAY)
    promote("quality", models / "quality" / "weights", "2", models, day=DAY)

    promoted("quality", models).verify()


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (lambda weights: (weights / "config.json").write_text("{ }"), "config.json is different"),
        (lambda weights: (weights / "config.json").unlink(), "config.json is missing"),
        (lambda weights: (weights / "extra").write_text(""), "extra is not promoted"),
    ],
)
def test_weights_that_are_not_the_promoted_ones_are_not_loaded(candidate, models, harm, named):
    """A changed byte, a lost file, a file too many: each is named, and nothing is served."""
    promote("quality", candidate, "1", models, day=DAY)
    version = promoted("quality", models)
    harm(version.folder)

    with pytest.raises(RegistryError, match=named):
        version.load("cpu")


def test_a_ledger_edited_by_hand_is_noticed(candidate, models):
    """The digest speaks for all files; changing one line of the table does not pass."""
    promote("quality", candidate, "1", models, day=DAY)
    ledger = models / "quality" / "promoted.toml"
    ledger.write_text(re.sub(r'("config.json" = ")\w{4}', r"\g<1>dead", ledger.read_text()))

    with pytest.raises(RegistryError, match="edited by hand"):
        promoted("quality", models)


def test_an_absent_model_says_what_to_do(models):
    """Whoever starts the service without weights is told the command."""
    with pytest.raises(RegistryError, match=r"python -m docextract.registry promote quality"):
        promoted("quality", models)


def test_an_empty_folder_is_no_candidate(tmp_path, models):
    """Nothing cannot be promoted, and what is served stays."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(RegistryError, match="holds no files"):
        promote("quality", tmp_path / "empty", "1", models, day=DAY)


def test_the_command_line_promotes_and_lists(candidate, models):
    """promote, then list, as the README says it."""

    def run(*words):
        command = [sys.executable, "-m", "docextract.registry", "--models", str(models), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("promote", "quality", str(candidate), "--version", "3.1").returncode == 0
    assert "quality  3.1" in run("list").stdout
    assert 'version = "3.1"' in run("show", "quality").stdout
    failed = run("show", "extraction")
    assert failed.returncode == 1
    assert "No extraction model is promoted" in failed.stderr
