"""What the network says about the pieces of one page: the input of all that decodes values from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.documents.values import Conventions
from docextract.extraction.layout.labels import LabelProbabilities, field_probability
from docextract.extraction.layout.pieces import Piece, text_of
from docextract.extraction.layout.places import PieceBox, PrintedLines


@dataclass(frozen=True)
class PageLabels:
    """The pieces of a page with the probabilities of their labels, given the page's document type."""

    document_type: DocumentType
    names: Sequence[str]  # the network's fields, in the order of its labels
    pieces: Sequence[Piece]
    probabilities: LabelProbabilities
    conventions: Conventions

    @property
    def labels(self) -> NDArray[np.float32]:
        """Probabilities of the labels, [T, K]."""
        return self.probabilities.labels

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each field among the network's."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def lines(self) -> PrintedLines:
        """The lines of the page."""
        return PrintedLines(self.pieces)

    @cached_property
    def boxes(self) -> list[PieceBox]:
        """The box around each piece, px, with rows straightened."""
        if not self.pieces:
            return []
        corners = np.stack([piece.straight for piece in self.pieces])
        sides = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1).tolist()
        return [(left, top, right, bottom) for left, top, right, bottom in sides]

    @cached_property
    def median_height(self) -> float:
        """The median height of the pieces, at least one."""
        return median(bottom - top for _, top, _, bottom in self.boxes)

    def box(self, span: Sequence[int]) -> PieceBox:
        """Return the box around some pieces, at least one."""
        lefts, tops, rights, bottoms = zip(*(self.boxes[index] for index in span), strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    def with_labels(self, labels: NDArray[np.float32]) -> "PageLabels":
        """Return the page with other probabilities of the labels, [T, K]."""
        return replace(self, probabilities=replace(self.probabilities, labels=labels))

    def single_fields(self) -> list[Field]:
        """Return the fields of the type that are in no list, as far as the network knows them."""
        return [field for field in self.document_type.fields() if field.group is None and field.name in self.numbers]

    def single_field(self, name: str) -> Field | None:
        """Return the field of this name, if it is one of `single_fields`."""
        return next((field for field in self.single_fields() if field.name == name), None)

    @cached_property
    def row_fields(self) -> Mapping[str, Mapping[str, Field]]:
        """The fields of each list of the type by their leaf, as far as the network knows them."""
        lists: dict[str, dict[str, Field]] = {}
        for field in self.document_type.fields():
            if field.group is not None and field.name in self.numbers:
                lists.setdefault(field.group, {})[field.leaf] = field
        return lists

    def field(self, name: str) -> Field:
        """Return the field of the type that has this name, also in a list. There must be one."""
        return next(field for field in self.document_type.fields() if field.name == name)

    def text(self, span: Sequence[int]) -> str:
        """Return the text of some pieces, see `join_pieces`."""
        return text_of(span, self.pieces)

    def probability(self, field: str) -> NDArray[np.float32]:
        """Return the probability that each piece belongs to a field, [T]."""
        return field_probability(self.numbers[field], self.labels)

    def is_of_another(self, field: str) -> NDArray[np.bool_]:
        """Return where a label of another field is the likeliest, [T]."""
        return np.asarray((self._likeliest >= 0) & (self._likeliest != self.numbers[field]))

    def likeliest_field(self, index: int) -> str | None:
        """Return the name of the field whose label is the likeliest for a piece; None if it is probably of no field."""
        number = int(self._likeliest[index])
        return self.names[number] if number >= 0 else None

    @cached_property
    def are_of_single_fields(self) -> NDArray[np.bool_]:
        """Where a label of a field that is in no list is the likeliest, [T]."""
        numbers = [self.numbers[field.name] for field in self.single_fields()]
        return np.isin(self._likeliest, numbers)

    @cached_property
    def _likeliest(self) -> NDArray[np.intp]:
        """The number of the field whose label is the likeliest, -1 where that is no field, [T]."""
        return np.asarray((self.labels.argmax(axis=1) - 1) // 2)
