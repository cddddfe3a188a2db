"""Tests of signs of multiplication beside descriptions."""

import pytest


@pytest.mark.parametrize(
    ("words", "factor", "amount", "description", "quantity"),
    [
        ("Black tea x", ("4,90", "unit_price"), "9,80", "Black tea", None),
        ("Black tea ×", ("2", "quantity"), "9,80", "Black tea", "2"),
        ("Black tea × 4", None, "10,00", "Black tea", "4"),
        ("Black tea x 4", ("2,50", "unit_price"), "10,00", "Black tea", "4"),
        ("Black tea x 80", None, "2,10", "Black tea x 80", None),
        ("Black tea x 5", ("2,50", "unit_price"), "10,00", "Black tea x 5", None),
        ("Frame 20 x 30", None, "60,00", "Frame 20 x 30", None),
        ("Poster 50 cm x 70", None, "70,00", "Poster 50 cm x 70", None),
        ("iPhone X", ("1", "quantity"), "799,00", "iPhone X", "1"),
        ("Mac OS X 10", None, "20,00", "Mac OS X 10", None),
        ("Paper x6", None, "6,00", "Paper x6", None),
        ("Paper x6", ("1,00", "unit_price"), "6,00", "Paper", "6"),
        ("Paper 6x", ("1,00", "unit_price"), "6,00", "Paper", "6"),
        ("PAPER X 6", ("1,00", "unit_price"), "6,00", "PAPER", "6"),
        ("Paper 6x", None, "6,00", "Paper 6x", None),
        ("iPhone X 2", ("5,00", "unit_price"), "10,00", "iPhone X 2", None),
        ("MODELx 6", ("1,00", "unit_price"), "6,00", "MODELx 6", None),
        ("TUNA TIN 3X", ("2,00", "unit_price"), "4,00", "TUNA TIN 3X", None),
        ("Paper A 4 x6", ("1,00", "unit_price"), "6,00", "Paper A 4 x6", None),
    ],
)
def test_a_sign_of_multiplication_is_no_part_of_a_description(rows_of, words, factor, amount, description, quantity):
    """A number behind it is the quantity, if the price or the amount agrees."""
    line = (0, 0, (words, "description"), *([factor] if factor else []))
    (row,) = rows_of(line, (700, 0, (amount, "amount")))

    assert (row["description"], row.get("quantity")) == (description, quantity)


@pytest.mark.parametrize(("amount", "description"), [("9,80", "BLACK TEA"), ("4,90", "BLACK TEA X")])
def test_a_capital_is_a_sign_of_multiplication_if_the_product_is_right(rows_of, amount, description):
    """It may be the last word of a name."""
    line = (0, 0, ("BLACK TEA X", "description"), ("2", "quantity"))
    (row,) = rows_of(line, (500, 0, ("4,90", "unit_price")), (700, 0, (amount, "amount")))

    assert row["description"] == description


def test_a_sign_of_multiplication_far_from_the_factor_stays(rows_of):
    """In another column, it belongs to no factor."""
    (row,) = rows_of((0, 0, ("Black tea x", "description")), (400, 0, ("2", "quantity")), (700, 0, ("9,80", "amount")))

    assert row["description"] == "Black tea x"
