"""Amounts that the network missed, in the column of the others."""

import pytest

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
