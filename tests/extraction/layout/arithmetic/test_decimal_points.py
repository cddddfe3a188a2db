"""Decimal points that OCR has lost are restored where sums prove them, or where all other amounts have cents."""

from dataclasses import replace
from decimal import Decimal
from itertools import count

import pytest

from docextract.documents import document_types
from docextract.extraction.layout.arithmetic.decimal_points import restore_points
from docextract.extraction.layout.candidates import Candidate, Candidates

RECEIPT = document_types()["receipt"]
PIECES = count()  # each number is printed in a place of its own
COLUMNS = ("quantity", "unit_price", "amount")


def candidate(name, text):
    return Candidate(name, text, Decimal(text.replace(",", "").replace(" ", "")), (next(PIECES),), 0.9, 0.9, 1.0, 1.0)


def page(*rows, **fields):
    """rows: quantity, unit price and amount as read; "" for what is not printed."""
    cells = [
        {leaf: candidate(f"line_items.{leaf}", text) for leaf, text in zip(COLUMNS, row, strict=True) if text}
        for row in rows
    ]
    return Candidates({name: candidate(name, text) for name, text in fields.items()}, {"line_items": cells})


def restored(*rows, **fields):
    """The values of the rows and of the single fields."""
    found = restore_points(page(*rows, **fields), RECEIPT)
    lines = [tuple(float(one.value) for one in row.values()) for row in found.groups["line_items"]]
    return lines, {name: float(one.value) for name, one in found.fields.items()}


def test_points_of_rows_are_restored_if_the_items_then_sum_to_the_total():
    """Of quantities, prices and amounts; the text stays as it was read."""
    rows = [("20", "17.50", "3500"), ("1.0", "35.50", "3550"), ("10", "1899", "18.99"), ("10", "695", "695")]

    lines, _ = restored(*rows, subtotal="96.44")

    assert lines == [(2, 17.5, 35), (1, 35.5, 35.5), (1, 18.99, 18.99), (1, 6.95, 6.95)]
    assert restore_points(page(*rows, subtotal="96.44"), RECEIPT).groups["line_items"][0]["amount"].content == "3500"


def test_amounts_without_quantities_are_restored_too():
    """There the sum alone proves them."""
    assert restored(("", "", "350"), ("", "", "4.25"), total="7.75")[0] == [(3.5,), (4.25,)]


def test_single_amounts_are_restored_if_only_then_the_sum_is_right():
    """The total has lost its point, too."""
    assert restored(("", "", "350"), ("", "", "4.25"), total="775") == ([(3.5,), (4.25,)], {"total": 7.75})


def test_only_the_amounts_of_the_proven_sum_are_restored():
    """A tip and a payment without cents prove nothing."""
    lines, fields = restored(("", "", "350"), ("", "", "4.25"), total="775", tip="100")

    assert (lines, fields) == ([(3.5,), (4.25,)], {"total": 7.75, "tip": 100})


def test_a_total_with_zero_cents_proves_the_points_of_rows():
    """It is printed with cents, which its value does not show."""
    assert restored(("", "", "3500"), ("", "", "400"), total="39.00")[0] == [(35,), (4,)]


def test_a_row_that_agrees_as_it_was_read_is_kept():
    """Though its amounts could have lost their points, too."""
    assert restored(("1", "550", "550"), ("2", "3.50", "700"), total="557.00")[0] == [(1, 550, 550), (2, 3.5, 7)]


def test_a_row_of_whole_prices_has_cents_too():
    """Not only where the restored amounts are no whole numbers."""
    assert restored(("10", "500", "500"), ("1", "4.25", "4.25"), total="9.25")[0] == [(1, 5, 5), (1, 4.25, 4.25)]


def test_parts_of_a_total_are_restored():
    """The tax by the subtotal and the total."""
    assert restored(subtotal="96.44", total_tax="1000", total="106.44")[1]["total_tax"] == 10


@pytest.mark.parametrize(
    ("rows", "fields"),
    [
        ([("1", "500", "500"), ("2", "250.25", "500.50")], {"total": "1000.50"}),  # agrees as it was read
        ([("1", "500", "500"), ("2", "250.25", "501")], {"total": "1200.50"}),  # no reading closes the sum
        ([("1", "3500", "3500"), ("1", "425", "400")], {"total": "3950"}),  # a currency without cents
        ([("8", "12.25", "98.00")], {"subtotal": "1000", "total_tax": "200", "total": "1204"}),  # only roughly right
        ([("8", "12.50", "100"), ("1", "700", "700")], {"subtotal": "1000", "total_tax": "180", "total": "1181"}),
        ([("", "", "12"), ("", "", "4.25")], {"total": "4.37"}),  # two digits are no amount with cents
        ([("", "", "3,500"), ("", "", "4.25")], {"total": "39.25"}),  # has a comma
    ],
)
def test_other_amounts_stay_as_they_were_read(rows, fields):
    """A wrong point would be worse than a sum that does not close."""
    found = page(*rows, **fields)

    assert restore_points(found, RECEIPT) == found


def test_points_are_restored_where_all_other_amounts_have_cents():
    """Nobody prints 17.00 and 428 in one list; no sum proves it, because two amounts are covered."""
    rows = [("", "40.90", "122.70"), ("", "126", ""), ("", "17.00", "425"), ("25", "428", "107.00"), ("1", "0.93", "")]

    lines, fields = restored(*rows, total="1807.56", total_tax="1226")

    assert lines == [(40.9, 122.7), (1.26,), (17, 4.25), (25, 4.28, 107), (1, 0.93)]
    assert fields == {"total": 1807.56, "total_tax": 12.26}


def test_what_only_other_amounts_show_is_less_certain():
    """So are quantities, which may have lost a point, too."""
    found = restore_points(page(("30", "40.90", ""), ("2", "17.00", ""), ("", "126", ""), total="1807.50"), RECEIPT)

    chances = [{leaf: one.support for leaf, one in row.items()} for row in found.groups["line_items"]]
    assert chances == [{"quantity": 0.5, "unit_price": 0.9}, {"quantity": 0.9, "unit_price": 0.9}, {"unit_price": 0.9}]
    rated = {
        "tax_rate": candidate("line_items.tax_rate", "81"),
        **page(("3", "40.90", "12270")).groups["line_items"][0],
    }
    found = restore_points(replace(page(tip="17.00", total="150.00"), groups={"line_items": [rated]}), RECEIPT)
    assert [one.support for one in found.groups["line_items"][0].values()] == [0.5, 0.9, 0.9, 0.9]
    certain = replace(candidate("line_items.unit_price", "126"), support=0.99, probability=0.99)
    row = {"line_items": [{"unit_price": certain}, *page(("", "17.00", "40.90")).groups["line_items"]]}
    found = restore_points(replace(page(total="57.90"), groups=row), RECEIPT)
    assert found.groups["line_items"][0]["unit_price"].value == Decimal("1.26")
    assert found.groups["line_items"][0]["unit_price"].support == 0.9


@pytest.mark.parametrize(
    "rows",
    [
        [("", "40.90", "122.70"), ("", "17.5", ""), ("", "428", "")],  # not all have two decimals
        [("", "40.91", "122.73"), ("", "17.55", ""), ("", "428", "")],  # nor the cents that are zero
        [("", "40.90", ""), ("", "17.00", ""), ("", "428", "")],  # too few
        [("", "", "240.90"), ("", "", "17.00"), ("", "", "40.00"), ("", "120", "")],  # whole prices
        [("", "40.90", "122.70"), ("", "17.00", ""), ("", "1500", "1500.00")],  # one piece
        [("", "40.90", "122.70"), ("", "17.00", ""), ("2", "214", "428.00")],  # agrees as it was read
        [("", "40.90", "122.70"), ("", "17.00", ""), ("1", "165.00", "185")],  # agrees neither way
        [("", "40.90", "122.70"), ("", "17.00", ""), ("", "42", "")],  # two digits are no amount with cents
    ],
)
def test_other_amounts_do_not_always_show_a_point(rows):
    values = [[one.value for one in row.values()] for row in page(*rows).groups["line_items"]]

    found = restore_points(page(*rows), RECEIPT).groups["line_items"]

    assert [[one.value for one in row.values()] for row in found] == values


def test_other_rows_and_fields_stay_where_they_agree():
    """The tax of a rate, the sum of a total, and a check that would fail instead."""
    printed = page(("", "40.90", ""), ("", "17.00", ""), ("", "20.00", ""), total="187.50", change="12.50")
    texts = [("19", "1000", "190.00"), ("81", "1224.44", "9918")]
    leaves = ("rate", "net_amount", "amount")
    taxes = [{leaf: candidate(f"taxes.{leaf}", text) for leaf, text in zip(leaves, tax, strict=True)} for tax in texts]
    paid = [{"amount": candidate("payments.amount", "200")}]
    found = restore_points(replace(printed, groups={**printed.groups, "taxes": taxes, "payments": paid}), RECEIPT)

    assert found.groups["payments"] == paid
    assert found.groups["taxes"][0] == taxes[0]
    assert float(found.groups["taxes"][1]["amount"].value) == 99.18
    assert found.groups["taxes"][1]["rate"].support == 0.5
    closed = page(("", "40.90", "40.90"), ("", "34.00", "34.00"), total="174.90", subtotal="74.90", total_tax="100")
    assert restore_points(closed, RECEIPT) == closed


def test_unlikely_and_grouped_amounts_are_no_evidence():
    """One amount that may be of several fields counts once; of a space between thousands it is known."""
    one = candidate("total_tax", "12.50")
    same = {name: replace(one, field=name) for name in ("tip", "subtotal", "total_tax")}
    repeated = replace(page(), fields={"total": candidate("total", "1250"), **same})
    assert restore_points(repeated, RECEIPT) == repeated
    unlikely = page(total="1250", tip="12.50", subtotal="13.00", total_tax="14.00")
    low = {name: replace(one, support=0.02) if name != "total" else one for name, one in unlikely.fields.items()}
    assert restore_points(replace(unlikely, fields=low), RECEIPT).fields["total"].value == 1250
    grouped = page(("", "40.90", "17.00"), ("", "20.00", "1 500"), total="3000.50")
    assert restore_points(grouped, RECEIPT) == grouped


def test_a_payment_above_the_total_proves_no_point():
    """A deposit is less than the total; divided by a hundred, it would cover it."""
    found = page(total="1250")
    found = replace(found, groups={**found.groups, "payments": [{"amount": candidate("payments.amount", "500.50")}]})

    assert restore_points(found, RECEIPT) == found
