"""Gives the digit groups of one number one field: the network labels each piece alone, and "2 160,51" has two."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from docextract.extraction.layout.labels import NO_FIELD
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece

_FIRST_GROUP = re.compile(r"\d{1,3}")
_NEXT_GROUP = re.compile(r"\d{3}([.,]\d{2})?")


def join_digit_groups(page: PageLabels) -> PageLabels:
    """Return the page with the probable fields of each number divided alike among its groups.

    How likely each group begins a field, continues one or has none stays.
    """
    labels = page.labels
    joined = labels.copy()
    for number in _numbers(page.pieces, labels):
        fields = labels[number, 1::2] + labels[number, 2::2]  # [groups, F]
        shares = (fields / fields.sum(axis=1, keepdims=True).clip(min=np.float32(1e-9))).mean(axis=0)
        for first in (1, 2):  # of the labels that begin a field, and of those that continue one
            joined[number, first::2] = labels[number, first::2].sum(axis=1, keepdims=True) * shares
    return page.with_labels(joined)


def _numbers(pieces: Sequence[Piece], labels: NDArray[np.float32]) -> Iterator[list[int]]:
    """Yield the indices of the groups of each number, where a group rather continues a field than begins one."""
    number: list[int] = []
    for index, piece in enumerate(pieces):
        is_next = (
            number and continues_number(pieces[number[-1]], piece)
            and labels[index, 2::2].sum() > max(labels[index, 1::2].sum(), labels[index, NO_FIELD])
        )  # fmt: skip
        if is_next:
            number.append(index)
            continue
        if len(number) > 1:
            yield number
        number = [index] if _FIRST_GROUP.fullmatch(piece.text) else []
    if len(number) > 1:
        yield number


def continues_number(before: Piece, piece: Piece) -> bool:
    """Whether two pieces have the form of successive groups of the digits of one number: "2 160,51"."""
    groups = _FIRST_GROUP.fullmatch(before.text) and _NEXT_GROUP.fullmatch(piece.text)
    return before.line == piece.line and groups is not None
