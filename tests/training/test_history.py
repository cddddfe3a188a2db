"""The history of a training run."""

from training import history


def test_a_resumed_run_has_no_row_twice(tmp_path):
    """Rows after the checkpoint are removed, and written again when these steps are reached again."""
    for step in (10, 20, 30):
        history.append(tmp_path, {"step": step})

    history.trim(tmp_path, 20)
    history.append(tmp_path, {"step": 30, "again": True})

    assert history.read(tmp_path) == [{"step": 10}, {"step": 20}, {"step": 30, "again": True}]


def test_an_incomplete_row_is_skipped(tmp_path):
    """A kill may leave one; the run can still be resumed."""
    history.append(tmp_path, {"step": 10})
    with (tmp_path / history.HISTORY).open("a") as rows:
        rows.write('{"step": 2')

    history.trim(tmp_path, 10)

    assert history.read(tmp_path) == [{"step": 10}]


def test_a_run_without_evaluations_has_no_history(tmp_path):
    """Neither reading nor trimming creates the file."""
    history.trim(tmp_path, 5)

    assert history.read(tmp_path) == []
    assert not (tmp_path / history.HISTORY).exists()
