"""Leaves out rows that are sums of other rows, and rows of annexes, on documents of several pages.

Sums are carried from page to page, close a section of a list, or stand beside its heading. The values prove them:
without them the rows make a sum of the document. Words such as "carried forward" prove one where pages begin and end,
because a row may be lost on a page.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, chain, combinations
from typing import NamedTuple

from docextract.documents.base import RowRule
from docextract.documents.printed_labels import is_caption
from docextract.predictions import PredictedValue

DESCRIPTION, PRODUCT_CODE, UNIT = "description", "product_code", "unit"
CARRIED_SUM = "carried_sum"  # a kind of captions
MIN_ROWS = 3  # of a list that makes a sum of the document and has other rows on pages in front or behind
# Of the largest sum of a document, one that proves a list: taxes are less than a third of net amounts, and the sum of a
# page may be taken for a subtotal.
MIN_SHARE_OF_SUM = Decimal("0.75")
# The least numbers of rows in front of a sum and behind it that make it; 0: on this side no sum is looked for.
ROWS_OF_SUMS = ((2, 0), (0, 2), (2, 2), (1, 0), (0, 1))
# What may stand behind words for a carried sum: "von Seite 1", "från sida 1".
_WORDS_OF_PAGES = frozenset("von de la da fra från from to auf p seite page pagina sida side str strony".split())

PredictedRow = Mapping[str, PredictedValue]


class _Row(NamedTuple):
    """What is needed of one row. is_bare: it has an amount and perhaps words, as sums have, and nothing else."""

    at: int
    page: int
    amount: Decimal | None
    is_bare: bool
    words: str
    is_empty: bool  # no words, no quantity and no price


def without_sums(
    pages: Sequence[Sequence[PredictedRow]], rule: RowRule, sums: frozenset[Decimal]
) -> list[list[PredictedRow]]:
    """Return the rows of each page without sums of other rows, and without annexes.

    pages: the rows of one list with amounts and descriptions, by page. sums: of the document.
    """
    of_pages = [(number, row) for number, page in enumerate(pages) for row in page]
    rows = [_reduced(at, number, row, rule) for at, (number, row) in enumerate(of_pages)]
    largest = max(map(abs, sums), default=Decimal(0))
    found: list[list[PredictedRow]] = [[] for _ in pages]
    for row in _rows_of_list(rows, {one for one in sums if one and abs(one) >= MIN_SHARE_OF_SUM * largest}):
        found[row.page].append(of_pages[row.at][1])
    return found


def _reduced(at: int, page: int, row: PredictedRow, rule: RowRule) -> _Row:
    amount = row[rule.amount_of_row].value if rule.amount_of_row in row else None
    numbers = row.keys() & rule.numbers - {rule.amount_of_row}
    words = row[DESCRIPTION].content if DESCRIPTION in row else ""
    # Without words it may be the sum of the hours and of their amounts.
    is_bare = amount is not None and row.keys().isdisjoint((PRODUCT_CODE, UNIT)) and not (numbers and words)
    return _Row(at, page, amount, is_bare, words, not words and numbers <= {"tax_rate"})


def _rows_of_list(rows: Sequence[_Row], sums: set[Decimal]) -> Sequence[_Row]:
    goods = _without_carried_sums(_without_empty_pages(rows))
    lists = [_without_sums(some, *counts) for some in (goods, rows) for counts in ROWS_OF_SUMS]
    for kept in (rows, goods, *lists):
        if _total(kept) in sums:
            return kept
    parts = [part for kept in (goods, *lists) for part in _on_some_pages(kept, sums)]
    return max(parts, key=len, default=goods)


def _total(rows: Sequence[_Row]) -> Decimal:
    return sum((row.amount for row in rows if row.amount is not None), Decimal(0))


def _without_empty_pages(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows without those on pages behind a list that have nothing but codes, rates and amounts: of taxes."""
    filled = [row.page for row in rows if not row.is_empty]
    is_list = len(filled) >= MIN_ROWS
    return [row for row in rows if row.page in filled or not is_list or row.page < filled[0]]


def _without_carried_sums(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows without the first and the last ones of pages that words name as carried sums."""
    pages = _by_page(rows)
    ends = {page[end].at for page in pages for end in (0, -1)} if len(pages) > 1 else set()
    return [row for row in rows if not (row.at in ends and row.is_bare and _names_carried_sum(row.words))]


def _names_carried_sum(words: str) -> bool:
    """Whether words are for a carried sum, with nothing behind them but a page or a number: "Übertrag von Seite 1"."""
    parts = words.split()
    return any(
        is_caption(" ".join(parts[:end]), CARRIED_SUM)
        and all(part.lower() in _WORDS_OF_PAGES or not any(map(str.isalpha, part)) for part in parts[end:])
        for end in range(1, len(parts) + 1)
    )


def _by_page(rows: Sequence[_Row]) -> list[list[_Row]]:
    return [[row for row in rows if row.page == number] for number in dict.fromkeys(row.page for row in rows)]


def _without_sums(rows: Sequence[_Row], in_front: int, behind: int) -> Sequence[_Row]:
    """Return the rows without sums of at least so many rows directly in front of them, or behind them."""
    kept = _without_sums_of_rows_in_front(rows, in_front)
    return _without_sums_of_rows_in_front(kept[::-1], behind)[::-1]


def _without_sums_of_rows_in_front(rows: Sequence[_Row], least: int) -> Sequence[_Row]:
    if not least:
        return rows
    kept: list[_Row] = []
    total, count = Decimal(0), 0
    counts = {total: count}  # of the amounts that made a total first
    for row in rows:
        if row.amount is not None:
            is_sum = counts.get(total - row.amount, count) <= count - (least if row.words else 2)
            is_repeated = bool(kept) and kept[-1].words == row.words and kept[-1].amount == row.amount
            if row.is_bare and row.amount and is_sum and not is_repeated:
                continue
            total, count = total + row.amount, count + 1
            counts.setdefault(total, count)
        kept.append(row)
    return kept


def _on_some_pages(rows: Sequence[_Row], sums: set[Decimal]) -> Iterator[Sequence[_Row]]:
    """Yield the rows on consecutive pages that make a sum of the document: without a summary, or without an annex.

    Not if the first of them may be the sum that is carried from the pages in front.
    """
    pages = _by_page(rows)
    totals = list(accumulate(map(_total, pages), initial=Decimal(0)))
    for first, last in combinations(range(len(totals)), 2):
        part = list(chain(*pages[first:last])) if totals[last] - totals[first] in sums else []
        if len(part) >= MIN_ROWS and not (first and part[0].is_bare and _is_most_of(part[0], totals[first])):
            yield part


def _is_most_of(row: _Row, total: Decimal) -> bool:
    return row.amount is not None and abs(row.amount) > abs(total) / 2
