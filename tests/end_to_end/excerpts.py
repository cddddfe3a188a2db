"""Compares the excerpts of answers in the documentation with what the service answers."""

import pytest

from docextract.answers.schema import confidence_level

MAX_CONFIDENCE_DIFFERENCE = 0.05  # between processors, whose native precisions differ


def assert_within(part, whole):
    """Assert that `whole` contains everything in `part`.

    Another processor may give another confidence, so call other fields uncertain, or name another level. A level must
    be that of the confidence beside it, and all other reasons for a review must be equal.
    """
    if isinstance(part, dict):
        for name, value in part.items():
            if name == "review_reasons":
                assert _certain(value) == _certain(whole[name])
            elif name == "level":
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


def _certain(reasons):
    return [reason for reason in reasons if not reason.startswith("uncertain:")]
