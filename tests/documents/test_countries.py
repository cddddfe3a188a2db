"""Parsing of countries."""

import pytest

from docextract.documents.countries import is_country_name, parse_country


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
def test_countries_are_found_by_code_name_and_nationality(printed, code):
    """In the language of the document, with or without accents."""
    assert parse_country(printed) == code


@pytest.mark.parametrize(
    ("printed", "code"), [("POLSKIE/POLISH", "POL"), ("DEUTSCH / GERMAN", "DEU"), ("Française (FRA)", "FRA")]
)
def test_several_languages_name_one_country(printed, code):
    """Bilingual text has one value."""
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
def test_a_country_is_found_within_a_heading(printed, code):
    """The longest name counts: Nigeria is not Niger, and a state's licence belongs to its country."""
    assert parse_country(printed) == code


@pytest.mark.parametrize(
    ("read", "code"), [("P0LSKA", "POL"), ("UNITED STATES OF AMERlCA", "USA"), ("DEUTSGHLAND", "DEU")]
)
def test_one_wrong_letter_is_tolerated(read, code):
    """Only if no other country has a similar name."""
    assert parse_country(read) == code


@pytest.mark.parametrize(
    "text", ["CONGOLAISE", "Congolese / Congolaise", "C0NGOLAISE", "CONGOLAIZE", "CONGOLESE PASSPORT"]
)
@pytest.mark.parametrize(("issuer", "code"), [("COD", "COD"), ("COG", "COG"), ("FRA", None), (None, None)])
def test_a_spelling_of_two_countries_means_the_one_that_issued_the_document(text, issuer, code):
    """Without it there is no value rather than a guess."""
    assert parse_country(text, issuer) == code


@pytest.mark.parametrize(
    ("printed", "code"), [("DOMINICAN / DOMINICANA", "DOM"), ("Congolaise (COD)", "COD"), ("DOMINICAN REPUBLIC", "DOM")]
)
def test_other_words_decide_between_two_countries_with_one_spelling(printed, code):
    """Also without the country that issued the document."""
    assert parse_country(printed) == code


@pytest.mark.parametrize("text", ["", "hello", "and", "GERMANY OR FRANCE", "12345", "<<<"])
def test_text_without_a_country_gives_none(text):
    """Two different countries give none either."""
    assert parse_country(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Česká republika", True), ("SUOMI", True), ("DE", False), ("Germany Tel. 1", False), ("", False)],
)
def test_only_the_name_of_a_country_is_one(text, expected):
    """No code, and nothing besides."""
    assert is_country_name(text) is expected
