"""Tests of the figures of a scripted review."""

from pathlib import Path

import pytest

from benchmarks.review_effort import DECISION_S, KEY_S, POINT_S, Effort, summarize, true_labels
from training.evaluation.real_documents import RealDocument


def test_seconds_are_those_of_the_keystroke_level_model():
    """Keys, pointings, waits, and a decision for the document, each doubtful and each corrected value."""
    effort = Effort("a.pdf", fields=9, doubtful=2, corrected=1, keys=10, points=3, wait_s=0.5)

    assert effort.seconds == pytest.approx(10 * KEY_S + 3 * POINT_S + 4 * DECISION_S + 0.5)


def test_the_summary_counts_what_was_written_as_labelled():
    """A document that was written otherwise is not counted as right."""
    found = summarize([Effort("a", keys=2), Effort("b", keys=400, right=False)], 3)

    assert (found["documents"], found["reviewed"], found["written as labelled"]) == (3, 2, 1)
    assert found["share within 20 s"] == 0.5


def test_of_several_true_readings_the_proposed_one_is_kept():
    """A reviewer leaves a value alone that is right; what is absent stays absent; other fields are left out."""
    document = RealDocument(
        Path("a.pdf"), "invoice", "t",
        {"vendor_name": "Moulin", "total": "9.00", "due_date": None, "unknown_field": "x"},
        {"vendor_name": ["Moulin SARL"]},
    )  # fmt: skip

    assert true_labels(document, {"vendor_name": "MOULIN SARL"}) == {
        "vendor_name": "Moulin SARL",
        "total": "9.00",
        "due_date": None,
    }
