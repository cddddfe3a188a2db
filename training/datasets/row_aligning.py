"""Finds the labelled rows of a list among the pieces of a page.

Rows follow each other in reading order, and the values of one stand near each other. Of all ways to place the rows, the
one is chosen in which most values are found (dynamic programming); rows that are not found stay open.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import Piece
from training.datasets.aligning import AllowedLabels, places_of, printed_spans
from training.datasets.page import LabelledPage

MAX_ROW_PIECES = 60  # a description over several lines, and its numbers
MIN_FOUND_SHARE = 0.5  # of a row's values; below it the row counts as not found
_WIDTH_COST = 1e-3  # for each piece: of two places the narrower one is the row
UNKNOWN_START, NO_START, START = -1, 0, 1

Spans = Mapping[str, Sequence[NDArray[np.int64]]]  # of each leaf with a value, where it is printed


@dataclass(frozen=True)
class PlacedRow:
    """A row of a list on the page: its pieces are start..end, the last one excluded.

    spans: of each value that was found, the places in the row where it may be printed; mostly one.
    """

    start: int
    end: int
    spans: Spans


def align_labelled_rows(
    page: LabelledPage,
    kind: DocumentType,
    pieces: Sequence[Piece],
    names: Sequence[str],
    allowed: AllowedLabels,
    to_photo: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Limit the labels of the pieces to those of the labelled rows; returns where rows start, [T].

    1: a row starts with the piece, 0: none does, -1: unknown. names and to_photo: see `aligning.align`.
    """
    starts = np.full(len(pieces), UNKNOWN_START)
    for group, label in page.fields.items():
        if isinstance(label, list):
            fields = {item.leaf: item for item in kind.fields() if item.group == group and item.name in names}
            rows = [{leaf: value for leaf, value in row.items() if leaf in fields} for row in label]
            printed = [
                {
                    leaf: printed_spans(
                        fields[leaf], value, pieces, places_of(page, f"{group}.{at}.{leaf}", pieces, to_photo)
                    )
                    for leaf, value in row.items()
                    if value is not None
                }
                for at, row in enumerate(rows)
            ]
            placed = place_rows(printed, pieces)
            _allow(allowed, starts, fields, names, rows, placed)
    return starts


def place_rows(printed: Sequence[Spans], pieces: Sequence[Piece]) -> list[PlacedRow | None]:
    """Return the place of each row, or None for one that is not found."""
    ranges = _choose_ranges(printed, len(pieces))
    limits = [*(one[0] for one in ranges if one), len(pieces)]
    placed: list[PlacedRow | None] = []
    for row, one in zip(printed, ranges, strict=True):
        if one is None:
            placed.append(None)
            continue
        start, end = one
        end = _to_its_right_end(start, end, min(limit for limit in limits if limit > start), pieces)
        spans = {leaf: _between(start, end, spans) for leaf, spans in row.items()}
        placed.append(PlacedRow(start, end, _told_apart({leaf: own for leaf, own in spans.items() if own})))
    return placed


def _choose_ranges(printed: Sequence[Spans], length: int) -> list[tuple[int, int] | None]:
    """Return start and end of each row so that most values are found; rows keep their order and do not overlap."""
    best = np.zeros(length + 1)  # score of this and the later rows, if they begin at a piece or behind it
    choices: list[list[tuple[int, int] | None]] = []
    for row in reversed(printed):
        own, choice = best.copy(), [None] * len(best)  # type: list[tuple[int, int] | None]
        for start in sorted({int(span[0]) for spans in row.values() for span in spans}):
            ends = np.arange(start + 1, min(start + MAX_ROW_PIECES, length) + 1)
            found = _found(row, start, ends)
            scores = found + best[ends] - _WIDTH_COST * (ends - start)
            at = int(np.argmax(scores))
            if scores[at] > own[start] and found[at] >= MIN_FOUND_SHARE * len(row):
                own[start], choice[start] = scores[at], (start, int(ends[at]))
        for start in range(length - 1, -1, -1):
            if own[start + 1] > own[start]:
                own[start], choice[start] = own[start + 1], choice[start + 1]
        best = own
        choices.append(choice)
    ranges: list[tuple[int, int] | None] = []
    at = 0
    for choice in reversed(choices):
        chosen = choice[at]
        ranges.append(chosen)
        at = chosen[1] if chosen else at
    return ranges


def _found(row: Spans, start: int, ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """How many values of a row are printed between a piece and each of the ends; equal ones need a place each."""
    found = np.zeros(len(ends))
    values = Counter(tuple((int(span[0]), int(span[-1])) for span in spans) for spans in row.values())
    for places, count in values.items():
        lasts = np.array([last for first, last in places if first >= start], np.int64)
        found += np.minimum((lasts[:, None] < ends).sum(axis=0), count)
    return found


def _to_its_right_end(start: int, end: int, limit: int, pieces: Sequence[Piece]) -> int:
    """Extend a row by what stands to the right of its last pieces: the amount behind an equal price."""
    bottom = max(piece.polygon[:, 1].max() for piece in pieces[start:end])
    while end < limit and pieces[end].polygon[:, 1].mean() < bottom:
        end += 1
    return end


def _between(start: int, end: int, spans: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    return [span for span in spans if start <= span[0] and span[-1] < end]


def _told_apart(spans: Spans) -> dict[str, Sequence[NDArray[np.int64]]]:
    """Give equal values that are printed as often as they are labelled their places in the order of the fields.

    In "1 x 4.00 4.00" the first is the price, the second the amount.
    """
    found = dict(spans)
    for leaf, own in spans.items():
        same = [other for other, others in spans.items() if _starts(others) == _starts(own)]
        if len(same) == len(own) > 1:
            found[leaf] = [own[same.index(leaf)]]
    return found


def _starts(spans: Sequence[NDArray[np.int64]]) -> list[int]:
    return [int(span[0]) for span in spans]


def _allow(
    allowed: AllowedLabels,
    starts: NDArray[np.int64],
    fields: Mapping[str, Field],
    names: Sequence[str],
    rows: Sequence[Mapping[str, str | None]],
    placed: Sequence[PlacedRow | None],
) -> None:
    """Limit the labels of the pieces of the rows and, if all of them are found, of the pieces outside them."""
    outside = np.ones(len(starts), np.bool_)
    for labels, row in zip(rows, placed, strict=True):
        if row is None:
            continue
        inside = np.arange(row.start, row.end)
        outside[inside] = False
        free: dict[str, list[NDArray[np.int64]]] = {}
        for leaf, spans in row.spans.items():
            labels_of = _labels(names, fields[leaf])
            # Pieces that are surely another value, such as the only print of the total, are not the row's.
            free[leaf] = [span for span in spans if allowed.labels[np.ix_(span, labels_of)].all()]
        for leaf, value in labels.items():
            if value is None or free.get(leaf):
                outside_spans = np.setdiff1d(inside, np.concatenate([[], *free.get(leaf, [])]).astype(np.int64))
                allowed.labels[np.ix_(outside_spans, _labels(names, fields[leaf]))] = False
        for leaf, spans in free.items():
            if len(spans) == 1:
                _fix(allowed, spans[0], *_labels(names, fields[leaf]))
            elif spans:
                allowed.one_of.append((np.concatenate(spans), names.index(fields[leaf].name)))
        certain = [spans[0] for spans in free.values() if len(spans) == 1]
        if certain:
            marked = np.unique(np.concatenate(certain))
            starts[marked] = NO_START
            starts[marked[0]] = START
    if all(row is not None for row in placed):
        for leaf in {leaf for labels in rows for leaf in labels} if rows else fields:
            allowed.labels[np.ix_(outside, _labels(names, fields[leaf]))] = False


def _fix(allowed: AllowedLabels, span: NDArray[np.int64], begin: int, continued: int) -> None:
    """Allow the pieces of a span no label but those of its value."""
    allowed.labels[span] = False
    allowed.labels[span, continued] = True
    allowed.labels[span[0], [begin, continued]] = True, False


def _labels(names: Sequence[str], item: Field) -> list[int]:
    number = names.index(item.name)
    return [begin_label(number), inside_label(number)]
