"""Tests of the training curve."""

from training import history
from training.evaluation.accuracy.training_curve import load_history, training_plot


def test_resumed_runs_form_one_history(tmp_path):
    """Steps continue where the run before ended; a run without a history adds nothing."""
    for name, steps in (("first", (250, 500)), ("second", (250,)), ("third", ())):
        (tmp_path / name).mkdir()
        for step in steps:
            history.append(tmp_path / name, {"step": step, "exact": {"total": step / 1000}})
    rows = load_history([tmp_path / "first", tmp_path / "second", tmp_path / "third"])
    assert [row["step"] for row in rows] == [250, 500, 750]


def test_each_field_has_a_line():
    """Also a field that was evaluated from a later step on."""
    drawn = training_plot([{"step": 250, "exact": {"total": 0.5}}, {"step": 500, "exact": {"total": 0.7, "date": 0.9}}])
    assert drawn.count("<polyline") == 2
    assert ">total<" in drawn
