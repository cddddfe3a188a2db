"""Promotion and rollback are atomic, and only intact versions are served."""

import os
import re
import shutil
import sys
import time
from datetime import date

import pytest

from docextract.registry import (
    RegistryError,
    overall_digest,
    promote,
    promoted_version,
    read_ledger,
    record_served_version,
    rollback,
    start_first_working,
    store,
    stored_version,
)
from docextract.registry.gate import GateFailedError
from docextract.registry.version import Version, file_digests

CHANGES = {f"os.{name}" for name in ("rename", "mkdir", "rmdir", "remove", "chmod", "utime", "truncate")}
DAY = date(2026, 1, 31)
LATER = date(2026, 2, 1)


def change(candidate, text):
    """Write other weights into the same folder."""
    (candidate / "parts" / "model.safetensors").write_text(text)


@pytest.fixture
def two(candidate, models):
    """Two versions were promoted, first 1 and then 2."""
    promote("quality", candidate, "1", models, day=DAY)
    change(candidate, "second")
    promote("quality", candidate, "2", models, day=DAY)
    return models


def served(models):
    """Return the version that a starting service uses."""
    version, _ = start_first_working("quality", models, Version.verified)
    return version.version


def weights_in_store(tag):
    return store.weights_folder(tag) / "parts" / "model.safetensors"


def test_the_promoted_version_is_served(candidate, models):
    """The ledger has everything that was given to `promote`."""
    written = promote("quality", candidate, "1.2.0", models, day=DAY, document_types=["receipt"],
                      scores={"receipt": {"total": 0.9, "unmeasured": None}})  # fmt: skip
    version = promoted_version("quality", models)

    version.verify()
    assert (version.digest, version.files, version.folder) == (written.digest, written.files, written.folder)
    assert version.promoted == DAY
    assert version.document_types == ("receipt",)
    assert version.scores == {"receipt": {"total": 0.9}}
    assert sorted(version.files) == ["config.json", "parts/model.safetensors"]


def test_the_ledger_lists_the_trained_fields(candidate, models):
    """They are those of config.json, so that the service knows which fields were not trained."""
    (candidate / "config.json").write_text('{"shape": {"types": ["receipt", "other"], "fields": ["total", "tip"]}}')

    promote("quality", candidate, "1", models, day=DAY)

    assert promoted_version("quality", models).document_types == ("receipt",)
    assert promoted_version("quality", models).fields == ("total", "tip")


def test_promoting_again_replaces_every_file(candidate, models):
    """No file of the previous version stays."""
    promote("quality", candidate, "1", models, day=DAY)
    (candidate / "parts" / "model.safetensors").rename(candidate / "parts" / "renamed.safetensors")
    promote("quality", candidate, "2", models, day=DAY)

    version = promoted_version("quality", models)
    version.verify()
    assert version.version == "2"
    assert not (version.folder / "parts" / "model.safetensors").exists()


def test_promoted_weights_are_readable_for_every_user(candidate, models):
    """safetensors writes files that only their owner can read."""
    (candidate / "parts" / "model.safetensors").chmod(0o600)

    version = promote("quality", candidate, "1", models, day=DAY)

    assert (version.folder / "parts" / "model.safetensors").stat().st_mode == 0o100644


def test_weights_in_place_can_be_promoted(candidate, models):
    """Training may have written directly into models/; a promotion must not delete the files."""
    promote("quality", candidate, "1", models, day=DAY)
    (models / "quality" / "weights" / "config.json").write_text("[]")
    promote("quality", models / "quality" / "weights", "2", models, day=DAY)

    promoted_version("quality", models).verify()
    assert rollback("quality", models, day=LATER).version == "1"


def test_scores_can_be_replaced(candidate, models):
    """The same files and version with new scores add nothing to the history."""
    promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.8})
    promote("quality", candidate, "1", models, day=LATER, scores={"overall": 0.9})

    assert promoted_version("quality", models).promoted == DAY
    assert read_ledger("quality", models).history == ()
    assert (
        promoted_version("quality", models).scores
        == stored_version(promoted_version("quality", models).tag).scores
        == {"overall": 0.9}
    )


def change_one_byte(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("harm", "named"),
    [
        (lambda weights: (weights / "config.json").write_text("{ }"), "config.json is different"),
        (lambda weights: change_one_byte(weights / "config.json"), "config.json is different"),
        (lambda weights: (weights / "config.json").unlink(), "config.json is missing"),
        (lambda weights: (weights / "extra").write_text(""), "extra is unexpected"),
    ],
)
def test_weights_that_are_not_the_promoted_ones_are_not_loaded(candidate, models, harm, named):
    """A changed byte, a lost file and an additional file are each reported, and nothing is loaded."""
    promote("quality", candidate, "1", models, day=DAY)
    version = promoted_version("quality", models)
    for folder in (version.folder, store.weights_folder(version.tag)):
        harm(folder)

    with pytest.raises(RegistryError, match=named):
        version.load("cpu")


def test_either_copy_of_the_files_is_enough(candidate, models, store_home):
    """A fresh clone has no model store; a service with a damaged models folder has one."""
    promote("quality", candidate, "1", models, day=DAY)
    (models / "quality" / "weights" / "config.json").write_text("spoilt")
    assert promoted_version("quality", models).verified().folder == store.weights_folder(
        promoted_version("quality", models).tag
    )

    promote("quality", candidate, "1", models, day=DAY)
    shutil.rmtree(store_home)
    assert promoted_version("quality", models).verified().folder == models / "quality" / "weights"


def test_a_service_works_with_read_only_folders(candidate, models, store_home):
    """Neither a read-only models folder nor a read-only store prevents the start."""
    promote("quality", candidate, "1", models, day=DAY)
    places = [path for root in (models, store_home) for path in (root, *root.rglob("*"))]
    before = {path: path.stat().st_mtime_ns for path in places}
    for path in places:
        path.chmod(0o555 if path.is_dir() else 0o444)

    version, _ = start_first_working("quality", models, Version.verified)
    if os.geteuid() != 0:  # root may write anywhere
        record_served_version(version)

    assert version.version == "1"
    assert {path: path.stat().st_mtime_ns for path in places} == before
    for path in places:
        path.chmod(0o755)


def test_a_manually_edited_ledger_is_detected(candidate, models):
    """The digest covers all files, so that changing one line of the table is an error."""
    promote("quality", candidate, "1", models, day=DAY)
    ledger = models / "quality" / "promoted.toml"
    ledger.write_text(re.sub(r'("config.json" = ")\w{4}', r"\g<1>dead", ledger.read_text()))

    with pytest.raises(RegistryError, match="edited by hand"):
        promoted_version("quality", models)


def test_a_missing_model_is_reported_with_the_command(models):
    """The message has the command that promotes a model."""
    with pytest.raises(RegistryError, match=r"python -m docextract.registry promote quality"):
        start_first_working("quality", models, Version.verified)


def test_an_empty_folder_is_no_candidate(tmp_path, models):
    """It cannot be promoted, and the served version stays."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(RegistryError, match="contains no files"):
        promote("quality", tmp_path / "empty", "1", models, day=DAY)


def test_a_version_identifies_one_set_of_files(two, candidate):
    """Other files need another version."""
    change(candidate, "third")

    for taken in ("1", "2"):
        with pytest.raises(RegistryError, match="choose another version"):
            promote("quality", candidate, taken, two, day=LATER)
    with pytest.raises(RegistryError, match="is not a valid version"):
        promote("quality", candidate, "Next one", two, day=LATER)
    assert served(two) == "2"


def test_rollback_serves_the_previous_version(two):
    """With identical files; the ledger records the withdrawn version, the date and the reason."""
    version = rollback("quality", two, day=LATER, reason="totals went missing")

    version.verify()
    assert (version.version, version.promoted, served(two)) == ("1", DAY, "1")
    (left,) = read_ledger("quality", two).history
    assert (left.version, left.withdrawn, left.reason) == ("2", LATER, "totals went missing")


def test_a_second_rollback_goes_further_back(two, candidate):
    """It never returns to a withdrawn version."""
    change(candidate, "third")
    promote("quality", candidate, "3", two, day=DAY)

    assert [rollback("quality", two, day=LATER).version for _ in range(2)] == ["2", "1"]
    with pytest.raises(RegistryError, match="has no earlier version"):
        rollback("quality", two, day=LATER)
    assert rollback("quality", two, day=LATER, version="3").version == "3"
    with pytest.raises(RegistryError, match="never served here; earlier versions: 1, 2"):
        rollback("quality", two, day=LATER, version="7")


def test_rollback_works_after_a_promotion_in_a_fresh_clone(candidate, models, store_home):
    """A fresh clone has the files of the old version only in models/; the promotion stores them."""
    promote("quality", candidate, "1", models, day=DAY)
    shutil.rmtree(store_home)
    change(candidate, "second")
    promote("quality", candidate, "2", models, day=LATER)

    assert rollback("quality", models, day=LATER).version == "1"


@pytest.mark.parametrize(
    "harm",
    [
        lambda tag: weights_in_store(tag).write_text("tampered with"),
        lambda tag: weights_in_store(tag).unlink(),
        lambda tag: shutil.rmtree(store.version_folder(tag)),
        lambda tag: (store.version_folder(tag) / "version.toml").write_text("nonsense ="),
    ],
)
def test_rollback_to_a_damaged_version_is_refused(two, harm):
    """The current version is still served."""
    harm(next(tag for tag in store.list_tags("quality") if tag.startswith("quality:1-")))

    with pytest.raises(RegistryError):
        rollback("quality", two, day=LATER)
    assert served(two) == "2"
    assert promoted_version("quality", two).version == "2"


def test_a_manipulated_store_is_detected(two, candidate):
    """Files and description may be changed consistently, but the reviewed ledger has the digest."""
    tag = next(tag for tag in store.list_tags("quality") if tag.startswith("quality:1-"))
    weights_in_store(tag).write_text("tampered with")
    described = store.version_folder(tag) / "version.toml"
    files = file_digests(store.weights_folder(tag))
    old = stored_version(tag)
    text = described.read_text().replace(old.digest, overall_digest(files))
    described.write_text(text.replace(old.files["parts/model.safetensors"], files["parts/model.safetensors"]))
    stored_version(tag).verify()

    with pytest.raises(RegistryError, match="does not match"):
        rollback("quality", two, day=LATER)


@pytest.mark.parametrize("ruined", ["weights", "ledger"])
def test_a_service_with_damaged_files_serves_the_last_version(two, candidate, ruined, caplog):
    """As after an interrupted pull; an error is logged."""
    record_served_version(promoted_version("quality", two))
    change(candidate, "third")
    third = promote("quality", candidate, "3", two, day=LATER)
    if ruined == "ledger":
        (two / "quality" / "promoted.toml").write_text("<<<<<<< HEAD")
    else:
        (two / "quality" / "weights" / "config.json").write_text("spoilt")
        weights_in_store(third.tag).write_text("spoilt")

    assert served(two) == "2"
    assert "model cannot be started model=quality" in caplog.text
    assert "earlier version started model=quality version=2" in caplog.text


def test_a_version_that_does_not_start_is_replaced_by_the_previous_one(two):
    """Intact files may still not run on this machine; without a store, the history is used."""

    def start(version):
        if version.version == "2":
            raise ValueError("made for other criteria")
        return f"running {version.version}"

    version, started = start_first_working("quality", two, start)

    assert (version.version, started) == ("1", "running 1")


def test_a_withdrawn_version_is_no_fallback(two):
    """It was withdrawn for a reason."""
    rollback("quality", two, day=LATER)

    def start(version):
        raise ValueError(version.version)

    with pytest.raises(ValueError, match="1"):
        start_first_working("quality", two, start)


def test_a_withdrawn_version_that_was_served_last_is_the_last_fallback(two, candidate):
    """It works on this machine, but earlier ones are better."""
    change(candidate, "third")
    record_served_version(promote("quality", candidate, "3", two, day=DAY))
    rollback("quality", two, day=LATER)
    tried = []

    def start(version):
        tried.append(version.version)
        if version.version != "3":
            raise ValueError(version.version)

    assert start_first_working("quality", two, start)[0].version == "3"
    assert tried == ["2", "1", "3"]


def test_chosen_version_is_started_instead_of_a_later_promoted_one(two, candidate):
    """A restarted process has the version of its run; if that fails, the last served one, and the promoted one last."""
    chosen = promoted_version("quality", two)
    record_served_version(chosen)
    change(candidate, "third")
    promote("quality", candidate, "3", two, day=DAY)

    def tried(*failing):
        found = []

        def start(version):
            found.append(version.version)
            if version.version in failing:
                raise ValueError(version.version)

        start_first_working("quality", two, start, chosen.tag)
        return found

    assert tried() == ["2"]
    assert tried("2") == ["2", "2", "2", "1"]
    assert tried("2", "1") == ["2", "2", "2", "1", "3"]


def test_files_are_on_the_disk_before_they_are_served(two, candidate, monkeypatch):
    """A power failure may leave empty files instead of what was written and not synchronised."""
    synced = []

    def fsync(handle, sync=os.fsync):
        synced.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    change(candidate, "third")
    third = promote("quality", candidate, "3", two, day=LATER)

    before = synced[: synced.index((two / "quality" / "promoted.toml").stat().st_ino)]
    for copy in (third.folder, store.version_folder(third.tag)):
        missing = [path for path in (copy, *copy.rglob("*")) if path.stat().st_ino not in before]
        assert missing == []
    assert store.version_folder("quality").stat().st_ino in before  # the name of the version
    assert synced[-1] == (two / "quality").stat().st_ino  # the names of the ledger and of the weights


GATE = """
[floors]
overall = 0.8
[may_lose]
overall = 0.01
"""


def test_a_failed_gate_needs_a_reason_to_be_skipped(candidate, models):
    """The failed rows are reported; a reason skips the gate and is recorded in the ledger."""
    (models / "quality").mkdir(parents=True)
    (models / "quality" / "gate.toml").write_text(GATE)

    with pytest.raises(GateFailedError, match=r"overall is 0.7; the gate requires at least 0.8: 0.1 too low"):
        promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.7})
    assert not (models / "quality" / "promoted.toml").exists()

    promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.7}, forced="the first one")
    assert promoted_version("quality", models).forced == "the first one"


def test_incomplete_weights_are_refused(two, candidate):
    """As an interrupted training leaves them; other architectures and folders such as types/ may have other files."""
    (candidate / "calibration.json").write_text("{}")
    promote("quality", candidate, "3", two, day=DAY)
    served = promoted_version("quality", two)
    shutil.rmtree(candidate / "parts")
    (candidate / "calibration.json").unlink()

    with pytest.raises(GateFailedError, match=r"calibration\.json is missing") as refused:
        promote("quality", candidate, "4", two, day=DAY)
    assert len(refused.value.shortfalls) == 1
    assert promoted_version("quality", two) == served
    promote("quality", candidate, "4", two, day=DAY, loader="elsewhere:Model")


def test_scores_must_be_of_the_candidate_and_the_served_version(two, candidate):
    """An old comparison is not valid for another served model."""
    (two / "quality" / "gate.toml").write_text(GATE)
    one, two_, third = (
        stored_version(store.list_tags("quality")[0]),
        promoted_version("quality", two),
        change(candidate, "third"),
    )
    third = overall_digest(file_digests(candidate))
    row = {"overall": {"candidate": 0.9, "served": 0.9, "gain": 0.0, "low": 0.0, "high": 0.0}}
    sound = {"overall": 0.9, "candidate": {"digest": third}, "served": {"digest": two_.digest}, "comparison": row}

    for wrong, said in (
        ({"comparison": {}}, "was not compared"),
        ({"candidate": {"digest": one.digest}}, "candidate is sha256"),
        ({"served": {"version": "1", "digest": one.digest}}, "served was 1 in the evaluation, and is 2 now"),
    ):
        with pytest.raises(GateFailedError, match=said):
            promote("quality", candidate, "3", two, day=LATER, scores=sound | wrong)
    assert promote("quality", candidate, "3", two, day=LATER, scores=sound).version == "3"


def test_two_promotions_at_once_are_refused(two, candidate):
    """The second one fails with a message."""
    change(candidate, "third")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        promote_and_stop(candidate, two, lambda event: event == "os.rename" and pause(writing))
    os.read(reading, 1)

    with pytest.raises(RegistryError, match="another promotion"):
        rollback("quality", two, day=LATER)
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert rollback("quality", two, day=LATER).version == "1"


def pause(writing):
    os.write(writing, b"!")
    time.sleep(60)


def promote_and_stop(candidate, models, watch):
    """In a process of its own: promote version 3 and report each file operation to `watch`. Does not return."""

    def hook(event, arguments):
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in CHANGES:
            watch(event)

    sys.addaudithook(hook)
    try:
        promote("quality", candidate, "3", models, day=LATER)
    finally:
        os._exit(0)


@pytest.mark.slow
@pytest.mark.parametrize("kept_before", [False, True])
def test_a_promotion_killed_at_any_moment_leaves_an_intact_version(two, candidate, tmp_path, store_home, kept_before):
    """The process is killed before each of its file operations; each time, version 2 or 3 is intact."""
    change(candidate, "third")
    if kept_before:
        shutil.copytree(two, tmp_path / "earlier")
        promote("quality", candidate, "3", tmp_path / "earlier", day=LATER)
    outcomes = []
    for steps in range(1, 400):
        models = tmp_path / f"round{steps}"
        shutil.copytree(two, models)
        if not kept_before:
            shutil.rmtree(store_home / "models", ignore_errors=True)
        if not killed_after(steps, candidate, models):
            break
        outcomes.append(served(models))
    else:
        pytest.fail("promotion never ended")

    assert served(models) == "3"
    assert outcomes == sorted(outcomes)  # the old one until a moment, the new one from then on
    assert set(outcomes) == {"2", "3"}
    change(candidate, "fourth")
    for spoilt in range(1, steps, 5):
        promote("quality", candidate, "4", tmp_path / f"round{spoilt}", day=LATER).verify()


def killed_after(steps, candidate, models):
    """Whether the promotion was still running."""
    child = os.fork()
    if child == 0:
        left = steps

        def watch(event):
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(1)

        promote_and_stop(candidate, models, watch)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


@pytest.mark.parametrize("name", ["model.pt", "parts/MODEL.BIN", "state.pkl", "tokens.joblib"])
def test_what_runs_code_when_it_is_opened_is_not_promoted(candidate, models, name):
    """Weights are only numbers; a pickle next to them is refused before any file is loaded."""
    (candidate / name).write_bytes(b"\x80\x04.")

    with pytest.raises(RegistryError, match="safetensors"):
        promote("quality", candidate, "1", models, day=date(2026, 1, 1))


def note_typefaces(candidate, text):
    """As a training run does, beside its folder of weights."""
    (candidate.parent / "typefaces.json").write_text(text)


def test_weights_that_learned_from_too_few_typefaces_are_refused(candidate, models):
    """Both numbers are named, and what to do; what was served stays."""
    promote("quality", candidate, "1", models, day=DAY)
    change(candidate, "second")
    note_typefaces(candidate, '{"found": 10, "required": 200, "digest": "x"}')

    with pytest.raises(RegistryError, match=r"trained with 10 typefaces; its recipe requires 200\. Run `make fonts`"):
        promote("quality", candidate, "2", models, day=DAY)

    assert promoted_version("quality", models).version == "1"


def test_weights_that_learned_from_enough_typefaces_are_promoted(candidate, models):
    note_typefaces(candidate, '{"found": 200, "required": 200, "digest": "x"}')

    assert promote("quality", candidate, "1", models, day=DAY).version == "1"


def test_too_few_typefaces_can_be_overruled_with_a_reason(candidate, models):
    note_typefaces(candidate, '{"found": 10, "required": 200, "digest": "x"}')

    assert promote("quality", candidate, "1", models, day=DAY, forced="a trial").forced == "a trial"


@pytest.mark.parametrize("text", ["{", "[]", '{"found": 10}', '{"found": null, "required": 1}'])
def test_a_note_of_typefaces_that_cannot_be_read_is_named(candidate, models, text):
    note_typefaces(candidate, text)

    with pytest.raises(RegistryError, match=r"typefaces\.json is not as a training run writes it"):
        promote("quality", candidate, "1", models, day=DAY)
