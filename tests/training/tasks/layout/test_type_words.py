"""Fitting what words say about types."""

import numpy as np
import pytest

from docextract.extraction.layout.type_words import label_buckets, word_buckets
from training.tasks.layout import type_words
from training.tasks.layout.type_words import WordPage, fit_words, is_group_held_out, word_results

TYPES = ("invoice", "other")


def page(kind, text, group="a", invoice=0.99, origin="papers"):
    """A page that the network takes for an invoice with this probability."""
    by_network = np.array([invoice, 1 - invoice], np.float32)
    words, labels = (np.array(buckets([text]), np.int64) for buckets in (word_buckets, label_buckets))
    return WordPage(group, kind, origin, words, labels, by_network)


PAGES = [
    *(page("invoice", f"Rechnung {word} Gesamtbetrag") for word in ("Bohrer", "Hammer", "Schraube") * 30),
    *(page("other", f"Lieferschein {word} Empfang bestätigt") for word in ("Bohrer", "Hammer", "Schraube") * 30),
]
UNSEEN = [page("other", "Lieferschein Leiter", "b"), page("invoice", "Rechnung Leiter", "b")]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(type_words, "BATCH_PAGES", 4)


def test_words_are_learned_that_tell_types():
    """On pages with other words, too, and although the network takes all of them for invoices."""
    found = word_results(UNSEEN, fit_words(PAGES, TYPES))

    assert found == {
        "papers, invoice": {"pages": 1, "network": 1.0, "with words": 1.0},
        "papers, other": {"pages": 1, "network": 0.0, "with words": 1.0},
    }


def test_words_are_left_out_and_labels_are_not():
    rng, one = np.random.default_rng(0), page("invoice", "Rechnung")
    kept = [one.buckets_without_some(rng) for _ in range(40)]

    assert all(set(one.labels) <= set(buckets) for buckets in kept)
    assert len({len(buckets) for buckets in kept}) > 1


def test_nothing_is_learned_without_steps(monkeypatch):
    monkeypatch.setattr(type_words, "RATE", 0.0)
    assert word_results(UNSEEN, fit_words(PAGES, TYPES))["papers, other"]["with words"] == 0.0


def test_pages_of_a_group_are_held_out_together():
    groups = {str(number): is_group_held_out(page("other", "x", str(number))) for number in range(200)}
    assert 20 < sum(groups.values()) < 60
    assert all(is_group_held_out(page("invoice", "y", name)) is held_out for name, held_out in groups.items())


def test_types_and_origins_share_their_weight():
    """Six thousand papers do not outweigh a hundred real pages."""
    pages = [*(page("other", "x") for _ in range(98)), page("other", "x", origin="real"), page("invoice", "x")]
    weights = type_words.word_page_weights(pages)

    assert weights.mean() == pytest.approx(1)
    of_origins = type_words.WORD_ORIGIN_WEIGHTS
    assert weights[98] == pytest.approx(weights[:98].sum() * of_origins["real"] / of_origins["papers"])
    assert weights[99] == pytest.approx(weights[:98].sum() * type_words.WORD_TYPE_WEIGHTS["invoice"])
