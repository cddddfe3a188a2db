"""Discounts and deposits that the network takes for no rows are some where the items then make the subtotal."""

import pytest

from docextract.extraction.layout.arithmetic.missed_rows import add_missed_rows
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups
from tests.extraction.layout.conftest import INVOICE, RECEIPT


@pytest.fixture
def amounts(line, invoice):
    """Return a function that decodes a page with items of 80 and 20, other lines, and a subtotal."""

    def decode(*others, subtotal="95.00", is_part=False):
        items = [
            (line("Tea", 0, 0), {"line_items.description": 0.9}),
            (line("80.00", 400, 0), {"line_items.amount": 0.9}),
        ]
        items += [
            (line("Rice", 0, 80), {"line_items.description": 0.9}),
            (line("20.00", 400, 80), {"line_items.amount": 0.9}),
        ]
        page = invoice(*items, *others, (line("Subtotal", 0, 160), {}), (line(subtotal, 400, 160), {"subtotal": 0.9}))
        found = add_missed_rows(Candidates(decode_fields(page), decode_groups(page)), INVOICE, page, is_part)
        rows = found.groups["line_items"]
        return [(row["description"].content, str(row["amount"].value)) for row in rows], set(found.fields)

    return decode


ITEMS = [("Tea", "80.00"), ("Rice", "20.00")]


@pytest.mark.parametrize("text", ["(5.00)", "- 5.00"])
@pytest.mark.parametrize(("y", "at"), [(40, 1), (120, 2)])
def test_a_discount_that_the_subtotal_proves_is_a_row(amounts, line, text, y, at):
    discount = [(line("Loyalty", 0, y), {}), (line(text, 450 - 10 * len(text), y), {"total_discount": 0.4})]

    rows, fields = amounts(*discount)

    assert rows == [*ITEMS[:at], ("Loyalty", "-5.00"), *ITEMS[at:]]
    assert fields == {"subtotal"}


@pytest.mark.parametrize(
    ("text", "x", "share", "subtotal"),
    [
        ("(5.00)", 390, 0.0, "100.00"),  # the items make the subtotal without it
        ("(5.00)", 390, 0.0, "90.00"),  # nor with it
        ("(5.00)", 200, 0.0, "95.00"),  # in another column
        ("(5.00)", 390, 0.9, "95.00"),  # of a single field
        ("5.00", 400, 0.0, "105.00"),  # a price
    ],
)
def test_other_numbers_are_no_discount(amounts, line, text, x, share, subtotal):
    fields = {"total_discount": share} if share else {}

    rows, _ = amounts((line("Loyalty", 0, 120), {}), (line(text, x, 120), fields), subtotal=subtotal)

    assert rows == ITEMS


def test_pages_of_a_longer_document_get_no_discount(amounts, line):
    """The missing rows may be on another one."""
    discount = [(line("Loyalty", 0, 120), {}), (line("(5.00)", 390, 120), {})]

    assert amounts(*discount, is_part=True)[0] == ITEMS


@pytest.fixture
def bill(line, receipt):
    """Return a function that makes a receipt of items of 80 and 20, and lines of words, an amount and its fields."""

    def make(*others):
        known = [("Tea", "80.00", {"line_items.amount": 0.9}), ("Rice", "20.00", {"line_items.amount": 0.9})]
        printed = []
        for at, (words, amount, fields) in enumerate([*known, *others]):
            printed += [
                (line(words, 0, 40 * at), {"line_items.description": 0.9} if at < 2 else {}),
                (line(amount, 450 - 10 * len(amount), 40 * at), fields),
            ]
        return receipt(*printed)

    return make


@pytest.mark.parametrize(
    ("share", "rows"), [(0.4, [*ITEMS, ("PANTTI", "5.00")]), (0.2, ITEMS)], ids=["likely", "unlikely"]
)
@pytest.mark.parametrize("name", ["subtotal", "total"])
def test_an_item_whose_name_the_network_does_not_know_is_a_row(bill, name, share, rows):
    """It knows the amount, of which alone a row is none."""
    page = bill(("PANTTI", "5.00", {"line_items.amount": share}), ("Sum", "105.00", {name: 0.9}))

    found = add_missed_rows(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert [(row["description"].content, str(row["amount"].value)) for row in found.groups["line_items"]] == rows


def test_an_item_above_the_first_row_is_one(line, receipt):
    page = receipt(
        (line("Brauð", 0, 0), {}), (line("5.00", 410, 0), {"line_items.amount": 0.9}),
        (line("Tea", 0, 40), {"line_items.description": 0.9}), (line("80.00", 400, 40), {"line_items.amount": 0.9}),
        (line("Total", 0, 80), {}), (line("85.00", 400, 80), {"total": 0.9}),
    )  # fmt: skip
    found = add_missed_rows(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert [row["description"].content for row in found.groups["line_items"]] == ["Brauð", "Tea"]


def test_an_item_that_looks_like_a_total_is_one(bill):
    page = bill(("Km", "227.20", {"total": 0.5, "line_items.amount": 0.4}), ("Total", "327.20", {"total": 0.9}))

    found = add_missed_rows(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page)

    assert str(found.groups["line_items"][-1]["amount"].value) == "227.20"


@pytest.mark.parametrize(
    ("words", "amount", "fields", "total"),
    [
        ("Rounding", "- 0.08", {}, "99.92"),
        ("Sales tax", "5.00", {"total_tax": 0.45, "line_items.amount": 0.35}, "105.00"),
    ],
)
def test_what_rounds_or_taxes_the_items_is_no_row(bill, words, amount, fields, total):
    page = bill((words, amount, fields), ("Total", total, {"total": 0.9}))
    before = Candidates(decode_fields(page), decode_groups(page))

    assert add_missed_rows(before, RECEIPT, page) is before
