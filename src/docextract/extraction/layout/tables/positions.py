"""Finds the positions of rows: the numbers that count them, in front of each."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from docextract.extraction.layout.candidates import Candidate
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.tables.cells import MAX_WORD_GAP, PageCells, split_into_cells
from docextract.extraction.layout.tables.row_products import AMOUNT

STEPS_OF_POSITIONS = (10, 1)  # from row to row
MAX_CONTINUED_POSITION = 999  # of the first row of a page, by tens; "4710", "4720" are codes
MAX_POSITION_DIGITS = 8  # with zeros in front: "00000010"


def find_positions(rows: Sequence[Mapping[str, Candidate]], page: PageLabels, cells: PageCells) -> set[int]:
    """Return the pieces of the numbers that count the rows in front of them: "10", "20", "30", or "1", "2", "3"."""
    first = [word for row in rows if (word := _first_word(row, page, cells))]
    numbers = [_position(page.text(word)) for word in first]
    if len(numbers) < 2 or len(numbers) < len(rows):
        return set()
    for step in STEPS_OF_POSITIONS:
        is_counted = all(later - number == step for number, later in pairwise(numbers))
        is_continued = step > 1 and numbers[0] % step == 0 and 0 < numbers[0] <= MAX_CONTINUED_POSITION
        if is_counted and (numbers[0] == step or is_continued):
            return {index for word in first for index in word}
    return set()


def _position(text: str) -> int:
    """Return the number that a word is, if it is short enough for a position; else 0. Python reads no endless ones."""
    return int(text) if text.isdecimal() and len(text) <= MAX_POSITION_DIGITS else 0


def _first_word(row: Mapping[str, Candidate], page: PageLabels, cells: PageCells) -> Span:
    """Return the word that is furthest to the left at the height of a row's amount; () if it has no amount."""
    if AMOUNT not in row:
        return ()
    words: Iterator[Span] = (
        word
        for cell in cells.at_height_of(row[AMOUNT].piece_indices)
        for word in split_into_cells(cell, page, MAX_WORD_GAP)
    )
    return min(words, key=lambda word: page.box(word)[0])
