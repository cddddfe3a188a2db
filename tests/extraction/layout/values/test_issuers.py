"""Values whose meaning depends on the country that issued the document."""

import pytest

from tests.extraction.layout.conftest import value_of

MEXICO = "ESTADOS UNIDOS MEXICANOS"


@pytest.mark.parametrize(("country", "sex"), [(MEXICO, "F"), ("REPUBLIC OF POLAND", "M"), ("SPECIMEN", "M")])
def test_letters_for_sexes_are_those_of_the_issuer_of_a_card(line, id_card, country, sex):
    """M is mujer on identity cards of Mexico; without a country it is the letter of ICAO."""
    page = id_card((line(country), {"issuing_country": 0.9}), (line("M", 0, 100), {"sex": 0.9}))

    assert value_of(page, "sex") == sex


def test_licences_have_the_letters_of_icao(line, card):
    """States of Mexico differ in what M is."""
    page = card((line(MEXICO), {"issuing_country": 0.9}), (line("M", 0, 100), {"sex": 0.9}))

    assert value_of(page, "sex") == "M"


@pytest.mark.parametrize(
    ("curp", "sex"),
    [
        ("GOVM700101MDFMLR01", "F"),
        ("CURP: GOVM700101MDFMLR01", "F"),
        ("GOVM700101HDFMLR01", "M"),
        ("GMVLMR70010101M100", "M"),
        ("govm 700101 mdfmlr01", "F"),
        ("CURPGOVM700101MDFMLR01 SEXO M", "F"),
    ],
)
def test_the_personal_number_on_a_licence_of_mexico_tells_what_m_is(line, card, curp, sex):
    """It has the sex as its eleventh character, by Mexico's letters."""
    page = card((line(MEXICO), {"issuing_country": 0.9}), (line("M", 0, 100), {"sex": 0.9}), (line(curp, 0, 200), {}))

    assert value_of(page, "sex") == sex


def test_the_country_of_a_card_may_be_known_from_its_zone_alone(line, id_card):
    zone = line("IDMEXPEREZ<<MARIA<<<<<<<<<<<<<<<<<<<", 0, 200)

    assert value_of(id_card((line("M"), {"sex": 0.9}), (zone, {})), "sex") == "F"


def test_the_personal_number_on_a_passport_of_mexico_changes_no_sex(line, passport):
    """Its letters are those of ICAO in any case."""
    number = line("GOVM700101MDFMLR01", 0, 200)
    page = passport((line(MEXICO), {"issuing_country": 0.9}), (line("M", 0, 100), {"sex": 0.9}), (number, {}))

    assert value_of(page, "sex") == "M"


def test_passports_have_the_letters_of_icao(line, passport):
    page = passport((line(MEXICO), {"issuing_country": 0.9}), (line("M", 0, 100), {"sex": 0.9}))

    assert value_of(page, "sex") == "M"


@pytest.mark.parametrize(
    ("country", "nationality"),
    [
        ("RÉPUBLIQUE DÉMOCRATIQUE DU CONGO", "COD"),
        ("RÉPUBLIQUE DU CONGO", "COG"),
        ("RÉPUBLIQUE FRANÇAISE", None),
        ("SPECIMEN", None),
    ],
)
def test_a_nationality_of_two_countries_is_that_of_the_issuer(line, passport, country, nationality):
    page = passport((line(country), {"issuing_country": 0.9}), (line("CONGOLAISE", 0, 100), {"nationality": 0.9}))

    assert value_of(page, "nationality") == nationality


def test_the_issuer_of_a_passport_may_be_known_from_its_zone_alone(line, passport):
    zone = line("P<CODKABILA<<MARIE<<<<<<<<<<<<<<<<<<<", 0, 200)

    assert value_of(passport((line("Congolaise"), {"nationality": 0.9}), (zone, {})), "nationality") == "COD"
