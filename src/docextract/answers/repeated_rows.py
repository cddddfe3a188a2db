"""Leaves out rows that only repeat other rows of a document: sums of other rows, and pages that are copies.

Both are proven by the values, see `docextract.answers.row_sums`; a copy has all values of its original.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import chain
from typing import Any

from docextract.answers.row_sums import DESCRIPTION, without_sums
from docextract.documents.base import DocumentType, RowRule
from docextract.predictions import PagePrediction, PredictedValue

NUMBER, TOTAL = "document_number", "total"

PageRows = Sequence[Mapping[str, PredictedValue]]


def without_repeated_rows(
    pages: Sequence[PagePrediction], kind: DocumentType, sums: frozenset[Decimal], complete: Set[str] = frozenset()
) -> list[dict[str, PageRows]]:
    """Return the rows of each page of a document, by list, without those of copies and without sums.

    sums: the sums on the document. A list whose rows make one of them stays as it is. So do those in `complete`.
    """
    if len(pages) < 2:
        return [dict(page.groups) for page in pages]
    copies = find_copies(pages)
    lists: list[dict[str, PageRows]] = [{} for _ in pages]
    for group in dict.fromkeys(name for page in pages for name in page.groups):
        rows: list[PageRows] = [page.groups.get(group, ()) for page in pages]
        fields = [field for field in kind.fields() if field.group == group]
        rule = RowRule.of(fields)
        if group not in complete and not _make_sum(rows, rule, sums):
            rows = [() if at in copies else some for at, some in enumerate(rows)]
            if rule.amounts and any(field.leaf == DESCRIPTION for field in fields):
                rows = [*without_sums(rows, rule, sums)]
        for own, some in zip(lists, rows, strict=True):
            own[group] = some
    return lists


def _make_sum(rows: Iterable[PageRows], rule: RowRule, sums: frozenset[Decimal]) -> bool:
    """Whether the amounts of the rows of all pages add up to a sum on the document; a list may have no amounts."""
    if not rule.amounts:
        return False
    return sum(row[rule.amount_of_row].value for row in chain(*rows) if rule.amount_of_row in row) in sums


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
