"""Real documents with labels, in several formats: `load` reads each as a LabelledPage."""

from training.datasets.labelled import load, open_pages
from training.datasets.page import (
    LabelledPage,
    LabelledPages,
    Outline,
    Unusable,
    UnusableDataError,
    value_of,
)
from training.datasets.parts import group_of, is_held_out, part_of

__all__ = [
    "LabelledPage", "LabelledPages", "Outline", "Unusable", "UnusableDataError", "group_of", "is_held_out", "load",
    "open_pages", "part_of", "value_of",
]  # fmt: skip
