"""Chance is told from skill, the same way each time."""

import numpy as np
import pytest

from training.evaluation.bootstrap import Compared, aurocs, drawings, shares
from training.evaluation.quality import auroc


@pytest.fixture
def drawn():
    return drawings(200, np.random.default_rng(1))


def test_every_drawing_has_as_many_pages_as_there_are(drawn):
    """With replacement: some twice, some not at all."""
    assert (drawn.sum(axis=1) == 200).all()
    assert drawn.min() == 0
    assert drawn.max() > 1


def test_two_equal_models_differ_by_nothing(drawn):
    """On the same pages there is nothing for chance to do: that is what pairing is for."""
    right = np.random.default_rng(2).integers(0, 2, 200)

    found = shares((right, right), np.ones(200), drawn)

    assert (found.gain, found.low, found.high, found.certain) == (0, 0, 0, False)
    assert found.candidate == round(right.mean(), 4)


def test_a_page_more_or_less_is_chance_and_twenty_are_not(drawn):
    """The interval says which."""
    served = np.ones(200)
    one, twenty = served.copy(), served.copy()
    one[0], twenty[:20] = 0, 0

    little, much = shares((one, served), np.ones(200), drawn), shares((twenty, served), np.ones(200), drawn)

    assert not little.certain
    assert much.certain
    assert (much.gain, much.low < -0.1 < much.high) == (-0.1, True)


def test_the_interval_is_as_wide_as_theory_has_it(drawn):
    """Twenty pages of two hundred differ: the standard error of their share is sqrt(0.1 · 0.9 / 200)."""
    served = np.ones(200)
    candidate = served.copy()
    candidate[:20] = 0

    found = shares((candidate, served), np.ones(200), drawn)

    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.09 / 200), rel=0.1)


def test_fields_of_one_page_are_not_so_many_witnesses(drawn):
    """Ten rows that fall together on each of twenty pages are twenty observations, not two hundred."""
    candidate, served = np.full(200, 10.0), np.full(200, 10.0)
    candidate[:20] = 0
    wide = shares((candidate, served), np.full(200, 10), drawn)
    fields = drawings(2000, np.random.default_rng(1))
    narrow = shares((np.repeat(candidate / 10, 10), np.ones(2000)), np.ones(2000), fields)

    assert wide.gain == narrow.gain == -0.1
    assert wide.high - wide.low > 2.5 * (narrow.high - narrow.low)


def test_where_less_is_better_a_gain_is_less(drawn):
    """Invented values, for one."""
    served = np.zeros(200)
    served[:20] = 1

    found = shares((np.zeros(200), served), np.ones(200), drawn, less_is_better=True)

    assert (found.candidate, found.served, found.gain) == (0, 0.1, 0.1)
    assert found.low > 0


def test_pages_on_which_there_is_nothing_to_count_do_no_harm():
    """Two pages of three have no tip; a drawing may hold neither's."""
    drawn = drawings(3, np.random.default_rng(1))

    assert shares(([1, 0, 0], [0, 0, 0]), [1, 0, 0], drawn) == Compared(1, 0, 1, 1, 1, 1)
    assert shares(([0, 0, 0], [0, 0, 0]), [0, 0, 0], drawn) is None


def test_rankings_are_compared_by_the_auroc_that_scores_state():
    """With ties, and for many drawings at once, it is the same figure."""
    rng = np.random.default_rng(4)
    positive = rng.integers(0, 2, 300).astype(bool)
    good, poor = (np.round(positive * size + rng.normal(size=300), 1) for size in (2, 0.5))

    found = aurocs((good, poor), positive, drawings(300, rng))

    assert (found.candidate, found.served) == (round(auroc(good, positive), 4), round(auroc(poor, positive), 4))
    assert found.low > 0.05
    assert aurocs((good, poor), np.ones(300, bool), drawings(300, rng)) is None
