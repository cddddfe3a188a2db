"""Lines as a reader would give them, and a layout transformer small enough for tests."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from docextract.documents import document_types
from docextract.extraction.network import LayoutTransformer, Shape
from docextract.findings import Line

TINY = Shape(
    fields=tuple(field.name for field in document_types()["receipt"].fields()),
    types=("receipt", "other"),
    currencies=("", "MYR", "USD"),
    width=32,
    layers=2,
    heads=4,
    ngram_width=16,
    dropout=0.0,
)


@pytest.fixture
def line() -> Callable[..., Line]:
    """Make a level line: text, left and top in px; letters are 10 px wide and 20 px high."""

    def make(text: str, x: float = 0, y: float = 0, confidence: float = 0.99) -> Line:
        width = 10 * len(text)
        box = np.array([[x, y], [x + width, y], [x + width, y + 20], [x, y + 20]], np.float32)
        return Line(text, box, confidence)

    return make


@pytest.fixture
def tiny() -> LayoutTransformer:
    """Random weights, the same in every test."""
    torch.manual_seed(0)
    return LayoutTransformer(TINY).eval()
