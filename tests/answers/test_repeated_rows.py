"""Rows that repeat other rows of a document: sums carried from page to page, and copies."""

from decimal import Decimal

import pytest

from docextract.answers.repeated_rows import without_repeated_rows
from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue

INVOICE = document_types()["invoice"]
ITEMS = "line_items"


def value(meaning):
    return PredictedValue(str(meaning), meaning, 0.9, ())


def row(description, amount, **others):
    own = {"description": description, "amount": Decimal(amount)} | others
    return {leaf: value(one) for leaf, one in own.items()}


def goods(*amounts):
    return [row(f"Cable {amount}", amount, quantity=Decimal(1)) for amount in amounts]


def page(*rows, number="INV-7", **fields):
    values = {"document_number": number} | fields
    found = {name: value(one) for name, one in values.items() if one is not None}
    return PagePrediction("invoice", 0.9, Conventions(), found, {ITEMS: tuple(rows)} if rows else {})


def kept(*pages, sums=()):
    """The amounts of the rows of each page."""
    found = without_repeated_rows(pages, INVOICE, frozenset(map(Decimal, sums)))
    return [[int(one["amount"].value) for one in rows.get(ITEMS, ())] for rows in found]


def test_sums_carried_from_page_to_page_are_no_rows():
    """At the end of a page, at the beginning of the next one, or on both; of all pages or of their own rows."""
    pages = [
        page(*goods(10, 20), row("Carried forward", 30)),
        page(row("Brought forward", 30), *goods(5, 7), row("Carried forward", 42)),
        page(row("Brought forward", 42), *goods(1, 2), row("Page total", 3)),
    ]

    assert kept(*pages, sums=[45]) == [[10, 20], [5, 7], [1, 2]]


@pytest.mark.parametrize(
    ("pages", "sums"),
    [
        ([page(*goods(10, 20)), page(row("Freight", 31), *goods(5))], []),  # another amount
        ([page(*goods(10, 20)), page(*goods(30, 5))], []),  # with a quantity
        ([page(*goods(10)), page(row("Freight", 10), *goods(5))], []),  # that of one row only
        ([page(*goods(10, 20)), page(row("Freight", 30), *goods(5))], [65]),  # the sum has it
        ([page(*goods(10, 20), row("Freight", 30))], []),  # one page
        ([page(*goods(100, 100), row("Cable", 200)), page(row("Cable", 50))], [535]),  # no sum without it, either
        ([page(*goods(10, -10), row("Free", 0)), page(*goods(5))], [5]),  # nothing is carried
    ],
)
def test_other_rows_stay_where_pages_begin_and_end(pages, sums):
    assert kept(*pages, sums=sums) == [[int(one["amount"].value) for one in p.groups[ITEMS]] for p in pages]


def test_rows_of_a_copy_count_once():
    """Also of two pages, of which only the second has a total, and behind a page without rows."""
    first, second, terms = page(*goods(10, 20)), page(*goods(5), number=None, total=Decimal(35)), page()
    only = page(*goods(10, 20), total=Decimal(30))

    assert kept(only, terms, only) == [[10, 20], [], []]
    assert kept(first, second, first, second) == [[10, 20], [5], [], []]
    assert kept(second, second) == [[5], [5]]  # no number
    assert kept(first, second, page(*goods(10, 20), number="inv 7"), second) == [[10, 20], [5], [], []]


@pytest.mark.parametrize(
    "other",
    [
        page(*goods(10, 20), total=Decimal(30), number="INV-8"),
        page(*goods(10, 21), total=Decimal(30)),
        page(*goods(10, 20), total=Decimal(60)),
    ],
)
def test_a_page_with_another_value_is_no_copy(other):
    assert kept(page(*goods(10, 20), total=Decimal(30)), other)[1]


def test_equal_pages_that_make_the_total_are_no_copies():
    """Each has ten tickets."""
    one = page(*goods(10, 20), total=Decimal(60))

    assert kept(one, one, sums=[60]) == [[10, 20], [10, 20]]
