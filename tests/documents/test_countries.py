"""Countries, as documents print them."""

import pytest

from docextract.documents.countries import parse_country


@pytest.mark.parametrize(
    ("printed", "code"),
    [
        ("DEUTSCH", "DEU"),
        ("Bundesrepublik Deutschland", "DEU"),
        ("D<<", "DEU"),
        ("Française", "FRA"),
        ("FRANÇAISE", "FRA"),
        ("ESP", "ESP"),
        ("BRITISH CITIZEN", "GBR"),
        ("UNITED STATES OF AMERICA", "USA"),
        ("Österreich", "AUT"),
        ("Koninkrijk der Nederlanden", "NLD"),
        ("T.C.", "TUR"),
        ("UTOPIA", "UTO"),
        ("STATELESS PERSON", "XXA"),
    ],
)
def test_a_country_is_known_by_code_name_and_nationality(printed, code):
    """In the language of the document, with or without accents."""
    assert parse_country(printed) == code


@pytest.mark.parametrize(
    ("printed", "code"), [("POLSKIE/POLISH", "POL"), ("DEUTSCH / GERMAN", "DEU"), ("Française (FRA)", "FRA")]
)
def test_several_languages_name_one_country(printed, code):
    """Bilingual print is one value."""
    assert parse_country(printed) == code


@pytest.mark.parametrize(
    ("printed", "code"),
    [
        ("REPUBLIC OF POLAND PASSPORT", "POL"),
        ("NORTH KOREA", "PRK"),
        ("TEXAS DRIVER LICENSE", "USA"),
        ("NIGERIA", "NGA"),
    ],
)
def test_a_heading_names_its_country(printed, code):
    """The longest name counts: Nigeria is not Niger, and a state's licence is its country's."""
    assert parse_country(printed) == code


@pytest.mark.parametrize(
    ("read", "code"), [("P0LSKA", "POL"), ("UNITED STATES OF AMERlCA", "USA"), ("DEUTSGHLAND", "DEU")]
)
def test_one_misread_letter_is_forgiven(read, code):
    """Where no other country is called so."""
    assert parse_country(read) == code


@pytest.mark.parametrize("text", ["", "hello", "and", "GERMANY OR FRANCE", "12345", "<<<"])
def test_what_names_no_country_is_none(text):
    """Nothing is guessed; of two countries neither is taken."""
    assert parse_country(text) is None
