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
    """Behind their rows or beside the heading in front of them, and of one row, too."""
    behind = [*goods(12, 20), row("Total cables", 32), *goods(5), row("Total tools", 5)]
    in_front = [row("Mr Smith", 32), *goods(12, 20), row("Ms Miller", 5), *goods(5)]

    assert kept(behind, sums=[37]) == [[12, 20, 5]]
    assert kept(in_front, sums=[37]) == [[12, 20, 5]]
    assert kept(in_front, sums=[38]) == [[32, 12, 20, 5, 5]]  # nothing proves it


def test_a_sum_of_three_rows_proves_itself_unless_it_is_round():
    assert kept([*goods(12, 20, 31), row("Work", 63), *goods(5)]) == [[12, 20, 31, 5]]
    assert kept([*goods(12, 20, 38), row("Work", 70), *goods(5)]) == [[12, 20, 38, 70, 5]]
    assert kept([*goods(12, 20), row("Work", 32), *goods(5)]) == [[12, 20, 32, 5]]
    assert kept([*goods(12, 20, 31), row("Work", 63, quantity=Decimal(2))]) == [[12, 20, 31, 63]]


def test_a_sum_of_hours_has_no_description():
    hours = row(None, 63, quantity=Decimal("7.5"))

    assert kept([*goods(12, 20, 31), hours]) == [[12, 20, 31]]


def test_a_summary_repeats_the_sums_of_sections():
    assert kept([*goods(12, 20, 31), row("Cables", 63), *goods(5)], [row("Cables", 63), *goods(4)]) == [
        [12, 20, 31, 5], [4],
    ]  # fmt: skip


@pytest.mark.parametrize("words", ["Übertrag", "Übertrag von Seite 1", "Carried forward 11.1", "Report"])
def test_words_for_a_carried_sum_are_enough(words):
    """One of its rows may be lost, so that it is the sum of no others."""
    assert kept(goods(12, 20), [row(words, 44), *goods(5)]) == [[12, 20], [5]]
    assert kept(goods(12, 20), [row("Transport", 44), *goods(5)]) == [[12, 20], [44, 5]]
    assert kept(goods(12, 20), [row(words, 44), *goods(5)], sums=[81]) == [[12, 20], [44, 5]]  # a row, by the sum


def test_an_annex_and_a_summary_are_no_part_of_the_list():
    """The rows on the pages between them make a sum of the document."""
    calls, summary = goods(1, 2, 1), [row("Mr Smith", 43), row("Ms Miller", 9)]

    assert kept(goods(12, 20, 5), calls, sums=[37]) == [[12, 20, 5], []]
    assert kept(summary, goods(12, 20), [*goods(20), row("Report", 32)], calls, sums=[52]) == [[], [12, 20], [20], []]
    assert kept(goods(12, 25), calls, sums=[37]) == [[12, 25], [1, 2, 1]]  # two rows may make it by chance


def test_the_sum_that_a_page_begins_with_stands_for_the_pages_in_front():
    """It has a row more than was found, so that only with it the last page makes the total."""
    assert kept(goods(12, 20), [row("Page 1", 44), *goods(5, 6)], sums=[55]) == [[12, 20], [44, 5, 6]]


def test_a_table_of_taxes_has_no_descriptions():
    taxes = [row(None, 3, tax_rate=Decimal(9)), row(None, 2, tax_rate=Decimal(6))]

    assert kept(goods(12, 20, 5), taxes) == [[12, 20, 5], []]
    assert kept(goods(12, 20), taxes) == [[12, 20], [3, 2]]
    assert kept(taxes, goods(12, 20, 5)) == [[3, 2], [12, 20, 5]]


def test_a_list_that_makes_a_sum_is_complete():
    pages = [[*goods(12, 20, 31), row("Delivery", 63)], [row("Übertrag", 4)]]

    assert kept(*pages, sums=[130]) == [[12, 20, 31, 63], [4]]


def test_free_rows_are_no_sums():
    assert kept([*goods(12, -12, 5), row("Gift", 0)], sums=[5]) == [[12, -12, 5, 0]]
    assert kept([*goods(12, -12, 5), row("Gift", 0)]) == [[12, -12, 5, 0]]
