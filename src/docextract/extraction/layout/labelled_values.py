"""Finds values that stand behind or below a label that names their field, such as "Invoice no." or "Eräpäivä"."""

from collections.abc import Callable, Iterator, Sequence

from docextract.documents.base import DocumentType
from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.pieces import Piece, join_pieces
from docextract.extraction.layout.places import PrintedLines, box_of

Span = tuple[int, ...]  # indices of pieces, in reading order
MAX_LABEL_PIECES = 8
MAX_VALUE_PIECES = 12
MAX_STEP_TO_VALUE = 4.0  # heights of a label, to a value below it
_ENDS_OF_LABELS = ":.#="
_BETWEEN_LANGUAGES = frozenset("/|")  # pieces between labels for the same value
_BETWEEN = frozenset(": . # - – = № nr no".split())  # pieces between a label and its value


def printed_labels(
    document_type: DocumentType, pieces: Sequence[Piece], lines: PrintedLines
) -> dict[str, list[Span]]:
    """Return the places of labels by field. Words directly in front or behind make it another label, or none."""
    found: dict[str, list[Span]] = {}
    for line in lines:
        end_of_last = 0
        for at in range(len(line)):
            if at < end_of_last or not _begins_label(line[:at], pieces):
                continue
            for end in range(min(len(line), at + MAX_LABEL_PIECES), at, -1):
                text = join_pieces([pieces[index] for index in line[at:end]])
                field = field_of_label(text, document_type)
                if field and _ends_label(line[end:], text, pieces):
                    found.setdefault(field, []).append(tuple(line[at:end]))
                    end_of_last = end
                    break
    return found


def labelled_values(
    label: Span, pieces: Sequence[Piece], lines: PrintedLines, is_value: Callable[[Span], bool]
) -> Iterator[Span]:
    """Yield the value of a label: directly behind it, on its row, or else directly below it.

    is_value: whether pieces are a value of the label's field.
    """
    line = lines.of(label[0])
    behind = line[line.index(label[-1]) + 1 :]
    for following in (behind, lines.right_of(line) or [] if not behind else [], _under(label, pieces, lines)):
        value = _first_value(following, pieces, is_value)
        if value:
            yield value
            return


def _begins_label(before: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a label begins behind some pieces of its line: behind no word, but "4a" of a licence is none."""
    if not before or not pieces[before[-1]].text[-1].isalpha():
        return True
    letter, number = pieces[before[-1]], pieces[before[-2]] if len(before) > 1 else None
    return len(letter.text) == 1 and not letter.space_before and number is not None and number.text.isdigit()


def _ends_label(following: Sequence[int], label: str, pieces: Sequence[Piece]) -> bool:
    """Whether a label ends where some pieces follow on its line: no further word of it, and no part of one word."""
    if not following or pieces[following[0]].text in _BETWEEN_LANGUAGES:
        return True
    word = join_pieces([pieces[index] for index in _word(following, pieces)])
    is_attached = not pieces[following[0]].space_before and label[-1] not in _ENDS_OF_LABELS
    return not is_attached and (any(map(str.isdigit, word)) or not word[0].isalpha())


def _word(following: Sequence[int], pieces: Sequence[Piece]) -> Sequence[int]:
    """Return the first of some pieces and those that are attached to it."""
    end = next((at for at in range(1, len(following)) if pieces[following[at]].space_before), len(following))
    return following[:end]


def _first_value(following: Sequence[int], pieces: Sequence[Piece], is_value: Callable[[Span], bool]) -> Span | None:
    """Return the longest value that begins with the first of some pieces that is no punctuation."""
    start = 0
    while start < len(following) and pieces[following[start]].text.lower() in _BETWEEN:
        start += 1
    values = (tuple(following[start:end]) for end in range(min(len(following), start + MAX_VALUE_PIECES), start, -1))
    return next((value for value in values if is_value(value)), None)


def _under(label: Span, pieces: Sequence[Piece], lines: PrintedLines) -> list[int]:
    """Return the pieces of the line below a label, from the first word on that is below it."""
    left, top, right, bottom = box_of(label, pieces)
    margin = bottom - top
    following = lines.below(label, MAX_STEP_TO_VALUE) or []
    while following:
        word = _word(following, pieces)
        start, _, end, _ = box_of(word, pieces)
        if end > left - margin:
            return list(following) if start < right + margin else []
        following = following[len(word) :]
    return []
