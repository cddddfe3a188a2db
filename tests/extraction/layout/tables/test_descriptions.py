"""Descriptions of goods with figures and brackets."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.tables.descriptions import complete_description


def described(rows_of, *cells, starts=()):
    """The description of the only row: the given lines beside an amount."""
    (row,) = rows_of(*cells, (700, cells[0][1], ("80,00", "amount")), starts=starts)
    return row["description"]


def test_a_share_inside_a_description_is_a_part_of_it(rows_of):
    """The network takes it for the rate of the tax."""
    words = [("Insurance SF25 (", "description"), ("30 %", "tax_rate"), (") class R9", "description")]

    assert described(rows_of, (0, 0, *words)) == "Insurance SF25 ( 30 % ) class R9"


def test_a_number_inside_a_description_is_a_part_of_it_where_the_row_has_another(rows_of):
    """Otherwise it may be the quantity."""
    line = (0, 0, ("Insert", "description"), ("10,000", "quantity"), ("copies", "description"))

    assert described(rows_of, line, (500, 0, ("2", "quantity"))) == "Insert 10,000 copies"
    assert described(rows_of, line) == "Insert copies"


@pytest.mark.parametrize(
    ("front", "complete"),
    [
        ("12 ft", "12 ft cable"),  # a measure
        ("Long", "Long cable"),  # a word
        ("Line", "Line cable"),  # may also be above the positions of rows
        ("Charge", "Charge cable"),  # is above batches in German
        ("3", "cable"),  # the position of the row
        ("4711", "cable"),  # the number of an article
        ("Feb 14, 2019", "cable"),  # a day
        ("02 September", "cable"),
        ("Position 3", "cable"),
        ("Position:", "cable"),
        ("Description", "cable"),  # the heading of the column
    ],
)
def test_words_and_measures_in_front_are_parts_of_a_description(rows_of, front, complete):
    """But not what identifies the row."""
    assert described(rows_of, (0, 0, (front, None), ("cable", "description"))) == complete


@pytest.mark.parametrize(("share", "words"), [(0.55, [0, 1]), (0.1, [1])])
def test_a_number_in_front_that_is_likely_a_word_is_a_part_of_a_description(invoice, line, share, words):
    """A brand of petrol, "95 miles", of which the network is not sure whether it begins the row."""
    page = invoice((line("95 miles", 0, 0), {"line_items.description": share}))

    assert complete_description({"description": [1]}, page, {1: "description"})["description"] == words


def test_a_bracket_around_other_values_is_no_part_of_a_description(rows_of):
    """The network took its opening one for a part."""
    line = (0, 0, ("Tea (", "description"), ("2", "quantity"), ("x", None), ("40,00", "unit_price"), (")", None))

    assert described(rows_of, line) == "Tea"


def test_a_unit_behind_a_quantity_is_no_part_of_a_description(rows_of):
    """The network took it for nothing."""
    line = (0, 0, ("2", "quantity"), ("boxes", None), ("Tea", "description"))

    assert described(rows_of, line) == "Tea"


def test_print_in_another_column_is_no_part_of_a_description(rows_of):
    """However near to it in reading order."""
    assert described(rows_of, (0, 0, ("Blue", None)), (400, 0, ("cable", "description"))) == "cable"


def test_a_description_goes_on_to_its_closing_bracket(rows_of):
    """On its line, and on the next one."""
    assert described(rows_of, (0, 0, ("Package (bed", "description"), ("and meal)", None))) == "Package (bed and meal)"
    lines = [(0, 0, ("Package (bed,", "description")), (0, 30, ("meal)", None))]
    assert described(rows_of, *lines) == "Package (bed, meal)"
    assert described(rows_of, (0, 0, ("Fare", "description")), (0, 30, ("(flat)", None))) == "Fare (flat)"
    assert described(rows_of, (0, 0, ("Rice", "description")), (0, 30, ("(2 items)", None))) == "Rice"


def test_a_bracket_that_closes_far_behind_is_left_open(rows_of):
    """It was misread."""
    far = "one two three four five six seven eight nine)"

    assert described(rows_of, (0, 0, ("Tea (green", "description")), (0, 30, (far, None))) == "Tea (green"


def test_a_value_in_brackets_stays_a_value(rows_of):
    """A price behind the name of a drink."""
    cells = [(0, 0, ("Lager (@", "description"), ("7.00", "unit_price"), (")", None)), (400, 0, ("2", "quantity"))]
    (row,) = rows_of(*cells, (700, 0, ("14.00", "amount")))

    assert (row["unit_price"], row["amount"]) == ("7.00", "14.00")


def test_a_rate_behind_a_description_is_a_part_of_it_where_the_row_has_another(rows_of):
    """As in a column of rates."""
    commission = (0, 0, ("Commission", "description"), ("15 %", "tax_rate"))

    assert described(rows_of, commission, (500, 0, ("19 %", "tax_rate"))) == "Commission 15 %"
    assert described(rows_of, commission) == "Commission"


def letters(rows_of, *names):
    cells = [((0, 30 * at, (name, "description")), (600, 30 * at, ("2,00", "amount"))) for at, name in enumerate(names)]
    found = rows_of(*(cell for row in cells for cell in row), starts=[name.split()[0] for name in names])
    return [row["description"] for row in found]


def test_letters_of_tax_classes_are_left_out_where_most_rows_have_one(rows_of):
    """One letter alone may belong to a name."""
    assert letters(rows_of, "A Tea", "B Rice", "A Salt") == ["Tea", "Rice", "Salt"]
    assert letters(rows_of, "A Tea", "Rice", "Salt") == ["A Tea", "Rice", "Salt"]
    assert letters(rows_of, "T Shirt", "V Belt", "C Clamp") == ["T Shirt", "V Belt", "C Clamp"]
    assert letters(rows_of, "T Shirt red", "T Shirt blue", "T Shirt green")[0] == "T Shirt red"
    assert letters(rows_of, "A Tea", "A Rice") == ["A Tea", "A Rice"]


def test_letters_of_tax_classes_behind_descriptions_are_left_out(rows_of):
    """They have a closing bracket, which no description ends with unless it has the opening one."""
    assert letters(rows_of, "Rice A)", "Salt B)", "Option (A)") == ["Rice", "Salt", "Option (A)"]
    assert letters(rows_of, "Vitamin C", "Kit ( size A)", "A)") == ["Vitamin C", "Kit ( size A)", "A)"]
    assert letters(rows_of, "Rice", "Shirt [ size A)", "vitaminA)") == ["Rice", "Shirt [ size A)", "vitaminA)"]


def test_letters_of_names_behind_a_tax_class_stay(rows_of):
    """The network told the classes apart."""
    cells = [
        cell
        for at, name in enumerate(["Tea", "Rice", "T Shirt"])
        for cell in ((0, 30 * at, ("B", None), (name, "description")), (600, 30 * at, ("2,00", "amount")))
    ]

    assert [row["description"] for row in rows_of(*cells, starts=["B"])] == ["Tea", "Rice", "T Shirt"]


@pytest.mark.parametrize(
    ("behind", "complete"),
    [
        ("10 x 2 col", "Advert 10 x 2 col"),
        ("of 06/12/2022", "Advert of 06/12/2022"),
        ("25 %", "Advert 25 %"),
        ("1 May 2022 - 31 May 2022", "Advert"),  # a period
        ("01.05.2022-31.05.2022", "Advert"),
        ("01.05.2022 bis 31.05.2022", "Advert"),
        ("in colour. This comes to", "Advert in colour"),  # a sentence
        ("incl. Plugs", "Advert incl. Plugs"),  # an abbreviation
        ("25 m", "Advert 25 m"),
        ("T", "Advert"),  # a class of tax
        ("B1", "Advert"),
        ("4711", "Advert"),  # the number of an article
        ("5,00 EUR", "Advert"),
        ("- HK$", "Advert"),  # in front of an amount
        ("EUR", "Advert"),
        ("RM", "Advert"),
        ("(3", "Advert"),  # a bracket that does not close
    ],
)
def test_print_behind_a_description_is_a_part_of_it(rows_of, behind, complete):
    """Unless it is a period, a sentence, a letter or a currency."""
    assert described(rows_of, (0, 0, ("Advert", "description"), (behind, None))) == complete


def test_smaller_print_behind_a_description_is_no_part_of_it(table):
    """It is a remark."""
    page = table((0, 0, ("Advert", "description"), ("in colour", None)))
    (word,) = (index for index, piece in enumerate(page.pieces) if piece.text == "Advert")
    small = [
        replace(piece, straight=piece.straight * (1, 0.5)) if piece.text != "Advert" else piece for piece in page.pieces
    ]
    row, in_rows = {"description": [word]}, {word: "description"}

    assert page.text(complete_description(row, page, in_rows)["description"]) == "Advert in colour"
    smaller = replace(page, pieces=tuple(small))
    assert complete_description(row, smaller, in_rows) == row


def test_figures_in_front_of_words_on_a_lower_line_are_parts_of_a_description(rows_of):
    """But not the position of the row, at the left of both lines."""
    first = (100, 0, ("Installation of water", "description"))

    lower = [(100, 24, ("12 x", None), ("bottles and more", "description"))]
    assert described(rows_of, first, *lower) == "Installation of water 12 x bottles and more"
    lower = [(100, 24, ("4711", None), ("bottles of some more", "description"))]
    assert described(rows_of, first, *lower) == "Installation of water bottles of some more"
    lower = [(100, 24, ("-", None), ("bottles of some more", "description"))]
    assert described(rows_of, first, *lower) == "Installation of water bottles of some more"
    lower = [(70, 24, ("1.", None), ("bottles of some more", "description"))]
    assert described(rows_of, first, *lower) == "Installation of water bottles of some more"
