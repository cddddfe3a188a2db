"""Parsing of sex and document numbers."""

import pytest

from docextract.documents.persons import parse_document_number, parse_sex
from docextract.documents.values import parse_reference, parse_tax_id


@pytest.mark.parametrize(
    ("printed", "sex"),
    [
        ("M", "M"),
        ("f", "F"),
        ("W", "F"),
        ("K/F", "F"),
        ("V/M", "M"),
        ("F/M", "M"),
        ("Hombre", "M"),
        ("weiblich", "F"),
        ("X", "X"),
    ],
)
def test_sex_is_parsed_in_the_language_of_the_document(printed, sex):
    """Of two letters the second is that of ICAO: F/M is a Hungarian man."""
    assert parse_sex(printed) == sex


@pytest.mark.parametrize(("printed", "sex"), [("M", "F"), ("H", "M"), ("NB", "X"), ("F", "F"), ("MUJER", "F")])
def test_mexico_has_its_own_letters_for_sexes(printed, sex):
    """Hombre, mujer, no binario."""
    assert parse_sex(printed, "MEX") == sex


def test_other_countries_have_the_letters_of_icao():
    """There M is a man, whoever issued the document."""
    assert parse_sex("M", "ESP") == "M"


@pytest.mark.parametrize("text", ["<", "", "SEX M", "1"])
def test_text_without_a_sex_gives_none(text):
    """A filler is no value."""
    assert parse_sex(text) is None


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("AB 123 456", "AB123456"),
        ("c01x00t47", "C01X00T47"),
        ("12-345.678:", "12-345.678"),
        ("5.398795694", "398795694"),
        ("5.398.795-6", "5.398.795-6"),
        ("4dY914-7755", "Y914-7755"),
        ("dA1234567", "A1234567"),
    ],
)
def test_a_document_number_has_no_spaces(printed, number):
    """It is returned in capitals without spaces."""
    assert parse_document_number(printed) == number


@pytest.mark.parametrize("hyphen", list("\u2010\u2011\u2012\u2013\u2212"))
def test_hyphens_of_document_numbers_are_plain(hyphen):
    """A number that is looked up has one form."""
    assert parse_document_number(f"AB{hyphen}2026{hyphen}0417") == "AB-2026-0417"
    assert parse_reference(f"AB{hyphen}2026{hyphen}0417 / 2²") == "AB-2026-0417 / 2"
    assert parse_tax_id(f"1234567{hyphen}8") == "1234567-8"


@pytest.mark.parametrize(
    ("printed", "number"),
    [("H₂O-12", "H2O-12"), ("H₂O-12²", "H2O-12"), ("AB-0417¹⁰.", "AB-0417."), ("M²-0417", "M²-0417")],
)
def test_only_raised_digits_at_the_end_are_no_part_of_a_number(printed, number):
    """They refer to footnotes; lowered digits are plain ones."""
    assert parse_reference(printed) == number
    assert parse_document_number(printed) == number.rstrip(".")


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("404-77- 518", "404-77-518"),
        ("ES-1128- 518-A", "ES-1128-518-A"),
        ("RE-2026- A114", "RE-2026-A114"),
        ("4- Meier", "4- Meier"),
        ("404 - 77", "404 - 77"),
    ],
)
def test_a_word_without_digits_is_no_rest_of_a_number(printed, number):
    assert parse_reference(printed) == number


@pytest.mark.parametrize("text", ["PASSPORT", "1", "<<<<", ""])
def test_text_without_digits_is_no_document_number(text):
    """Every document number has a digit."""
    assert parse_document_number(text) is None
