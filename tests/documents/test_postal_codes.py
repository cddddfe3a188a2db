"""Postal codes in lines of addresses."""

import pytest

from docextract.documents.postal_codes import has_postal_code, with_digits_of_code


@pytest.mark.parametrize(
    ("text", "is_first", "expected"),
    [
        ("80333 München", False, True),
        ("DE 80333 München", False, True),
        ("D-07545 GERA", False, True),
        ("1012 AB Amsterdam", False, True),
        ("Helena, MT 59601-1234", False, True),
        ("NORTH QUINCY, MA 02171 - 1748", False, True),
        ("RG6 1WG", False, True),
        ("602 00 Brno", False, True),
        ("00-238 Warszawa", False, True),
        ("01310-100 São Paulo - SP", False, True),
        ("2740-034 Colares", False, True),
        ("ul. Długa 5, 00-238 Warszawa", True, True),
        ("ul. Długa 5, lok. 10-12", True, False),
        ("ul. Długa 5, 22-123-45-67", True, False),
        ("Carlton VIC 3402", False, True),
        ("Ottawa ON K1A 0B1", False, True),
        ("Bangalore - 560068", False, True),
        ("Kelowna, BC V1Y OB5", False, True),
        ("Lima 15046 - Lima", False, True),
        ("4 rue Haute, 84340 Malaucène", True, True),
        ("1881 PIERCE ST", True, False),
        ("Pappelallee 15", True, False),
        ("APT. 1", False, False),
        ("FAX 0100 821356", False, False),
        ("Tel 12345 Berlin", False, False),
    ],
)
def test_postal_codes_of_many_countries(text, is_first, expected):
    assert has_postal_code(text, is_first) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ST LOUIS SK SOJ 2CO", "ST LOUIS SK S0J 2C0"),
        ("OTTAWA, ON K1A OB1", "OTTAWA, ON K1A 0B1"),
        ("OTTAWA ON K1A 0B1", "OTTAWA ON K1A 0B1"),
        ("ORDER ON LOS ISO", "ORDER ON LOS ISO"),
        ("OTTAWA K1A OB1", "OTTAWA K1A OB1"),
    ],
)
def test_letters_are_digits_in_canadian_codes(text, expected):
    """Behind the code of a province."""
    assert with_digits_of_code(text) == expected
