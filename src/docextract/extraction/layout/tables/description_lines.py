"""Decides which lines below each other are one description: text that its column is too narrow for, but no remarks.

In filled layouts 808 of 829 lines that go on with a description are as large as the line above, which has no room for
their first word; of 2,216 remarks below descriptions 1,125 are smaller or have room above them (2026-11-27). None of
370 lines that go on is indented, but 939 of 1,773 remarks are, most of them on receipts (2026-11-28).
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.places import is_right_below
from docextract.extraction.layout.tables.cells import DESCRIPTION, cell_around, mean_height

MIN_CONTINUED_HEIGHT = 0.8  # of a line that goes on, to the first one; remarks are often printed smaller
MAX_ROOM = 1.0  # heights, between the end of a line with the first word of the next one and the end of the column
MAX_INDENT = 0.8  # heights of the first line, from its first letter to where a line begins that goes on with it
MAX_MISALIGNMENT = 0.2  # heights between the middles of centred lines, and the ends of lines that are flush right
MAX_STEP_IN_DESCRIPTION = 1.5  # heights from line to line of one text
_LABEL = re.compile(r"[^\W\d][^:\d]*:")  # "Delivery note: 4711"
_UNFINISHED = ("-", ",", "&", "/")  # ends of lines behind which a text goes on

RowPieces = dict[str, list[int]]  # the pieces of each leaf, in reading order


def lines_of(words: Sequence[int], pieces: Sequence[Piece]) -> Iterator[Span]:
    """Yield the parts of a description on each printed line."""
    for line in dict.fromkeys(pieces[index].line for index in words):
        yield tuple(index for index in words if pieces[index].line == line)


def _without_brackets_of_values(row: RowPieces, page: PageLabels) -> RowPieces:
    """Return a row whose description is without a bracket that opens in front of other values: "Tea (2 x 1.50)"."""
    pieces, words = page.pieces, row.get(DESCRIPTION, ())
    ends = [line[-1] for line in lines_of(words, pieces)]
    opening = {end for end in ends if pieces[end].text == "(" and end != page.lines.of(end)[-1]}
    kept = [index for index in words if index not in opening]
    return {**row, DESCRIPTION: kept} if kept else row


def has_open_bracket(text: str) -> bool:
    """Whether a bracket in a text is not closed."""
    return text.count("(") > text.count(")")


def whole_descriptions(rows: Sequence[RowPieces], amount: str, page: PageLabels) -> list[RowPieces]:
    """Return the rows with descriptions that have all their lines and no others.

    amount: the leaf of the sum of a row. Where the network begins a row with a line that the one above goes on with,
    both are one row.
    """
    rows = [_without_brackets_of_values(row, page) for row in rows]
    column = DescriptionColumn(rows, page)
    joined: list[RowPieces] = []
    for row in rows:
        if joined and column.is_continued(joined[-1], row, amount):
            words = sorted({*joined[-1][DESCRIPTION], *row[DESCRIPTION]})
            joined[-1] = {**joined[-1], **row, DESCRIPTION: words}
        else:
            joined.append(row)
    return [
        {**row, DESCRIPTION: column.without_remarks(row[DESCRIPTION])} if row.get(DESCRIPTION) else row
        for row in joined
    ]


class DescriptionColumn:
    """The column of a list's descriptions, which ends where the longest line does."""

    def __init__(self, rows: Sequence[RowPieces], page: PageLabels) -> None:
        lines = [line for row in rows for line in lines_of(row.get(DESCRIPTION, ()), page.pieces)]
        self._right = max((page.box(line)[2] for line in lines), default=0.0)
        self._page = page

    def is_continued(self, row: RowPieces, below: RowPieces, amount: str) -> bool:
        """Whether words with an amount are the rest of the row above, which has no amount: its text goes on there."""
        is_rest = below.keys() == {DESCRIPTION, amount} and DESCRIPTION in row and amount not in row
        if not is_rest or len(row) == 1:
            return False
        (*_, upper), (lower, *_) = (lines_of(one[DESCRIPTION], self._page.pieces) for one in (row, below))
        above, box = self._page.box(upper), self._page.box(lower)
        is_below = (
            is_right_below(above, box, MAX_STEP_IN_DESCRIPTION) and abs(above[0] - box[0]) < (above[3] - above[1]) / 2
        )
        return is_below and self._goes_on(upper, upper, lower)

    def without_remarks(self, words: Sequence[int]) -> list[int]:
        """Return the words of a description up to a line that is no part of it; signs alone are none either."""
        first, *lower = lines_of(words, self._page.pieces)
        kept = [first]
        for line in lower:
            text = self._page.text([index for one in kept for index in one])
            is_unfinished = text.endswith(_UNFINISHED) or has_open_bracket(text) or _is_code(text)
            if not is_unfinished and not self._goes_on(first, kept[-1], line):
                break
            if any(map(str.isalnum, self._page.text(line))):
                kept.append(line)
        return [index for line in kept for index in line]

    def _goes_on(self, first: Span, upper: Span, lower: Span) -> bool:
        """Whether a text with the given first line goes on from one line to another one."""
        _, top, right, bottom = self._page.box([*upper, *cell_around(upper, self._page)[1]])
        if self._page.box(lower)[1] - top < (bottom - top) / 2:
            return True  # both are printed on one row
        left, _, end, _ = self._page.box(_first_word(lower, self._page.pieces))
        room = (self._right - right - (end - left)) / mean_height(upper, self._page)
        height = mean_height(first, self._page)
        is_as_large = mean_height(lower, self._page) >= MIN_CONTINUED_HEIGHT * height
        return (
            is_as_large
            and not self._is_indented(first, lower, height)
            and room <= MAX_ROOM
            and not self._is_label(lower)
        )

    def _is_indented(self, first: Span, lower: Span, height: float) -> bool:
        """Whether a line begins further right than the letters of the first one, and is not centred or flush right."""
        letters = [index for index in first if self._page.pieces[index].text[0].isalpha()] or first
        left, _, right, _ = self._page.box([*letters, first[-1]])
        begin, _, end, _ = self._page.box([*cell_around(lower, self._page)[0], *lower])
        is_centred = abs((left + right) - (begin + end)) / 2 < MAX_MISALIGNMENT * height
        return begin - left > MAX_INDENT * height and not is_centred and abs(right - end) > MAX_MISALIGNMENT * height

    def _is_label(self, line: Span) -> bool:
        front, behind = cell_around(line, self._page)
        return _LABEL.match(self._page.text([*front, *range(line[0], line[-1] + 1), *behind])) is not None


def _is_code(text: str) -> bool:
    """Whether a text is no name: one letter, or one word with a digit, such as "ART-4711"."""
    return len(text) == 1 or (" " not in text and any(map(str.isdigit, text)))


def _first_word(line: Span, pieces: Sequence[Piece]) -> Span:
    return (line[0], *takewhile(lambda index: not pieces[index].space_before, line[1:]))
