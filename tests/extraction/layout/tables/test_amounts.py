"""Amounts that the network missed, in the column of the others."""

import numpy as np
import pytest

from docextract.extraction.layout.tables.rows import decode_groups

FIRST = [(0, 0, ("Tea", "description")), (600, 0, ("2", "quantity")), (700, 0, ("80,00", "amount"))]
HEADINGS = [(0, -60, ("Artikel", None)), (600, -60, ("Menge", None)), (700, -60, ("Betrag", None))]


def second(*cells, y=60):
    """A row with a name, a quantity, a price and the given cells, each with how much lower it stands."""
    numbers = [(500, y, ("0,00", "unit_price")), (600, y, ("3", "quantity"))]
    return [
        (0, y, ("Coffee", "description")),
        *numbers,
        *((x, y + drop, (text, leaf)) for x, drop, text, leaf in cells),
    ]


@pytest.mark.parametrize("drop", [0, 20])
@pytest.mark.parametrize("above", [FIRST, HEADINGS])
def test_the_number_in_the_column_of_amounts_is_the_amount(rows_of, above, drop):
    """Also zero, and also below the other values of its row."""
    row = rows_of(*above, *second((710, drop, "0,00", None)), starts=("Tea", "Coffee"))[-1]

    assert row == {"description": "Coffee", "unit_price": "0.00", "quantity": "3", "amount": "0.00"}


def test_a_rate_in_the_column_of_amounts_is_the_amount(rows_of):
    """The network took it for one."""
    row = rows_of(*FIRST, *second((740, 0, "0", "tax_rate")), starts=("Tea", "Coffee"))[-1]

    assert row == {"description": "Coffee", "unit_price": "0.00", "quantity": "3", "amount": "0"}


@pytest.mark.parametrize(
    "cells",
    [
        [(650, 0, "0,00", None)],  # left of the column
        [(710, 50, "0,00", None)],  # below the row
        [(710, 0, "0,00", None), (710, 20, "1,00", None)],  # one of both
    ],
)
def test_other_numbers_are_no_amount(rows_of, cells):
    """The row is returned without one."""
    row = rows_of(*FIRST, *second(*cells), starts=("Tea", "Coffee"))[-1]

    assert "amount" not in row


def test_the_amount_of_the_next_row_is_not_taken(rows_of):
    """Although it is near."""
    rows = rows_of(*FIRST, *second(y=30), *second((710, 0, "0,00", None), y=60), starts=("Tea", "Coffee"))

    assert [row.get("amount") for row in rows] == ["80.00", None, "0.00"]


def test_a_price_in_the_column_of_amounts_stays_one(rows_of):
    """A row may have no amount."""
    row = [(0, 60, ("Coffee", "description")), (600, 60, ("3", "quantity")), (700, 60, ("10,00", "unit_price"))]

    assert rows_of(*FIRST, *row, starts=("Tea", "Coffee"))[-1].keys() == {"description", "quantity", "unit_price"}


def test_a_row_without_quantity_and_price_gets_no_amount(rows_of):
    """It may be a tax, or a remark."""
    tax = [(0, -60, ("VAT", "description")), (600, -60, ("19 %", "tax_rate")), (710, -60, ("5,00", None))]

    assert [row["description"] for row in rows_of(*tax, *FIRST, starts=("VAT", "Tea"))] == ["Tea"]


@pytest.mark.parametrize(
    ("name", "amount", "leaf"),
    [
        ("Subtotal", "80,00", None),
        ("Discount", "-5,00", None),
        (None, "7", None),  # the number of the page
        (None, "500", "product_code"),
        (None, "19", "tax_rate"),
    ],
)
def test_a_number_below_a_row_that_is_something_else_is_not_taken(rows_of, name, amount, leaf):
    """A sum has words beside it."""
    label = [(0, 84, (name, None))] if name else []
    cells = second((750 - 10 * len(amount), 24, amount, leaf))
    row = rows_of(*FIRST, *cells, *label, starts=("Tea", "Coffee"))[-1]

    assert "amount" not in row
    assert leaf is None or row[leaf] == amount


def test_a_number_of_another_field_is_not_taken(table):
    """The total beside the last row, as the network labels it."""
    page = table(*FIRST, *second((700, 0, "80,00", None)), starts=("Tea", "Coffee"))
    number = page.names.index("total")
    labels = page.labels.copy()
    (last,) = [index for index, piece in enumerate(page.pieces) if piece.text == "80,00"][1:]
    labels[last] = np.eye(labels.shape[1])[1 + 2 * number]

    def amounts(of):
        return [str(row["amount"].value) if "amount" in row else None for row in decode_groups(of)["line_items"]]

    assert amounts(page) == ["80.00", "80.00"]
    assert amounts(page.with_labels(labels)) == ["80.00", None]


def test_amounts_of_a_tilted_page_belong_to_the_values_beside_them(rows_of):
    """At the right end they stand higher than the beginning of the row above."""
    rows = [("Tea", "80,00", "amount"), ("Coffee", "70,00", None), ("Rice", "60,00", None)]
    cells = [
        (x, 100 + 24 * at - 0.05 * x, (text, leaf))
        for at, (name, amount, own) in enumerate(rows)
        for x, text, leaf in (
            (0, name, "description"),
            (500, "1,00", "unit_price"),
            (600, "3", "quantity"),
            (800, amount, own),
        )
    ]

    assert [row["amount"] for row in rows_of(*cells, starts=("Tea", "Coffee", "Rice"))] == ["80.00", "70.00", "60.00"]


def test_of_two_headings_of_amounts_none_counts(rows_of):
    """One is the sum with taxes."""
    headings = [(0, -60, ("Artikel", None)), (600, -60, ("Menge", None)), (700, -60, ("Betrag", None)),
                (800, -60, ("Betrag", None))]  # fmt: skip

    assert "amount" not in rows_of(*headings, *second((810, 0, "5,00", None)), starts=("Coffee",))[-1]


@pytest.mark.parametrize("text", ["(50,00)", "- 50,00", "€ (50,00)", "(50,00 €)", "50,00-", "€ - 50,00"])
def test_a_negative_amount_in_the_column_of_amounts_belongs_to_its_row(rows_of, text):
    """The network knows few discounts: it sees what is given, and how many."""
    right = 760 - 10 * len(text)
    rows = rows_of(
        *FIRST, (0, 60, ("Discount", "description")), (600, 60, ("1", "quantity")), (right, 60, (text, None)),
        starts=("Tea", "Discount"),
    )  # fmt: skip

    assert rows[1:] == [{"description": "Discount", "quantity": "1", "amount": "-50.00"}]


@pytest.mark.parametrize(
    "cells",
    [
        [(640, 60, ("(50,00)", None))],  # left of the column
        [(710, 60, ("50,00", None))],  # positive
        [(690, 58, ("(50,00)", None)), (690, 68, ("(8,00)", None))],  # one of both
    ],
)
def test_other_numbers_beside_a_remark_are_no_amount(rows_of, cells):
    """So it is no row."""
    remark = [(0, 60, ("of which", "description")), (600, 60, ("1", "quantity"))]
    rows = rows_of(*FIRST, *remark, *cells, starts=("Tea", "of which"))

    assert [row["amount"] for row in rows] == ["80.00"]


def test_thousands_that_the_network_took_for_a_quantity_are_part_of_the_amount(rows_of):
    """They stand in one cell, apart from the name: "1 299,00"."""
    cell = (600, 0, ("1", "quantity"), ("299,00", "amount"))

    assert rows_of((0, 0, ("Drill", "description")), cell, starts=("Drill",)) == [
        {"description": "Drill", "amount": "1299.00"}
    ]


@pytest.mark.parametrize(
    "cells",
    [
        [(600, 0, ("1", "quantity")), (700, 0, ("299,00", "amount"))],  # in columns of their own
        [(600, 0, ("1", "quantity"), ("29,00", "amount"))],  # no group of thousands
        [(600, 0, ("1", "quantity"), ("299.00", "amount"))],  # nor with a decimal point
        [(500, 0, ("299,00", "unit_price")), (600, 0, ("1", "quantity"), ("299,00", "amount"))],
    ],
)
def test_a_quantity_in_front_of_an_amount_stays_one(rows_of, cells):
    (row,) = rows_of((0, 0, ("Drill", "description")), *cells, starts=("Drill",))

    assert row["quantity"] == "1"
