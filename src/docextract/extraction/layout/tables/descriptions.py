"""Completes the descriptions of rows: what a line prints between and beside their words, such as "12 ft" and "(30 %)".

The network takes figures in a description for quantities and rates, or for nothing.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import dropwhile, pairwise, takewhile

import numpy as np

from docextract.documents.column_headings import leaf_of_heading
from docextract.documents.currencies import is_currency
from docextract.documents.dates import BETWEEN_DATES, find_dates
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.tables.cells import DESCRIPTION, TAX_RATE, cell_around, in_one_cell, mean_height
from docextract.extraction.layout.tables.description_lines import RowPieces, has_open_bracket, lines_of
from docextract.extraction.layout.tables.product_codes import NO_CODE

DESCRIPTION_OF_ITEM = f"line_items.{DESCRIPTION}"
MIN_FRONT_NUMBER_PROBABILITY = 0.5  # of a number in front of a description, that it is a part of it
MAX_FIGURE_DIGITS = 3  # of a number in front of a description; longer ones are article numbers
MAX_BRACKET_PIECES = 8  # from the last word of a description to its closing bracket
MIN_SIZE = 0.8  # of the height of a description, that of print behind it; neither is much larger than the other
MIN_WORD_LETTERS = 4  # of a word in front of a description; a letter may be a class of tax, "for" is no part of it
# Of the rows of a list, so many of which begin with a letter: the class of tax of the goods.
LETTERED_SHARE, MIN_LETTERED_ROWS = 0.6, 3
_SEPARATORS = frozenset(":–)/")  # behind what is no part of a description: "Position 3:"
_AT_ENDS = frozenset(")]%\"”″'’.!")  # signs with which a description may end
_MONEY = re.compile(r"\d[\d.,']*[.,]\d\d")
_CODE = re.compile(r"\w|[^\W\d]\d|\d{4,}")  # "T", "B1" or "4711"
_CLASS_BEHIND = re.compile(r"[A-Z]\)")
_ATTACHED, UNITS = frozenset("\"'”″-"), frozenset("ft in cm mm m kg g l ml oz lb".split())


def complete_description(row: RowPieces, page: PageLabels, in_rows: Mapping[int, str]) -> RowPieces:
    """Return a row whose description has what stands between and beside its words on their lines.

    in_rows: the leaf of every piece that is a value of a row.
    """
    words = row.get(DESCRIPTION)
    if not words:
        return row
    taken: list[int] = []
    lines = list(lines_of(words, page.pieces))
    for upper, line in zip((lines[0], *lines), lines, strict=False):
        front, behind = cell_around(line, page)
        free = list(takewhile(lambda index: _is_free(index, row, page.pieces, in_rows), reversed(front)))[::-1]
        taken += _between(line, row, page, in_rows)
        taken += _in_front(free, page, in_rows) if line is upper else _below(upper, free, page)
        taken += _behind(line, behind, row, page, in_rows)
    taken += _in_brackets_below(sorted({*words, *taken}), page, in_rows)
    if not taken:
        return row
    others = {leaf: [index for index in some if index not in taken] for leaf, some in row.items()}
    return {**{leaf: some for leaf, some in others.items() if some}, DESCRIPTION: sorted({*words, *taken})}


def without_tax_classes(rows: Sequence[RowPieces], page: PageLabels) -> list[RowPieces]:
    """Return the rows without the letter of a tax class in front of descriptions, or behind them with a bracket: "A)".

    In front, most rows begin with a letter, one of a few, and different words follow: "T Shirt", "V Belt" and "C Clamp"
    are names, and so are "T Shirt red" and "T Shirt blue".
    """
    rows = [_without_class_behind(row, page) for row in rows]
    described = [row[DESCRIPTION][0] for row in rows if row.get(DESCRIPTION)]
    letters = [letter for first in described if (letter := _letter_in_front(first, page)) is not None]
    words: dict[str, set[str]] = defaultdict(set)
    for letter in letters:
        words[page.pieces[letter].text].add(page.pieces[letter + 1].text)
    are_many = len(described) >= MIN_LETTERED_ROWS and len(letters) >= LETTERED_SHARE * len(described)
    if not are_many or max(map(len, words.values())) < 2:
        return rows
    return [_without_letter(row, page) for row in rows]


def _without_class_behind(row: RowPieces, page: PageLabels) -> RowPieces:
    words = row.get(DESCRIPTION, [])
    is_class = len(words) > 2 and _CLASS_BEHIND.fullmatch(page.text(words[-2:])) is not None
    if not is_class or not page.pieces[words[-2]].space_before:
        return row
    line = page.text([index for index in page.lines.of(words[-1]) if index < words[-2]])
    return row if "(" in line or "[" in line else {**row, DESCRIPTION: words[:-2]}


def _letter_in_front(first: int, page: PageLabels) -> int | None:
    """Return the letter in front of a description on its line, or else the one that is its first word."""
    before = first - 1 if first - 1 in page.lines.of(first) else first
    return next((index for index in (before, first) if _is_letter(index, page.pieces)), None)


def _is_letter(index: int, pieces: Sequence[Piece]) -> bool:
    is_word = (
        index + 1 < len(pieces) and pieces[index + 1].line == pieces[index].line and pieces[index + 1].space_before
    )
    return is_word and len(pieces[index].text) == 1 and pieces[index].text.isupper()


def _without_letter(row: RowPieces, page: PageLabels) -> RowPieces:
    words = row.get(DESCRIPTION, [])
    is_first = len(words) > 1 and _letter_in_front(words[0], page) == words[0]
    return {**row, DESCRIPTION: words[1:]} if is_first else row


def _between(line: Span, row: RowPieces, page: PageLabels, in_rows: Mapping[int, str]) -> list[int]:
    """Return the pieces between the words of a description on a line, unless they are the only ones of a value.

    A rate between words is none of taxes.
    """
    found: list[int] = []
    for left, right in pairwise(line):
        hole = range(left + 1, right)
        is_free = all(
            in_rows.get(index, TAX_RATE) == TAX_RATE or _has_other_place(index, row, page.pieces, in_rows)
            for index in hole
        )
        if is_free and all(in_one_cell(index, index + 1, page) for index in range(left, right)):
            found += hole
    return found


def _in_front(front: Sequence[int], page: PageLabels, in_rows: Mapping[int, str]) -> Sequence[int]:
    """Return the words and measures directly in front of a description, of what stands there: "12 ft", '27"'.

    A number without a unit is the position of a row, unless the network takes it for a word: "95 miles PLUS". One with
    more digits is a number of an article or a date.
    """
    pieces = page.pieces
    likely = page.probability(DESCRIPTION_OF_ITEM) if DESCRIPTION_OF_ITEM in page.numbers else np.zeros(len(pieces))
    begins = (_may_begin(index, pieces) or likely[index] >= MIN_FRONT_NUMBER_PROBABILITY for index in front)
    begin = next((at for at, is_first in enumerate(begins) if is_first), len(front))
    left_out = "".join(pieces[index].text for index in front[:begin])
    is_part = begin < len(front) and not any(map(str.isdigit, left_out)) and _is_part(front[begin:], page, in_rows)
    return front[begin:] if is_part else []


def _below(upper: Span, front: Sequence[int], page: PageLabels) -> list[int]:
    """Return what is in front of words on a lower line, as far as it is below the line above: no position of the row.

    A long number is one of an article; signs in front are bullets.
    """
    below = [index for index in front if page.boxes[index][2] > page.boxes[upper[0]][0]]
    if _has_long_number([page.pieces[index].text for index in below]):
        return []
    return list(dropwhile(lambda index: not page.pieces[index].text[0].isalnum(), below))


def _is_part(front: Sequence[int], page: PageLabels, in_rows: Mapping[int, str]) -> bool:
    """Whether words in front of a description are a part of it: no heading, unit behind a quantity, number or label.

    Headings of numbers that are no codes are ordinary words: "Line", "Batch", "Position".
    """
    texts = [page.pieces[index].text for index in front]
    if _has_long_number(texts) or texts[-1] in _SEPARATORS:
        return False
    is_label = len(texts) > 1 and texts[0].isalpha() and texts[-1].isdigit()  # "Position 3"
    is_unit = front[0] - 1 in in_rows and page.pieces[front[0] - 1].line == page.pieces[front[0]].line
    return not is_label and not is_unit and leaf_of_heading(page.text(front)) in (None, NO_CODE)


def _has_long_number(texts: Sequence[str]) -> bool:
    return any(sum(map(str.isdigit, text)) > MAX_FIGURE_DIGITS for text in texts)


def _may_begin(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether a description may begin with a piece that the network does not take for a part of it."""
    text, following = pieces[index].text, pieces[index + 1]
    if text.isdigit():
        return (following.text in _ATTACHED and not following.space_before) or following.text in UNITS
    return text.isalpha() and len(text) >= MIN_WORD_LETTERS


def _behind(
    words: Span, behind: Sequence[int], row: RowPieces, page: PageLabels, in_rows: Mapping[int, str]
) -> list[int]:
    """Return what is a part of a description, of what stands behind its words: print of its size up to a value.

    Neither a period, such as "1 May - 31 May", nor a new sentence, nor a code alone, such as the class of a tax.
    """
    height = mean_height(words, page)
    own = list(
        takewhile(
            lambda index: (
                _is_free(index, row, page.pieces, in_rows)
                and not page.are_of_single_fields[index]
                and MIN_SIZE < mean_height([index], page) / height < 1 / MIN_SIZE
                and not _MONEY.fullmatch(page.pieces[index].text)
                and not _ends_sentence(index, page.pieces)
            ),
            behind,
        )
    )
    while own and (count := _sign_at_end(own, page)):
        del own[-count:]
    text = page.text(own)
    is_other = _CODE.fullmatch(text) or has_open_bracket(text) or _is_period(text)
    return [] if is_other else own


def _is_period(text: str) -> bool:
    return sum(bool(find_dates(part)) for part in BETWEEN_DATES.split(text)) > 1


def _ends_sentence(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether a piece is a point between a word that is no abbreviation and a capital letter."""
    if pieces[index].text != "." or index + 1 == len(pieces):
        return False
    following = pieces[index + 1]
    return following.space_before and following.text[0].isupper() and len(pieces[index - 1].text) > MIN_WORD_LETTERS


def _sign_at_end(span: Sequence[int], page: PageLabels) -> int:
    """Return how many of the last pieces are a currency, such as "HK$", or a sign that ends no description."""
    last = page.pieces[span[-1]]
    if last.text == "$" and len(span) > 1 and not last.space_before:
        return 2
    return int(is_currency(last.text) or (last.text not in _AT_ENDS and not any(map(str.isalnum, last.text))))


def _in_brackets_below(words: Sequence[int], page: PageLabels, in_rows: Mapping[int, str]) -> list[int]:
    """Return the rest of a bracket on the line below a description, or that line if it is words in brackets."""
    last = [index for index in words if page.pieces[index].line == page.pieces[words[-1]].line]
    below = page.lines.below(last) or []
    texts = [page.pieces[index].text for index in below]
    is_bracket = texts[:1] == ["("] and texts[-1:] == [")"] and all(map(str.isalpha, texts[1:-1]))
    return _until_closed(below, page.pieces, in_rows) if is_bracket or has_open_bracket(page.text(words)) else []


def _until_closed(following: Sequence[int], pieces: Sequence[Piece], in_rows: Mapping[int, str]) -> list[int]:
    """Return pieces up to a closing bracket; none if it is not near, or if one of them is a value."""
    closing = [at for at, index in enumerate(following[:MAX_BRACKET_PIECES]) if pieces[index].text == ")"]
    inside = list(following[: closing[0] + 1]) if closing else []
    return [] if any(index in in_rows for index in inside) else inside


def _is_free(index: int, row: RowPieces, pieces: Sequence[Piece], in_rows: Mapping[int, str]) -> bool:
    return index not in in_rows or _has_other_place(index, row, pieces, in_rows)


def _has_other_place(index: int, row: RowPieces, pieces: Sequence[Piece], in_rows: Mapping[int, str]) -> bool:
    """Whether a piece is a value that the row also has on another line."""
    leaf, line = in_rows.get(index, DESCRIPTION), pieces[index].line
    return leaf != DESCRIPTION and any(pieces[other].line != line for other in row.get(leaf, ()))
