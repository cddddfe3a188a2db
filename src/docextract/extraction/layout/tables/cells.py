"""The cells of tables: the parts of printed lines between wide gaps."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from docextract.documents.amounts import (
    CURRENCY_ABBREVIATIONS,
    CURRENCY_CODES,
    CURRENCY_PREFIXES,
    CURRENCY_SYMBOLS,
)
from docextract.documents.base import Field
from docextract.extraction.layout.candidates import Candidate, candidate_of
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span

DESCRIPTION, TAX_RATE = "description", "tax_rate"  # of a row
MAX_GAP = 1.2  # heights between two pieces of one cell
MAX_WORD_GAP = 0.6  # heights between two words of one column; a cell has those of several if columns are near
COLUMN_GAP = 3.0  # heights between two columns
_NUMBER = re.compile(r"(?:[-−–]\s*)?[\d.,' ]*\d[\d.,' ]*(?:[-−–])?|\([\d.,' ]*\d[\d.,' ]*\)")
_CODES = rf"\b(?:{'|'.join(CURRENCY_CODES)})\b"
_SIGNS = re.compile(rf"(?:{CURRENCY_SYMBOLS}|%|{_CODES}|{CURRENCY_PREFIXES}|{CURRENCY_ABBREVIATIONS})")


class PageCells:
    """The cells of a page, in reading order."""

    def __init__(self, page: PageLabels) -> None:
        self._cells = [cell for line in page.lines for cell in split_into_cells(line, page)]
        self._cell_of = {index: at for at, cell in enumerate(self._cells) for index in cell}
        self._texts = [page.text(cell) for cell in self._cells]
        self._boxes = [page.box(cell) for cell in self._cells]
        self._middles = np.array([(top + bottom) / 2 for _, top, _, bottom in self._boxes])
        self._are_numbers = np.array([_is_number(text) for text in self._texts], np.bool_)
        self._page = page

    def __iter__(self) -> Iterator[Span]:
        """Yield the pieces of each cell."""
        yield from self._cells

    def numbers_beside(self, row: Mapping[str, Candidate]) -> list[Span]:
        """Return the cells at the height of a row's values that are a number alone, maybe with a currency or a percent.

        A long description may reach the height of the next row where the page is tilted: it counts only if it is alone.
        """
        return [self._cells[at] for at in np.flatnonzero(self._beside(row) & self._are_numbers)]

    def numbers(self) -> list[Span]:
        """Return the cells of a number alone, maybe with a currency or a percent."""
        return [self._cells[at] for at in np.flatnonzero(self._are_numbers)]

    def numbers_between(self, top: float, bottom: float) -> list[Span]:
        """Return the cells of a number alone whose middle is between two heights, px."""
        between = (self._middles > top) & (self._middles < bottom)
        return [self._cells[at] for at in np.flatnonzero(between & self._are_numbers)]

    def at_height_of(self, value: Span) -> list[Span]:
        """Return the cells at the height of a value, with its own: the middle of a tilted line may be elsewhere."""
        return [self._cells[at] for at in np.flatnonzero(self._are_at_height_of(value))]

    def words_beside(self, cell: Span) -> list[Span]:
        """Return the cells at the height of another one that are not a number alone."""
        return [self._cells[at] for at in np.flatnonzero(self._are_at_height_of(cell) & ~self._are_numbers)]

    def _are_at_height_of(self, value: Span) -> NDArray[np.bool_]:
        """Return which cells are at the height of a value, [cells], its own among them."""
        _, top, _, bottom = self._page.box(value)
        beside = (self._middles > top) & (self._middles < bottom)
        beside[[self._cell_of[index] for index in value]] = True
        return np.asarray(beside)

    def texts_beside(self, row: Mapping[str, Candidate]) -> list[str]:
        """Return the texts of the cells at the height of a row's values, see `numbers_beside`."""
        return [self._texts[at] for at in np.flatnonzero(self._beside(row))]

    def _beside(self, row: Mapping[str, Candidate]) -> NDArray[np.bool_]:
        beside = np.zeros(len(self._cells), np.bool_)
        values = [one for leaf, one in row.items() if leaf != DESCRIPTION]
        for value in values or row.values():
            _, top, _, bottom = self._page.box(value.piece_indices)
            beside |= (self._middles > top) & (self._middles < bottom)
        return beside


def split_into_cells(pieces: Sequence[int], page: PageLabels, max_gap: float = MAX_GAP) -> Iterator[Span]:
    """Yield the pieces of each cell. pieces: at least one, in reading order. max_gap: between two of them, heights."""
    cell = [pieces[0]]
    for left, right in pairwise(pieces):
        if not in_one_cell(left, right, page, max_gap):
            yield tuple(cell)
            cell = []
        cell.append(right)
    yield tuple(cell)


def in_one_cell(left: int, right: int, page: PageLabels, max_gap: float = MAX_GAP) -> bool:
    """Whether two successive pieces are in one cell. max_gap: between them, heights."""
    (_, top, end, bottom), (start, other_top, _, other_bottom) = page.boxes[left], page.boxes[right]
    is_near = start - end < max_gap * max(bottom - top, other_bottom - other_top)
    return is_near and page.pieces[left].line == page.pieces[right].line


def cell_around(words: Span, page: PageLabels) -> tuple[Span, Span]:
    """Return what stands in front of and behind some words of one line, in their cell; in reading order."""
    line = page.lines.of(words[0])
    before = (index for index in reversed(line) if index < words[0])
    front = tuple(takewhile(lambda index: in_one_cell(index, index + 1, page), before))[::-1]
    after = (index for index in line if index > words[-1])
    return front, tuple(takewhile(lambda index: in_one_cell(index - 1, index, page), after))


def mean_height(span: Sequence[int], page: PageLabels) -> float:
    """Return the mean height of some pieces, px: of the left sides of their polygons, however tilted a line is."""
    sides = [page.pieces[index].straight[3] - page.pieces[index].straight[0] for index in span]
    return max(float(np.linalg.norm(sides, axis=1).mean()), 1.0)


def is_one_cell(span: Span, page: PageLabels) -> bool:
    """Whether a value stands in one cell."""
    return all(in_one_cell(left, right, page) for left, right in pairwise(span))


def pieces_of(candidates: Iterable[Candidate]) -> set[int]:
    """Return the pieces of some values."""
    return {index for one in candidates for index in one.piece_indices}


def without_pieces(
    row: Mapping[str, Candidate], pieces: Collection[int], fields: Mapping[str, Field], page: PageLabels
) -> dict[str, Candidate]:
    """Return a row whose values do not have some pieces; a value of these pieces alone is left out."""
    kept: dict[str, Candidate] = {}
    for leaf, one in row.items():
        rest = tuple(index for index in one.piece_indices if index not in pieces)
        candidate = one if len(rest) == len(one.piece_indices) else rest and candidate_of(fields[leaf], rest, page)
        if candidate:
            kept[leaf] = candidate
    return kept


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(_SIGNS.sub("", text).strip()) is not None
