"""The command python -m docextract.registry."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from docextract.registry import __main__ as command
from docextract.registry import promoted_version, reloading, store
from docextract.registry.version import file_digests, overall_digest

PLAIN = ("--loader", "plain:Plain")


@pytest.fixture(autouse=True)
def _plain_models(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def run(models, capsys):
    """Run one command; return its exit status and its output."""

    def call(*words):
        try:
            status = command.main(["--models", str(models), *map(str, words)])
        except SystemExit as end:
            status = end.code
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def rewrite(candidate, **config):
    (candidate / "config.json").write_text(json.dumps(config))


@pytest.fixture
def two(run, candidate, tmp_path):
    """Two versions were promoted, first 1 and then 2."""
    for version, total in (("1.0", 0.8), ("1.1", 0.9)):
        rewrite(candidate, architecture="layout", shape={"types": ["receipt", "other"]}, number=version)
        scores = tmp_path / "scores.json"
        scores.write_text(json.dumps({"date": "2026-01-31", "synthetic": {"total": total, "n": 60}}))
        assert run("promote", "extraction", candidate, "--version", version, "--scores", scores, *PLAIN)[0] == 0


def test_promote_list_show_compare_and_rollback(two, run):
    """Two versions are promoted, listed, shown, compared, and rolled back."""
    listed = [line.split() for line in run("list")[1].splitlines()]
    assert [(line[0].rpartition("-")[0], line[1], line[3]) for line in listed] == [
        ("extraction:1.1", "promoted", "intact"),
        ("extraction:1.0", "earlier", "intact"),
    ]

    shown = run("show", "extraction")[1]
    assert 'version = "1.1"' in shown
    assert 'architecture = "layout"' in shown
    assert 'document_types = ["receipt"]' in shown

    rows = {line.split()[0]: line.split()[1:] for line in run("compare", "extraction", "1.0")[1].splitlines()[1:]}
    assert rows["synthetic.total"] == ["0.8000", "0.9000", "+0.1000"]

    status, said, _ = run("rollback", "extraction", "--reason", "too slow")
    assert (status, "is promoted again" in said) == (0, True)
    assert 'version = "1.0"' in run("show", "extraction")[1]
    assert "withdrawn" in run("list")[1]


def test_the_folder_of_the_service_is_the_default(two, models, monkeypatch, capsys):
    """Also outside of the checkout: the settings name it, or it is in the installed package."""
    monkeypatch.setenv("DOCEXTRACT_MODELS_DIR", str(models))

    assert command.main(["show", "extraction"]) == 0
    assert 'version = "1.1"' in capsys.readouterr().out


def test_a_folder_without_models_is_reported(run, models):
    """An empty list would look as if nothing had ever been promoted."""
    status, _, said = run("list")

    assert (status, said) == (1, f"{models} has no promoted models; name the folder of the registry with --models\n")


def test_the_command_runs_as_a_module(models):
    """python -m docextract.registry."""
    call = [sys.executable, "-m", "docextract.registry", "--models", str(models), "show", "extraction"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "No extraction model is promoted" in done.stderr
    assert "Traceback" not in done.stderr


def test_weights_that_cannot_be_loaded_are_not_promoted(two, run, candidate, models):
    """A truncated file is detected before anything is changed."""
    (candidate / "config.json").write_text('{"archi')

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)

    assert status == 1
    assert "cannot be loaded" in said
    assert promoted_version("extraction", models).version == "1.1"


def test_a_failed_gate_is_reported_and_can_be_forced(two, run, candidate, models):
    """The reason of --force is in the ledger."""
    (models / "extraction" / "gate.toml").write_text('[floors]\n"synthetic.total" = 0.95\n')
    rewrite(candidate, number="1.2")

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)
    assert (status, "synthetic.total was not measured; the gate requires at least 0.95" in said) == (1, True)

    assert run("promote", "extraction", candidate, "--version", "1.2", *PLAIN, "--force", "a fire")[0] == 0
    assert 'forced = "a fire"' in run("show", "extraction")[1]


def test_losses_that_may_be_chance_are_printed(two, run, candidate, models, tmp_path):
    """Whoever promotes a candidate sees them, too, and not only who compared it."""
    (models / "extraction" / "gate.toml").write_text('[may_lose]\n"mine.type_right" = 0.01\n')
    rewrite(candidate, architecture="layout", shape={"types": ["receipt", "other"]}, number="1.2")
    lost = {"candidate": 0.8, "served": 0.9, "gain": -0.1, "low": -0.3, "high": 0.1}
    served = {"digest": promoted_version("extraction", models).digest}
    scores = tmp_path / "scores.json"
    scores.write_text(json.dumps({"served": served, "comparison": {"mine.type_right": lost}}))

    status, printed, _ = run("promote", "extraction", candidate, "--version", "1.2", "--scores", scores, *PLAIN)

    assert status == 0
    assert "because they may be chance:\n  mine.type_right is 0.8, and 0.9 with the served model: a loss of" in printed


def test_a_forced_promotion_says_that_its_gate_was_skipped(two, run, candidate, models, tmp_path):
    """No loss was counted, so none is listed as the exception."""
    (models / "extraction" / "gate.toml").write_text('[may_lose]\n"mine.*" = 0.01\n')
    rewrite(candidate, architecture="layout", shape={"types": ["receipt", "other"]}, number="1.2")
    chance = {"candidate": 0.8, "served": 0.9, "gain": -0.1, "low": -0.3, "high": 0.1}
    scores = tmp_path / "scores.json"
    scores.write_text(json.dumps({"comparison": {"mine.chance": chance, "mine.lost": chance | {"high": -0.05}}}))
    forced = ("--scores", scores, *PLAIN, "--force", "a fire")

    status, printed, _ = run("promote", "extraction", candidate, "--version", "1.2", *forced)

    first, *further = printed.splitlines()
    assert (status, first.endswith(" is promoted; its gate was skipped")) == (0, True)
    assert "chance" not in "".join(further)


@pytest.mark.parametrize("text", ['{"synthetic": {', "", "[0.9]"])
def test_broken_scores_are_reported(two, run, candidate, tmp_path, text):
    """With the name of the file and without a traceback; the served version stays."""
    rewrite(candidate, number="1.2")
    (tmp_path / "scores.json").write_text(text)

    status, _, said = run(
        "promote", "extraction", candidate, "--version", "1.2", "--scores", tmp_path / "scores.json", *PLAIN
    )

    assert (status, "scores.json" in said) == (1, True)
    assert 'version = "1.1"' in run("show", "extraction")[1]


def test_earlier_versions_of_a_fresh_clone_are_not_damaged(two, run, store_home):
    """Their files are not in git, so they are only not here."""
    shutil.rmtree(store_home / "models")

    assert [line.split(maxsplit=3)[3] for line in run("list")[1].splitlines()] == ["intact", "not stored"]


def test_unknown_versions_are_reported(two, run):
    """By rollback, show and compare."""
    for words in (("rollback", "extraction", "9"), ("show", "extraction", "9"), ("compare", "extraction", "9")):
        status, _, said = run(*words)
        assert (status, "extraction 9" in said) == (1, True)


def test_a_store_that_cannot_be_written_is_reported(two, run, candidate, store_home):
    """Without a traceback; the served version stays."""
    rewrite(candidate, number="1.2")
    (store_home / "tmp").rmdir()
    (store_home / "tmp").write_text("in the way")

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)

    assert (status, "BENTOML_HOME sets its location" in said) == (1, True)
    assert 'version = "1.1"' in run("show", "extraction")[1]


@pytest.fixture(params=["in the environment", "in the settings file"])
def service(models, tmp_path, request):
    """A process that looks like `bentoml serve` and ends with 7 on SIGHUP, with the models folder in its settings."""
    file = tmp_path / "docextract.toml"
    file.write_text(f'models_dir = "{models}"')
    by_file = request.param == "in the settings file"
    setting = {"DOCEXTRACT_CONFIG": str(file)} if by_file else {"DOCEXTRACT_MODELS_DIR": str(models)}
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DOCEXTRACT_")}
    waits = "from signal import *; import sys; signal(SIGHUP, lambda *_: sys.exit(7)); print(flush=True); pause()"
    process = subprocess.Popen(
        [sys.executable, "-c", waits, "bentoml", "serve", "service:DocumentService"],
        env=inherited | setting, stdout=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_reload_finds_the_running_service(two, run, service, tmp_path):
    """Only the service that serves from this folder."""
    assert reloading.find_services(tmp_path) == []

    status, said, _ = run("rollback", "extraction", "--reload")

    assert (status, f"Process {service.pid} has reloaded" in said) == (0, True)
    assert service.wait(10) == 7


def test_a_damaged_version_is_not_reloaded(two, run, service, models):
    """No signal is sent."""
    tag = promoted_version("extraction", models).tag
    for folder in (models / "extraction" / "weights", store.weights_folder(tag)):
        (folder / "config.json").write_text("spoilt")

    status, _, said = run("reload")

    assert (status, "config.json is different" in said) == (1, True)
    service.send_signal(signal.SIGTERM)
    assert service.wait(10) == -signal.SIGTERM


def test_reload_without_a_service_is_reported(two, run):
    """The message names the option --pid."""
    status, _, said = run("reload")

    assert (status, "--pid" in said) == (1, True)


def test_an_outdated_weights_folder_is_reported_and_restored(two, run, models):
    """As after a promotion that was killed in its last step: the version is served, and `show` names the command."""
    (models / "extraction" / "weights" / "config.json").write_text("old")

    assert "`restore extraction` restores these" in run("show", "extraction")[1]

    assert run("restore", "extraction")[0] == 0
    assert (
        overall_digest(file_digests(models / "extraction" / "weights")) == promoted_version("extraction", models).digest
    )
    assert promoted_version("extraction", models).scores["synthetic"]["total"] == 0.9


def test_a_checkpoint_that_learned_from_too_few_typefaces_is_not_imported(run, candidate, tmp_path):
    """A candidate made of it would have no note of its run any more."""
    (candidate.parent / "typefaces.json").write_text('{"found": 10, "required": 200}')

    status, _, said = run("import-donut", candidate, "--document-type", "receipt", "--out", tmp_path / "out",
                          "--task-prompt", "<s>")  # fmt: skip

    assert status == 1
    assert "trained with 10 typefaces; its recipe requires 200. Run `make fonts`" in said
