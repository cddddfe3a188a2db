"""Lines of a quantity and a price above or below their goods."""

import pytest

STEP = 30  # px from line to line
FACTORS = [("2 pcs x 12,40", "24,80"), ("5 x 2,87", "14,35")]  # with their product


def till(goods_at, factors_at, labels=True, sign="x"):
    """Cells of two goods with their amounts, and of their factors; the network takes these for values of Rice."""
    cells = []
    for at, (name, (factors, amount)) in enumerate(zip(("Tea", "Rice"), FACTORS, strict=True)):
        quantity, price = factors.replace("x", sign).split(f" {sign} ")
        count, *unit = quantity.split()
        parts = [(count, "quantity"), *((one, "unit") for one in unit), (sign, None), (price, "unit_price")]
        y = 2 * STEP * at
        cells += [(0, y + goods_at, (name, "description")), (700, y + goods_at, (amount, "amount"))]
        cells.append((20, y + factors_at, *((text, leaf if labels else None) for text, leaf in parts)))
    return cells


TEA = {"description": "Tea", "quantity": "2", "unit": "pcs", "unit_price": "12.40", "amount": "24.80"}
RICE = {"description": "Rice", "quantity": "5", "unit_price": "2.87", "amount": "14.35"}


@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("sign", ["x", "X", "×", "@", "à"])
def test_factors_below_their_goods_belong_to_them(rows_of, labels, sign):
    """However the network labels them: the next row begins with them, or they are no values."""
    starts = ("Tea", "2", "5") if labels else ("Tea", "Rice")

    assert rows_of(*till(0, STEP, labels, sign), starts=starts) == [TEA, RICE]


@pytest.mark.parametrize("labels", [True, False])
def test_factors_above_their_goods_belong_to_them(rows_of, labels):
    """The first of them are in no row where the network begins rows with the goods."""
    assert rows_of(*till(STEP, 0, labels), starts=("Tea", "Rice")) == [TEA, RICE]


def test_words_in_front_of_factors_are_no_part_of_a_description(rows_of):
    """The number of a petrol pump."""
    cells = [
        (0, 0, ("Petrol", "description")), (700, 0, ("26,90", "amount")),
        (0, STEP, ("Pump", "description"), ("6", "quantity"), ("12,23", None), ("x", None), ("2,20", "unit_price")),
    ]  # fmt: skip

    (row,) = rows_of(*cells, starts=("Petrol",))

    assert row == {"description": "Petrol", "quantity": "12.23", "unit_price": "2.20", "amount": "26.90"}


def test_goods_of_one_price_have_their_own_factors(rows_of):
    """Lines that are taken are not given again."""
    cells = []
    for at in range(3):
        y = 2 * STEP * at
        cells += [(0, y, ("Tea", "description")), (700, y, ("10,00", "amount")), (20, y + STEP, ("2 x 5,00", None))]

    assert [row["quantity"] for row in rows_of(*cells, starts=("Tea",))] == ["2", "2", "2"]


@pytest.mark.parametrize(
    ("below", "amount"),
    [
        ("2 x 5,00", "9,00"),  # another product
        ("2 x 5,00 10,00", "10,00"),  # a line with an amount is a row
        ("0 x 5,00", "0,00"),  # everything is a product of zero
        ("10 of the last x 2,00", "20,00"),  # the quantity is too far from the sign
        ("5,00 2", "10,00"),
    ],
)
def test_other_numbers_are_no_factors(rows_of, below, amount):
    cells = [(0, 0, ("Tea", "description")), (700, 0, (amount, "amount")), (20, STEP, (below, None))]

    assert rows_of(*cells, starts=("Tea",))[0].keys() == {"description", "amount"}
