"""Tests of the numbers of which one is the product of the others."""

import pytest

from docextract.documents import document_types
from docextract.extraction.layout.tables.row_products import have_product


def test_numbers_of_other_types_have_no_product():
    """A type of the user may have a quantity that is a text."""
    fields = {field.leaf: field for field in document_types()["invoice"].fields() if field.group == "line_items"}

    assert have_product(fields)
    assert not have_product({**fields, "quantity": fields["unit"]})
    assert not have_product({leaf: field for leaf, field in fields.items() if leaf != "amount"})


@pytest.mark.parametrize(
    ("quantity", "price", "rate", "amount", "is_kept"),
    [
        ("41", "18,240.00", "15", "2,736.00", False),
        ("", "9,120.00", "1.3", "118.56", False),
        ("0.15", "18,240.00", "15", "2,736.00", True),
        ("2", "18.00", "20", "36.00", True),
        ("41", "18,240.00", "15", "2,700.00", True),
    ],
    ids=["a commission", "without a quantity", "a product, too", "goods", "no share"],
)
def test_sales_and_their_share_are_no_price_and_no_tax(rows_of, quantity, price, rate, amount, is_kept):
    """The invoice of a platform has sales, the share of them and the commission in each row."""
    numbers = [(quantity, "quantity"), (price, "unit_price"), (f"{rate} %", "tax_rate"), (amount, "amount")]
    cells = [(200 + 150 * at, 0, number) for at, number in enumerate(numbers) if number[0]]

    (row,) = rows_of((0, 0, ("Reservations", "description")), *cells, starts=("Reservations",))

    assert ({"unit_price", "tax_rate"} <= row.keys()) == is_kept
    assert is_kept or not {"unit_price", "tax_rate"} & row.keys()
    assert row["amount"] == amount.replace(",", "")
