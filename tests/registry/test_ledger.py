"""Versions come and go in one step, and only whole ones are served."""

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
    """Other weights in the same folder."""
    (candidate / "parts" / "model.safetensors").write_text(text)


@pytest.fixture
def two(candidate, models):
    """1 was promoted, then 2."""
    promote("quality", candidate, "1", models, day=DAY)
    change(candidate, "second")
    promote("quality", candidate, "2", models, day=DAY)
    return models


def served(models):
    """What a starting service takes."""
    version, _ = start_first_working("quality", models, Version.verified)
    return version.version


def weights_in_store(tag):
    return store.weights_folder(tag) / "parts" / "model.safetensors"


def test_what_was_promoted_is_what_is_served(candidate, models):
    """The ledger gives back all that promotion knew."""
    written = promote("quality", candidate, "1.2.0", models, day=DAY, document_types=["receipt"],
                      scores={"receipt": {"total": 0.9, "unmeasured": None}})  # fmt: skip
    version = promoted_version("quality", models)

    version.verify()
    assert (version.digest, version.files, version.folder) == (written.digest, written.files, written.folder)
    assert version.promoted == DAY
    assert version.document_types == ("receipt",)
    assert version.scores == {"receipt": {"total": 0.9}}
    assert sorted(version.files) == ["config.json", "parts/model.safetensors"]


def test_the_ledger_lists_what_a_network_was_taught(candidate, models):
    """As its config.json says: so the service can tell which fields it was never shown."""
    (candidate / "config.json").write_text('{"shape": {"types": ["receipt", "other"], "fields": ["total", "tip"]}}')

    promote("quality", candidate, "1", models, day=DAY)

    assert promoted_version("quality", models).document_types == ("receipt",)
    assert promoted_version("quality", models).fields == ("total", "tip")


def test_promoting_again_replaces_every_file(candidate, models):
    """No file of the last version stays behind."""
    promote("quality", candidate, "1", models, day=DAY)
    (candidate / "parts" / "model.safetensors").rename(candidate / "parts" / "renamed.safetensors")
    promote("quality", candidate, "2", models, day=DAY)

    version = promoted_version("quality", models)
    version.verify()
    assert version.version == "2"
    assert not (version.folder / "parts" / "model.safetensors").exists()


def test_promoted_weights_can_be_read_by_everybody(candidate, models):
    """safetensors writes for its owner alone; a clone or an image hands the files on as they are."""
    (candidate / "parts" / "model.safetensors").chmod(0o600)

    version = promote("quality", candidate, "1", models, day=DAY)

    assert (version.folder / "parts" / "model.safetensors").stat().st_mode == 0o100644


def test_weights_in_place_can_be_promoted(candidate, models):
    """Training may have written straight into models/; promoting them must not delete them."""
    promote("quality", candidate, "1", models, day=DAY)
    (models / "quality" / "weights" / "config.json").write_text("[]")
    promote("quality", models / "quality" / "weights", "2", models, day=DAY)

    promoted_version("quality", models).verify()
    assert rollback("quality", models, day=LATER).version == "1"


def test_scores_can_be_written_anew(candidate, models):
    """The same files under the same name, scored again: nothing becomes history."""
    promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.8})
    promote("quality", candidate, "1", models, day=LATER, scores={"overall": 0.9})

    assert promoted_version("quality", models).promoted == DAY
    assert read_ledger("quality", models).history == ()
    assert promoted_version("quality", models).scores == stored_version(promoted_version("quality", models).tag).scores == {"overall": 0.9}


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
    version = promoted_version("quality", models)
    for folder in (version.folder, store.weights_folder(version.tag)):
        harm(folder)

    with pytest.raises(RegistryError, match=named):
        version.load("cpu")


def test_either_place_is_enough(candidate, models, store_home):
    """A fresh clone has no model store; a service whose models folder was spoilt has one."""
    promote("quality", candidate, "1", models, day=DAY)
    (models / "quality" / "weights" / "config.json").write_text("spoilt")
    assert promoted_version("quality", models).verified().folder == store.weights_folder(promoted_version("quality", models).tag)

    promote("quality", candidate, "1", models, day=DAY)
    shutil.rmtree(store_home)
    assert promoted_version("quality", models).verified().folder == models / "quality" / "weights"


def test_a_service_serves_from_what_it_may_only_read(candidate, models, store_home):
    """Neither a read-only models folder nor a read-only store stops it, and it writes to neither."""
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


def test_a_ledger_edited_by_hand_is_noticed(candidate, models):
    """The digest speaks for all files; changing one line of the table does not pass."""
    promote("quality", candidate, "1", models, day=DAY)
    ledger = models / "quality" / "promoted.toml"
    ledger.write_text(re.sub(r'("config.json" = ")\w{4}', r"\g<1>dead", ledger.read_text()))

    with pytest.raises(RegistryError, match="edited by hand"):
        promoted_version("quality", models)


def test_an_absent_model_says_what_to_do(models):
    """Whoever starts the service without weights is told the command."""
    with pytest.raises(RegistryError, match=r"python -m docextract.registry promote quality"):
        start_first_working("quality", models, Version.verified)


def test_an_empty_folder_is_no_candidate(tmp_path, models):
    """Nothing cannot be promoted, and what is served stays."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(RegistryError, match="holds no files"):
        promote("quality", tmp_path / "empty", "1", models, day=DAY)


def test_one_name_means_one_set_of_files(two, candidate):
    """A version that was promoted keeps its name; other files need another."""
    change(candidate, "third")

    for taken in ("1", "2"):
        with pytest.raises(RegistryError, match="choose another"):
            promote("quality", candidate, taken, two, day=LATER)
    with pytest.raises(RegistryError, match="is no version"):
        promote("quality", candidate, "Next one", two, day=LATER)
    assert served(two) == "2"


def test_rollback_serves_what_was_served_before(two):
    """The same files, byte by byte; and the ledger says what was withdrawn, when and why."""
    version = rollback("quality", two, day=LATER, reason="totals went missing")

    version.verify()
    assert (version.version, version.promoted, served(two)) == ("1", DAY, "1")
    (left,) = read_ledger("quality", two).history
    assert (left.version, left.withdrawn, left.reason) == ("2", LATER, "totals went missing")


def test_a_second_rollback_goes_further_back(two, candidate):
    """Not forth again to what was withdrawn."""
    change(candidate, "third")
    promote("quality", candidate, "3", two, day=DAY)

    assert [rollback("quality", two, day=LATER).version for _ in range(2)] == ["2", "1"]
    with pytest.raises(RegistryError, match="replaced nothing"):
        rollback("quality", two, day=LATER)
    assert rollback("quality", two, day=LATER, version="3").version == "3"
    with pytest.raises(RegistryError, match="never served here; served before were: 1, 2"):
        rollback("quality", two, day=LATER, version="7")


def test_a_clone_can_be_rolled_back_to(candidate, models, store_home):
    """A fresh clone has the outgoing version's files in models/ alone; promoting over them keeps them."""
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
def test_a_version_that_is_not_whole_is_not_gone_back_to(two, harm):
    """Refused with a reason, and what is served goes on being served."""
    harm(next(tag for tag in store.list_tags("quality") if tag.startswith("quality:1-")))

    with pytest.raises(RegistryError):
        rollback("quality", two, day=LATER)
    assert served(two) == "2"
    assert promoted_version("quality", two).version == "2"


def test_a_store_that_lies_about_a_version_is_not_believed(two, candidate):
    """Files and description may be changed together, and fit; the reviewed ledger knows the digest."""
    tag = next(tag for tag in store.list_tags("quality") if tag.startswith("quality:1-"))
    weights_in_store(tag).write_text("tampered with")
    described = store.version_folder(tag) / "version.toml"
    files = file_digests(store.weights_folder(tag))
    old = stored_version(tag)
    text = described.read_text().replace(old.digest, overall_digest(files))
    described.write_text(text.replace(old.files["parts/model.safetensors"], files["parts/model.safetensors"]))
    stored_version(tag).verify()

    with pytest.raises(RegistryError, match="not what"):
        rollback("quality", two, day=LATER)


@pytest.mark.parametrize("ruined", ["weights", "ledger"])
def test_a_service_that_finds_its_version_ruined_serves_the_last_one(two, candidate, ruined, caplog):
    """As after a pull that broke off: the version that was last served well, and an error in the log."""
    record_served_version(promoted_version("quality", two))
    change(candidate, "third")
    third = promote("quality", candidate, "3", two, day=LATER)
    if ruined == "ledger":
        (two / "quality" / "promoted.toml").write_text("<<<<<<< HEAD")
    else:
        (two / "quality" / "weights" / "config.json").write_text("spoilt")
        weights_in_store(third.tag).write_text("spoilt")

    assert served(two) == "2"
    assert "not served model=quality" in caplog.text
    assert "served in its place model=quality version=2" in caplog.text


def test_a_version_that_does_not_start_gives_way_to_the_one_before(two):
    """Its files are whole, and still it may not run on this machine; without a model store's memory, history helps."""

    def start(version):
        if version.version == "2":
            raise ValueError("made for other criteria")
        return f"running {version.version}"

    version, started = start_first_working("quality", two, start)

    assert (version.version, started) == ("1", "running 1")


def test_what_was_withdrawn_is_not_fallen_back_to(two):
    """It was taken out for a reason."""
    rollback("quality", two, day=LATER)

    def start(version):
        raise ValueError(version.version)

    with pytest.raises(ValueError, match="1"):
        start_first_working("quality", two, start)


GATE = """
[floors]
overall = 0.8
[may_lose]
overall = 0.01
"""


def test_a_closed_gate_lets_nobody_through_without_a_reason(candidate, models):
    """What is missed is said; a reason opens the gate, and stays in the ledger."""
    (models / "quality").mkdir(parents=True)
    (models / "quality" / "gate.toml").write_text(GATE)

    with pytest.raises(GateFailedError, match=r"overall is 0.7; the gate asks at least 0.8: 0.1 short"):
        promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.7})
    assert not (models / "quality" / "promoted.toml").exists()

    promote("quality", candidate, "1", models, day=DAY, scores={"overall": 0.7}, forced="the first one")
    assert promoted_version("quality", models).forced == "the first one"


def test_scores_must_be_the_candidate_s_and_against_what_is_served(two, candidate):
    """Yesterday's comparison says nothing about today's model."""
    (two / "quality" / "gate.toml").write_text(GATE)
    one, two_, third = stored_version(store.list_tags("quality")[0]), promoted_version("quality", two), change(candidate, "third")
    third = overall_digest(file_digests(candidate))
    row = {"overall": {"candidate": 0.9, "served": 0.9, "gain": 0.0, "low": 0.0, "high": 0.0}}
    sound = {"overall": 0.9, "candidate": {"digest": third}, "served": {"digest": two_.digest}, "comparison": row}

    for wrong, said in (
        ({"comparison": {}}, "was not compared"),
        ({"candidate": {"digest": one.digest}}, "candidate is sha256"),
        ({"served": {"version": "1", "digest": one.digest}}, "served was 1 when it was judged, and is 2 now"),
    ):
        with pytest.raises(GateFailedError, match=said):
            promote("quality", candidate, "3", two, day=LATER, scores=sound | wrong)
    assert promote("quality", candidate, "3", two, day=LATER, scores=sound).version == "3"


def test_two_promotions_at_once_do_not_mix(two, candidate):
    """The second is told to wait."""
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
    """In a process of its own: promote 3, telling `watch` each thing that is done to a file. Does not return."""

    def hook(event, arguments):
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if writes or event in CHANGES:
            watch(event)

    sys.addaudithook(hook)
    try:
        promote("quality", candidate, "3", models, day=LATER)
    finally:
        os._exit(0)


@pytest.mark.parametrize("kept_before", [False, True])
def test_killed_at_any_moment_one_whole_version_is_served(two, candidate, tmp_path, store_home, kept_before):
    """Before every single thing that promotion does to a file, its process is ended; each time, 2 or 3 is whole.

    The next promotion clears up after it.
    """
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
    """Whether promotion was still at work."""
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
    """Whoever gives us weights gives us numbers; a pickle beside them is refused before anything looks at it."""
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
