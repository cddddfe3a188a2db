"""The bulk command: what it says before and after the work, and its exit status. Ray itself is in tests/bulk."""

import pytest

from docextract.bulk import running
from docextract.bulk.worker import Answering


@pytest.fixture
def in_this_process(monkeypatch):
    """The pool of workers is one, right here."""

    def work(plan, workers=None):
        job = running.replace(plan.job, device="cpu", batch=1)
        worker = Answering(job)
        for names in running.grouped(plan.names, 1):
            (good,), (review,), (failed,) = worker({"names": [running.json.dumps(names)]}).values()
            yield running.Tally(good, review, failed)

    monkeypatch.setattr(running, "work", work)


@pytest.mark.usefixtures("in_this_process")
def test_the_end_of_a_run_is_one_line(docextract, photos, tmp_path):
    """How many of each kind, over all of the output, however many runs it took."""
    said = f"2 files: 1 good, 1 to review, 0 not answered; {tmp_path / 'answers'}\n"

    assert docextract("bulk", photos, tmp_path / "answers").stdout == said
    assert docextract("bulk", photos, tmp_path / "answers").stdout == said


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("words", "status"),
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
def test_the_exit_status_is_that_of_the_other_commands(docextract, photos, monkeypatch, words, status):
    """Good, look at it, not understood, a file has no answer, nothing can be asked; each with a reason."""
    monkeypatch.chdir(photos.parent)
    for folder in ("empty", "broken"):
        (photos.parent / folder).mkdir()
    (photos.parent / "broken" / "torn.jpg").write_bytes((photos / "good.jpg").read_bytes()[:300])
    docextract("bulk", photos / "good.jpg", "other")

    result = docextract("bulk", *words)

    assert result.exit_code == status, result.stderr
    assert (result.stderr == "") == (status in (0, 1, 3))


def test_what_is_missing_is_named(docextract, photos, tmp_path, monkeypatch):
    """The group of packages is installed by those who want it."""
    monkeypatch.setattr("docextract.cli.bulk.find_spec", lambda name: None)

    result = docextract("bulk", photos, tmp_path / "answers")

    assert result.exit_code == 4
    assert "pip install 'docextract[bulk]'" in result.stderr
