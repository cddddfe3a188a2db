"""Lines of addresses without street and town."""

import pytest

from docextract.documents.address_lines import is_line_of_address


@pytest.mark.parametrize(
    "text",
    [
        "Building C", "Bâtiment 4,", "Level 12", "BLOCK B2", "P.O. Box 77", "Postfach", "Postfach 10 12 34", "CS 40012",
        "PO Box #1188", "Second Floor", "2nd floor,", "Ground Floor", "2e étage, porte 4", "3° piso", "1. OG links",
        "Zona Industrial", "Holme Industrial Estate", "Polígono Industrial",
    ],
)  # fmt: skip
def test_lines_of_addresses_are_known_by_their_words(text):
    assert is_line_of_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "Box", "BP", "Tower Hill", "Floor care", "Building", "c/o Müller", "Box Hill 7", "12 Stock Road",
        "First Street", "2 Piano Lessons", "1 Piano", "2 floor, oak laminate", "2nd floor, oak laminate",
    ],
)  # fmt: skip
def test_other_lines_are_none(text):
    assert not is_line_of_address(text)
