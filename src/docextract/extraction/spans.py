"""Labels ⇄ values. Serving decodes labels into values; training encodes values into labels.

Labels are numbers: 0 is "part of no field", 1 + 2f begins field f, 2 + 2f goes on with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.documents.values import Conventions, squeeze
from docextract.extraction.pieces import Piece
from docextract.findings import FoundValue, Line
from docextract.imaging import Polygon

NONE = 0
CANDIDATE = 0.15  # a run of pieces is a candidate for a field when the field's mean probability reaches this
ROW_START = 0.5


def begin(field: int) -> int:
    """The label of a field's first piece."""
    return 1 + 2 * field


def inside(field: int) -> int:
    """The label of a field's further pieces."""
    return 2 + 2 * field


@dataclass(frozen=True)
class Candidate:
    """One place on the page that may be a field's value. Scores are 0..1, not yet calibrated."""

    field: str
    content: str
    value: Any
    at: tuple[int, ...]  # pieces, in reading order
    probability: float  # mean label probability of its pieces
    support: float  # that at least one place with this very value is right
    margin: float  # to the best candidate with another value; 1 where there is none
    confidence: float  # lowest of its lines, as read


@dataclass(frozen=True)
class Labelling:
    """The network's view of one page. T pieces, K labels; all probabilities."""

    labels: NDArray[np.float32]  # [T, K]
    row_starts: NDArray[np.float32]  # [T]


def decode_fields(
    kind: DocumentType, names: Sequence[str], pieces: Sequence[Piece], view: Labelling, conventions: Conventions
) -> dict[str, Candidate]:
    """The best candidate for each single field of a type; fields without one are left out."""
    index = {name: number for number, name in enumerate(names)}
    found: dict[str, Candidate] = {}
    for field in kind.fields():
        if field.group is None and field.name in index:
            candidates = _candidates(field, index[field.name], pieces, view, conventions)
            if candidates:
                found[field.name] = _best(candidates)
    return found


def _candidates(
    field: Field, number: int, pieces: Sequence[Piece], view: Labelling, conventions: Conventions
) -> list[Candidate]:
    spans = _spans(number, pieces, view.labels)
    if field.kind.name == "string":
        spans = _joined(spans, pieces)
    made = (_candidate(field, span, number, pieces, view.labels, conventions) for span in spans)
    return [candidate for candidate in made if candidate is not None]


def _spans(number: int, pieces: Sequence[Piece], labels: NDArray[np.float32]) -> list[tuple[int, ...]]:
    """Runs of pieces that look like the field, cut where it begins anew or the line ends.

    A piece belongs to the run when the field is its likeliest, or is likelier than none of the page's other fields.
    """
    own = labels[:, begin(number)] + labels[:, inside(number)]
    others = np.delete(labels, [NONE, begin(number), inside(number)], axis=1)
    rival = others.max(axis=1) if others.shape[1] else np.zeros(len(labels))
    member = (own >= CANDIDATE) & (own > rival)
    fresh = labels[:, begin(number)] > labels[:, inside(number)]
    spans: list[list[int]] = []
    for at in np.flatnonzero(member).tolist():
        goes_on = bool(spans) and spans[-1][-1] == at - 1 and pieces[at].line == pieces[at - 1].line
        if goes_on and not fresh[at]:
            spans[-1].append(at)
        else:
            spans.append([at])
    return [tuple(span) for span in spans]


def _joined(spans: Sequence[tuple[int, ...]], pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    """Strings go over several lines: a span that stands on the next line or right behind goes on with the last.

    Whether it begins anew there is not asked: names and addresses are seldom printed twice in a row.
    """
    joined: list[tuple[int, ...]] = []
    for span in spans:
        if joined and pieces[span[0]].line - pieces[joined[-1][-1]].line <= 1:
            joined[-1] += span
        else:
            joined.append(span)
    return joined


def _candidate(
    field: Field, span: tuple[int, ...], number: int, pieces: Sequence[Piece],
    labels: NDArray[np.float32], conventions: Conventions,
) -> Candidate | None:  # fmt: skip
    content = content_of([pieces[at] for at in span])
    value = field.kind.parse(content, conventions)
    if value is None:
        return None
    own = labels[list(span)][:, [begin(number), inside(number)]].sum(axis=1)
    probability = float(own.mean())
    confidence = min(pieces[at].confidence for at in span)
    return Candidate(field.name, content, value, span, probability, probability, 1.0, confidence)


def _best(candidates: Sequence[Candidate]) -> Candidate:
    """Places with the same value support each other; of the best value, the likeliest place is the evidence."""
    support: dict[Any, float] = {}
    for candidate in candidates:
        key = _same(candidate.value)
        support[key] = 1 - (1 - support.get(key, 0.0)) * (1 - candidate.probability)
    winner = max(support, key=lambda key: support[key])
    runner_up = max((value for key, value in support.items() if key != winner), default=0.0)
    best = max((c for c in candidates if _same(c.value) == winner), key=lambda c: c.probability)
    return Candidate(
        best.field, best.content, best.value, best.at, best.probability, support[winner],
        support[winner] - runner_up, best.confidence,
    )  # fmt: skip


def _same(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def content_of(pieces: Sequence[Piece]) -> str:
    """The text as printed: spaces as read, lines joined by one space."""
    text = ""
    for before, piece in zip([None, *pieces], pieces, strict=False):
        apart = before is not None and (piece.space_before or piece.line != before.line or piece.start != before.end)
        text += (" " if apart else "") + piece.text
    return text


def places(pieces: Sequence[Piece]) -> tuple[Polygon, ...]:
    """One polygon for each line the pieces stand on, px of the page."""
    lines: dict[int, list[Piece]] = {}
    for piece in pieces:
        lines.setdefault(piece.line, []).append(piece)
    return tuple(
        np.stack([row[0].polygon[0], row[-1].polygon[1], row[-1].polygon[2], row[0].polygon[3]])
        for row in lines.values()
    )


def decode_groups(
    kind: DocumentType, names: Sequence[str], pieces: Sequence[Piece], view: Labelling, conventions: Conventions
) -> dict[str, list[dict[str, Candidate]]]:
    """Rows of each list: pieces labelled with its leaves, cut where a row starts."""
    index = {name: number for number, name in enumerate(names)}
    groups: dict[str, list[Field]] = {}
    for field in kind.fields():
        if field.group is not None and field.name in index:
            groups.setdefault(field.group, []).append(field)
    return {
        group: _rows(fields, [index[field.name] for field in fields], pieces, view, conventions)
        for group, fields in groups.items()
    }


def _rows(
    fields: Sequence[Field], numbers: Sequence[int], pieces: Sequence[Piece], view: Labelling, conventions: Conventions
) -> list[dict[str, Candidate]]:
    likeliest = view.labels.argmax(axis=1)
    leaf_of = {label: at for at, number in enumerate(numbers) for label in (begin(number), inside(number))}
    rows: list[dict[int, list[int]]] = []
    for at, label in enumerate(likeliest):
        leaf = leaf_of.get(int(label))
        if leaf is None:
            continue
        if not rows or (view.row_starts[at] > ROW_START and rows[-1]):
            rows.append({})
        rows[-1].setdefault(leaf, []).append(at)
    made = [
        {
            fields[leaf].leaf: candidate
            for leaf, span in row.items()
            if (candidate := _candidate(
                fields[leaf], tuple(span), numbers[leaf], pieces, view.labels, conventions
            )) is not None
        }
        for row in rows
    ]  # fmt: skip
    return [row for row in made if row]


def found_value(candidate: Candidate, confidence: float, pieces: Sequence[Piece]) -> FoundValue:
    """A candidate with its calibrated confidence and its evidence."""
    return FoundValue(
        squeeze(candidate.content), candidate.value, confidence, places([pieces[at] for at in candidate.at])
    )


@dataclass(frozen=True)
class Marked:
    """A line of a page whose truth is known: `marks` are (start, end, field, occurrence) in characters.

    field is "total" or "line_items.2.description"; an occurrence is one printing of the value, which may go
    over several lines.
    """

    line: Line
    marks: tuple[tuple[int, int, str, int], ...]


def encode(
    marked: Sequence[Marked], pieces: Sequence[Piece], names: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Truth → labels int [T] and row starts bool [T]. `marked` is in the order of the pieces' lines.

    A piece gets the field that most of its characters belong to; fields unknown to the network get none.
    """
    index = {name: number for number, name in enumerate(names)}
    labels = np.zeros(len(pieces), np.int64)
    starts = np.zeros(len(pieces), np.bool_)
    seen: set[tuple[str, int]] = set()
    rows_seen: set[tuple[str, str]] = set()
    for at, piece in enumerate(pieces):
        mark = _mark_of(piece, marked[piece.line].marks)
        if mark is None:
            continue
        field, occurrence = mark
        group, row, leaf = _parts(field)
        number = index.get(f"{group}.{leaf}" if group else leaf)
        if number is None:
            continue
        labels[at] = inside(number) if (field, occurrence) in seen else begin(number)
        seen.add((field, occurrence))
        if group:
            starts[at] = (group, row) not in rows_seen
            rows_seen.add((group, row))
    return labels, starts


def _mark_of(piece: Piece, marks: Iterable[tuple[int, int, str, int]]) -> tuple[str, int] | None:
    for start, end, field, occurrence in marks:
        shared = min(piece.end, end) - max(piece.start, start)
        if 2 * shared > piece.end - piece.start:
            return field, occurrence
    return None


def _parts(field: str) -> tuple[str, str, str]:
    """ "line_items.2.description" → ("line_items", "2", "description"); "total" → ("", "", "total")."""
    group, _, rest = field.partition(".")
    if not rest:
        return "", "", group
    row, _, leaf = rest.partition(".")
    return group, row, leaf
