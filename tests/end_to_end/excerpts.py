"""Compares the excerpts of answers in the documentation with what the service answers."""

import pytest

from docextract.answers.schema import confidence_level

MAX_CONFIDENCE_DIFFERENCE = 0.05  # between processors, whose native precisions differ


def assert_within(part, whole):
    """Assert that `whole` contains everything in `part`.

    Another processor may give another confidence, so name another level: a level must be that of the confidence beside
    it. The reasons for a review must be equal; on the sample they are, in bfloat16 and float32 alike.
    """
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "level":
                assert (value, whole[name]) == (
                    confidence_level(part["confidence"]),
                    confidence_level(whole["confidence"]),
                )
            else:
                assert_within(value, whole[name])
    elif isinstance(part, list):
        assert len(part) == len(whole)
        for one, other in zip(part, whole, strict=True):
            assert_within(one, other)
    elif isinstance(part, float):
        assert part == pytest.approx(whole, abs=MAX_CONFIDENCE_DIFFERENCE)
    else:
        assert part == whole
