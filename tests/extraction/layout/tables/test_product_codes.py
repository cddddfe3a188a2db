"""Codes below their heading are no descriptions."""

import pytest

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
