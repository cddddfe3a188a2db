"""A quality network small enough for tests, with random weights."""

import pytest
import torch

from docextract.quality.criteria import CRITERIA
from docextract.quality.network import QualityNetwork, QualityNetworkShape

TINY = QualityNetworkShape(
    criteria=tuple(criterion.name for criterion in CRITERIA),
    types=("receipt", "other"),
    sides=("front",),
    widths=(4, 4, 8, 8),
    crop_widths=(4, 4, 8),
    hidden=16,
)


@pytest.fixture
def tiny() -> QualityNetwork:
    """A small network with random weights, the same in every test."""
    torch.manual_seed(0)
    return QualityNetwork(TINY).eval()
