"""Finds the places of a page's labels among its pieces, to limit the label of each piece in training.

A labelled page states values, but seldom where they are printed. Text is found by fuzzy search, amounts and dates by
their parsed value. If a value is printed several times, at least one place is right, and training chooses. A field
with a labelled place is searched only there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from docextract.documents.base import DocumentType, Field
from docextract.documents.values import Conventions
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import Piece
from docextract.images.geometry import project
from training.datasets.page import LabelledPage, value_of
from training.datasets.rows import iter_labels

MIN_SIMILARITY = 82.0  # of letters and digits, 0..100; below it the value counts as not readable on this page
MAX_VALUE_PIECES = 7  # pieces of a value, for a date such as "25 . Dec . 2018 ,"
WORD_KINDS = ("country_code", "sex")  # values that may be printed as words; other non-text values contain a digit


@dataclass
class AllowedLabels:
    """The labels that each piece may have. T pieces, K labels.

    labels: bool [T, K], True if the label is possible.
    one_of: (pieces, field number); at least one of these pieces carries the field.
    """

    labels: NDArray[np.bool_]
    one_of: list[tuple[NDArray[np.int64], int]] = field(default_factory=list)


def align(
    page: LabelledPage,
    kind: DocumentType,
    pieces: Sequence[Piece],
    names: Sequence[str],
    to_photo: NDArray[np.float64] | None = None,
) -> AllowedLabels:
    """Find the labels of a page among its pieces; fields of lists stay open, see row_aligning.

    to_photo: [3, 3], px of the page that was read to relative coordinates of the labelled photo; without it the
    labelled places are ignored.
    """
    allowed = AllowedLabels(np.ones((len(pieces), 1 + 2 * len(names)), np.bool_))
    own = {item.name for item in kind.fields()}
    fields = {item.name: item for item in kind.fields() if item.group is None}
    for number, name in enumerate(names):
        labels = [begin_label(number), inside_label(number)]
        if name not in own:
            allowed.labels[:, labels] = False  # a field of another document type
        elif name in page.fields and name in fields:
            at = places_of(page, name, pieces, to_photo)
            _place(allowed, number, fields[name], page.fields[name], pieces, at)
    return allowed


def missing_fields(page: LabelledPage, kind: DocumentType, pieces: Sequence[Piece]) -> list[str]:
    """Names of the fields whose value is not found in the OCR text; fields of lists once per row."""
    known = {item.name: item for item in kind.fields()}
    return [
        name
        for name, value in iter_labels(page.fields)
        if value is not None and not printed_spans(known[name], value, pieces, np.arange(len(pieces)))
    ]


def places_of(
    page: LabelledPage, name: str, pieces: Sequence[Piece], to_photo: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """Indices of the pieces whose centre lies in a labelled place of the field; all pieces if none is labelled.

    name: "total", or of a row's value "line_items.0.amount".
    """
    places = page.places.get(name, ())
    if not places or not pieces or to_photo is None:
        return np.arange(len(pieces))
    middles = project(np.stack([piece.polygon.mean(axis=0) for piece in pieces]), to_photo).tolist()
    outlines = [np.array(outline, np.float32) for outline in places]
    return np.array(
        [
            at
            for at, middle in enumerate(middles)
            if any(cv2.pointPolygonTest(one, middle, measureDist=False) >= 0 for one in outlines)
        ],
        np.int64,
    )


def _place(
    allowed: AllowedLabels, number: int, item: Field, value: str | None, pieces: Sequence[Piece], at: NDArray[np.int64]
) -> None:
    if value is None:
        allowed.labels[:, [begin_label(number), inside_label(number)]] = False
        return
    spans = printed_spans(item, value, pieces, at)
    if not spans:
        return  # not readable on this page, so nothing is known
    outside = np.ones(len(pieces), np.bool_)
    outside[np.concatenate(spans)] = False
    outside &= ~_next_to(spans, pieces)
    allowed.labels[np.ix_(outside, np.array([begin_label(number), inside_label(number)]))] = False
    if len(spans) > 1:
        allowed.one_of.append((np.concatenate(spans), number))
        return
    for place, piece in enumerate(spans[0]):
        allowed.labels[piece] = False
        allowed.labels[piece, begin_label(number) if place == 0 else inside_label(number)] = True


def printed_spans(item: Field, value: str, pieces: Sequence[Piece], at: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Every place where the value can be read among the pieces `at`: the indices of its pieces."""
    some = [pieces[one] for one in at]
    as_text = item.kind.name in ("string", "phone_number")
    found = _text_spans(value, some) if as_text else _value_spans(item, value, some)
    return [at[span.start : span.stop] for span in found]


def _next_to(spans: Sequence[NDArray[np.int64]], pieces: Sequence[Piece]) -> NDArray[np.bool_]:
    """Pieces that may or may not be part of a value: a currency sign before it, a full stop or bracket after it."""
    near = np.zeros(len(pieces), np.bool_)
    for span in spans:
        near[max(0, span[0] - 1)] = True
        after = span[-1] + 1
        if after < len(pieces) and pieces[after].text in (".", ")"):
            near[after] = True
    return near


def _text_spans(value: str, pieces: Sequence[Piece]) -> list[range]:
    """The best place of a text, and further places with exactly the same text."""
    expected = _plain(value)
    if len(expected) < 2:
        return []
    texts = [_plain(piece.text) for piece in pieces]
    ends = np.cumsum([len(text) for text in texts])
    joined = "".join(texts)
    found = fuzz.partial_ratio_alignment(expected, joined, score_cutoff=MIN_SIMILARITY)
    if found is None or len(joined) < 0.8 * len(expected):
        return []
    spans = [_covering(found.dest_start, found.dest_end, ends)]
    exact = joined[found.dest_start : found.dest_end]
    at = joined.find(exact, found.dest_end)
    while at >= 0 and len(exact) >= 4:
        spans.append(_covering(at, at + len(exact), ends))
        at = joined.find(exact, at + len(exact))
    return [span for span in spans if len(span)]


def _plain(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalnum())


def _covering(start: int, end: int, ends: NDArray[np.int64]) -> range:
    """Pieces with more than half of their characters in start..end, and everything between them."""
    starts = np.concatenate([[0], ends[:-1]])
    shared = np.minimum(ends, end) - np.maximum(starts, start)
    inner = np.flatnonzero(shared * 2 > np.maximum(ends - starts, 1))
    return range(int(inner[0]), int(inner[-1]) + 1) if len(inner) else range(0)


def _value_spans(item: Field, value: str, pieces: Sequence[Piece]) -> list[range]:
    """Shortest runs on one line that parse to the value. Labels are ISO dates and plain decimals."""
    expected = value_of(item.kind, value)
    if expected is None:
        return []
    spans: list[range] = []
    at = 0
    while at < len(pieces):
        span = _shortest(item, expected, pieces, at)
        if span:
            spans.append(span)
            at = span.stop
        else:
            at += 1
    return spans


def _shortest(item: Field, expected: object, pieces: Sequence[Piece], at: int) -> range | None:
    digits = item.kind.name not in WORD_KINDS
    if digits and not any(char.isdigit() for piece in pieces[at : at + 2] for char in piece.text):
        return None  # a value starts with a digit or one piece before it: RM 9.00, Dec 25
    text = ""
    for end in range(at, min(at + MAX_VALUE_PIECES, len(pieces))):
        if pieces[end].line != pieces[at].line:
            return None
        text += (" " if pieces[end].space_before else "") + pieces[end].text
        if digits and not any(char.isdigit() for char in text):
            continue
        for order in ("DMY", "MDY", "YMD"):
            if item.kind.parse(text, Conventions(date_order=order)) == expected:
                return _trimmed(item, expected, pieces, at, end, order)
        if item.kind.name == "currency" and end > at + 2:
            return None
    return None


def _trimmed(item: Field, expected: object, pieces: Sequence[Piece], at: int, end: int, order: str) -> range:
    """Drop leading pieces that the value does not need, such as "Date" before a date."""
    while at < end:
        rest = "".join((" " if piece.space_before else "") + piece.text for piece in pieces[at + 1 : end + 1])
        if item.kind.parse(rest, Conventions(date_order=order)) != expected:  # type: ignore[arg-type]
            break
        at += 1
    return range(at, end + 1)
