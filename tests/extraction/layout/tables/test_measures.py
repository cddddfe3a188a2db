"""Tests of measured quantities and units in rows of goods."""

import pytest

from docextract.extraction.layout.labels import inside_label
from docextract.extraction.layout.tables.rows import decode_groups
from tests.extraction.layout.conftest import NAMES


@pytest.fixture
def attached_row(line, invoice):
    """Return a function that decodes a row of one line, some of whose words touch, and an amount."""

    def decode(printed, marks):
        texts = [printed[start:end] for start, end, _ in marks]
        page = invoice((line(printed, 0, 0), {}), (line("24,28", 700, 0), {"line_items.amount": 0.9}))
        for text, (start, _, leaf) in zip(texts, marks, strict=True):
            number = NAMES.index(f"line_items.{leaf}")
            for index, piece in enumerate(page.pieces):
                if piece.line == 0 and start <= piece.start < start + len(text):
                    page.labels[index] = 0
                    page.labels[index, inside_label(number)] = 0.9
        (row,) = decode_groups(page)["line_items"]
        return {leaf: str(one.value) for leaf, one in row.items()}

    return decode


@pytest.mark.parametrize(
    ("x", "unit"),
    [
        (560, "net"),  # nearer to the quantity than the word in front
        (600, "kg"),  # further away
        (260, "kg net"),  # words of one column
    ],
)
def test_words_of_other_columns_are_no_part_of_a_unit(rows_of, x, unit):
    """The network took the name of a worker or a kind of price for one."""
    (row,) = rows_of(
        (0, 0, ("Tea", "description")), (200, 0, ("kg", "unit")), (x, 0, ("net", "unit")), (400, 0, ("2", "quantity")),
        (700, 0, ("7,80", "amount")),
    )  # fmt: skip

    assert row["unit"] == unit


@pytest.mark.parametrize(
    ("first", "unit", "sign", "second", "quantity"),
    [
        ("42,18", "l", "x", "1,639", "42.18"),
        ("0,532", "kg", "*", "1,99", "0.532"),
        ("1,50", "l", "x", "6", "6"),  # six bottles
        ("18,50", "h", "x", "1,5", "1.5"),  # no measure of goods
    ],
)
def test_what_is_measured_is_the_quantity(rows_of, first, unit, sign, second, quantity):
    """However the network takes both numbers: their product is the same."""
    (row,) = rows_of(
        (0, 0, ("95 miles", "description"), (first, "unit_price"), (unit, None), (sign, None), (second, "quantity")),
        (600, 0, ("69,13", "amount")),
    )

    assert (row["quantity"], row.get("unit")) == (quantity, unit if quantity == first.replace(",", ".") else None)


@pytest.mark.parametrize(
    ("unit", "amount", "quantity"),
    [
        ("1", "50,43", "31.05"),
        ("1", "1,62", "1"),  # the product with the figure is the amount
        ("6", "50,43", "6"),
    ],
)
def test_litres_that_are_read_as_a_figure_are_no_quantity(rows_of, unit, amount, quantity):
    """ "31,05 l x 1,624": the product with the number in front is the amount."""
    factors = ("31,05", "unit_price"), (unit, "quantity"), ("x", None), ("1,624", "unit_price"), ("EUR/1", None)
    (row,) = rows_of((0, 0, ("95 miles", "description")), (0, 25, *factors), (600, 25, (amount, "amount")))

    assert (row.get("quantity"), row.get("unit")) == (quantity, None)


@pytest.mark.parametrize(
    ("printed", "marks", "expected"),
    [
        (
            "Banan eko 0,812kg*29,90kr/kg",
            [(0, 9, "description"), (10, 15, "quantity"), (15, 17, "description"), (18, 23, "unit_price"),
             (23, 28, "description")],
            ("Banan eko", "0.812", "kg"),
        ),
        ("0,418KG BANANEN", [(0, 5, "quantity"), (5, 15, "description")], ("BANANEN", "0.418", "KG")),
        (
            "Coffee 2st*9,95",
            [(0, 6, "description"), (7, 8, "quantity"), (8, 10, "description"), (11, 15, "unit_price")],
            ("Coffee", "2", "st"),
        ),
        (
            "1 Paste 5.2OZ",
            [(0, 1, "quantity"), (2, 7, "description"), (8, 11, "unit_price"), (11, 13, "description")],
            ("Paste OZ", "1", None),
        ),
        ("2Tea", [(0, 1, "quantity"), (1, 4, "description")], ("Tea", "2", None)),
        ("1.00Flat White", [(0, 4, "quantity"), (4, 14, "description")], ("Flat White", "1.00", None)),
        ("0,5l", [(0, 3, "quantity"), (3, 4, "description")], ("l", "0.5", None)),  # all of the description
    ],
)  # fmt: skip
def test_what_is_attached_to_a_number_is_no_part_of_the_description(attached_row, printed, marks, expected):
    row = attached_row(printed, marks)

    assert (row["description"], row["quantity"], row.get("unit")) == expected
