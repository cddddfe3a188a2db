"""Tests of the comparison of two assessments of the same frame."""

import numpy as np

from benchmarks.legibility import summarize_pairs


def test_the_ratio_is_that_of_the_medians():
    """A few slow pairs on a busy machine do not change it."""
    seconds = np.full((100, 2), (0.010, 0.011))
    seconds[:10] *= 50

    summary = summarize_pairs(seconds)

    assert (summary["without_ms"], summary["with_ms"], summary["ratio"]) == (10.0, 11.0, 1.1)
    assert summary["interval"] == [1.1, 1.1]
