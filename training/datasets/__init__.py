"""Real documents with labels, in several formats: `load` reads each as a LabelledPage."""

from training.datasets.labelled import load, open_pages
from training.datasets.page import (
    LabelledPage,
    LabelledPages,
    Outline,
    Unusable,
    UnusableDataError,
    is_held_out,
    value_of,
)

__all__ = [
    "LabelledPage", "LabelledPages", "Outline", "Unusable", "UnusableDataError", "is_held_out", "load", "open_pages",
    "value_of",
]  # fmt: skip
