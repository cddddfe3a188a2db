"""Fitting the type head: what is read once, and which pages weigh how much."""

from pathlib import Path

import numpy as np

from docextract.predictions import TextLine
from training.tasks.layout.type_head import PageReader, named_types, page_weights

BOX = np.array([[0, 0], [90, 0], [90, 20], [0, 20]], np.float32)


def test_a_file_is_read_once(tmp_path, monkeypatch):
    """Lines are kept, also for the weights of another training."""
    read = []
    monkeypatch.setattr(
        PageReader, "_read", lambda self, path: read.append(path) or [(TextLine("Total 9.00", BOX, 0.9),), ()]
    )
    first = PageReader(tmp_path).lines(Path("a.pdf"))
    second = PageReader(tmp_path).lines(Path("a.pdf"))

    assert len(read) == 1
    assert [[line.text for line in page] for page in second] == [["Total 9.00"]]  # a page without print has no lines
    assert len(first) == 1


def test_a_page_is_of_another_kind_only_if_that_is_clear():
    """Refusing a document costs more than an answer about another paper."""
    probabilities = np.array([[0.4, 0.6], [0.01, 0.99]], np.float32)

    assert named_types(probabilities, ("invoice", "other")) == ["invoice", "other"]


def test_types_with_few_pages_weigh_as_much_as_others():
    """A thousand receipts do not outweigh eight passports."""
    classes = np.array([0] * 90 + [1] * 10 + [2] * 50)
    weights = page_weights(classes, np.ones(150, bool), other=2)

    assert np.isclose(weights[classes == 0].sum(), weights[classes == 1].sum())
