"""Values that are accepted without review are counted on pages that the threshold was not found on."""

from training.evaluation.acceptance import Acceptance, JudgedValue, cross_fitted, lowest_start


def values(part, confidence, right, count, source="real"):
    """Values with one outcome."""
    return [JudgedValue(source, part, confidence, right)] * count


def test_the_lowest_confidence_that_keeps_the_stated_error_is_chosen():
    """The estimate counts one more wrong value than there is, so few values show nothing."""
    judged = [*values(0, 0.96, True, 300), *values(0, 0.91, False, 20)]

    assert lowest_start(judged, 0.01) == 0.92
    assert lowest_start(judged, 0.2) == 0.5
    assert lowest_start(values(0, 0.96, True, 50), 0.01) > 1


def test_a_part_is_judged_by_the_threshold_of_the_others():
    """The sure but wrong values of one part cannot raise the threshold that they are counted with."""
    judged = [*values(0, 0.96, True, 300), *values(1, 0.96, False, 10), *values(1, 0.96, True, 90)]

    found = cross_fitted(judged, 0.01)

    assert found == {"real": Acceptance(values=400, accepted=100, wrong=10)}
    assert found["real"].share == 0.25
    assert found["real"].error == 0.1


def test_sources_share_a_threshold_and_are_counted_apart():
    """Few values of one source are no reason to accept none of them."""
    judged = [*values(0, 0.96, True, 300), *values(1, 0.96, True, 300), *values(1, 0.97, True, 5, "collection")]

    assert cross_fitted(judged, 0.01)["collection"] == Acceptance(5, 5, 0)
