"""Names above the numbers of their rows, both of which the network begins a row with."""

import pytest

MILK = (0, 0, ("LAPTE", "description"))


@pytest.mark.parametrize("unit", ["unit", "description", None])
def test_a_name_belongs_to_the_numbers_below_it(rows_of, unit):
    """What stands between the quantity and the price is their unit."""
    factors = (0, 30, ("1", "quantity"), ("BUC", unit), ("X", None), ("8,99", "unit_price"))
    rows = rows_of(
        MILK, factors, (400, 30, ("8,99", "amount")),
        (0, 60, ("PAINE", "description")), (0, 90, ("3", "quantity"), ("X", None), ("2,00", "unit_price")),
        (400, 90, ("6,00", "amount")),
        starts={"LAPTE", "1", "PAINE", "3"},
    )  # fmt: skip

    milk = {"quantity": "1", "unit_price": "8.99", "description": "LAPTE", "amount": "8.99"}
    bread = {"quantity": "3", "unit_price": "2.00", "description": "PAINE", "amount": "6.00"}
    assert rows == [milk | ({"unit": "BUC"} if unit else {}), bread]


@pytest.mark.parametrize(
    ("y", "parts"),
    [
        (30, (("1", "quantity"), ("X", None), ("8,99", "unit_price"), ("Bread", "description"))),  # has a name
        (30, (("1", "quantity"), ("Bread", "description"), ("8,99", "unit_price"), ("white", "description"))),
        (30, (("1", "quantity"), ("Tea", "description"), ("8,99", "unit_price"))),
        (30, (("1", "quantity"), ("Cola", "description"), ("x", None), ("8,99", "unit_price"))),
        (120, (("1", "quantity"), ("X", None), ("8,99", "unit_price"))),  # far below
    ],
)
def test_a_heading_is_no_name_of_other_rows(rows_of, y, parts):
    heading, amount = (0, 0, ("DRINKS", "description")), (400, y, ("8,99", "amount"))

    rows = rows_of(heading, (0, y, *parts), amount, starts={"1", "DRINKS"})

    assert "DRINKS" not in " ".join(row.get("description", "") for row in rows)


@pytest.mark.parametrize("mark", ["unit", "description", None])
def test_a_unit_with_a_full_stop_is_no_name(rows_of, mark):
    factors = (0, 30, ("3", "quantity"), ("BUC", "description"), (".", mark), ("X", None), ("3,50", "unit_price"))
    rows = rows_of(MILK, factors, (400, 30, ("10,50", "amount")), starts={"LAPTE", "3"})

    assert rows == [{"description": "LAPTE", "quantity": "3", "unit": "BUC", "unit_price": "3.50", "amount": "10.50"}]
