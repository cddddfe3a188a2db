"""Tests of the paired bootstrap."""

import numpy as np
import pytest

from training.evaluation.bootstrap import (
    PairedComparison,
    better_or_worse,
    compare_aurocs,
    compare_shares,
    draw_group_resamples,
    draw_resamples,
)
from training.metrics import auroc


@pytest.fixture
def resamples():
    return draw_resamples(200, np.random.default_rng(1))


def test_every_sample_has_the_original_number_of_pages(resamples):
    """Pages are drawn with replacement: some twice, some not at all."""
    assert (resamples.weights.sum(axis=1) == 200).all()
    assert resamples.weights.min() == 0
    assert resamples.weights.max() > 1


def test_two_equal_models_have_a_gain_of_zero(resamples):
    """Pairing removes the variation that both models share."""
    right = np.random.default_rng(2).integers(0, 2, 200)

    found = compare_shares((right, right), np.ones(200), resamples)

    assert (found.gain, found.low, found.high, found.certain) == (0, 0, 0, False)
    assert found.candidate == round(right.mean(), 4)


def test_one_page_is_not_significant_and_twenty_are(resamples):
    """The interval tells which difference is significant."""
    served = np.ones(200)
    one, twenty = served.copy(), served.copy()
    one[0], twenty[:20] = 0, 0

    little, much = (
        compare_shares((one, served), np.ones(200), resamples),
        compare_shares((twenty, served), np.ones(200), resamples),
    )

    assert not little.certain
    assert much.certain
    assert (much.gain, much.low < -0.1 < much.high) == (-0.1, True)


def test_the_interval_has_the_theoretical_width(resamples):
    """20 of 200 pages differ: the standard error of the share is sqrt(0.1 · 0.9 / 200)."""
    served = np.ones(200)
    candidate = served.copy()
    candidate[:20] = 0

    found = compare_shares((candidate, served), np.ones(200), resamples)

    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.09 / 200), rel=0.1)


def test_fields_of_one_page_are_not_independent(resamples):
    """Ten rows that fail together on each of 20 pages are 20 observations, not 200."""
    candidate, served = np.full(200, 10.0), np.full(200, 10.0)
    candidate[:20] = 0
    wide = compare_shares((candidate, served), np.full(200, 10), resamples)
    fields = draw_resamples(2000, np.random.default_rng(1))
    narrow = compare_shares((np.repeat(candidate / 10, 10), np.ones(2000)), np.ones(2000), fields)

    assert wide.gain == narrow.gain == -0.1
    assert wide.high - wide.low > 2.5 * (narrow.high - narrow.low)


def test_a_gain_is_positive_when_less_is_better(resamples):
    """For example the share of invented values."""
    served = np.zeros(200)
    served[:20] = 1

    found = compare_shares((np.zeros(200), served), np.ones(200), resamples, less_is_better=True)

    assert (found.candidate, found.served, found.gain) == (0, 0.1, 0.1)
    assert found.low > 0


def test_pages_with_nothing_to_count_are_ignored():
    """Two pages of three have no tip; a sample may have no page with a tip."""
    resamples = draw_resamples(3, np.random.default_rng(1))

    assert compare_shares(([1, 0, 0], [0, 0, 0]), [1, 0, 0], resamples) == PairedComparison(1, 0, 1, -0.1221, 1, 1)
    assert compare_shares(([0, 0, 0], [0, 0, 0]), [0, 0, 0], resamples) is None


@pytest.mark.parametrize(
    ("groups", "pages", "lost", "certain"),
    [(1, 4, 1, False), (4, 40, 1, False), (4, 40, 40, True), (1, 40, 20, True), (5, 40, 40, True)],
)
def test_of_few_groups_only_large_losses_are_certain(groups, pages, lost, certain):
    """Also if only the pages of few groups have anything to count."""
    of_page = [str(page % groups) for page in range(pages)] + [f"empty {page}" for page in range(9)]
    resamples = draw_group_resamples(of_page, np.random.default_rng(1))
    counts = np.arange(pages + 9) < pages

    found = compare_shares((counts & (np.arange(pages + 9) >= lost), counts), counts, resamples)

    assert (found.gain, found.certain) == (-lost / pages, certain)
    assert better_or_worse(vars(found)) == ("worse" if certain else "")


def test_few_groups_of_one_model_are_few():
    """The candidate has one value, and it is wrong; that is no certain loss."""
    resamples = draw_resamples(12, np.random.default_rng(1))
    counts = np.array([np.arange(12) < 1, np.ones(12)])

    found = compare_shares((np.zeros(12), np.ones(12)), counts, resamples)

    assert (found.gain, found.n, found.low < -0.9 < found.high) == (-1, 1, True)


def test_limits_of_few_groups_are_those_of_newcombe():
    """An example of his paper: 9 of 10 against 3 of 10."""
    resamples = draw_group_resamples(["one"] * 2, np.random.default_rng(1))

    found = compare_shares(([5, 4], [3, 0]), [5, 5], resamples)

    assert (found.low, found.high) == (0.1705, 0.8090)


def test_the_auroc_equals_that_of_the_metrics():
    """With ties, and for many samples at once, the figure is the same as metrics.auroc."""
    rng = np.random.default_rng(4)
    positive = rng.integers(0, 2, 300).astype(bool)
    good, poor = (np.round(positive * size + rng.normal(size=300), 1) for size in (2, 0.5))

    found = compare_aurocs((good, poor), positive, draw_resamples(300, rng))

    assert (found.candidate, found.served) == (round(auroc(good, positive), 4), round(auroc(poor, positive), 4))
    assert found.low > 0.05
    assert compare_aurocs((good, poor), np.ones(300, bool), draw_resamples(300, rng)) is None
