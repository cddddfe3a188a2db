"""CTC prefix beam search."""

from itertools import groupby, product

import numpy as np
import pytest

from docextract.extraction.ocr import ctc
from docextract.extraction.ocr.ctc import BLANK_CLASS, prefix_beam_search

A, B = 1, 2


def options(**probabilities):
    """Options of an uncertain column, by the names of classes."""
    names = {"blank": BLANK_CLASS, "a": A, "b": B}
    return np.array([names[name] for name in probabilities]), np.array(list(probabilities.values()), np.float32)


def test_certain_columns_give_one_text():
    """A class that is repeated without a blank between is emitted once."""
    (only,) = prefix_beam_search([BLANK_CLASS, A, A, BLANK_CLASS, A, B, B, BLANK_CLASS], {})

    assert only.classes == (A, A, B)
    assert only.columns == (1, 4, 5)
    assert only.log_likelihood == pytest.approx(0.0)


def test_the_empty_text_is_a_text():
    """It is the text of a strip without print."""
    assert [one.classes for one in prefix_beam_search([BLANK_CLASS] * 3, {})] == [()]
    assert [one.classes for one in prefix_beam_search([], {})] == [()]


def test_uncertain_columns_give_several_texts_the_likeliest_first():
    """Each has its likelihood and the columns of its characters."""
    first, second = prefix_beam_search([A, BLANK_CLASS, B, BLANK_CLASS], {2: options(b=0.7, a=0.2)})

    assert (first.classes, second.classes) == ((A, B), (A, A))
    assert first.columns == second.columns == (0, 2)
    assert np.exp([first.log_likelihood, second.log_likelihood]) == pytest.approx([0.7, 0.2])


@pytest.mark.parametrize(("first", "second", "column"), [(0.3, 0.6, 1), (0.9, 0.2, 0)])
def test_a_character_stands_in_the_column_of_its_likeliest_alignment(first, second, column):
    found = prefix_beam_search([A, A], {0: options(blank=1 - first, a=first), 1: options(blank=1 - second, a=second)})

    assert found[0].classes == (A,)
    assert found[0].columns == (column,)


def test_very_unlikely_texts_are_dropped():
    """The language model could not make up for the difference."""
    assert len(prefix_beam_search([A], {0: options(a=0.9, b=0.05)})) == 2
    assert len(prefix_beam_search([A], {0: options(a=0.9, b=0.01)})) == 1


@pytest.mark.parametrize("seed", range(20))
def test_likelihoods_are_sums_over_all_alignments(seed, monkeypatch):
    """The reference enumerates all alignments of a text; some columns are certain."""
    monkeypatch.setattr(ctc, "BEAM_WIDTH", 1000)
    monkeypatch.setattr(ctc, "MAX_LOG_LIKELIHOOD_GAP", 1000.0)
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(3), 6).astype(np.float32)
    uncertain = np.flatnonzero(rng.random(6) < 0.6).tolist()
    for certain in set(range(6)) - set(uncertain):
        probabilities[certain] = probabilities[certain] == probabilities[certain].max()
    truth: dict[tuple[int, ...], float] = {}
    for alignment in product(range(3), repeat=6):
        text = tuple(class_ for class_, _ in groupby(alignment) if class_ != BLANK_CLASS)
        truth[text] = truth.get(text, 0.0) + float(
            np.prod([probabilities[column, class_] for column, class_ in enumerate(alignment)])
        )

    found = prefix_beam_search(
        probabilities.argmax(1).tolist(), {at: (np.arange(3), probabilities[at]) for at in uncertain}
    )

    possible = {text: likelihood for text, likelihood in truth.items() if likelihood > 0}
    assert {one.classes: pytest.approx(np.exp(one.log_likelihood), abs=1e-6) for one in found} == possible
    assert all(len(one.columns) == len(one.classes) for one in found)
    assert all((np.diff(one.columns) > 0).all() for one in found)
