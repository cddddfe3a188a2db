"""What the soak test compares and reports."""

from benchmarks.environment import describe_environment
from benchmarks.mixed_soak import QUANTITIES, SoakRun, comparable, write


def answer(total, confidence=0.9):
    fields = {"total": {"value": total, "confidence": confidence}, "items": {"items": [{"fields": {}}]}}
    return {"documents": [{"type": "receipt", "fields": fields}], "images": []}


def test_values_are_compared_and_confidences_are_not():
    """Batches round confidences."""
    assert comparable(answer("9.00")) == comparable(answer("9.00", 0.91))
    assert comparable(answer("9.00")) != comparable(answer("9.01"))


def test_verdicts_and_problems_are_compared():
    """A verdict by whether a document was found, a problem by its code."""
    seen, not_seen = ({"images": [{"document": {"detected": found}}]} for found in (True, False))

    assert comparable(seen) != comparable(not_seen)
    assert comparable({"code": "image_undecodable", "request_id": "1"}) == "image_undecodable"


def test_the_page_names_wrong_answers(tmp_path):
    """And what was sampled."""
    run = SoakRun(samples=[dict.fromkeys(QUANTITIES, 100.0 + at) for at in range(16)])
    write(tmp_path / "good.md", run, 1, describe_environment())
    run.wrong.append("photo 0: [] instead of [1]")
    write(tmp_path / "bad.md", run, 1, describe_environment())

    assert "No answer had other values" in (tmp_path / "good.md").read_text()
    assert "**1 answers had other values" in (tmp_path / "bad.md").read_text()
    assert "| memory of the front, MB | 102 | 108 | 114 |" in (tmp_path / "good.md").read_text()
