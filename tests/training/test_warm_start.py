"""Outputs of a served network that a new one takes over."""

from training.warm_start import matching_rows


def test_outputs_with_one_name_go_to_their_like():
    """The first to the first, the second to the second; what only one network has is left out."""
    assert matching_rows(["total", "tip", "total"], ["date", "total", "total"]) == [(0, 1), (2, 2)]
    assert matching_rows(["total", "total"], ["total"]) == [(0, 0)]
