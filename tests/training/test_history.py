"""What a run notes of itself."""

from training import history


def test_a_run_that_goes_on_notes_nothing_twice(tmp_path):
    """What came after the checkpoint is forgotten, and noted again when it is reached again."""
    for step in (10, 20, 30):
        history.append(tmp_path, {"step": step})

    history.trim(tmp_path, 20)
    history.append(tmp_path, {"step": 30, "again": True})

    assert history.read(tmp_path) == [{"step": 10}, {"step": 20}, {"step": 30, "again": True}]


def test_a_line_cut_short_by_a_kill_is_left_out(tmp_path):
    """It does not keep the run from going on."""
    history.append(tmp_path, {"step": 10})
    with (tmp_path / history.HISTORY).open("a") as rows:
        rows.write('{"step": 2')

    history.trim(tmp_path, 10)

    assert history.read(tmp_path) == [{"step": 10}]


def test_a_run_that_has_noted_nothing_has_no_history(tmp_path):
    """Neither reading nor trimming makes one."""
    history.trim(tmp_path, 5)

    assert history.read(tmp_path) == []
    assert not (tmp_path / history.HISTORY).exists()
