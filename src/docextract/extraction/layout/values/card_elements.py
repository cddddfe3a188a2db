"""What licences print around their values: the numbers of data elements (ISO/IEC 18013-1, AAMVA), and AAMVA's DD."""

import re
from collections.abc import Iterator, Mapping, Sequence

from docextract.documents.printed_labels import field_of_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.places import PieceBox, box_of, is_right_below

FAMILY_NAME, GIVEN_NAME = "family_name", "given_name"
# Elements that have the same number on European and American licences. "4a" and the like are no single pieces.
ELEMENT_NUMBERS = {FAMILY_NAME: "1", GIVEN_NAME: "2", "resident_address": "8"}
MAX_ELEMENT_DIGITS = 2
DISCRIMINATOR = "DD"
MAX_MARK_PIECES = 2  # in front of the last one
_MISREAD_MARK = re.compile(r"[5S]\.?[DO0]{2}")
MARKS_OF_NAMES = frozenset("-'’.,")
_BEHIND_MARKS = frozenset("#:.")
_BEHIND_NUMBERS = frozenset(".:)")
MAX_MARKS = 20  # a card has one
# Parts of element 4 on European licences: the authority, and the number of the holder for life.
AUTHORITY_LETTER, PERSONAL_NUMBER_LETTER = "c", "d"
VERSION_NUMBER = ("5", "b")
_ELEMENT_4, _PARTS_OF_ELEMENT_4 = "4", frozenset("abcd")


def is_numbered(field: str, span: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a value is behind the number of its element, which begins the line: "1 SAMPLE", "2. Anna"."""
    before = span[0] - 1
    if before >= 0 and pieces[before].text == ".":
        before -= 1
    if before < 0 or pieces[before].line != pieces[span[0]].line:
        return False
    begins = before == 0 or pieces[before - 1].line != pieces[before].line
    return begins and pieces[before].text == ELEMENT_NUMBERS.get(field)


def numbered_name(field: str, page: PageLabels) -> Span | None:
    """Return all words behind the number of a name's element: "1. Freiherr von Arnim", "1 SAMPLE III".

    None where another text may be behind the number: only of licences that print both names so, and nothing but names
    on these two lines, of which the given names are below.
    """
    lines = [line for line in page.lines if _is_line_of_name(FAMILY_NAME, line, page)]
    below = [page.lines.below(line) for line in lines]
    pairs = [(one, other) for one, other in zip(lines, below, strict=True) if other]
    given = [(one, other) for one, other in pairs if _is_line_of_name(GIVEN_NAME, other, page)]
    if len(given) != 1:
        return None
    line = given[0][0 if field == FAMILY_NAME else 1]
    return tuple(line[start_of_name(line, page.pieces) :])


def _is_line_of_name(field: str, line: Sequence[int], page: PageLabels) -> bool:
    """Whether a line is the number of a name's element and words behind it, of which none is a label."""
    texts = [page.pieces[index].text for index in line]
    words = texts[start_of_name(line, page.pieces) :]
    are_words = all(text.isalpha() or text in MARKS_OF_NAMES for text in words)
    has_name = texts[0] == ELEMENT_NUMBERS[field] and any(map(str.isalpha, words)) and are_words
    return has_name and not any(field_of_label(word, page.document_type) for word in (*words, " ".join(words)))


def start_of_name(line: Sequence[int], pieces: Sequence[Piece]) -> int:
    """Return where a name begins behind the number of its element: at its second piece, or behind a point."""
    return 2 if len(line) > 1 and pieces[line[1]].text == "." else 1


def behind_part_of_element_4(letter: str, page: PageLabels) -> Iterator[Span]:
    """Yield what stands behind "4c" or "4d", up to the next element on the line: of "4c. DVLA 5. MORGA", DVLA.

    Behind a word or a point "4c" is the number of a flat or a house: "APT 4C", "8. 4C HIGH STREET".
    """
    for line in page.lines:
        texts = [page.pieces[index].text for index in line]
        for at in range(len(line) - 2):
            is_address = at > 0 and (texts[at - 1] == "." or (len(texts[at - 1]) > 1 and texts[at - 1].isalpha()))
            if (texts[at], texts[at + 1].lower()) == (_ELEMENT_4, letter) and not is_address:
                start = at + 3 if texts[at + 2] in _BEHIND_NUMBERS else at + 2
                ends = (end for end in range(start, len(line)) if _begins_element(texts[end : end + 2]))
                span = tuple(line[start : next(ends, len(line))])
                yield from [span] if span else []


def _begins_element(texts: Sequence[str]) -> bool:
    """Whether pieces begin with the number of an element: "4d", "5."."""
    if len(texts) < 2 or len(texts[0]) > 1 or not texts[0].isdigit():
        return False
    return texts[1] == "." or _begins_part_of_element_4(texts)


def _begins_part_of_element_4(texts: Sequence[str]) -> bool:
    return len(texts) > 1 and texts[0] == _ELEMENT_4 and texts[1].lower() in _PARTS_OF_ELEMENT_4


def without_number(field: str, span: tuple[int, ...], pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Drop the number of the element in front of a house number: "8 123 Main St", but not that of "8 Main St"."""
    if len(span) < 2 or field not in ELEMENT_NUMBERS:
        return span
    first, second = pieces[span[0]], pieces[span[1]]
    is_number = first.text == ELEMENT_NUMBERS[field] and second.text.isdigit() and first.line == second.line
    return span[1:] if is_number else span


def without_next_number(span: tuple[int, ...], pieces: Sequence[Piece]) -> tuple[int, ...]:
    """Drop what is behind a number on its line: of "WDL123 9 CLASS B", the 9; "5b. 412", the version of a card."""
    at = next((at for at in range(1, len(span) - 1) if _begins_version(pieces[span[at]], pieces[span[at + 1]])), None)
    span = span[:at]
    last, behind = pieces[span[-1]], pieces[span[-1] + 1] if span[-1] + 1 < len(pieces) else None
    is_element = len(span) > 1 and last.text.isdigit() and len(last.text) <= MAX_ELEMENT_DIGITS and last.space_before
    is_labelled = behind is not None and behind.line == last.line and behind.text.isalpha()
    return span[:-1] if is_element and is_labelled else span


def before_next_element(span: Span, pieces: Sequence[Piece]) -> Span:
    """Drop what follows a date from the number of the next part of element 4 on: "4d. 07" of "28-02-2031 4d. 07"."""
    texts = [piece.text for piece in pieces[span[0] : span[-1] + 2]]
    ends = (at for at in range(1, len(span)) if _begins_part_of_element_4(texts[span[at] - span[0] :][:2]))
    return span[: next(ends, len(span))]


def _begins_version(number: Piece, letter: Piece) -> bool:
    """Whether pieces are the number of the element for the version of a card, as in New Zealand: "5b"."""
    is_attached = not letter.space_before and number.line == letter.line
    return (number.text, letter.text) == VERSION_NUMBER and number.space_before and is_attached


def without_discriminators(
    spans: Sequence[tuple[int, ...]], pieces: Sequence[Piece], has_others: bool = False
) -> list[tuple[int, ...]]:
    """Leave out numbers that are marked as AAMVA's document discriminator, unless there is no other.

    It looks like the number of the licence, and may contain it. DD is printed in front of it or above it.
    has_others: whether there are other numbers than the spans.
    """
    marks = [index for index in range(len(pieces)) if _is_mark(index, pieces)][:MAX_MARKS]
    boxes = {mark: box_of([mark], pieces) for mark in marks}
    unmarked = [span for span in spans if not _is_marked(span, pieces, boxes)]
    return unmarked if unmarked or has_others else list(spans)


def _is_mark(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether a piece is DD, or what recognition makes of it behind the number of its element: "5 DO", "5.00".

    500 is a house number.
    """
    if pieces[index].text == DISCRIMINATOR:
        return True
    start, line = index, pieces[index].line
    while start > max(0, index - MAX_MARK_PIECES) and pieces[start - 1].line == line:
        start -= 1
    begins = start == 0 or pieces[start - 1].line != line
    text = "".join(piece.text for piece in pieces[start : index + 1])
    is_number = pieces[index].text.isdigit() and start == index
    return begins and not is_number and _MISREAD_MARK.fullmatch(text) is not None


def _is_marked(span: tuple[int, ...], pieces: Sequence[Piece], marks: Mapping[int, PieceBox]) -> bool:
    first, at = pieces[span[0]], span[0] - 1
    while at > 0 and pieces[at].text in _BEHIND_MARKS:
        at -= 1
    joined = first.text.startswith(DISCRIMINATOR) and first.text != DISCRIMINATOR
    beside = at in marks and pieces[at].line == first.line
    own = box_of(span, pieces)
    return joined or beside or any(is_right_below(mark, own) for mark in marks.values())
