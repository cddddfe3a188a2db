"""Division of a table into rows."""

import numpy as np
import pytest

from docextract.documents.base import DocumentType, Record, RecordRow, String
from docextract.extraction.layout.labels import begin_label
from docextract.extraction.layout.tables.rows import decode_groups


def goods(name, price, y, letter="B"):
    """A line of a receipt: a class of tax, a name and an amount."""
    return [(0, y, (letter, None), (name, "description")), (600, y, (price, "amount"))]


def test_a_row_begins_with_print_that_is_no_value(rows_of):
    """The network marks the class of tax or the position in front of the first value."""
    found = rows_of(*goods("TEA", "1,49", 0), *goods("RICE", "29,99", 30), *goods("SALT", "5,90", 60), starts=["B"])

    assert [(row["description"], row["amount"]) for row in found] == [
        ("TEA", "1.49"), ("RICE", "29.99"), ("SALT", "5.90"),
    ]  # fmt: skip


def test_print_at_half_height_begins_no_row(rows_of):
    """A position that is centred beside a description of two lines."""
    found = rows_of(
        (60, 0, ("Paint", "description")), (60, 24, ("white", "description")), (0, 12, ("1", None)),
        (300, 12, ("2", "quantity")), (600, 12, ("9,00", "amount")), starts=["Paint", "1"],
    )  # fmt: skip

    assert [(row["description"], row["quantity"], row["amount"]) for row in found] == [("Paint white", "2", "9.00")]


def test_the_label_of_a_value_begins_no_row(rows_of):
    """Forms print one value below the other, each with its label."""
    found = rows_of(
        (300, 0, ("Paint", "description")), (300, 40, ("9,00", "amount")),
        (0, 80, ("Tax rate", None)), (300, 80, ("19 %", "tax_rate")), starts=["Paint", "Tax"],
    )  # fmt: skip

    assert [row.keys() for row in found] == [{"description", "amount", "tax_rate"}]


def test_rows_that_begin_unnoticed_are_divided_by_their_amounts(rows_of):
    """No start was found for the second one."""
    found = rows_of(*goods("TEA", "1,49", 0, "A"), *goods("RICE", "29,99", 30, "A"))

    assert [(row["description"], row["amount"]) for row in found] == [("TEA", "1.49"), ("RICE", "29.99")]


def test_a_sign_below_its_amount_divides_no_row(rows_of):
    """Narrow columns break it, beside the second line of a description."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (600, 0, ("1,49", "amount")),
        (0, 30, ("green", "description")), (600, 30, ("€", "amount")),
    )  # fmt: skip

    assert found == [{"description": "Tea green", "amount": "1.49"}]


def test_the_same_amount_in_another_currency_divides_no_row(rows_of):
    """Some countries print both."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (600, 0, ("19,56 CZK", "amount")),
        (0, 30, ("green", "description")), (600, 30, ("10,00 EUR", "amount")),
    )  # fmt: skip

    assert [row["description"] for row in found] == ["Tea green"]


def test_lists_of_goods_without_amounts_keep_their_rows(rows_of):
    """Delivery notes print what and how many, without prices."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (300, 0, ("2", "quantity")),
        (0, 30, ("Rice", "description")), (300, 30, ("5", "quantity")), starts=["Tea", "Rice"],
    )  # fmt: skip

    assert [(row["description"], row["quantity"]) for row in found] == [("Tea", "2"), ("Rice", "5")]


def test_words_inside_a_line_begin_no_row(rows_of):
    """Only what stands at the front of a line does."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (600, 0, ("9,00", "amount")),
        (0, 30, ("from lot", None), ("7", None), ("2", "quantity")), starts=["Tea", "7"],
    )  # fmt: skip

    assert [row.keys() for row in found] == [{"description", "amount", "quantity"}]


def test_print_of_another_line_begins_no_row(rows_of):
    """A mark above it, at another height."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (600, 0, ("9,00", "amount")), (0, 30, ("B", None)),
        (300, 60, ("2", "quantity")), starts=["Tea", "B"],
    )  # fmt: skip

    assert [row.keys() for row in found] == [{"description", "amount", "quantity"}]


def test_amounts_in_other_columns_do_not_divide_a_row(rows_of):
    """A tax that was taken for the amount stands in a column of its own."""
    found = rows_of(
        (0, 0, ("Projector", "description")), (400, 0, ("33,03", "amount")),
        (0, 30, ("5 inch", "description")), (700, 30, ("693,59", "amount")),
    )  # fmt: skip

    assert [row["description"] for row in found] == ["Projector 5 inch"]


def test_only_rows_with_amounts_begin_with_print_that_is_no_value(rows_of):
    """Cards print numbers and letters beside categories."""
    found = rows_of(
        (0, 0, ("B", "vehicle_category_code")), (100, 30, ("10", None)), (200, 30, ("01.02.2011", "issue_date")),
        starts=["B", "10"], document_type="driver_licence", group="driving_privileges",
    )  # fmt: skip

    assert found == [{"vehicle_category_code": "B", "issue_date": "2011-02-01"}]


def test_a_number_has_one_leaf(table):
    """The network takes the first of its digits for a quantity."""
    page = table((0, 0, ("Cable", "description")), (600, 0, ("3'000.–", "amount")))
    quantity = begin_label(page.numbers["line_items.quantity"])
    page.labels[1] = np.eye(page.labels.shape[1])[quantity] * 0.9

    (row,) = decode_groups(page)["line_items"]

    assert {leaf: one.value for leaf, one in row.items()} == {"description": "Cable", "amount": 3000}


def test_the_sign_of_an_amount_is_no_word_of_the_description(rows_of):
    """The network takes it for one."""
    (row,) = rows_of((0, 0, ("Returned", "description")), (600, 0, ("£20.00", "amount"), ("CR", "description")))

    assert row == {"description": "Returned", "amount": "-20.00"}


def test_a_unit_is_no_sign(rows_of):
    """CR may be a crate, or the sign of a credit."""
    crates, other, credit = rows_of(
        (0, 0, ("Water", "description")), (300, 0, ("2", "quantity")),
        (400, 0, ("12.00", "unit_price"), ("CR", "unit")), (600, 0, ("24.00", "amount")),
        (0, 40, ("Juice", "description")), (300, 40, ("2", "quantity")),
        (400, 40, ("12.00", "unit_price"), ("CR", None)), (600, 40, ("24.00", "amount"), ("CR", "unit")),
        (0, 80, ("Returned", "description")),
        (400, 80, ("12.00", "unit_price"), ("CR", None)), (600, 80, ("24.00", "amount"), ("CR", None)),
        starts=["Water", "Juice", "Returned"],
    )  # fmt: skip

    assert (crates["unit"], crates["unit_price"], crates["amount"]) == ("CR", "12.00", "24.00")
    assert (other["unit"], other["unit_price"], other["amount"]) == ("CR", "12.00", "24.00")
    assert (credit["unit_price"], credit["amount"]) == ("-12.00", "-24.00")


def test_a_unit_within_a_price_is_no_sign(rows_of):
    """The network takes CR for a part of the price."""
    goods, credit = rows_of(
        (0, 0, ("Water", "description")), (400, 0, ("12.00 CR", "unit_price")), (600, 0, ("24.00", "amount")),
        (0, 40, ("Returned", "description")), (400, 40, ("12.00 CR", "unit_price")), (600, 40, ("-24.00", "amount")),
        starts=["Water", "Returned"],
    )  # fmt: skip

    assert (goods["unit_price"], goods["amount"]) == ("12.00", "24.00")
    assert (credit["unit_price"], credit["amount"]) == ("-12.00", "-24.00")


@pytest.mark.parametrize(
    ("sign", "amount"), [("-€", "-50.00"), ("–€", "-50.00"), ("€-", "50.00"), ("-", "50.00"), ("€", "50.00")]
)
def test_a_minus_and_a_currency_may_stand_at_the_left_end_of_the_cell(rows_of, sign, amount):
    """Spreadsheets print them so; a minus behind the currency is zero, and one alone may be an empty cell."""
    (row,) = rows_of((0, 0, ("Discount", "description")), (400, 0, (sign, None)), (600, 0, ("50.00", "amount")))

    assert row["amount"] == amount


def test_a_sign_on_another_row_is_none(rows_of):
    """It is the last print of the row above."""
    (row,) = rows_of((0, 0, ("Discount", "description")), (700, 0, ("-€", None)), (0, 40, ("50.00", "amount")))

    assert row["amount"] == "50.00"


def test_a_price_in_brackets_is_negative_if_the_amount_is(rows_of):
    """Otherwise the brackets are those of a remark."""
    credit, goods = rows_of(
        (0, 0, ("Returned", "description")), (400, 0, ("(", None), ("£20.00", "unit_price"), (")", None)),
        (600, 0, ("(£20.00)", "amount")), (0, 40, ("Cable", "description")),
        (400, 40, ("(", None), ("£9.00", "unit_price"), (")", None)), (600, 40, ("£18.00", "amount")),
        starts=["Returned", "Cable"],
    )  # fmt: skip

    assert (credit["unit_price"], credit["amount"]) == ("-20.00", "-20.00")
    assert (goods["unit_price"], goods["amount"]) == ("9.00", "18.00")


class Offer(RecordRow):
    """A row without numbers."""

    unit_price: String | None = None
    amount: String | None = None


class Quotation(Record):
    """A quotation."""

    offers: tuple[Offer, ...] = ()


def test_prices_and_amounts_of_a_type_may_be_text(rows_of):
    """In a document type of a user."""
    (row,) = rows_of(
        (0, 0, ("free", "unit_price")), (300, 0, ("soon", "amount")),
        group="offers", document_type=DocumentType("quotation", Quotation, frozenset()),
    )  # fmt: skip

    assert row == {"unit_price": "free", "amount": "soon"}


def test_amounts_with_a_currency_in_front_are_divided_where_they_stand_below_each_other(rows_of):
    """Where the network begins no row with a mark in front of the second name."""
    rows = rows_of(
        (20, 0, ("PIE", "description")),
        (600, 0, ("$", "amount"), ("8.50", "amount")),
        (0, 30, ("*", None), ("COFFEE", "description")),
        (600, 30, ("$", "amount"), ("7.20", "amount")),
        starts=("PIE",),
        document_type="receipt",
    )

    assert [row["amount"] for row in rows] == ["8.50", "7.20"]
