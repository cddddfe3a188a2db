"""Completes numbers: the network labels each piece alone, and may leave out some of a number."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import takewhile

from docextract.documents.base import Field
from docextract.documents.dates import parse_date
from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.pieces import Piece, Span, join_pieces
from docextract.extraction.layout.places import PrintedLines, box_of
from docextract.extraction.layout.values.amount_signs import MINUS

IDENTIFIERS = frozenset(
    {"document_number", "administrative_number", "customer_id", "purchase_order", "payment_reference"}
)
MAX_LETTERS = 3  # of a part that is directly behind digits; a longer one is a word: "D1234567CLASS"
MIN_GROUPS, MIN_DIGITS_IN_GROUPS = 3, 9  # of a number in groups; a date has fewer digits
MAX_NUMBER_PIECES = 12  # of a number with apostrophes
_JOINTS = frozenset("-/_")
_HALF_OF_DAY = re.compile(r"\s?[ap]\.?\s?m\.?|[ap]", re.IGNORECASE)  # "09:14P", "6:19 PM", "6:19 p. m."
MAX_HALF_PIECES = 4  # "p", ".", "m", "."
_APOSTROPHES = frozenset("'’")
_MARKS_IN_WORDS = _APOSTROPHES | {"-"}
# "3'000.50", "3'000.–"; other numbers are one piece, but for the dash in place of their cents.
_APOSTROPHE_NUMBER = re.compile(r"(?<![\d'’])\d{1,3}(?:['’]\d{3})+(?!\d)(?:[.,](?:\d\d(?!\d)|[-–—]+))?")
_FIRST_DIGITS, _THOUSANDS, _LAST_DIGITS = (re.compile(form) for form in (r"\d{1,3}", r"\d{3}", r"\d{3}[.,]\d\d"))


def whole_words(field: Field, spans: Sequence[Span], pieces: Sequence[Piece]) -> dict[Span, Span]:
    """Return spans of amounts, times and identifiers, each to the ends of its number, with the span that it completes.

    Spans of other fields are whole as they are.
    """
    if field.kind.name == "currency":
        found = {index for span in spans for index in span}
        return _merged({span: whole_amount(span, pieces, found - set(span)) for span in spans})
    if field.kind.name == "time":
        return _merged({span: _with_half_of_day(span, pieces) for span in spans})
    if field.name in IDENTIFIERS:
        return _merged({span: whole_identifier(span, pieces) for span in spans})
    return {span: span for span in spans}


def is_within_word(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a letter or digit is attached to a span at either end: "BO" of "BO3A4KA" is no word."""
    before = pieces[span[0] - 1] if span[0] > 0 else None
    behind = pieces[span[-1] + 1] if span[-1] + 1 < len(pieces) else None
    first, last = pieces[span[0]], pieces[span[-1]]
    begins = before is None or before.line != first.line or first.space_before or not before.text[-1].isalnum()
    ends = behind is None or behind.line != last.line or behind.space_before or not behind.text[0].isalnum()
    return not (begins and ends)


def from_start_of_word(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a name with the letters and marks in front of it in its word: "'s-" of "'s-Gravenhage".

    Unchanged where the word begins with anything else, as in "Nom:Martin" and "3-Gravenhage", and where only marks are
    in front of a whole word: "'Martin". A single letter is none: "'t Hooft".
    """
    start = span[0]
    while _are_attached(start - 1, start, pieces) and _is_part_of_name(pieces[start - 1].text):
        start -= 1
    begins = start == 0 or pieces[start].space_before or pieces[start - 1].line != pieces[start].line
    is_joined = start < span[0] and pieces[span[0] - 1].text in _MARKS_IN_WORDS
    has_letter = len(pieces[span[0]].text) == 1 or any(pieces[at].text.isalpha() for at in range(start, span[0]))
    return (*range(start, span[0]), *span) if begins and is_joined and has_letter else span


def _is_part_of_name(text: str) -> bool:
    return text.isalpha() or text in _MARKS_IN_WORDS


def is_end_of_number(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether letters and a slash are attached to a date with slashes: the number "FK/18/11/2026" has none.

    "Date/12/11/2026" has one.
    """
    first = next((index for index in span if pieces[index].text[0].isdigit()), -1)
    slash, letters = first - 1, first - 2
    if letters < 0 or pieces[slash].text != "/" or not pieces[letters].text[-1].isalpha():
        return False
    if is_caption(pieces[letters].text, "date_word"):
        return False
    has_slashes = "/" in "".join(pieces[index].text for index in span if index >= first)
    return has_slashes and _are_attached(letters, slash, pieces) and _are_attached(slash, first, pieces)


def is_number_in_groups(span: Span, pieces: Sequence[Piece]) -> bool:
    """Whether a span is a long number in groups of digits, up to the end of its line: "3 4071 00826 15 7"."""
    texts = [pieces[index].text for index in span]
    are_apart = all(text.isdigit() for text in texts) and all(pieces[index].space_before for index in span[1:])
    ends_line = span[-1] + 1 == len(pieces) or pieces[span[-1] + 1].line != pieces[span[-1]].line
    is_long = len(texts) >= MIN_GROUPS and sum(map(len, texts)) >= MIN_DIGITS_IN_GROUPS
    return are_apart and ends_line and is_long and not any(map(_are_date, (texts[:3], texts[-3:])))


def _are_date(groups: Sequence[str]) -> bool:
    """Whether three groups are a date with a year of four digits, which is printed beside the number."""
    return any(len(group) == 4 for group in groups) and parse_date(" ".join(groups)) is not None


def _merged(wholes: Mapping[Span, Span]) -> dict[Span, Span]:
    """Return whole spans, those that overlap as one, with the longest of their parts. wholes: by part."""
    merged: list[tuple[Span, Span]] = []
    for whole, part in sorted((whole, part) for part, whole in wholes.items()):
        if merged and whole[0] <= merged[-1][0][-1]:
            before, longest = merged.pop()
            whole, part = tuple(sorted({*before, *whole})), max(longest, part, key=len)
        merged.append((whole, part))
    return dict(merged)


def whole_amount(span: Span, pieces: Sequence[Piece], others: Set[int] = frozenset()) -> Span:
    """Return an amount with all its thousands: "1'290.55" of "290.55", "12 290,55" of "12", "-12 290,55" of "-12".

    others: the pieces of other amounts that were found.
    """
    whole = with_whole_numbers(span, pieces)
    start = len(span) > 1 and pieces[span[0]].text in MINUS
    if whole != span or len(span) > 1 + start:
        return whole
    end = _end_of_thousands(span[start], pieces)
    return (*span, *range(span[-1] + 1, end + 1)) if others.isdisjoint(range(span[-1] + 1, end + 1)) else span


def _with_half_of_day(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a time with the half of the day that is printed behind it: "09:14P" of "09:14", "6:19 PM" of "6:19".

    The word "am" apart from a time is German: "12:30 am Dienstag"; "AM" and "a.m." are no words.
    """
    last = span[-1]
    near = range(last + 1, min(last + 2 + MAX_HALF_PIECES, len(pieces)))
    behind = list(takewhile(lambda at: pieces[at].line == pieces[last].line, near))
    for count in range(min(MAX_HALF_PIECES, len(behind)), 0, -1):
        half = join_pieces([pieces[at] for at in (last, *behind[:count])])[len(pieces[last].text) :]
        following = pieces[behind[count]] if count < len(behind) else None
        goes_on = following is not None and not following.space_before and _goes_on_with(following.text)
        if not goes_on and half not in (" am", " Am") and _HALF_OF_DAY.fullmatch(half):
            return (*span, *behind[:count])
    return span


def _goes_on_with(text: str) -> bool:
    """Whether what is attached to a half of the day makes another word of it: "PM-Kasse", "AM/PM"."""
    return text[0].isalnum() or text in "/-"


def with_whole_numbers(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a span with all of each number with apostrophes that it has a part of: "3'000.–" of "3" and "–"."""
    whole, seen = set(span), -1
    for index in span:
        if index > seen:
            word = _word_around(index, pieces)
            seen = word[-1]
            whole.update(*(number for number in _numbers_of(word, pieces) if not whole.isdisjoint(number)))
    return tuple(sorted(whole))


def _word_around(index: int, pieces: Sequence[Piece]) -> range:
    """Return the pieces around one, to the next spaces or the ends of its line, or as many as a number may have."""
    first = last = index
    while index - first < MAX_NUMBER_PIECES and _are_attached(first - 1, first, pieces):
        first -= 1
    while last - index < MAX_NUMBER_PIECES and _are_attached(last, last + 1, pieces):
        last += 1
    return range(first, last + 1)


def _numbers_of(word: Sequence[int], pieces: Sequence[Piece]) -> Iterator[Span]:
    """Yield the pieces of each number with apostrophes of a word."""
    own = [pieces[index] for index in word]
    if any(piece.text in _APOSTROPHES for piece in own):
        for match in _APOSTROPHE_NUMBER.finditer("".join(piece.text for piece in own)):
            start, end = (own[0].start + at for at in match.span())
            yield tuple(index for index in word if start <= pieces[index].start < end)


def _end_of_thousands(at: int, pieces: Sequence[Piece]) -> int:
    """Return the last piece of an amount with spaces between its thousands that begins here; else this one itself."""
    end, line = at + 1, pieces[at].line
    while end < len(pieces) and pieces[end].line == line and _THOUSANDS.fullmatch(pieces[end].text):
        end += 1
    is_amount = end < len(pieces) and pieces[end].line == line and _LAST_DIGITS.fullmatch(pieces[end].text)
    return end if is_amount and _FIRST_DIGITS.fullmatch(pieces[at].text) else at


def whole_identifier(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a number of letters and digits to the end of its printed word: "544/MAG/2015" of "544/MAG"."""
    first, last = span[0], span[-1]
    while _are_attached(first - 2, first, pieces) and pieces[first - 1].text in _JOINTS:
        first -= 2
    first -= _is_letter_in_front(first - 1, pieces)
    while step := _step_behind(last, pieces):
        last += step
    return (*range(first, span[0]), *span, *range(span[-1] + 1, last + 1))


def without_document_word(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a number without the word in front of it that names a document: "Inv 221-88104", but "INV-221"."""
    if len(span) < 2 or not is_caption(pieces[span[0]].text, "numbered_document"):
        return span
    behind = pieces[span[1]]
    return span[1:] if behind.space_before and behind.text[0].isdigit() else span


def with_rest_below(span: Span, pieces: Sequence[Piece], lines: PrintedLines) -> Span:
    """Return a number with its rest on the line below, if a hyphen at the end of its own divides it: "404-77-", "518".

    The rest is a line of one word, below the beginning of the number.
    """
    hyphen = span[-1] if pieces[span[-1]].text in _JOINTS else span[-1] + 1
    is_divided = lines.of(span[0])[-1] == hyphen and pieces[hyphen].text in _JOINTS and not pieces[hyphen].space_before
    rest = lines.below(span) if is_divided else None
    if not rest or not all(pieces[index].text.isalnum() or pieces[index].text in _JOINTS for index in rest):
        return span
    (left, top, _, bottom), (rest_left, *_) = (box_of(one, pieces) for one in (span, rest))
    is_word = _are_attached(rest[0], rest[-1], pieces) and any(pieces[index].text.isdigit() for index in rest)
    is_below = abs(rest_left - left) < bottom - top
    return (*range(span[0], hyphen + 1), *rest) if is_word and is_below else span


def _is_letter_in_front(at: int, pieces: Sequence[Piece]) -> bool:
    """Whether a word begins here with one capital in front of digits: "R471-708"; more letters may be a label."""
    if not _are_attached(at, at + 1, pieces) or not pieces[at + 1].text[0].isdigit():
        return False
    begins = at == 0 or pieces[at].space_before or pieces[at - 1].line != pieces[at].line
    return begins and len(pieces[at].text) == 1 and pieces[at].text.isupper()


def _step_behind(last: int, pieces: Sequence[Piece]) -> int:
    """How many pieces behind this one belong to its word."""
    if _are_attached(last, last + 1, pieces) and _is_part(pieces[last + 1].text):
        return 1
    is_joined = _are_attached(last, last + 2, pieces) and pieces[last + 1].text in _JOINTS
    return 2 if is_joined and pieces[last + 2].text[0].isalnum() else 0


def _is_part(text: str) -> bool:
    return text[0].isalnum() and (any(map(str.isdigit, text)) or (text.isupper() and len(text) <= MAX_LETTERS))


def _are_attached(first: int, last: int, pieces: Sequence[Piece]) -> bool:
    """Whether these pieces and all between them are on one line without spaces."""
    if first < 0 or last >= len(pieces):
        return False
    own = pieces[first + 1 : last + 1]
    return all(not piece.space_before and piece.line == pieces[first].line for piece in own)
