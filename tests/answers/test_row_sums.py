"""Rows that are sums of others, and rows of annexes."""

from decimal import Decimal

import pytest

from docextract.answers.row_sums import without_sums
from docextract.documents import document_types
from docextract.documents.base import RowRule
from docextract.predictions import PredictedValue

RULE = RowRule.of(field for field in document_types()["invoice"].fields() if field.group == "line_items")


def value(meaning):
    return PredictedValue(str(meaning), meaning, 0.9, ())


def row(description, amount, **others):
    own = {"description": description, "amount": Decimal(amount)} | others
    return {leaf: value(one) for leaf, one in own.items() if one is not None}


def goods(*amounts):
    return [row(f"Cable {amount}", amount, quantity=Decimal(1)) for amount in amounts]


def kept(*pages, sums=()):
    """The amounts of the rows of each page."""
    found = without_sums(pages, RULE, frozenset(map(Decimal, sums)))
    return [[int(one["amount"].value) for one in page] for page in found]


def test_sums_of_sections_are_no_rows():
    """Behind their rows or beside the heading in front of them, and of one row, too; the rest makes a sum."""
    behind = [*goods(12, 20), row("Total cables", 32), *goods(5), row("Total tools", 5)]
    in_front = [row("Mr Smith", 32), *goods(12, 20), row("Ms Miller", 5), *goods(5)]

    assert kept(behind, sums=[37]) == [[12, 20, 5]]
    assert kept(in_front, sums=[37]) == [[12, 20, 5]]
    assert kept(in_front, sums=[38]) == [[32, 12, 20, 5, 5]]
    assert kept([row("All", 32), *goods(12, 20), row("Tools", 9), *goods(4), row("Pens", 5), *goods(5)], sums=[41]) == [
        [12, 20, 4, 5],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "rows",
    [
        [*goods(12, 20, 31), row("Work", 63), *goods(5)],  # no sum of the document proves it
        [*goods(12, 20), row("Freight", 32, quantity=Decimal(2)), *goods(5)],
        [*goods(12, 20), row("Freight", 32, product_code="F1"), *goods(5)],
        [*goods(12), row(None, 12, quantity=Decimal(2)), *goods(13)],  # of one row
        [row("Coffee", 12), row("Coffee", 12), *goods(13)],  # the same again
        [*goods(12, -12, 5), row("Gift", 0), *goods(20)],
    ],
)
def test_other_rows_stay(rows):
    assert kept(rows, sums=[37, 25]) == [[int(one["amount"].value) for one in rows]]


def test_a_sum_of_hours_has_no_description():
    assert kept([*goods(12, 20), row(None, 32, quantity=Decimal("7.5")), *goods(5)], sums=[37]) == [[12, 20, 5]]


@pytest.mark.parametrize("words", ["Übertrag", "Übertrag von Seite 1", "Carried forward 11.1"])
def test_words_for_a_carried_sum_are_enough_where_pages_begin_and_end(words):
    """One of its rows may be lost, so that it is the sum of no others."""
    assert kept(goods(12, 20), [row(words, 44), *goods(5)]) == [[12, 20], [5]]
    assert kept([*goods(12, 20), row(words, 44)], goods(5)) == [[12, 20], [5]]
    assert kept(goods(12, 20), [row(words, 44), *goods(5)], sums=[81]) == [[12, 20], [44, 5]]  # a row, by the sum
    assert kept(goods(12, 20), [*goods(5), row(words, 44), *goods(6)]) == [[12, 20], [5, 44, 6]]
    assert kept([row(words, 44), *goods(5)]) == [[44, 5]]  # one page


@pytest.mark.parametrize("words", ["Transport", "Report", "Riporto terreno", "Übertrag Immobilie"])
def test_other_words_are_goods(words):
    assert kept(goods(12, 20), [row(words, 44), *goods(5)]) == [[12, 20], [44, 5]]


def test_an_annex_and_a_summary_are_no_part_of_the_list():
    """The rows on the pages between them make a sum of the document."""
    calls, summary = goods(1, 2, 1), [row("Mr Smith", 43), row("Ms Miller", 9)]

    assert kept(goods(12, 20, 5), calls, sums=[37]) == [[12, 20, 5], []]
    assert kept(summary, goods(12, 20), [*goods(20), row("Sum", 52)], calls, sums=[52]) == [[], [12, 20], [20], []]
    assert kept(goods(12, 25), calls, sums=[37]) == [[12, 25], [1, 2, 1]]  # two rows may make it by chance
    assert kept(goods(12, 20, 5), calls, sums=[37, 60]) == [[12, 20, 5], [1, 2, 1]]  # 37 may be the sum of a page
    assert kept(goods(12, -12, 0), calls, sums=[0]) == [[12, -12, 0], [1, 2, 1]]  # nothing proves nothing


@pytest.mark.parametrize("sign", [1, -1])
def test_the_sum_that_a_page_begins_with_stands_for_the_pages_in_front(sign):
    """A row was lost on the first page, so that only with its sum the last page makes the total."""
    first, last = goods(12 * sign, 20 * sign), [row("Page 1", 44 * sign), *goods(5 * sign, 6 * sign)]
    others = [row("Freight", 14 * sign), *goods(5 * sign, 6 * sign)]

    assert kept(first, last, sums=[55 * sign]) == [[12 * sign, 20 * sign], [44 * sign, 5 * sign, 6 * sign]]
    assert kept(first, others, sums=[25 * sign]) == [[], [14 * sign, 5 * sign, 6 * sign]]


def test_a_table_of_taxes_has_neither_descriptions_nor_quantities():
    taxes = [row(None, 3, tax_rate=Decimal(9), product_code="9405"), row(None, 2, tax_rate=Decimal(6))]
    unread = [row(None, 30, quantity=Decimal(2), product_code="A"), row(None, 40, quantity=Decimal(2))]

    assert kept(goods(12, 20, 5), taxes) == [[12, 20, 5], []]
    assert kept(goods(12, 20), taxes) == [[12, 20], [3, 2]]
    assert kept(taxes, goods(12, 20, 5)) == [[3, 2], [12, 20, 5]]
    assert kept(goods(12, 20, 5), unread) == [[12, 20, 5], [30, 40]]


def test_a_list_that_makes_a_sum_is_complete():
    pages = [[*goods(12, 20, 31), row("Delivery", 63)], [row("Übertrag", 4)]]

    assert kept(*pages, sums=[130]) == [[12, 20, 31, 63], [4]]
