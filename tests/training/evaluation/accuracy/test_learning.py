"""How training went is shown in one curve."""

from training import history
from training.evaluation.accuracy.learning import picture, rows_of


def test_runs_that_went_on_are_one(tmp_path):
    """Steps go on where the run before ended; one without a history tells nothing."""
    for name, steps in (("first", (250, 500)), ("second", (250,)), ("third", ())):
        (tmp_path / name).mkdir()
        for step in steps:
            history.append(tmp_path / name, {"step": step, "exact": {"total": step / 1000}})
    rows = rows_of([tmp_path / "first", tmp_path / "second", tmp_path / "third"])
    assert [row["step"] for row in rows] == [250, 500, 750]


def test_each_field_has_its_line():
    """Also one that was first looked for later."""
    drawn = picture([{"step": 250, "exact": {"total": 0.5}}, {"step": 500, "exact": {"total": 0.7, "date": 0.9}}])
    assert drawn.count("<polyline") == 2
    assert ">total<" in drawn
