"""Which lines below each other are one description."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.tables.description_lines import DescriptionColumn

STEP = 24  # px from line to line of one text; letters are 10 px wide and 20 px high
LONG = "Installation of the pump"  # as wide as the column


def goods(name, *lower, y=0):
    """The printed lines of a row: its name, a quantity and an amount, and lines of words below the name."""
    words = [(0, y + STEP * at, (text, "description")) for at, text in enumerate((name, *lower))]
    return [words[0], (600, y, ("2", "quantity")), (700, y, ("80,00", "amount")), *words[1:]]


def descriptions(rows_of, *cells, starts=()):
    return [row["description"] for row in rows_of(*cells, starts=starts)]


def test_words_for_which_a_line_has_no_room_go_on_with_it(rows_of):
    """The column is as wide as its longest line."""
    assert descriptions(rows_of, *goods(LONG, "and pipes")) == [f"{LONG} and pipes"]


@pytest.mark.parametrize(
    "remark",
    [
        "white",  # there is room for it behind the name
        "Order: 4711 of a customer",
    ],
)
def test_a_remark_below_a_description_is_no_part_of_it(rows_of, remark):
    """And neither are the lines below it."""
    first, second = goods("Tea", remark, "in a box"), goods(LONG, y=200)

    assert descriptions(rows_of, *first, *second, starts=("Tea", "Installation"))[0] == "Tea"


@pytest.mark.parametrize(("indent", "whole"), [(10, f"{LONG} toasted"), (20, LONG)])
def test_an_indented_line_is_a_remark(rows_of, indent, whole):
    """Tills print what guests wish below their dishes like this."""
    name, *numbers, remark = goods(LONG, "toasted")

    assert descriptions(rows_of, name, *numbers, (indent, *remark[1:])) == [whole]


@pytest.mark.parametrize(
    ("first", "second", "indent"),
    [
        (f"- {LONG}", "and pipes", 20),  # a hanging indent
        (LONG, "and pipes", 75),  # centred
        (LONG, "and pipes", 150),  # flush right
    ],
)
def test_a_line_that_is_set_otherwise_is_no_remark(rows_of, first, second, indent):
    name, *numbers, below = goods(first, second)

    assert descriptions(rows_of, name, *numbers, (indent, *below[1:])) == [f"{first} {second}"]


@pytest.mark.parametrize("remark", ["Delivery note: 4711", "-"])
def test_labels_and_signs_are_no_part_of_a_description(rows_of, remark):
    """Even if there is no room for them."""
    assert descriptions(rows_of, *goods(LONG, remark)) == [LONG]


def test_what_stands_below_a_code_is_the_description(rows_of):
    """However much room there is behind the code."""
    first, second = goods("M", "Monitor"), goods(LONG, y=200)

    assert descriptions(rows_of, *first, *second, starts=("M", "Installation"))[0] == "M Monitor"


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("Tea (green", "and black)", "Tea (green and black)"),
        ("Tea, coffee,", "milk", "Tea, coffee, milk"),
        ("ART-4711", "Tea", "ART-4711 Tea"),
        ("Öl", "Ware", "Öl"),
    ],
)
def test_an_unfinished_line_goes_on_however_much_room_is_behind_it(rows_of, first, second, whole):
    """An open bracket, a comma, a code; a short name is complete."""
    rows = [*goods(first, second), *goods(LONG, y=200)]

    assert descriptions(rows_of, *rows, starts=(first.split()[0].split("-")[0].strip(","), "Installation"))[0] == whole


def test_words_that_the_network_misses_fill_a_line_too(rows_of):
    """There is no room behind them."""
    missed = [(0, 0, ("Screws of steel", "description"), ("10 x 50", None)), (0, STEP, ("zinc plated", "description"))]
    numbers = [(600, 0, ("2", "quantity")), (700, 0, ("80,00", "amount"))]
    found = descriptions(rows_of, *missed, *numbers, *goods(LONG, y=200), starts=("Screws", "Installation"))

    assert found[0] == "Screws of steel 10 x 50 zinc plated"


def test_a_heading_below_a_complete_row_is_no_part_of_it(rows_of):
    """The network begins a row with it."""
    cells = [*goods(LONG), (0, STEP, ("Materials", "description")), *goods("Pump", y=2 * STEP)]

    assert descriptions(rows_of, *cells, starts=("Installation", "Materials", "Pump")) == [LONG, "Pump"]


def test_smaller_print_is_no_part_of_a_description(table):
    """Even if there is no room for it."""
    page = table(*goods(LONG, "and pipes"))
    words = [index for index, piece in enumerate(page.pieces) if piece.text.isalpha()]
    small = [
        replace(piece, straight=piece.straight * (1, 0.5) + (0, STEP / 2)) if piece.text in ("and", "pipes") else piece
        for piece in page.pieces
    ]
    smaller = replace(page, pieces=tuple(small))

    assert page.text(DescriptionColumn([{"description": words}], page).without_remarks(words)) == f"{LONG} and pipes"
    assert smaller.text(DescriptionColumn([{"description": words}], smaller).without_remarks(words)) == LONG


def test_a_row_that_begins_inside_a_description_is_joined_with_the_one_above(rows_of):
    """It has the amount, which is printed lower than the quantity."""
    cells = [(0, 0, (LONG, "description")), (600, 0, ("2", "quantity"))]
    rest = [(0, STEP, ("and pipes", "description")), (700, STEP, ("80,00", "amount"))]
    (row,) = rows_of(*cells, *rest, starts=("Installation", "and"))

    assert row == {"description": f"{LONG} and pipes", "quantity": "2", "amount": "80.00"}


@pytest.mark.parametrize(("x", "y"), [(300, STEP), (0, 3 * STEP)])
def test_words_elsewhere_do_not_go_on_with_a_description(rows_of, x, y):
    """Only those directly below it, at its left end. The amount beside them completes the row all the same."""
    cells = [(0, 0, (LONG, "description")), (600, 0, ("2", "quantity"))]
    rest = [(x, y, ("and pipes", "description")), (700, y, ("80,00", "amount"))]
    (row,) = rows_of(*cells, *rest, starts=("Installation", "and"))

    assert row == {"description": LONG, "quantity": "2", "amount": "80.00"}


def test_a_row_with_an_amount_of_its_own_is_another_one(rows_of):
    """Even if there is no room for its first word."""
    lower = [(0, STEP, ("and pipes", "description")), (700, STEP, ("20,00", "amount"))]

    assert descriptions(rows_of, *goods(LONG), *lower, starts=("Installation", "and")) == [LONG, "and pipes"]


def test_a_row_of_words_with_room_above_it_is_another_one(rows_of):
    """It begins where the network says."""
    rows = [*goods("Tea"), (0, STEP, ("Coffee", "description")), (700, STEP, ("20,00", "amount"))]

    assert descriptions(rows_of, *rows, *goods(LONG, y=200), starts=("Tea", "Coffee", "Installation")) == [
        "Tea", "Coffee", LONG,
    ]  # fmt: skip
