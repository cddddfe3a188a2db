"""Codes below their heading are no descriptions."""

import numpy as np
import pytest

from docextract.predictions import TextLine

HEADINGS = [(0, 0, ("Art.-Nr.", None)), (200, 0, ("Bezeichnung", None)), (400, 0, ("Menge", None)),
            (700, 0, ("Betrag", None))]  # fmt: skip
COUNT, AMOUNT = (405, 60, ("2", "quantity")), (700, 60, ("80,00", "amount"))


def row_of(rows_of, *cells):
    (row,) = rows_of(*cells, COUNT, AMOUNT)
    return row.get("product_code"), row.get("description")


@pytest.mark.parametrize("code", ["LVNDR", "TEA-GRN-1", "AX 12 B"])
def test_words_below_the_heading_of_codes_are_a_code(rows_of, code):
    cells = [(0, 60, (code, "description")), (200, 60, ("Green tea", "description"))]

    assert row_of(rows_of, *HEADINGS, *cells) == (code, "Green tea")


def test_the_only_words_of_a_row_are_its_description(rows_of):
    assert row_of(rows_of, *HEADINGS, (0, 60, ("LVNDR", "description"))) == (None, "LVNDR")


def test_names_below_the_only_heading_are_descriptions(rows_of):
    """Such as "Référence", behind a code in one cell with the name."""
    headings = [(0, 0, ("Code", None)), (400, 0, ("Qty", None)), (700, 0, ("Amount", None))]

    assert row_of(rows_of, *headings, (0, 60, ("5012", "product_code"), ("MILK 2L", "description"))) == (
        "5012",
        "MILK 2L",
    )


@pytest.mark.parametrize(
    "cell",
    [
        (0, 60, ("Green tea", "description")),  # a name in small letters
        (200, 60, ("LVNDR", "description")),  # below the heading of descriptions
        (0, 60, ("LAVENDER FROM PROVENCE", "description")),  # below both
        (100, 60, ("LVNDR", "description")),  # below none
    ],
)
def test_other_words_are_descriptions(rows_of, cell):
    assert row_of(rows_of, *HEADINGS, cell) == (None, cell[2][0])


def test_words_on_a_line_below_are_a_description(rows_of):
    cells = [(0, 60, ("4711", "product_code")), (0, 90, ("LAVENDER", "description"))]

    assert row_of(rows_of, *HEADINGS, *cells) == ("4711", "LAVENDER")


def test_a_number_below_the_heading_of_codes_is_one_whatever_the_network_takes_it_for(rows_of):
    """It knows the number of another column better, or takes the code for a unit."""
    headings = [*HEADINGS[:1], (100, 0, ("EAN", None)), *HEADINGS[1:]]
    cells = [
        (0, 60, ("71-4402", None)),
        (100, 60, ("4006381333931", "product_code")),
        (200, 60, ("Tea", "description")),
    ]

    assert row_of(rows_of, *headings, *cells) == ("71-4402", "Tea")
    assert row_of(rows_of, *HEADINGS, (0, 60, ("L26", "unit")), cells[2]) == ("L26", "Tea")


def test_headings_of_near_columns_may_be_one_line(rows_of):
    """So may be their values: "Pos Art.-Nr." above "10 71-4402"."""
    headings = [(0, 0, ("Pos", None)), (31, 0, ("Art.-Nr.", None)), *HEADINGS[1:]]
    cells = [(0, 60, ("10", None)), (34, 60, ("71-4402", None)), (200, 60, ("Green tea", "description"))]

    assert row_of(rows_of, *headings, *cells) == ("71-4402", "Green tea")


def test_an_item_is_a_code_in_a_table_with_descriptions(rows_of):
    headings = [(0, 0, ("Item", None)), (200, 0, ("Description", None)), *HEADINGS[2:]]
    code, name = (0, 60, ("PMP-50", "description")), (200, 60, ("Pump", "description"))

    assert row_of(rows_of, *headings, code, name) == ("PMP-50", "Pump")
    assert row_of(rows_of, *headings, (0, 60, ("PUMPS", "description")), name) == (None, "PUMPS Pump")


@pytest.mark.parametrize("heading", ["Item", "Item No."])
@pytest.mark.parametrize("number", ["1", "11", "2.", "1.1", "100"])
def test_a_short_number_that_the_network_takes_for_nothing_may_be_a_position(rows_of, heading, number):
    """A single row, or one on the next page, does not show that it counts."""
    headings = [(0, 0, (heading, None)), (200, 0, ("Description", None)), *HEADINGS[2:]]
    name = (200, 60, ("Pump", "description"))

    assert row_of(rows_of, *headings, (0, 60, (number, None)), name) == (None, "Pump")
    assert row_of(rows_of, *headings, (0, 60, (number, "product_code")), name)[0] is not None
    assert row_of(rows_of, *headings, (0, 60, ("4711", None)), name) == ("4711", "Pump")


@pytest.mark.parametrize("code", ["S1", "20", "T20"])
def test_a_class_of_tax_behind_the_amount_is_no_code(rows_of, code):
    headings, name = [*HEADINGS[1:], (850, 0, ("Code", None))], (200, 60, ("Pump", "description"))

    assert row_of(rows_of, *headings, name, (850, 60, (code, None))) == (None, "Pump")
    assert row_of(rows_of, *headings, name, (850, 60, (code, "product_code"))) == (code, "Pump")


@pytest.mark.parametrize("heading", ["Batch", "Ch.-B.", "Lot n°", "Exp.", "Šarže", "MHD"])
def test_what_stands_below_the_heading_of_batches_is_no_code(rows_of, heading):
    headings = [(0, 0, ("HSN", None)), (150, 0, ("Product Name", None)), (300, 0, (heading, None)), *HEADINGS[2:]]
    cells = [(0, 60, ("30049079", "product_code")), (150, 60, ("Tablets", "description"))]
    batch = (300, 60, ("A6014", "product_code"))

    assert row_of(rows_of, *headings, *cells, batch) == ("30049079", "Tablets")
    assert row_of(rows_of, *headings, cells[1], batch) == (None, "Tablets")


def test_of_codes_in_different_columns_the_first_is_taken(rows_of):
    headings = [(0, 0, ("Commodity", None)), (100, 0, ("Charge no", None)), *HEADINGS[1:]]
    cells = [(0, 60, ("30049079", "product_code")), (100, 60, ("6014", "product_code"))]

    assert row_of(rows_of, *headings, *cells, (200, 60, ("Tea", "description"))) == ("30049079", "Tea")


def lines_of(*codes):
    """Rows with a code and the same amount."""
    return [
        cell
        for at, (code, leaf) in enumerate(codes)
        for cell in [
            (0, 60 + 40 * at, (code, leaf)),
            (200, 60 + 40 * at, ("Tea", "description")),
            (405, 60 + 40 * at, ("2", "quantity")),
            (700, 60 + 40 * at, ("80,00", "amount")),
        ]
    ]


@pytest.mark.parametrize("numbers", ["000010 000020 000030", "1 2 3", "90 100 110", "990 1000 1010"])
def test_numbers_that_count_the_rows_are_no_codes(rows_of, numbers):
    first = numbers.split()
    rows = rows_of(*lines_of(*((number, "product_code") for number in first)), starts=first)

    assert [row.get("product_code") for row in rows] == [None] * 3


def test_rows_on_one_tilted_line_keep_their_values(rows_of):
    """The middle of such a line is not at the height of its amount: paper may be crumpled."""

    def tilted(text, x, y):
        drop = 0 if y > 900 else 5 * len(text)
        corners = [[x, y], [x + 10 * len(text), y + drop], [x + 10 * len(text), y + drop + 20], [x, y + 20]]
        return TextLine(text, np.array(corners, np.float32), 0.99)

    codes = ("471", "472", "473")
    rows = [
        (0, 200 * at, (code, "product_code"), ("Green tea", "description"), ("80,00", "amount"))
        for at, code in enumerate(codes)
    ]
    level = [(0, 1000 + 40 * at, ("These words are on a level line of the page. " * 2, None)) for at in range(6)]
    values = {"description": "Green tea", "amount": "80.00"}
    expected = [{"product_code": code, **values} for code in codes]

    assert rows_of(*rows, *level, starts=codes) == expected
    assert rows_of(*rows, *level, starts=codes, line_of=tilted) == expected


def test_an_endless_number_in_front_of_rows_is_no_position(rows_of):
    """Python reads 4,300 digits at most."""
    rows = [
        cell
        for y in (0, 100)
        for cell in [
            (0, y, ("1" * 5000, "product_code")),
            (60_000, y, ("Tea", "description")),
            (70_000, y, ("80,00", "amount")),
        ]
    ]

    assert [row["amount"] for row in rows_of(*rows, starts=("1" * 5000,))] == ["80.00", "80.00"]


@pytest.mark.parametrize("numbers", ["10 30 20", "1001 1002 1003", "4 5 6", "4710 4720 4730"])
def test_other_numbers_may_be_codes(rows_of, numbers):
    first = numbers.split()
    rows = rows_of(*lines_of(*((number, "product_code") for number in first)), starts=first)

    assert [row.get("product_code") for row in rows] == first


def test_what_stands_below_codes_is_no_unit(rows_of):
    """One code above it may be on the row of another table."""
    codes = (("PMP-50", "product_code"), ("DRP-17", "product_code"), ("LAB", "unit"))
    of_three = rows_of(*lines_of(*codes), starts=("PMP", "DRP", "LAB"))
    of_two = rows_of(*lines_of(*codes[1:]), starts=("DRP", "LAB"))

    assert [row.get("unit") for row in (*of_three, *of_two)] == [None, None, None, None, "LAB"]


def test_a_unit_below_the_codes_of_another_table_stays(rows_of):
    headings = [(0, 200, ("Einheit", None)), *((x, 200, text) for x, _, text in HEADINGS[1:])]
    hours = [(0, 260, ("h", "unit")), (200, 260, ("Work", "description")), (405, 260, ("3", "quantity")),
             (700, 260, ("90,00", "amount"))]  # fmt: skip
    goods = lines_of(("PMP-50", "product_code"), ("SEAL-9", "product_code"))
    rows = rows_of(*HEADINGS, *goods, *headings, *hours, starts=("PMP", "SEAL", "h"))

    assert [row.get("unit") for row in rows] == [None, None, "h"]


def rows_with_lines(*texts):
    """Rows whose description has two lines."""
    return [
        cell
        for at, (first, second) in enumerate(texts)
        for cell in [
            (0, 60 + 80 * at, (first, "description")),
            (0, 84 + 80 * at, (second, "description")),
            (405, 60 + 80 * at, ("2", "quantity")),
            (700, 60 + 80 * at, ("80,00", "amount")),
        ]
    ]


def test_the_first_lines_of_most_descriptions_may_be_codes(rows_of):
    texts = [("SEAL-TC-40", "OIL RING"), ("CPL-L100-SPD", "COUPLING"), ("GRS-EP2-400", "GREASE")]
    rows = rows_of(*rows_with_lines(*texts), starts=("SEAL", "CPL", "GRS"))

    assert [(row.get("product_code"), row["description"]) for row in rows] == texts


def test_a_code_beside_the_first_line_of_a_description_stays(rows_of):
    """One below is the customer's."""
    texts = [("SEAL-TC-40", "OIL RING"), ("CPL-L100-SPD", "COUPLING"), ("GRS-EP2-400", "GREASE")]
    codes = [(250, 60, ("4711", "product_code")), (0, 164, ("100497", "product_code"))]
    rows = rows_of(*rows_with_lines(*texts), *codes, starts=("SEAL", "CPL", "GRS"))

    assert [row.get("product_code") for row in rows] == ["4711", "CPL-L100-SPD", "GRS-EP2-400"]


@pytest.mark.parametrize(
    "texts",
    [
        [("SEAL-TC-40", "OIL SEAL"), ("CPL-L100-SPD", "COUPLING")],  # too few
        [("OIL SEAL 40", "with a long lip"), ("COUPLING L100", "of steel"), ("GREASE EP2", "in a can")],
        [("Seal40-double", "OIL SEAL"), ("Coupling-L100", "COUPLING"), ("Grease-EP2", "GREASE")],
        [("14-NOV-2026", "Repair"), ("15-NOV-2026", "Cleaning"), ("16-NOV-2026", "Repair")],
    ],
    ids=["few", "words", "small letters", "dates"],
)
def test_other_first_lines_are_of_descriptions(rows_of, texts):
    rows = rows_of(*rows_with_lines(*texts), starts=[first.split("-")[0].split()[0] for first, _ in texts])

    assert not any("product_code" in row for row in rows)
    assert [row["description"].startswith(first) for row, (first, _) in zip(rows, texts, strict=True)] == [True] * len(
        texts
    )
