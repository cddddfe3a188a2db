"""Tests of the bulk command: its output and exit status. Ray itself is tested in tests/bulk."""

import pytest

from docextract.bulk import running
from docextract.bulk.output import OutputFolder
from docextract.bulk.worker import BulkWorker


@pytest.fixture
def in_this_process(monkeypatch):
    """The pool of workers is a single worker in this process."""

    def run_plan(plan, workers=None):
        job = running.replace(plan.job, device="cpu", batch_size=1)
        worker = BulkWorker(job)
        for names in running.split_into_parts(plan.names, 1):
            (good,), (review,), (failed,) = worker({"names": [running.json.dumps(names)]}).values()
            yield running.FileCounts(good, review, failed)

    monkeypatch.setattr(running, "run_plan", run_plan)


@pytest.mark.usefixtures("in_this_process")
def test_run_ends_with_one_line(docextract, photos, tmp_path):
    """The counts cover the whole output, however many runs it took."""
    line = f"2 files: 1 good, 1 to review, 0 failed; answers in {tmp_path / 'answers'}\n"

    assert docextract("bulk", photos, tmp_path / "answers").stdout == line
    assert docextract("bulk", photos, tmp_path / "answers").stdout == line


@pytest.mark.usefixtures("in_this_process")
def test_failed_files_are_where_the_run_says(docextract, photos, tmp_path):
    """There may be a million, so it names the columns and not the files."""
    (photos / "broken.jpg").write_bytes(b"broken")

    result = docextract("bulk", photos, tmp_path / "answers")

    assert result.exit_code == 3
    assert "1 failed (`code` and `detail` of their rows say why);" in result.stdout
    assert "OUTPUT says why" in " ".join(docextract("bulk", "--help").stdout.split())
    rows = {row["path"]: row for row in OutputFolder(str(tmp_path / "answers"), "parquet").rows()}
    assert (rows["broken.jpg"]["code"], bool(rows["broken.jpg"]["detail"])) == ("image_undecodable", True)


@pytest.mark.usefixtures("in_this_process")
def test_answers_by_other_settings_are_not_mixed(docextract, photos, tmp_path, monkeypatch):
    """They decide which photos are accepted and which values need review."""
    docextract("bulk", photos, tmp_path / "answers")
    monkeypatch.setenv("DOCEXTRACT_TARGET_ERROR", "0.3")

    result = docextract("bulk", photos, tmp_path / "answers")

    assert result.exit_code == 2
    assert "settings was" in result.stderr


@pytest.mark.usefixtures("in_this_process")
def test_a_second_run_is_refused_while_the_first_one_writes(docextract, photos, tmp_path):
    """It ends with a message, before it touches the folder."""
    lock = OutputFolder(str(tmp_path / "answers"), "parquet").reserve()

    result = docextract("bulk", photos, tmp_path / "answers")

    lock.release()
    assert (result.exit_code, "another run is writing" in result.stderr) == (2, True)
    assert docextract("bulk", photos, tmp_path / "answers").exit_code == 1


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["photos/good.jpg", "answers"], 0),
        (["photos/*o*.jpg", "answers"], 1),
        (["photos", "answers", "--validation", "enforce", "--format", "jsonl"], 1),
        (["photos", "answers", "-t", "papyrus"], 2),
        (["photos", "answers", "--format", "csv"], 2),
        (["photos", "other"], 2),
        (["empty", "answers"], 2),
        (["photos"], 2),
        (["broken", "answers"], 3),
        (["missing", "answers"], 4),
        (["nonsense://photos", "answers"], 4),
        (["photos", "photos/good.jpg"], 4),
        (["photos", "answers", "--models", "."], 4),
    ],
)
def test_exit_status_is_that_of_the_other_commands(docextract, photos, monkeypatch, arguments, status):
    """Every error status comes with a reason on standard error."""
    monkeypatch.chdir(photos.parent)
    for folder in ("empty", "broken"):
        (photos.parent / folder).mkdir()
    (photos.parent / "broken" / "torn.jpg").write_bytes((photos / "good.jpg").read_bytes()[:300])
    docextract("bulk", photos / "good.jpg", "other")

    result = docextract("bulk", *arguments)

    assert result.exit_code == status, result.stderr
    assert (result.stderr == "") == (status in (0, 1, 3))


def test_missing_packages_are_named(docextract, photos, tmp_path, monkeypatch):
    """Ray and Arrow are an optional dependency."""
    monkeypatch.setattr("docextract.cli.bulk.find_spec", lambda name: None)

    result = docextract("bulk", photos, tmp_path / "answers")

    assert result.exit_code == 4
    assert "pip install 'docextract[bulk]'" in result.stderr
