"""Fitting of the type head, on features made for the purpose."""

import numpy as np
import pytest
import torch

from training.tasks.layout.type_head import (
    Head,
    TypedPage,
    fit_head,
    named_types,
    page_weights,
    summary,
    types_by_cross_validation,
)

TYPES = ("receipt", "invoice", "other")
WIDTH = 8


@pytest.fixture
def start():
    """A head that calls every page an invoice."""
    return Head(torch.zeros(3, WIDTH), torch.tensor([0.0, 5.0, 0.0]))


def features(rng, kind, count):
    """Pages of a type lie around a corner of their own."""
    found = rng.normal(0, 0.2, (count, WIDTH)).astype(np.float32)
    found[:, TYPES.index(kind)] += 3
    return found


def pages_of(rng, kind, groups):
    return [
        TypedPage(f"{kind}{index}", kind, f"{kind}/{index % groups}", one, hard=kind == "other" and index % 2 == 0)
        for index, one in enumerate(features(rng, kind, 24))
    ]


def test_a_fitted_head_tells_the_types_apart(start):
    """Also those that the first head confuses."""
    rng = np.random.default_rng(0)
    inputs = np.concatenate([features(rng, kind, 30) for kind in TYPES])
    classes = np.repeat([0, 1, 2], 30)

    head = fit_head(start, inputs, classes, np.ones(90))

    assert named_types(start.probabilities(inputs), TYPES) == ["invoice"] * 90
    assert named_types(head.probabilities(inputs), TYPES) == [TYPES[one] for one in classes]


def test_only_nearly_certain_pages_are_called_other():
    """A doubtful one gets the likeliest of the other types."""
    probabilities = np.array([[0.01, 0.02, 0.97], [0.01, 0.09, 0.90], [0.5, 0.3, 0.2]], np.float32)

    assert named_types(probabilities, TYPES) == ["other", "invoice", "receipt"]


def test_pages_of_one_type_share_its_weight():
    """Six hundred receipts do not outweigh forty invoices."""
    classes = np.array([0] * 600 + [1] * 40 + [2] * 100)
    weights = page_weights(classes, np.ones(740, bool), other=2)

    assert weights[:600].sum() == pytest.approx(weights[600:640].sum())
    assert weights.mean() == pytest.approx(1)


def test_no_page_is_judged_by_a_head_that_has_learned_its_group(start):
    """A kind of paper that is unlike all others is not recognised, although it would be after learning from it."""
    rng = np.random.default_rng(0)
    pages = [page for kind in TYPES for page in pages_of(rng, kind, groups=8)]
    odd = features(rng, "invoice", 6)
    pages += [TypedPage(f"odd{index}", "other", "other/odd", one) for index, one in enumerate(odd)]
    synthetic = (np.concatenate([features(rng, kind, 10) for kind in TYPES]), np.repeat([0, 1, 2], 10))

    named = types_by_cross_validation(start, pages, synthetic, TYPES)

    assert set(named[-6:]) == {"invoice"}
    right = [name == page.type for name, page in zip(named[:-6], pages, strict=False)]
    assert np.mean(right) > 0.9


def test_the_summary_counts_hard_pages_apart():
    """With the share that is called `other`, for true documents the share that is refused."""
    pages = [
        TypedPage("a", "invoice", "a", np.zeros(1, np.float32)),
        TypedPage("b", "other", "b", np.zeros(1, np.float32), hard=True),
    ]
    found = summary(pages, ["other", "invoice"])

    assert found["invoice"] == {"pages": 1, "right": 0.0, "other": 1.0}
    assert found["other, hard"] == {"pages": 1, "right": 0.0, "other": 0.0}
