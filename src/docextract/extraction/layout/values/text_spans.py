"""Finds the pieces of a value in the output of the network: runs of one field, and texts that go over several lines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from docextract.documents.companies import is_legal_form
from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.labels import NO_FIELD, begin_label, field_probability, inside_label
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PieceBox, box_of, is_right_below

MIN_CONTINUED_PROBABILITY = 0.15  # of a piece next to a likely one, on its line
MAX_GAP_PIECES = 2  # unlikely pieces in the middle of a text that are included in it
MIN_PERSONAL_NUMBER = 5  # letters and digits
MAX_LEGAL_FORM_PIECES = 9  # "GmbH & Co. KG" has five, "sp. z o.o." seven
MAX_FRONT_PIECES = 5  # of a caption in front of a name or an address
_OPEN_ENDED = frozenset("( [ : ; , - _ / | ~ = * # 。 ：".split())
_BRACKETS = {")": "(", "]": "["}


def begins_field(number: int, labels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return where the field is more likely to begin than to continue, [T]."""
    return np.asarray(labels[:, begin_label(number)] > labels[:, inside_label(number)])


def find_spans(
    number: int, pieces: Sequence[Piece], labels: NDArray[np.float32], min_probability: float, extend: bool = False
) -> list[Span]:
    """Return runs of pieces for which the field is the likeliest, split where it begins again or the line ends."""
    own = field_probability(number, labels)
    others = np.delete(labels, [NO_FIELD, begin_label(number), inside_label(number)], axis=1)
    rival = others.max(axis=1) if others.shape[1] else np.zeros(len(labels))
    begins = begins_field(number, labels)
    chosen = (own >= min_probability) & (own > rival)
    if extend:
        chosen = _extended(chosen, own, pieces)
    spans: list[list[int]] = []
    for index in np.flatnonzero(chosen).tolist():
        is_next = bool(spans) and spans[-1][-1] == index - 1 and pieces[index].line == pieces[index - 1].line
        if is_next and not begins[index]:
            spans[-1].append(index)
        else:
            spans.append([index])
    return [tuple(span) for span in spans]


def _extended(chosen: NDArray[np.bool_], own: NDArray[np.float32], pieces: Sequence[Piece]) -> NDArray[np.bool_]:
    """Extend a text to the neighbours on its line that probably belong to it: a name seldom ends within a line."""
    extended = chosen.copy()
    for step in (1, -1):
        order = range(len(pieces)) if step == 1 else range(len(pieces) - 1, -1, -1)
        for index in order:
            before = index - step
            if (
                0 <= before < len(pieces) and extended[before] and not extended[index]
                and pieces[index].line == pieces[before].line and own[index] >= MIN_CONTINUED_PROBABILITY
            ):  # fmt: skip
                extended[index] = True
    return extended


def on_likely_lines(
    spans: Sequence[Span], own: NDArray[np.float32], pieces: Sequence[Piece], ratios: tuple[float, float]
) -> list[Span]:
    """Keep spans on lines nearly as likely as the likeliest: a clear name does not continue in a possible slogan."""
    lines: dict[int, list[int]] = {}
    for span in spans:
        lines.setdefault(pieces[span[0]].line, []).extend(span)
    means = {line: float(own[indices].mean()) for line, indices in lines.items()}
    best = max(means, key=lambda line: means[line], default=0)
    kept = {line for line, mean in means.items() if mean >= ratios[line < best] * means[best]}
    return [span for span in spans if pieces[span[0]].line in kept]


def join_lines(spans: Sequence[Span], pieces: Sequence[Piece], begins: NDArray[np.bool_]) -> list[Span]:
    """Join the spans of a text that goes over several lines.

    A span on the next line, or below in the same column, continues the text unless the field begins again. Directly
    behind on the same line it continues in any case: SAM SAM TRADING is one name.
    """
    joined: list[Span] = []
    for span in spans:
        lines_down = pieces[span[0]].line - pieces[joined[-1][-1]].line if joined else 2
        gap = range(joined[-1][-1] + 1 if joined else 0, span[0])
        is_small = len(gap) <= MAX_GAP_PIECES
        if (lines_down == 0 and is_small) or (lines_down <= 1 and not begins[span[0]]):
            joined[-1] += (*gap, *span) if is_small else span
        elif joined and not begins[span[0]] and is_span_below(joined[-1], span, pieces):
            joined[-1] += span
        else:
            joined.append(span)
    trimmed = (_without_stray_marks(span, pieces) for span in joined)
    return [_with_closing_mark(span, pieces) for span in trimmed if span]


def is_span_below(upper: Span, lower: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a span is directly below the last line of another."""
    last = [index for index in upper if pieces[index].line == pieces[upper[-1]].line]
    return is_right_below(box_of(last, pieces), box_of(lower, pieces))


def join_on_rows(spans: Sequence[Span], pieces: Sequence[Piece]) -> list[Span]:
    """Join spans directly beside each other: text detection finds large print in parts, "EL" and "POLLO LOCO"."""
    joined: list[Span] = []
    for span in spans:
        if joined and is_beside(joined[-1], span, pieces):
            joined[-1] += span
        else:
            joined.append(span)
    return joined


def is_beside(left: Sequence[int], right: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether the last line of a span and the first of another are on one row, with less than a height between them."""
    last, first = _last_box(left, pieces), _first_box(right, pieces)
    height = min(last[3] - last[1], first[3] - first[1])
    return are_on_one_row(left, right, pieces) and abs(first[0] - last[2]) < height


def are_on_one_row(left: Sequence[int], right: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether the last line of a span and the first of another are on one row."""
    last, first = _last_box(left, pieces), _first_box(right, pieces)
    return last[1] < (first[1] + first[3]) / 2 < last[3]


def _last_box(span: Sequence[int], pieces: Sequence[Piece]) -> PieceBox:
    return box_of([index for index in span if pieces[index].line == pieces[span[-1]].line], pieces)


def _first_box(span: Sequence[int], pieces: Sequence[Piece]) -> PieceBox:
    return box_of([index for index in span if pieces[index].line == pieces[span[0]].line], pieces)


def _with_closing_mark(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include what ends a text directly behind it: "SDN. BHD" + ".", "(MALURI" + ")", "S" + "/B", "EB" + "-653421"."""
    while attached := _attached_behind(span[-1], pieces):
        marks = [pieces[index].text for index in attached]
        text = [pieces[index].text for index in span]
        opened = {bracket for close, bracket in _BRACKETS.items() if bracket in text and close not in text}
        if (marks[0] == "." and len(attached) == 1) or _BRACKETS.get(marks[0]) in opened:
            span = (*span, attached[0])
        elif marks[0] == "/" and len(text[-1]) == 1 and text[-1].isalpha() and len("".join(marks)) == 2:
            span = (*span, *attached)
        elif marks[0] == "-" and len(marks) > 1 and marks[1].isdigit():
            span = (*span, *attached[:2])
        else:
            break
    return span


def without_caption(span: Span, pieces: Sequence[Piece], *kinds: str) -> Span:
    """Leave out the caption in front of a text: "Operated by", "Betreiber:". A text that is a caption alone stays.

    kinds: of captions, such as "company_name", "address" and "method".
    """
    if is_caption(join_pieces([pieces[index] for index in span]), *kinds):
        return span
    for count in range(min(MAX_FRONT_PIECES, len(span) - 1), 0, -1):
        front = [pieces[index] for index in span[:count]]
        has_text = any(pieces[index].text.isalnum() for index in span[count:])
        if has_text and front[-1].line == front[0].line and is_caption(join_pieces(front), *kinds):
            return span[count:]
    return span


def ends_with_legal_form(span: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a name ends with its legal form: "Muster GmbH"."""
    ends = (span[-count:] for count in range(1, min(len(span) - 1, MAX_LEGAL_FORM_PIECES) + 1))
    return any(is_legal_form(text_of(end, pieces)) for end in ends)


def may_be_identifier(text: str) -> bool:
    """Whether a text may be a number with letters: it has a digit, and no mark at its beginning or end."""
    return any(map(str.isdigit, text)) and (text[0] + text[-1]).isalnum()


def may_be_personal_number(text: str) -> bool:
    """Whether a text may be the number of a person, which tells millions apart: no town, and no number of an office."""
    return sum(map(str.isalnum, text)) >= MIN_PERSONAL_NUMBER and any(map(str.isdigit, text))


def _attached_behind(last: int, pieces: Sequence[Piece]) -> Span:
    """Return the pieces directly behind a piece, up to the next space or the end of the line."""
    end = last + 1
    while end < len(pieces) and pieces[end].line == pieces[last].line and not pieces[end].space_before:
        end += 1
    return tuple(range(last + 1, end))


def _without_stray_marks(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop punctuation at the ends that belongs to neighbouring print: "SDN BHD (", ") MART", "- SHOP :"."""
    while span:
        text = [pieces[index].text for index in span]
        if text[-1] in _OPEN_ENDED or (text[-1] in ")]" and _BRACKETS[text[-1]] not in text):
            span = span[:-1]
        elif text[0] in _OPEN_ENDED - {"("} or text[0] in ".)" or (text[0] == "(" and ")" not in text):
            span = span[1:]
        elif text[-2:] == ["(", ")"]:
            span = span[:-2]
        else:
            break
    return span
