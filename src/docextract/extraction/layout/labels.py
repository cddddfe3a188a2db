"""The labels of pieces as numbers, and their probabilities.

0 is "no field"; for field f, 1 + 2f is its first piece (B) and 2 + 2f a further piece (I): the usual BIO scheme.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType

NO_FIELD = 0


def begin_label(field: int) -> int:
    """Return the label of a field's first piece."""
    return 1 + 2 * field


def inside_label(field: int) -> int:
    """Return the label of a field's further pieces."""
    return 2 + 2 * field


def field_probability(field: int, labels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability that each piece belongs to the field, [T]. labels: [T, K]."""
    return np.asarray(labels[:, begin_label(field)] + labels[:, inside_label(field)])


@dataclass(frozen=True)
class LabelProbabilities:
    """Output of a labelling network for one page. T pieces, K labels."""

    labels: NDArray[np.float32]  # [T, K]
    row_starts: NDArray[np.float32]  # [T], that a row of a list begins with the piece


def of_type(probabilities: LabelProbabilities, document_type: DocumentType, names: Sequence[str]) -> LabelProbabilities:
    """Return the probabilities given that the page is of this type: its fields share those of all other fields.

    names: the network's fields, in the order of its labels.
    """
    own = {field.name for field in document_type.fields()}
    possible = [NO_FIELD]
    for number, name in enumerate(names):
        if name in own:
            possible += [begin_label(number), inside_label(number)]
    labels = np.zeros_like(probabilities.labels)
    labels[:, possible] = probabilities.labels[:, possible]
    return replace(probabilities, labels=labels / labels.sum(axis=1, keepdims=True).clip(min=np.float32(1e-9)))
