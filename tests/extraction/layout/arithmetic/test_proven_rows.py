"""Rows that are no items are left out where the others then make the total."""

from dataclasses import replace
from decimal import Decimal

import pytest

from docextract.documents import document_types
from docextract.extraction.layout.arithmetic.proven_rows import leave_out_other_rows
from docextract.extraction.layout.candidates import Candidate, Candidates
from tests.extraction.layout.conftest import INVOICE

LEAVES = ("description", "unit_price", "amount")
ITEMS = [("Paint", "4.00", "4.00"), ("Brush", "6.00", "6.00")]


@pytest.fixture
def page(line, invoice):
    """A page with one line of print in each of ten rows; a row of the items has the piece of its line."""
    return invoice(*((line(str(number), 0, 40 * number), {}) for number in range(10)))


def candidate(name, text, at):
    value = Decimal(text) if text.replace(".", "").replace("-", "").isdigit() else text
    return Candidate(name, text, value, (at,), 0.9, 0.9, 1.0, 1.0)


def kept(page, rows, below=(), is_part=False, **sums):
    """The descriptions or amounts of the rows that stay. below: rows in the lines below the sums."""
    places = [*enumerate(rows), *enumerate(below, start=len(rows) + 1)]
    cells = [
        {
            leaf: candidate(f"line_items.{leaf}", text, at)
            for leaf, text in zip(LEAVES, row, strict=True)
            if text is not None
        }
        for at, row in places
    ]
    fields = {name: candidate(name, text, len(rows)) for name, text in sums.items()}
    found = leave_out_other_rows(Candidates(fields, {"line_items": cells}), INVOICE, page, is_part)
    return [next(iter(row.values())).content for row in found.groups["line_items"]]


@pytest.mark.parametrize("name", ["subtotal", "total"])
def test_sums_of_groups_are_left_out(page, name):
    """They have no price, and are the sum of the rows in front of them."""
    rows = [*ITEMS, ("Department total", None, "10.00"), ("Nails", "5.00", "5.00"), ("Glue", None, "1.00")]

    assert kept(page, rows, **{name: "16.00"}) == ["Paint", "Brush", "Nails", "Glue"]


@pytest.mark.parametrize(("total", "names"), [("10.00", ["Paint", "Brush"]), ("9.00", ["Paint", "Brush", "Discount"])])
def test_discounts_that_are_in_the_amount_above_are_left_out(page, total, names):
    assert kept(page, [*ITEMS, ("Discount", None, "-1.00")], total=total) == names


def test_rows_below_the_total_are_left_out(page):
    """Overdue invoices, on which it says nothing."""
    assert kept(page, ITEMS, below=[("VF 55300", None, "1437.09")], total="10.00") == ["Paint", "Brush"]


def test_rows_without_a_description_are_left_out(page):
    assert kept(page, [*ITEMS, (None, "10.00", "72.00")], total="10.00") == ["Paint", "Brush"]


def test_different_reasons_may_apply_together(page):
    rows, below = [*ITEMS, ("Department total", None, "10.00")], [("Cash", None, "20.00")]

    assert kept(page, rows, below=below, total="10.00") == ["Paint", "Brush"]


def test_rows_stay_where_no_sum_proves_anything(page):
    """The total is another, there is none, or all rows together already make it."""
    total_of_group = [*ITEMS, ("Department total", None, "10.00")]

    assert len(kept(page, total_of_group, total="11.00")) == 3
    assert len(kept(page, total_of_group)) == 3
    assert len(kept(page, total_of_group, total="20.00")) == 3
    assert len(kept(page, ITEMS, below=[("Tip", None, "3.00")], total="13.00")) == 3


def test_priced_and_described_items_stay(page):
    """Although the sum would be right without them: it may also be right by chance."""
    assert len(kept(page, [*ITEMS, ("Nails", "10.00", "10.00")], total="10.00")) == 3


def test_rows_below_the_sum_of_a_group_stay(page):
    """It may be taken for the subtotal, or for the total of a page: rows with a price and pages of several stay."""
    assert len(kept(page, ITEMS, below=[("Nails", "5.00", "5.00")], total="10.00")) == 3
    assert len(kept(page, ITEMS, below=[("Nails", None, "5.00")], total="10.00", is_part=True)) == 3
    assert len(kept(page, ITEMS, below=[("Nails", None, "5.00")], subtotal="10.00")) == 3


def test_other_types_and_empty_pages_stay(page):
    licence = document_types()["driver_licence"]
    nothing = Candidates({}, {})

    assert leave_out_other_rows(nothing, licence, page) == nothing
    assert leave_out_other_rows(replace(nothing, groups={"line_items": []}), INVOICE, page).groups == {"line_items": []}


def test_a_payment_above_the_subtotal_is_left_out(page):
    """Tills print the card that pays the total directly below the items."""
    rows = [*ITEMS, ("Card 4418", None, "10.80")]

    assert kept(page, rows, subtotal="10.00", total_tax="0.80", total="10.80") == ["Paint", "Brush"]


def test_an_item_that_costs_the_total_stays(page):
    """Beside others that a discount of their own sum takes away."""
    rows = [("Paint", None, "10.80"), ("Brush", None, "2.00"), ("Coupon", None, "-2.00")]

    assert kept(page, rows, total="10.80") == ["Paint", "Brush", "Coupon"]
