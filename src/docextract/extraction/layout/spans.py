"""Labels ⇄ values. Serving decodes labels into values; training encodes values into labels.

Labels are numbers: 0 is "part of no field", 1 + 2f begins field f, 2 + 2f goes on with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docextract.documents.base import DocumentType, Field
from docextract.documents.values import Conventions
from docextract.extraction.layout.pieces import Piece
from docextract.images.geometry import Polygon
from docextract.predictions import PredictedValue, TextLine

NO_FIELD = 0
POSSIBLE = 0.15  # a piece may be part of an amount or a date from this probability on: what does not parse is dropped
LIKELY = 0.5  # and part of a text from this one, for which nothing else tells where it ends
# Of the likeliest line of a text, from which on another belongs to it: below that, and above. 122 of 171 names of real
# receipts kept back from training are exactly right with these, 112 without. With 0.95 for both it would be 129, as
# SROIE's labels are the company alone; but photographs from elsewhere lost "Friendly Red's" of "Friendly Red's of
# Windham" (2026-11-21, weights 2.1.0).
NEARLY, NEARLY_ABOVE = 0.9, 0.8
LARGEST_STEP = 2.2  # heights of a line; what stands further below is another text
LARGEST_HOLE = 2  # pieces in the middle of a text that go with it though they are not likely by themselves
ROW_START = 0.5
_OPEN_ENDED = frozenset("( [ : ; , - _ / | ~ = * # 。 ：".split())
_BRACKETS = {")": "(", "]": "["}


def begin_label(field: int) -> int:
    """The label of a field's first piece."""
    return 1 + 2 * field


def inside_label(field: int) -> int:
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
    whole: float = 1.0  # that every one of its pieces is part of the field
    misread: float = 0.0  # how many of its characters are not what is printed, by the reader's own confidence
    doubted: float = 0.0  # how many are what the reader had second, by its odds


@dataclass(frozen=True)
class Candidates:
    """All of one page, for one type: by single field, and by list its rows, each by leaf."""

    fields: Mapping[str, Candidate]
    groups: Mapping[str, Sequence[Mapping[str, Candidate]]]


@dataclass(frozen=True)
class LabelProbabilities:
    """The network's view of one page. T pieces, K labels; all probabilities."""

    labels: NDArray[np.float32]  # [T, K]
    row_starts: NDArray[np.float32]  # [T]


def decode_fields(
    kind: DocumentType,
    names: Sequence[str],
    pieces: Sequence[Piece],
    view: LabelProbabilities,
    conventions: Conventions,
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
    field: Field, number: int, pieces: Sequence[Piece], view: LabelProbabilities, conventions: Conventions
) -> list[Candidate]:
    text = field.kind.name == "string"
    spans = _spans(number, pieces, view.labels, LIKELY if text else POSSIBLE)
    if text:
        spans = _joined(_sure(spans, _own(number, view.labels), pieces), pieces, _begins(number, view.labels))
    made = (_candidate(field, span, number, pieces, view.labels, conventions) for span in spans)
    return [candidate for candidate in made if candidate is not None]


def _own(number: int, labels: NDArray[np.float32]) -> NDArray[np.float32]:
    """That a piece is part of the field. [T]"""
    return np.asarray(labels[:, begin_label(number)] + labels[:, inside_label(number)])


def _begins(number: int, labels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Where the field would rather begin than go on. [T]"""
    return np.asarray(labels[:, begin_label(number)] > labels[:, inside_label(number)])


def _spans(number: int, pieces: Sequence[Piece], labels: NDArray[np.float32], least: float) -> list[tuple[int, ...]]:
    """Runs of pieces that look like the field and like no other, cut where it begins anew or the line ends."""
    own = _own(number, labels)
    others = np.delete(labels, [NO_FIELD, begin_label(number), inside_label(number)], axis=1)
    rival = others.max(axis=1) if others.shape[1] else np.zeros(len(labels))
    begins = _begins(number, labels)
    spans: list[list[int]] = []
    for at in np.flatnonzero((own >= least) & (own > rival)).tolist():
        goes_on = bool(spans) and spans[-1][-1] == at - 1 and pieces[at].line == pieces[at - 1].line
        if goes_on and not begins[at]:
            spans[-1].append(at)
        else:
            spans.append([at])
    return [tuple(span) for span in spans]


def _sure(spans: Sequence[tuple[int, ...]], own: NDArray[np.float32], pieces: Sequence[Piece]) -> list[tuple[int, ...]]:
    """Spans of lines that are nearly as likely as the likeliest: a sure name does not go on in what may be a slogan."""
    lines: dict[int, list[int]] = {}
    for span in spans:
        lines.setdefault(pieces[span[0]].line, []).extend(span)
    likely = {line: float(own[at].mean()) for line, at in lines.items()}
    best = max(likely, key=lambda line: likely[line], default=0)
    sure = {line for line, one in likely.items() if one >= (NEARLY if line > best else NEARLY_ABOVE) * likely[best]}
    return [span for span in spans if pieces[span[0]].line in sure]


def _joined(
    spans: Sequence[tuple[int, ...]], pieces: Sequence[Piece], begins: NDArray[np.bool_]
) -> list[tuple[int, ...]]:
    """Texts go over several lines: a span on the next line, or below in its column, goes on unless it begins anew.

    Right behind on the same line it goes on all the same: SAM SAM TRADING is one name.
    """
    joined: list[tuple[int, ...]] = []
    for span in spans:
        lines_down = pieces[span[0]].line - pieces[joined[-1][-1]].line if joined else 2
        hole = range(joined[-1][-1] + 1 if joined else 0, span[0])
        small = len(hole) <= LARGEST_HOLE
        if (lines_down == 0 and small) or (lines_down <= 1 and not begins[span[0]]):
            joined[-1] += (*hole, *span) if small else span
        elif joined and not begins[span[0]] and _right_below(joined[-1], span, pieces):
            joined[-1] += span
        else:
            joined.append(span)
    trimmed = (_without_stray_marks(span, pieces) for span in joined)
    return [_with_closing_mark(span, pieces) for span in trimmed if span]


def _right_below(upper: tuple[int, ...], lower: tuple[int, ...], pieces: Sequence[Piece]) -> bool:
    """Whether a span stands under the last line of another, whatever else is printed beside the two."""
    last = pieces[upper[-1]].line
    above = np.concatenate([pieces[at].polygon for at in upper if pieces[at].line == last])
    below = np.concatenate([pieces[at].polygon for at in lower])
    (left, top), (right, bottom) = above.min(axis=0), above.max(axis=0)
    shared = min(right, below[:, 0].max()) - max(left, below[:, 0].min())
    down = below[:, 1].min() - top
    return bool(shared > 0 and 0.5 * (bottom - top) < down < LARGEST_STEP * (bottom - top))


def _with_closing_mark(span: tuple[int, ...], pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Take along what ends a text right behind it: "SDN. BHD" + ".", "(MALURI" + ")", "BAKERY S" + "/B"."""
    while glued := _glued_behind(span[-1], pieces):
        marks = [pieces[at].text for at in glued]
        text = [pieces[at].text for at in span]
        opened = {bracket for close, bracket in _BRACKETS.items() if bracket in text and close not in text}
        if (marks[0] == "." and len(glued) == 1) or _BRACKETS.get(marks[0]) in opened:
            span = (*span, glued[0])
        elif marks[0] == "/" and len(text[-1]) == 1 and text[-1].isalpha() and len("".join(marks)) == 2:
            span = (*span, *glued)
        else:
            break
    return span


def _glued_behind(last: int, pieces: Sequence[Piece]) -> tuple[int, ...]:
    """What stands right behind a piece, up to the next space or the line's end."""
    end = last + 1
    while end < len(pieces) and pieces[end].line == pieces[last].line and not pieces[end].space_before:
        end += 1
    return tuple(range(last + 1, end))


def _without_stray_marks(span: tuple[int, ...], pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Drop punctuation at the ends that belongs to what stood beside: "SDN BHD (", ") MART", "- SHOP :"."""
    while span:
        text = [pieces[at].text for at in span]
        if text[-1] in _OPEN_ENDED or (text[-1] in ")]" and _BRACKETS[text[-1]] not in text):
            span = span[:-1]
        elif text[0] in _OPEN_ENDED - {"("} or text[0] in ".)" or (text[0] == "(" and ")" not in text):
            span = span[1:]
        elif text[-2:] == ["(", ")"]:
            span = span[:-2]
        else:
            break
    return span


def _candidate(
    field: Field, span: tuple[int, ...], number: int, pieces: Sequence[Piece],
    labels: NDArray[np.float32], conventions: Conventions,
) -> Candidate | None:  # fmt: skip
    content = join_pieces([pieces[at] for at in span], field.kind.odds_factors)
    value = field.kind.parse(content, conventions)
    if value is None:
        return None
    own = _own(number, labels[list(span)])
    probability = float(own.mean())
    return Candidate(
        field.name, content, value, span, probability, support=probability, margin=1.0,
        confidence=min(pieces[at].confidence for at in span),
        whole=float(own.prod(dtype=np.float64)),
        misread=sum((1 - pieces[at].confidence) * len(pieces[at].text) for at in span),
        doubted=sum(doubt.odds / (1 + doubt.odds) for at in span for doubt in pieces[at].alternatives),
    )  # fmt: skip


def _best(candidates: Sequence[Candidate]) -> Candidate:
    """Places with the same value support each other; of the best value, the likeliest place is the evidence."""
    support: dict[Any, float] = {}
    for candidate in candidates:
        key = _same(candidate.value)
        support[key] = 1 - (1 - support.get(key, 0.0)) * (1 - candidate.probability)
    winner = max(support, key=lambda key: support[key])
    others = [value for key, value in support.items() if key != winner]
    best = max((c for c in candidates if _same(c.value) == winner), key=lambda c: c.probability)
    return replace(best, support=support[winner], margin=support[winner] - max(others) if others else 1.0)


def _same(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def join_pieces(pieces: Sequence[Piece], odds_factors: Mapping[tuple[str, str], float] = MappingProxyType({})) -> str:
    """The text as printed: spaces as read, lines joined by one space. odds_factors: see Kind; of what the reader alternatives."""
    text = ""
    for before, piece in zip([None, *pieces], pieces, strict=False):
        apart = before is not None and (piece.space_before or piece.line != before.line or piece.start != before.end)
        text += (" " if apart else "") + (piece.text if piece is pieces[-1] else _reconsidered(piece, odds_factors))
    return text


def _reconsidered(piece: Piece, odds_factors: Mapping[tuple[str, str], float]) -> str:
    letters = list(piece.text)
    for doubt in piece.alternatives:
        at = doubt.at - piece.start
        if doubt.odds * odds_factors.get((letters[at], doubt.other), 0.0) > 1:
            letters[at] = doubt.other
    return "".join(letters)


def line_polygons(pieces: Sequence[Piece]) -> tuple[Polygon, ...]:
    """One polygon for each line the pieces stand on, px of the page."""
    lines: dict[int, list[Piece]] = {}
    for piece in pieces:
        lines.setdefault(piece.line, []).append(piece)
    return tuple(
        np.stack([row[0].polygon[0], row[-1].polygon[1], row[-1].polygon[2], row[0].polygon[3]])
        for row in lines.values()
    )


def decode_groups(
    kind: DocumentType,
    names: Sequence[str],
    pieces: Sequence[Piece],
    view: LabelProbabilities,
    conventions: Conventions,
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
    fields: Sequence[Field],
    numbers: Sequence[int],
    pieces: Sequence[Piece],
    view: LabelProbabilities,
    conventions: Conventions,
) -> list[dict[str, Candidate]]:
    likeliest = view.labels.argmax(axis=1)
    leaf_of = {label: at for at, number in enumerate(numbers) for label in (begin_label(number), inside_label(number))}
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


def predicted_value(candidate: Candidate, confidence: float, pieces: Sequence[Piece]) -> PredictedValue:
    """A candidate with its calibrated confidence and its evidence."""
    return PredictedValue(
        candidate.content, candidate.value, confidence, line_polygons([pieces[at] for at in candidate.at])
    )


@dataclass(frozen=True)
class LabelledLine:
    """A line of a page whose truth is known: `marks` are (start, end, field, occurrence) in characters.

    field is "total" or "line_items.2.description"; an occurrence is one printing of the value, which may go
    over several lines.
    """

    line: TextLine
    marks: tuple[tuple[int, int, str, int], ...]


def encode_labels(
    marked: Sequence[LabelledLine], pieces: Sequence[Piece], names: Sequence[str]
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
        labels[at] = inside_label(number) if (field, occurrence) in seen else begin_label(number)
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
