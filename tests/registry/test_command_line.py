"""python -m docextract.registry, as the READMEs say it."""

import json
import os
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
    """Run one verb; its status and what it printed."""

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
    """1.0 with scores, then 1.1."""
    for version, total in (("1.0", 0.8), ("1.1", 0.9)):
        rewrite(candidate, architecture="layout", shape={"types": ["receipt", "other"]}, number=version)
        scores = tmp_path / "scores.json"
        scores.write_text(json.dumps({"date": "2026-01-31", "synthetic": {"total": total, "n": 60}}))
        assert run("promote", "extraction", candidate, "--version", version, "--scores", scores, *PLAIN)[0] == 0


def test_a_whole_afternoon(two, run):
    """Promoted twice, looked at, compared, rolled back."""
    listed = [line.split() for line in run("list")[1].splitlines()]
    assert [(line[0].rpartition("-")[0], line[1], line[3]) for line in listed] == [
        ("extraction:1.1", "promoted", "whole"),
        ("extraction:1.0", "earlier", "whole"),
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


def test_it_runs_as_a_module(models):
    """The way in that everybody uses."""
    call = [sys.executable, "-m", "docextract.registry", "--models", str(models), "show", "extraction"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "No extraction model is promoted" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_cannot_be_loaded_is_not_promoted(two, run, candidate, models):
    """Half a file is found out before anything is changed."""
    (candidate / "config.json").write_text('{"archi')

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)

    assert status == 1
    assert "cannot be loaded" in said
    assert promoted_version("extraction", models).version == "1.1"


def test_a_closed_gate_is_a_message(two, run, candidate, models):
    """And --force a sentence in the ledger."""
    (models / "extraction" / "gate.toml").write_text('[floors]\n"synthetic.total" = 0.95\n')
    rewrite(candidate, number="1.2")

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)
    assert (status, "synthetic.total was not measured; the gate asks at least 0.95" in said) == (1, True)

    assert run("promote", "extraction", candidate, "--version", "1.2", *PLAIN, "--force", "a fire")[0] == 0
    assert 'forced = "a fire"' in run("show", "extraction")[1]


def test_versions_that_are_nowhere_are_a_message(two, run):
    """To roll back to, to show, to compare."""
    for words in (("rollback", "extraction", "9"), ("show", "extraction", "9"), ("compare", "extraction", "9")):
        status, _, said = run(*words)
        assert (status, "extraction 9" in said) == (1, True)


def test_a_store_that_cannot_be_written_is_a_message(two, run, candidate, store_home):
    """Not a traceback; and what is served stays."""
    rewrite(candidate, number="1.2")
    (store_home / "tmp").rmdir()
    (store_home / "tmp").write_text("in the way")

    status, _, said = run("promote", "extraction", candidate, "--version", "1.2", *PLAIN)

    assert (status, "BENTOML_HOME says where the store is" in said) == (1, True)
    assert 'version = "1.1"' in run("show", "extraction")[1]


@pytest.fixture
def service(models):
    """A process that looks like `bentoml serve` and ends with 7 on SIGHUP."""
    waits = "from signal import *; import sys; signal(SIGHUP, lambda *_: sys.exit(7)); print(flush=True); pause()"
    process = subprocess.Popen(
        [sys.executable, "-c", waits, "bentoml", "serve", "service:DocumentService"],
        env={**os.environ, "DOCEXTRACT_MODELS_DIR": str(models)}, stdout=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.readline()
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_the_running_service_is_found_and_told(two, run, service, tmp_path):
    """Only the one that serves from this folder."""
    assert reloading.find_services(tmp_path) == []

    status, said, _ = run("rollback", "extraction", "--reload")

    assert (status, f"Process {service.pid} was told to reload" in said) == (0, True)
    assert service.wait(10) == 7


def test_a_spoilt_version_is_not_taken_on(two, run, service, models):
    """Nobody is told anything."""
    tag = promoted_version("extraction", models).tag
    for folder in (models / "extraction" / "weights", store.weights_folder(tag)):
        (folder / "config.json").write_text("spoilt")

    status, _, said = run("reload")

    assert (status, "config.json is different" in said) == (1, True)
    service.send_signal(signal.SIGTERM)
    assert service.wait(10) == -signal.SIGTERM


def test_without_a_service_there_is_nobody_to_tell(two, run):
    """What to do instead is said."""
    status, _, said = run("reload")

    assert (status, "--pid" in said) == (1, True)


def test_the_weights_folder_that_lags_behind_is_told(two, run, models):
    """As after a promotion that was killed in its last step: served all the same, and `show` says how to mend it."""
    (models / "extraction" / "weights" / "config.json").write_text("old")

    assert "`restore extraction` puts them back" in run("show", "extraction")[1]

    assert run("restore", "extraction")[0] == 0
    assert overall_digest(file_digests(models / "extraction" / "weights")) == promoted_version("extraction", models).digest
    assert promoted_version("extraction", models).scores["synthetic"]["total"] == 0.9


def test_a_checkpoint_that_learned_from_too_few_typefaces_is_not_imported(run, candidate, tmp_path):
    """A candidate made of it would have no note of its run any more."""
    (candidate.parent / "typefaces.json").write_text('{"found": 10, "required": 200}')

    status, _, said = run("import-donut", candidate, "--document-type", "receipt", "--out", tmp_path / "out",
                          "--task-prompt", "<s>")  # fmt: skip

    assert status == 1
    assert "trained with 10 typefaces; its recipe requires 200. Run `make fonts`" in said
