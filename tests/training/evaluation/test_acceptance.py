"""Values that are accepted without review are counted on pages that the threshold was not found on."""

from training.evaluation.acceptance import Acceptance, JudgedValue, cross_fitted, error_bounds, lowest_start


def values(part, confidence, right, count, source="real", type="receipt"):
    """Values with one outcome."""
    return [JudgedValue(source, type, part, confidence, right)] * count


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


def test_a_type_with_many_values_has_its_own_threshold():
    """Sure but wrong values of one type take nothing from the others; with few others all share one threshold."""
    receipts = [*values(0, 0.96, True, 700), *values(1, 0.96, False, 20), *values(1, 0.999, True, 700)]
    invoices = [one for part in (0, 1) for one in values(part, 0.96, True, 200, "collection", "invoice")]
    cards = [*values(0, 0.96, True, 10, "collection", "id_card")]

    apart = cross_fitted([*receipts, *invoices, *cards], 0.01)
    shared = cross_fitted([*receipts, *cards], 0.01)

    assert error_bounds([*receipts, *invoices, *cards]).keys() == {"receipt", "*"}
    assert error_bounds([*receipts, *cards]).keys() == {"*"}
    assert apart["collection"] == Acceptance(410, 410, 0)
    assert apart["real"].accepted < 1420
    assert shared["collection"] == Acceptance(10, 0, 0)
