"""Text lines with their ground truth, and the labels of their pieces, for training."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import Piece
from docextract.predictions import TextLine


@dataclass(frozen=True)
class LabelledLine:
    """A text line with its ground truth. marks: (start, end, field, occurrence), in characters.

    field is "total" or "line_items.2.description". An occurrence is one printing of the value, which may go over
    several lines.
    """

    line: TextLine
    marks: tuple[tuple[int, int, str, int], ...]


def encode_labels(
    lines: Sequence[LabelledLine], pieces: Sequence[Piece], names: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return labels, int [T], and row starts, bool [T], for the pieces of labelled lines.

    lines: in the order that `Piece.line` refers to. names: the network's fields; others get no label.
    A piece gets the field that most of its characters belong to.
    """
    index = {name: number for number, name in enumerate(names)}
    labels = np.zeros(len(pieces), np.int64)
    starts = np.zeros(len(pieces), np.bool_)
    begun: set[tuple[str, int]] = set()
    begun_rows: set[tuple[str, str]] = set()
    for position, piece in enumerate(pieces):
        mark = _mark_of(piece, lines[piece.line].marks)
        if mark is None:
            continue
        field, occurrence = mark
        group, row, leaf = _split_name(field)
        number = index.get(f"{group}.{leaf}" if group else leaf)
        if number is None:
            continue
        labels[position] = inside_label(number) if (field, occurrence) in begun else begin_label(number)
        begun.add((field, occurrence))
        if group:
            starts[position] = (group, row) not in begun_rows
            begun_rows.add((group, row))
    return labels, starts


def _mark_of(piece: Piece, marks: Iterable[tuple[int, int, str, int]]) -> tuple[str, int] | None:
    for start, end, field, occurrence in marks:
        shared = min(piece.end, end) - max(piece.start, start)
        if 2 * shared > piece.end - piece.start:
            return field, occurrence
    return None


def _split_name(field: str) -> tuple[str, str, str]:
    """Split "line_items.2.description" into ("line_items", "2", "description") and "total" into ("", "", "total")."""
    group, _, rest = field.partition(".")
    if not rest:
        return "", "", group
    row, _, leaf = rest.partition(".")
    return group, row, leaf
