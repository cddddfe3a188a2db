"""Leaves out rows that only repeat other rows of a document: sums carried from page to page, and pages that are copies.

Both are proven by the values: such a sum is that of the rows in front of it, and without it the rows make a sum of the
document; a copy has all values of its original.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from docextract.documents.base import DocumentType, RowRule
from docextract.predictions import PagePrediction, PredictedValue

NUMBER, TOTAL, DESCRIPTION = "document_number", "total", "description"
MIN_SUMMED_ROWS = 2  # in front of a sum; one row may have the amount of the next one by chance

PageRows = Sequence[Mapping[str, PredictedValue]]


def without_repeated_rows(
    pages: Sequence[PagePrediction], kind: DocumentType, sums: frozenset[Decimal]
) -> list[dict[str, PageRows]]:
    """Return the rows of each page of a document, by list, without those of copies and without carried sums.

    sums: the sums on the document. A list whose rows make one of them stays as it is.
    """
    if len(pages) < 2:
        return [dict(page.groups) for page in pages]
    copies = find_copies(pages)
    lists: list[dict[str, PageRows]] = [{} for _ in pages]
    for group in dict.fromkeys(name for page in pages for name in page.groups):
        rows: list[PageRows] = [page.groups.get(group, ()) for page in pages]
        amounts = RowRule.of(field for field in kind.fields() if field.group == group).amounts
        if not _make_sum(rows, amounts, sums):
            rows = [() if at in copies else some for at, some in enumerate(rows)]
            rest = _without_carried_sums(rows, amounts[-1]) if amounts else rows
            rows = rest if _make_sum(rest, amounts, sums) else rows
        for own, some in zip(lists, rows, strict=True):
            own[group] = some
    return lists


def _make_sum(rows: Iterable[PageRows], amounts: Sequence[str], sums: frozenset[Decimal]) -> bool:
    """Whether the amounts of the rows of all pages add up to a sum on the document; a list may have no amounts."""
    return bool(amounts) and sum(_amounts(chain(*rows), amounts[-1])) in sums


def find_copies(pages: Sequence[PagePrediction]) -> set[int]:
    """Return the indices of pages that repeat the number, the total and all rows of earlier ones.

    Pages up to one with a total are compared together, because those before the last one may have no total. Pages with
    neither rows nor a total do not count.
    """
    copies: set[int] = set()
    known: set[tuple[Any, ...]] = set()
    run: list[int] = []
    for at, page in enumerate(pages):
        if not page.groups and TOTAL not in page.fields:
            continue
        run.append(at)
        if TOTAL in page.fields:
            values = tuple(_values(pages[index]) for index in run)
            if values in known:
                copies.update(run)
            elif any(NUMBER in pages[index].fields and pages[index].groups for index in run):
                known.add(values)
            run = []
    return copies


def _values(page: PagePrediction) -> tuple[Any, ...]:
    """Return what a copy of a page has in common with it."""
    fields = [page.fields[name].value if name in page.fields else None for name in (NUMBER, TOTAL)]
    cells = [
        (group, at, leaf, comparable(one.value))
        for group, rows in page.groups.items()
        for at, row in enumerate(rows)
        for leaf, one in row.items()
    ]
    return (*map(comparable, fields), frozenset(cells))


def comparable(value: Any) -> Any:
    """Return a value without what pages print differently: case, spaces and punctuation."""
    return "".join(filter(str.isalnum, value.upper())) if isinstance(value, str) else value


def _without_carried_sums(pages: Sequence[PageRows], amount: str) -> list[PageRows]:
    """Leave out first and last rows of pages that are the sum of the rows in front of them, of all pages or their own.

    Such a row has no value but its amount and a description. pages: the rows of one list, by page.
    """
    before: list[Decimal] = []  # amounts of earlier pages
    kept: list[PageRows] = []
    for rows in pages:
        if rows and _is_sum(rows[0], amount, before):
            rows = rows[1:]
        if rows:
            own = _amounts(rows[:-1], amount)
            if any(_is_sum(rows[-1], amount, some) for some in ([*before, *own], own)):
                rows = rows[:-1]
        kept.append(rows)
        before += _amounts(rows, amount)
    return kept


def _amounts(rows: Iterable[Mapping[str, PredictedValue]], amount: str) -> list[Decimal]:
    return [row[amount].value for row in rows if amount in row]


def _is_sum(row: Mapping[str, PredictedValue], amount: str, before: Sequence[Decimal]) -> bool:
    has_others = bool(row.keys() - {amount, DESCRIPTION})
    if amount not in row or has_others or len(before) < MIN_SUMMED_ROWS:
        return False
    return bool(row[amount].value == sum(before) != 0)
