"""Real documents with their values, whatever form they come in: `load` makes a LabelledPage of each."""

from training.datasets.labelled import load, opened
from training.datasets.page import (
    LabelledPage,
    LabelledPages,
    Outline,
    Unusable,
    UnusableDataError,
    held_back,
    value_of,
)

__all__ = [
    "LabelledPage", "LabelledPages", "Outline", "Unusable", "UnusableDataError", "held_back", "load", "opened",
    "value_of",
]  # fmt: skip
