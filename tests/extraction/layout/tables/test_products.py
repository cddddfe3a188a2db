"""Rows that are completed by quantity times price."""

import pytest

NAME = (0, 0, ("Tea", "description"))


def row_of(rows_of, *cells):
    (row,) = rows_of(NAME, *cells)
    return row


def test_a_price_with_another_label_is_found_by_the_product(rows_of):
    """The network takes it for the number of an article."""
    row = row_of(
        rows_of, (200, 0, ("3,9000", "product_code")), (400, 0, ("2", "quantity")), (700, 0, ("7,80", "amount"))
    )

    assert row == {"description": "Tea", "quantity": "2", "unit_price": "3.9000", "amount": "7.80"}


@pytest.mark.parametrize(
    "price", ["S/ 3,90", "R$ 3,90", "Rp 3,90", "Rs. 3,90", "RM 3,90", "3,90 kr", "EUR 3,90", "US$ 3,90"]
)
def test_a_number_with_any_currency_is_one(rows_of, price):
    row = row_of(rows_of, (200, 0, (price, None)), (400, 0, ("2", "quantity")), (700, 0, ("7,80", "amount")))

    assert row["unit_price"] == "3.90"


@pytest.mark.parametrize("word", ["X/ 3,90", "ab 3,90", "ARM 3,90"])
def test_a_number_with_other_letters_is_none(rows_of, word):
    row = row_of(rows_of, (200, 0, (word, None)), (400, 0, ("2", "quantity")), (700, 0, ("7,80", "amount")))

    assert "unit_price" not in row


def test_a_number_that_makes_the_product_right_replaces_one_that_does_not(rows_of):
    """The weight was taken for the quantity."""
    cells = [(200, 0, ("19,5", "quantity")), (300, 0, ("12", None)), (400, 0, ("5,00", "unit_price"))]

    assert row_of(rows_of, *cells, (700, 0, ("60,00", "amount")))["quantity"] == "12"


@pytest.mark.parametrize(
    ("discount", "amount"),
    [
        (("10 %", None), "27,00"),  # a share
        (("20% off", None), "24,00"),  # in words
        (("-6,00", None), "24,00"),  # a sum
        (("10 % 5 %", None), "25,65"),  # one after the other
        (("19 %", "tax_rate"), "35,70"),  # with taxes
        (("net", None), "24,00"),  # unknown: the amount at the right counts
    ],
)
def test_the_sum_before_discounts_and_taxes_is_no_amount(rows_of, discount, amount):
    """It is the product, and printed in the row."""
    cells = [
        (200, 0, ("3", "quantity")),
        (300, 0, ("10,00", "unit_price")),
        (400, 0, ("30,00", None)),
        (500, 0, discount),
    ]

    assert row_of(rows_of, *cells, (700, 0, (amount, "amount")))["amount"] == amount.replace(",", ".")


def test_an_amount_at_the_right_of_a_wrong_one_is_right(rows_of):
    """The network took the tax for it."""
    cells = [(200, 0, ("3", "quantity")), (300, 0, ("10,00", "unit_price")), (500, 0, ("4,79", "amount"))]

    assert row_of(rows_of, *cells, (700, 0, ("30,00", None)))["amount"] == "30.00"


def test_of_two_sums_the_one_at_the_right_may_be_the_amount(rows_of):
    """The other one is before the discount, and the network saw neither."""
    cells = [(200, 0, ("3", "quantity")), (300, 0, ("10,00", "unit_price")), (400, 0, ("30,00", None))]

    assert "amount" not in row_of(rows_of, *cells, (500, 0, ("10 %", None)), (700, 0, ("27,00", None)))
    assert row_of(rows_of, *cells, (500, 0, ("10 %", None)))["amount"] == "30.00"


def test_a_number_of_the_product_is_no_discount(rows_of):
    """Three times ten is twenty and the price."""
    cells = [(200, 0, ("3", "quantity")), (250, 0, ("2", None)), (300, 0, ("10,00", "unit_price"))]

    assert row_of(rows_of, *cells, (700, 0, ("20,00", "amount")))["quantity"] == "2"


def test_a_position_is_no_quantity(rows_of):
    """One times every price is the amount."""
    cells = [(100, 0, ("1", None)), (400, 0, ("5,00", "unit_price")), (700, 0, ("5,00", "amount"))]

    assert "quantity" not in row_of(rows_of, *cells)


@pytest.mark.parametrize(("price", "code"), [("0,00", "4711"), ("12,00", "0")])
def test_zero_proves_nothing(rows_of, price, code):
    """Free samples and goods on back order."""
    cells = [(200, 0, (code, "product_code")), (400, 0, (price, "unit_price")), (700, 0, ("0,00", "amount"))]

    assert "quantity" not in row_of(rows_of, *cells)


def test_an_amount_stands_at_the_right_of_its_factors(rows_of):
    """A number on the left that happens to be the product is none."""
    cells = [(100, 0, ("10", None)), (300, 0, ("2", "quantity")), (400, 0, ("5,00", "unit_price"))]

    assert "amount" not in row_of(rows_of, *cells)


def test_two_numbers_that_would_be_right_prove_nothing(rows_of):
    """The price may be either of two different ones, within the tolerance."""
    cells = [(100, 0, ("0,01", None)), (200, 0, ("0,02", None)), (400, 0, ("1", "quantity"))]

    assert "unit_price" not in row_of(rows_of, *cells, (700, 0, ("0,01", "amount")))


def test_quantity_and_price_below_an_amount_belong_to_it(rows_of):
    """The network begins the next row with them."""
    found = rows_of(
        NAME, (700, 0, ("24,80", "amount")), (50, 30, ("4", "quantity"), ("*", None), ("6,20", "unit_price")),
        (0, 60, ("Rice", "description")), (700, 60, ("14,35", "amount")), starts=["Tea", "4"],
    )  # fmt: skip

    assert found == [
        {"description": "Tea", "amount": "24.80", "quantity": "4", "unit_price": "6.20"},
        {"description": "Rice", "amount": "14.35"},
    ]


@pytest.mark.parametrize("quantity", ["1", "2"])
def test_quantity_and_price_on_the_line_of_their_goods_stay(rows_of, quantity):
    """However much the goods above cost."""
    found = rows_of(
        NAME, (700, 0, (f"{5 * int(quantity)},00", "amount")), (0, 30, ("Rice", "description")),
        (300, 30, (quantity, "quantity")), (400, 30, ("5,00", "unit_price")), (500, 30, ("10 %", None)),
        (700, 30, ("4,00", "amount")), starts=["Tea", "Rice"],
    )  # fmt: skip

    assert [row.keys() for row in found] == [
        {"description", "amount"}, {"description", "quantity", "unit_price", "amount"},
    ]  # fmt: skip


def test_a_quantity_of_zero_belongs_to_no_amount_above(rows_of):
    """Free goods, and goods on back order."""
    found = rows_of(
        NAME, (700, 0, ("0,00", "amount")), (50, 30, ("0", "quantity"), ("*", None), ("12,00", "unit_price")),
        (0, 60, ("Rice", "description")), (700, 60, ("14,35", "amount")), starts=["Tea", "0"],
    )  # fmt: skip

    assert "quantity" not in found[0]


def test_a_price_that_was_taken_for_the_amount_is_told_by_the_amount_below(rows_of):
    """The lower line has no numbers of its own."""
    found = rows_of(
        NAME, (400, 0, ("12", "quantity"), ("at", None), ("5,00", "amount")),
        (0, 30, ("Issue of May", "description")), (700, 30, ("60,00", "amount")), starts=["Tea", "Issue"],
    )  # fmt: skip

    assert found == [{"description": "Tea", "quantity": "12", "unit_price": "5.00", "amount": "60.00"}]


@pytest.mark.parametrize(
    "beer",
    [
        [(0, 0, ("2", "quantity")), (100, 0, ("Beer", "description")), (700, 0, ("8,00", "amount"))],
        [(0, 0, ("2", "quantity")), (100, 0, ("Beer", "description")), (640, 0, ("8,00", "amount"))],
    ],
)
def test_goods_may_cost_twice_as_much_as_those_above(rows_of, beer):
    """Then both stay."""
    steak = [(100, 30, ("Steak", "description")), (700, 30, ("16,00", "amount"))]
    found = rows_of(*beer, *steak, starts=[beer[0][2][0], "Steak"])

    assert [(row["description"], row["amount"]) for row in found] == [("Beer", "8.00"), ("Steak", "16.00")]


@pytest.mark.parametrize(
    ("quantity", "price", "amount", "readings"),
    [
        ("5", "10,000", "50,00", ("5", "10", "50.00")),  # decimals, as the product says
        ("5", "10,000", "50.000,00", ("5", "10000", "50000.00")),
        ("1,000", "5", "5,000", ("1000.000", "5", "5000")),  # thousands, as the product says
        ("1,000", "0,50", "500,00", ("1000.000", "0.50", "500.00")),
        ("2", "4,000", "9,000", ("2", "4000", "9000")),  # nothing is proven
    ],
)
def test_the_product_tells_thousands_from_decimals(rows_of, quantity, price, amount, readings):
    """Three digits behind a separator may be either."""
    cells = [(200, 0, (quantity, "quantity")), (400, 0, (price, "unit_price")), (700, 0, (amount, "amount"))]
    row = row_of(rows_of, *cells)

    assert (row["quantity"], row["unit_price"], row["amount"]) == readings


def test_digits_in_front_belong_to_an_amount_if_the_product_says_so(rows_of):
    """The network took the first group for nothing."""
    price = (400, 0, ("4", None), ("353.95", "unit_price"))

    assert (
        row_of(rows_of, (200, 0, ("2", "quantity")), price, (700, 0, ("8 707.90", "amount")))["unit_price"] == "4353.95"
    )
    assert row_of(rows_of, (200, 0, ("2", "quantity")), price, (700, 0, ("707.90", "amount")))["unit_price"] == "353.95"
