"""Lines of a quantity and a price above or below their goods."""

import pytest

from docextract.extraction.layout.candidates import candidate_of
from docextract.extraction.layout.tables.factor_lines import with_factor_lines

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
        ("2 x 5 kg", "10,00"),  # measures, and periods
        ("2 x 45 min", "90,00"),
        ("2 à 5 jours", "10,00"),
        ("Paid in 3 x 100,00", "300,00"),
        ("Plate 10 x 5", "50,00"),
    ],
)
def test_other_numbers_are_no_factors(rows_of, below, amount):
    cells = [(0, 0, ("Tea", "description")), (700, 0, (amount, "amount")), (20, STEP, (below, None))]

    assert rows_of(*cells, starts=("Tea",))[0].keys() == {"description", "amount"}


@pytest.mark.parametrize(
    ("printed", "unit"),
    [
        ("4,99 x 2", None),  # the price in front
        ("4,99 EUR x 2", None),
        ("(2) x 4,99", None),
        ("2 x 4,99 EUR", None),
        ("2 pcs. * 4,99 =", "pcs."),
        ("2 l @ 4,99 / l", "l"),
    ],
)
@pytest.mark.parametrize("y", [-STEP, STEP])
def test_factors_may_be_printed_otherwise(rows_of, printed, unit, y):
    """Neither a currency nor a bracket is a unit."""
    (row,) = rows_of((0, 0, ("Tea", "description")), (700, 0, ("9,98", "amount")), (20, y, (printed, None)))

    assert (row["quantity"], row["unit_price"], row.get("unit")) == ("2", "4.99", unit)


def test_factors_below_an_amount_belong_to_it(rows_of):
    """Nothing of the line is below the description."""
    cells = [(0, 0, ("Tea", "description")), (700, 0, ("9,98", "amount")), (660, STEP, ("2 x 4,99", None))]

    assert rows_of(*cells)[0]["quantity"] == "2"


def test_factors_below_the_last_line_of_a_description_belong_to_it(rows_of):
    cells = [
        (0, 0, ("Installation of the pump", "description")), (700, 0, ("9,98", "amount")),
        (0, STEP, ("and pipes", "description")), (0, 2 * STEP, ("2 x 4,99", None)),
    ]  # fmt: skip

    assert rows_of(*cells)[0]["quantity"] == "2"


def test_numbers_on_the_row_of_an_amount_are_not_given_to_another_row(rows_of):
    """Text detection may have found its cells apart."""
    found = rows_of(
        (0, 0, ("Espresso", "description")), (700, 0, ("10,00", "amount")),
        (0, STEP, ("2 x 5,00", None)), (700, STEP, ("10,00", "amount")), starts=("Espresso",),
    )  # fmt: skip

    assert "quantity" not in found[0]


def test_rows_that_are_right_keep_their_values(rows_of):
    """However well they would suit the row above."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (700, 0, ("10,00", "amount")),
        (0, STEP, ("2", "quantity"), ("x", None), ("5,00", "unit_price")),
        (0, 2 * STEP, ("Rice", "description")), (700, 2 * STEP, ("10,00", "amount")), starts=("Tea", "2"),
    )  # fmt: skip

    assert [row.get("quantity") for row in found] == [None, "2"]


def test_a_row_with_a_discount_keeps_its_values(rows_of):
    """Its product is not its amount."""
    (row,) = rows_of(
        (0, 0, ("Screws", "description")), (300, 0, ("12", "quantity")), (400, 0, ("5,00", "unit_price")),
        (550, 0, ("discount", None)), (700, 0, ("50,00", "amount")), (0, STEP, ("10 x 5,00", None)),
    )  # fmt: skip

    assert row["quantity"] == "12"


def test_of_two_lines_with_other_numbers_none_is_taken_unless_the_row_has_a_part(rows_of):
    """Both products are the amount."""
    goods = [(0, STEP, ("Tea", "description")), (700, STEP, ("10,00", "amount"))]
    (doubtful,) = rows_of((0, 0, ("4 x 2,50", None)), *goods, (0, 2 * STEP, ("2 x 5,00", None)))
    (clear,) = rows_of(
        (0, 0, ("4 x 2,50", None)), *goods, (0, 2 * STEP, ("2", "quantity"), ("x 5,00", None)), starts=("Tea",)
    )

    assert "quantity" not in doubtful
    assert clear["unit_price"] == "5.00"


def test_a_line_that_suits_two_rows_is_of_the_one_with_a_part_of_it(rows_of):
    found = rows_of(
        (0, 0, ("Coffee", "description")), (700, 0, ("10,00", "amount")),
        (20, STEP, ("2", "quantity"), ("x 5,00", None)),
        (0, 2 * STEP, ("Tea", "description")), (700, 2 * STEP, ("10,00", "amount")), starts=("Coffee", "2"),
    )  # fmt: skip

    assert [row.get("unit_price") for row in found] == [None, "5.00"]


def test_a_unit_beside_an_amount_stays(rows_of):
    """The line of the factors has none."""
    cells = [
        (0, 0, ("Apples", "description")), (600, 0, ("kg", "unit")), (700, 0, ("2,19", "amount")),
        (0, STEP, ("0,548 x 3,99", None)),
    ]  # fmt: skip

    assert rows_of(*cells)[0]["unit"] == "kg"


def test_other_rows_lose_all_of_a_line_that_is_given(rows_of):
    """The sign and the unit, too."""
    found = rows_of(
        (0, 0, ("Tea", "description")), (700, 0, ("24,80", "amount")),
        (0, STEP, ("2 pcs x 12,40", "description")), (0, 2 * STEP, ("Rice", "description")),
        (700, 2 * STEP, ("14,35", "amount")), starts=("Tea", "2"),
    )  # fmt: skip

    assert [row["description"] for row in found] == ["Tea", "Rice"]
    assert found[0]["quantity"] == "2"


def test_rows_may_have_no_units(table):
    """A type of document that users have defined."""
    page = table((0, 0, ("Tea", "description")), (700, 0, ("24,80", "amount")), (20, STEP, ("2 pcs x 12,40", None)))
    kind = page.document_type
    fields = {field.leaf: field for field in kind.fields() if field.group == "line_items" and field.leaf != "unit"}
    row = {leaf: candidate_of(fields[leaf], (at,), page) for leaf, at in (("description", 0), ("amount", 1))}

    assert with_factor_lines([row], fields, page)[0]["quantity"].value == 2


@pytest.mark.parametrize("price_as", ["quantity", "description", None])
def test_factors_behind_the_name_on_its_line_are_those_of_the_row(rows_of, price_as):
    """However the network labels them."""
    printed = [("Tea 2 pcs .", "description"), ("x", None), ("12,40", price_as)]

    assert (
        rows_of((0, 0, *printed), (700, 0, ("24,80", "amount")), starts=("Tea",))[0].items()
        >= {
            "description": "Tea",
            "quantity": "2",
            "unit_price": "12.40",
            "amount": "24.80",
        }.items()
    )


def test_a_number_in_a_name_is_no_factor(rows_of):
    (row,) = rows_of((0, 0, ("Frame 20 x 30,00 cm", "description")), (700, 0, ("24,80", "amount")), starts=("Frame",))

    assert row == {"description": "Frame 20 x 30,00 cm", "amount": "24.80"}


def test_the_price_of_one_unit_of_what_is_weighed_is_the_price(rows_of):
    """As tills in the United States print it: the 1 is no quantity."""
    weighed = [("2.31 lb", "description"), ("@", None), ("1", "quantity"), ("lb /", None), ("0.58", "unit_price")]
    (row,) = rows_of(
        (0, 0, ("Potato", "description")), (700, 0, ("1.34", "amount")), (40, STEP, *weighed), starts=("Potato",)
    )

    assert (
        row.items()
        >= {
            "description": "Potato",
            "quantity": "2.31",
            "unit_price": "0.58",
            "amount": "1.34",
        }.items()
    )


def test_factors_in_front_of_the_amount_below_the_name_are_those_of_the_row(rows_of):
    weighed = [("2.61", "unit_price"), ("lb @", None), ("1", "quantity"), ("lb /", None), ("2.97", "unit_price")]
    (row,) = rows_of(
        (0, 0, ("Chicken", "description")), (40, STEP, *weighed), (700, STEP, ("7.75", "amount")), starts=("Chicken",)
    )

    assert (row["description"], row["quantity"], row["unit_price"]) == ("Chicken", "2.61", "2.97")


def test_factors_below_the_code_of_an_article_belong_to_its_row(rows_of):
    """They stand at the left of its name, which begins with a number that the network took for the quantity."""
    name = [("0000-745", "product_code"), ("2", "quantity"), ("X4 STUD", "description")]
    (row,) = rows_of(
        (0, 0, *name),
        (700, 0, ("11.94", "amount")),
        (0, STEP, ("3", "quantity"), ("@", None), ("3.98", "unit_price")),
        starts=("0000-745",),
    )

    assert (row["quantity"], row["unit_price"]) == ("3", "3.98")
