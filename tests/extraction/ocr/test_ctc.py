"""Texts that CTC may have meant."""

from itertools import groupby, product

import numpy as np
import pytest

from docextract.extraction.ocr import ctc as searched
from docextract.extraction.ocr.ctc import BLANK, prefix_beam_search

A, B = 1, 2


def either(**chances):
    """ColumnOptions of a column, by the names of classes."""
    names = {"blank": BLANK, "a": A, "b": B}
    return np.array([names[name] for name in chances]), np.array(list(chances.values()), np.float32)


def test_without_doubt_there_is_one_text():
    """Repeated without a blank between, a class is said once."""
    (only,) = prefix_beam_search([BLANK, A, A, BLANK, A, B, B, BLANK], {})

    assert only.classes == (A, A, B)
    assert only.columns == (1, 4, 5)
    assert only.log_likelihood == pytest.approx(0.0)


def test_nothing_is_a_text():
    """Of a strip without print."""
    assert [one.classes for one in prefix_beam_search([BLANK] * 3, {})] == [()]
    assert [one.classes for one in prefix_beam_search([], {})] == [()]


def test_doubt_gives_several_the_likeliest_first():
    """With what each is worth, and where its letters stand."""
    first, second = prefix_beam_search([A, BLANK, B, BLANK], {2: either(b=0.7, a=0.2)})

    assert (first.classes, second.classes) == ((A, B), (A, A))
    assert first.columns == second.columns == (0, 2)
    assert np.exp([first.log_likelihood, second.log_likelihood]) == pytest.approx([0.7, 0.2])


def test_what_is_far_behind_is_not_thought_of():
    """Nothing would make it likelier."""
    assert len(prefix_beam_search([A], {0: either(a=0.9, b=0.05)})) == 2
    assert len(prefix_beam_search([A], {0: either(a=0.9, b=0.01)})) == 1


@pytest.mark.parametrize("seed", range(20))
def test_likelihoods_are_those_of_all_ways_to_spell_a_text(seed, monkeypatch):
    """Counted one by one: sequences of classes that come to the same when repetitions, then blanks, are left out.

    Some columns leave no doubt.
    """
    monkeypatch.setattr(searched, "BEAM_WIDTH", 1000)
    monkeypatch.setattr(searched, "MAX_LOG_LIKELIHOOD_GAP", 1000.0)
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(3), 6).astype(np.float32)
    doubted = np.flatnonzero(rng.random(6) < 0.6).tolist()
    for settled in set(range(6)) - set(doubted):
        chances[settled] = chances[settled] == chances[settled].max()
    truth: dict[tuple[int, ...], float] = {}
    for way in product(range(3), repeat=6):
        text = tuple(class_ for class_, _ in groupby(way) if class_ != BLANK)
        truth[text] = truth.get(text, 0.0) + float(np.prod([chances[at, class_] for at, class_ in enumerate(way)]))

    found = prefix_beam_search(chances.argmax(1).tolist(), {at: (np.arange(3), chances[at]) for at in doubted})

    possible = {text: chance for text, chance in truth.items() if chance > 0}
    assert {one.classes: pytest.approx(np.exp(one.log_likelihood), abs=1e-6) for one in found} == possible
    assert all(len(one.columns) == len(one.classes) for one in found)
    assert all((np.diff(one.columns) > 0).all() for one in found)
