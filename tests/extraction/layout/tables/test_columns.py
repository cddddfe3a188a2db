"""Numbers that are found below the headings of their columns."""

import pytest

from docextract.documents.column_headings import leaf_of_heading
from docextract.extraction.layout.candidates import candidate_of
from docextract.extraction.layout.tables.cells import PageCells
from docextract.extraction.layout.tables.columns import find_tables, with_columns
from docextract.extraction.layout.tables.rows import decode_groups

HEADINGS = [(200, 0, ("Nettopreis", None)), (400, 0, ("Menge", None)), (500, 0, ("Gewicht kg", None)),
            (700, 0, ("Betrag", None))]  # fmt: skip
NAME, AMOUNT = (0, 60, ("Tea", "description")), (700, 60, ("80,00", "amount"))


def row_of(rows_of, *cells):
    (row,) = rows_of(*cells)
    return row


def test_a_number_below_a_heading_is_the_value_that_it_names(rows_of):
    """Also if the product is none: the price is before taxes."""
    row = row_of(rows_of, *HEADINGS, NAME, (205, 60, ("67,2244", "product_code")), (405, 60, ("1", "quantity")), AMOUNT)

    assert row == {"description": "Tea", "quantity": "1", "unit_price": "67.2244", "amount": "80.00"}


def test_a_number_below_another_heading_is_replaced(rows_of):
    """A weight is no quantity."""
    row = row_of(rows_of, *HEADINGS, NAME, (405, 60, ("12", None)), (510, 60, ("19,5", "quantity")), AMOUNT)

    assert row["quantity"] == "12"


def test_of_two_numbers_the_one_below_the_heading_counts(rows_of):
    """The network takes both for the price."""
    prices = [(205, 60, ("50,00", "unit_price")), (300, 60, ("10,00", "unit_price"))]

    assert row_of(rows_of, *HEADINGS, NAME, *prices, (405, 60, ("2", "quantity")), AMOUNT)["unit_price"] == "50.00"


def test_of_two_numbers_below_a_heading_none_is_taken(rows_of):
    """One may be the price before a discount."""
    prices = [(200, 60, ("5,00", None)), (260, 60, ("4,50", None))]

    assert "unit_price" not in row_of(rows_of, *HEADINGS, NAME, *prices, (405, 60, ("2", "quantity")), AMOUNT)


def test_a_description_is_not_replaced(rows_of):
    """Of two lines, below the heading of the numbers of articles."""
    headings = [(0, 0, ("Artikel", None)), *HEADINGS]
    cells = [
        (0, 60, ("4711", "product_code")),
        (60, 60, ("Tea green", "description")),
        (60, 90, ("loose", "description")),
    ]
    row = row_of(rows_of, *headings, *cells, (405, 60, ("3", "quantity")), AMOUNT)

    assert (row["description"], row["product_code"]) == ("Tea green loose", "4711")


def test_a_unit_in_a_row_is_no_heading(rows_of):
    """Though it names a quantity."""
    cells = [(205, 30, ("67,22", None)), (405, 30, ("1", "quantity")), (460, 30, ("Stk", None))]
    row = row_of(rows_of, *HEADINGS, (0, 30, ("Tea", "description")), *cells, (700, 30, ("80,00", "amount")))

    assert row["unit_price"] == "67.22"


def test_two_headings_make_no_table(rows_of):
    """Such words stand elsewhere, too."""
    headings = (HEADINGS[0], HEADINGS[-1])
    row = row_of(rows_of, *headings, NAME, (205, 60, ("67,22", None)), (405, 60, ("1", "quantity")), AMOUNT)

    assert "unit_price" not in row


def test_headings_that_are_far_apart_make_no_table(rows_of):
    """Labels of other values stand below each other."""
    headings = [(x, 60 * at, *parts) for at, (x, _, *parts) in enumerate(HEADINGS)]
    cells = [(205, 300, ("67,22", None)), (405, 300, ("1", "quantity")), (700, 300, ("80,00", "amount"))]

    assert "unit_price" not in row_of(rows_of, *headings, (0, 300, ("Tea", "description")), *cells)


def test_what_stands_above_headings_is_not_below_them(rows_of):
    """Such as a sum carried over."""
    headings = [(x, 120, *parts) for x, _, *parts in HEADINGS]
    row = row_of(rows_of, *headings, NAME, (205, 60, ("67,22", None)), (405, 60, ("1", "quantity")), AMOUNT)

    assert "unit_price" not in row


def test_each_table_has_its_own_headings(rows_of):
    """The columns of the second one are in another order."""
    second = [
        (200, 120, ("Menge", None)),
        (400, 120, ("Preis", None)),
        (500, 120, ("Rabatt", None)),
        (700, 120, ("Betrag", None)),
    ]
    cells = [(205, 180, ("3", "quantity")), (405, 180, ("4,00", "unit_price")), (505, 180, ("25 %", None))]
    row = row_of(
        rows_of, *HEADINGS, *second, (0, 180, ("Tea", "description")), *cells, (700, 180, ("9,00", "amount"))
    )  # fmt: skip

    assert (row["quantity"], row["unit_price"]) == ("3", "4.00")


@pytest.mark.parametrize(
    "headings",
    [
        [(0, 0, ("Pos", None)), (300, 0, ("Qty", None)), (700, 0, ("Price", None))],  # it heads the amounts
        [(300, 0, ("Qty", None)), (500, 0, ("Unit price", None)), (700, 0, ("Price", None)), (0, 0, ("No", None))],
    ],
)
def test_an_amount_is_no_price(rows_of, headings):
    """Whatever its heading says."""
    row = row_of(rows_of, *headings, (100, 60, ("Tea", "description")), (305, 60, ("2", "quantity")),
                 (505, 60, ("5.00", None)), (700, 60, ("11.00", "amount")))  # fmt: skip

    assert row["amount"] == "11.00"


def test_print_below_an_unknown_heading_is_not_below_its_neighbour(rows_of):
    """A long number reaches into the next column."""
    headings = [
        (200, 0, ("Art.-Nr.", None)),
        (290, 0, ("Menge", None)),
        (500, 0, ("Preis", None)),
        (700, 0, ("Betrag", None)),
    ]
    row = row_of(rows_of, *headings, NAME, (195, 60, ("4711000815", None)), (505, 60, ("40,00", "unit_price")), AMOUNT)

    assert row.get("quantity") is None


def test_numbers_of_other_rows_are_not_taken(table):
    """On a tilted page they are at the height of a row's own."""
    page = table(*HEADINGS, NAME, (205, 60, ("5,00", "unit_price")), (705, 60, ("9,00", "amount")))
    fields = {field.leaf: field for field in page.document_type.fields() if field.group == "line_items"}
    spans = {page.text(line): tuple(line) for line in page.lines}
    tea, price, amount = (
        candidate_of(fields[leaf], spans[text], page)
        for leaf, text in (("description", "Tea"), ("unit_price", "5,00"), ("amount", "9,00"))
    )

    both, own = (
        [{"unit_price": price}, {"description": tea, "amount": amount}],
        [{"description": tea, "amount": amount}],
    )
    cells = PageCells(page)
    _, lower = with_columns(both, find_tables(cells, both, page), fields, page, cells)
    (alone,) = with_columns(own, find_tables(cells, own, page), fields, page, cells)

    assert lower.keys() == {"description", "amount"}
    assert alone.keys() == {"description", "amount", "unit_price"}


def test_rows_with_a_right_product_stay(rows_of):
    """Whatever the headings say."""
    row = row_of(rows_of, *HEADINGS, NAME, (205, 60, ("3", "quantity")), (405, 60, ("5,00", "unit_price")),
                 (700, 60, ("15,00", "amount")))  # fmt: skip

    assert (row["quantity"], row["unit_price"]) == ("3", "5.00")


def test_a_description_keeps_its_other_words(rows_of):
    """Its last one is the quantity."""
    name = (0, 60, ("Cable", "description")), (405, 60, ("12", "description"))
    row = row_of(rows_of, *HEADINGS, *name, AMOUNT)

    assert (row["description"], row["quantity"]) == ("Cable", "12")


@pytest.mark.parametrize(
    ("heading", "leaf"),
    [
        ("Einzelpreis (EUR)", "unit_price"), ("Preis EUR", "unit_price"), ("P.U. HT", "unit_price"),
        ("QTY.", "quantity"), ("Gesamtpreis in CHF", "amount"), ("Weight kg", "other"), ("Description", "description"),
        ("Thank you", None), ("", None),
    ],
)  # fmt: skip
def test_headings_are_known_without_brackets_and_currencies(heading, leaf):
    """In any case."""
    assert leaf_of_heading(heading) == leaf


@pytest.mark.parametrize(
    ("headings", "number"),
    [
        ([(0, "Pos"), (300, "Qty"), (700, "Price")], 705),  # may be the amount
        ([(300, "Qty"), (500, "Net amount"), (700, "Total")], 705),  # which of both is not told
    ],
)
def test_a_heading_that_may_name_two_values_names_none(rows_of, headings, number):
    """The network sees no amount in the row."""
    texts = [(x, 0, (text, None)) for x, text in headings]
    row = row_of(rows_of, *texts, (100, 60, ("Tea", "description")), (305, 60, ("2", "quantity")),
                 (400, 60, ("19 %", "tax_rate")), (number, 60, ("11.00", None)))  # fmt: skip

    assert row.keys() == {"description", "quantity", "tax_rate"}


DECIMALS = [(405, 60, ("1.100,00", "quantity")), (205, 60, ("2,50", "unit_price"))]


@pytest.mark.parametrize("amount", ["2.750,00", "2.600,00"])  # the second one after a discount
def test_quantity_and_price_have_the_roles_that_their_headings_name(rows_of, amount):
    """The product is the same in either order."""
    headings = [(200, 0, ("Menge", None)), (400, 0, ("Nettopreis", None)), *HEADINGS[2:]]
    row = row_of(rows_of, *headings, NAME, *DECIMALS, (700, 60, (amount, "amount")))

    assert (row["quantity"], row["unit_price"]) == ("2.50", "1100.00")


def test_roles_stay_where_one_of_the_headings_names_another_value(rows_of):
    headings = [(200, 0, ("Menge", None)), (400, 0, ("Gewicht kg", None)), HEADINGS[-1]]
    row = row_of(rows_of, *headings, NAME, *DECIMALS, (700, 60, ("2.750,00", "amount")))

    assert (row["quantity"], row["unit_price"]) == ("1100.00", "2.50")


def test_of_an_amount_in_two_cells_the_other_is_the_price(rows_of):
    """The network takes both for the amount; the second one counts, also if no heading is above it."""
    cells = (405, 60, ("7,5", "quantity")), (205, 60, ("4.200,00", "amount"))
    row = row_of(rows_of, *HEADINGS, NAME, *cells, (700, 60, ("31.500,00", "amount")))
    apart = row_of(rows_of, *HEADINGS, NAME, *cells, (900, 60, ("31.500,00", "amount")))

    assert row == apart == {"description": "Tea", "quantity": "7.5", "unit_price": "4200.00", "amount": "31500.00"}


def test_of_an_amount_and_its_tax_the_one_below_the_heading_of_amounts_counts(rows_of):
    """The network takes both for the amount. A row may have a discount, so that its product proves nothing."""
    headings = [
        (0, 0, ("Details", None)), (200, 0, ("Quantity", None)), (400, 0, ("Unit Price", None)),
        (600, 0, ("Net Amt", None)), (700, 0, ("VAT Amt", None)),
    ]  # fmt: skip
    amounts = [(600, 60, ("171,00", "amount")), (700, 60, ("34,20", "amount"))]
    row = row_of(
        rows_of, *headings, NAME, (205, 60, ("10", "quantity")),
        (405, 60, ("18,00", "unit_price")), *amounts,
    )  # fmt: skip

    assert row["amount"] == "171.00"


def test_the_sign_of_a_currency_in_a_cell_of_its_own_belongs_to_the_amount(table):
    page = table(*HEADINGS, NAME, (650, 60, ("€", "amount")), (705, 60, ("9,00", "amount")))

    (row,) = decode_groups(page)["line_items"]

    assert row["amount"].content == "€ 9,00"


def test_a_price_is_one_where_the_amount_stands_below_an_unknown_heading_at_its_right(rows_of):
    headings = [(0, 0, ("Artikel", None)), (200, 0, ("Menge", None)), (400, 0, ("Nettopreis", None)),
                (700, 0, ("Sum eks. mva", None))]  # fmt: skip
    name, amount = (0, 60, ("Tea", "description")), (700, 60, ("2.750,00", "amount"))
    exchanged = row_of(rows_of, *headings, name, *DECIMALS, amount)
    missing = row_of(rows_of, *headings, name, (205, 60, ("2", "quantity")), (405, 60, ("1.400,00", None)), amount)

    assert (exchanged["quantity"], exchanged["unit_price"]) == ("2.50", "1100.00")
    assert missing["unit_price"] == "1400.00"
