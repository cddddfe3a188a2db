"""Leaves out rows that are sums of other rows, and rows of annexes, such as the calls on a telephone bill.

Sums are carried from page to page, close a section of a list, or stand beside its heading. They are proven by the
values: without them the rows make a sum of the document, or so many rows make the sum that it is none by chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate, chain, combinations
from typing import NamedTuple

from docextract.documents.base import RowRule
from docextract.documents.printed_labels import is_caption
from docextract.predictions import PredictedValue

DESCRIPTION = "description"
MAX_CAPTION_WORDS = 4
MIN_ROWS = 3  # of a list that makes a sum of the document and has other rows on pages in front or behind
MIN_SUMMED_ROWS = 3  # that make a sum which nothing else proves, and which is no round number
ROUND_AMOUNT = 10
# So many rows in front of a sum and behind it make it at least, where the document proves it; 0: no sum is there.
PROVEN_BY_DOCUMENT = ((2, 0), (0, 2), (2, 2), (1, 0), (0, 1))

Row = Mapping[str, PredictedValue]


class _Row(NamedTuple):
    """What is needed of one row. least: how many rows it is the sum of at least; 0: it is no sum."""

    at: int
    page: int
    amount: Decimal | None
    least: int
    is_described: bool
    is_carried: bool


def without_sums(pages: Sequence[Sequence[Row]], rule: RowRule, sums: frozenset[Decimal]) -> list[list[Row]]:
    """Return the rows of each page without sums of other rows, and without annexes.

    pages: the rows of one list with amounts, by page. sums: of the document; a list that makes one of them is complete.
    """
    of_pages = [(number, row) for number, page in enumerate(pages) for row in page]
    kept = _rows_of_list([_reduced(at, number, row, rule) for at, (number, row) in enumerate(of_pages)], sums)
    found: list[list[Row]] = [[] for _ in pages]
    for row in kept:
        found[row.page].append(of_pages[row.at][1])
    return found


def _reduced(at: int, page: int, row: Row, rule: RowRule) -> _Row:
    amount = row[rule.amount_of_row].value if rule.amount_of_row in row else None
    # Without a description it may be the sum of the hours and of their amounts.
    least = 2 if DESCRIPTION not in row else 0 if row.keys() & rule.numbers - {rule.amount_of_row} else 1
    return _Row(at, page, amount, least, DESCRIPTION in row, least == 1 and _names_carried_sum(row))


def _names_carried_sum(row: Row) -> bool:
    """Whether the description of a row begins with words for a sum that is carried from page to page."""
    words = row[DESCRIPTION].content.split()[:MAX_CAPTION_WORDS]
    return any(is_caption(" ".join(words[:end]), "carried_sum") for end in range(1, len(words) + 1))


def _rows_of_list(rows: Sequence[_Row], sums: frozenset[Decimal]) -> Sequence[_Row]:
    if _total(rows) in sums:
        return rows
    goods = [row for row in _on_described_pages(rows) if not row.is_carried]
    found: set[Decimal] = set()
    likely = _without_sums(goods, (MIN_SUMMED_ROWS, MIN_SUMMED_ROWS), found, may_be_round=False)
    lists = [likely, *(_without_sums(goods, counts, set()) for counts in PROVEN_BY_DOCUMENT)]
    for kept in lists:
        if _total(kept) in sums:
            return kept
    carried = found | {row.amount for row in rows if row.is_carried}
    parts = [part for kept in (goods, *lists) for part in _on_some_pages(kept, sums - carried)]
    return max(parts, key=len, default=likely)


def _total(rows: Sequence[_Row]) -> Decimal:
    return sum((row.amount for row in rows if row.amount is not None), Decimal(0))


def _on_described_pages(rows: Sequence[_Row]) -> list[_Row]:
    """Return the rows without those on pages of which none has a description, behind a list: tables of taxes."""
    described = [row.page for row in rows if row.is_described]
    is_list = len(described) >= MIN_ROWS
    return [row for row in rows if row.page in described or not is_list or row.page < described[0]]


def _without_sums(
    rows: Sequence[_Row], counts: tuple[int, int], found: set[Decimal], may_be_round: bool = True
) -> Sequence[_Row]:
    """Return the rows without sums. counts: see PROVEN_BY_DOCUMENT. found: gets the sums."""
    in_front, behind = counts
    kept = _without_sums_of_rows_in_front(rows, in_front, found, may_be_round)
    return _without_sums_of_rows_in_front(kept[::-1], behind, found, may_be_round)[::-1]


def _without_sums_of_rows_in_front(
    rows: Sequence[_Row], least: int, found: set[Decimal], may_be_round: bool
) -> Sequence[_Row]:
    kept: list[_Row] = []
    total, count = Decimal(0), 0
    counts = {total: count}  # of the amounts that made a total first
    for row in rows if least else ():
        if row.amount is not None:
            is_sum = counts.get(total - row.amount, count) <= count - max(least, row.least)
            may_be_sum = row.amount != 0 and row.least and (may_be_round or row.amount % ROUND_AMOUNT)
            if may_be_sum and (is_sum or row.amount in found):  # a summary has the sums of sections again
                found.add(row.amount)
                continue
            total, count = total + row.amount, count + 1
            counts.setdefault(total, count)
        kept.append(row)
    return kept if least else rows


def _on_some_pages(rows: Sequence[_Row], sums: frozenset[Decimal]) -> Iterator[Sequence[_Row]]:
    """Yield the rows on consecutive pages that make a sum of the document: without a summary, or without an annex.

    None behind other pages that begin with what may be the sum carried from these.
    """
    pages = [[row for row in rows if row.page == number] for number in dict.fromkeys(row.page for row in rows)]
    totals = list(accumulate(map(_total, pages), initial=Decimal(0)))
    for first, last in combinations(range(len(totals)), 2):
        part = list(chain(*pages[first:last])) if totals[last] - totals[first] in sums else []
        if len(part) >= MIN_ROWS and not (part[0].least and _is_most_of(part[0].amount, totals[first])):
            yield part


def _is_most_of(amount: Decimal | None, total: Decimal) -> bool:
    return amount is not None and total > 0 and amount > total / 2
