"""The country that issued a card, where the network finds none."""

import pytest

from docextract.extraction.layout.fields import decode_fields
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "FRA"),
        ("P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<", "DEU"),
        ("P<QQQMUSTERMANN<<ERIKA<<<<<<<<<<<<<<", None),
        ("Helena, MT 59601-1234", "USA"),
        ("Ottawa ON K1A 0B1", "CAN"),
        ("80333 München", None),
        ("Canberra ACT 2601", "AUS"),
        ("MOTOR VEHICLES ACT, 1988", None),
        ("ROAD TRAFFIC ACT 1961", None),
        ("Alice Springs NT 0870", "AUS"),
        ("Botany, NSW, 2019", "AUS"),
        ("CLASS NT 0000", None),
        ("Kategorie SA 2019", None),
        ("São Paulo SP 01310-100", None),
        ("F R A N C A I S E", "FRA"),
        ("R É P U B LI QUE FRANÇAISE", "FRA"),
        ("A B C D E", None),
        ("S E X : F", None),
        ("B / B 1", None),
        ("CLAUSEN<<HANS<<<<<<<<<<<<<<<<<", None),
        ("MA12345", None),
        ("STUD. ID. 12345", None),
    ],
)
def test_the_country_is_that_of_zone_address_or_letter_spaced_print(line, card, text, country):
    assert value_of(card((line(text), {})), "issuing_country") == country


def test_a_likely_country_stays(line, card):
    address = line("Helena, MT 59601", 0, 100)

    assert value_of(card((line("CANADA"), {"issuing_country": 0.9}), (address, {})), "issuing_country") == "CAN"


def test_a_card_from_georgia_with_an_american_address_is_american(line, card):
    georgia = (line("GEORGIA"), {"issuing_country": 0.9})

    assert value_of(card(georgia), "issuing_country") == "GEO"
    assert value_of(card(georgia, (line("Atlanta, GA 30303", 0, 100), {})), "issuing_country") == "USA"


def test_the_zone_decides_before_an_address(line, passport):
    address, zone = line("Consulate General, New York, NY 10022"), line("P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<", 0, 100)

    assert value_of(passport((address, {}), (zone, {})), "issuing_country") == "DEU"


@pytest.mark.parametrize(
    ("sign", "y", "country"),
    [("IRL", 0, "IRL"), ("UK", 30, "GBR"), ("IRL", 300, None), ("D", 0, None), ("ID", 0, None), ("EXP", 0, None)],
    ids=["three letters", "two letters", "not at the top", "one letter", "a word", "no country"],
)
def test_a_sign_of_vehicles_at_the_top_of_a_licence_is_its_country(line, card, sign, y, country):
    page = card((line("DRIVING LICENCE", 0, 0), {}), (line(sign, 600, y), {}), (line("9. AM/B", 0, 400), {}))

    assert value_of(page, "issuing_country") == country


def test_signs_of_two_countries_say_nothing(line, card):
    lines = [(line("FIN", 0, 0), {}), (line("IRL", 600, 0), {}), (line("9. AM/B", 0, 400), {})]

    assert value_of(card(*lines), "issuing_country") is None


def test_other_cards_have_no_sign_of_vehicles(line, id_card):
    page = id_card((line("IRL", 0, 0), {}), (line("Name", 0, 400), {}))

    assert value_of(page, "issuing_country") is None


@pytest.mark.parametrize(
    ("field", "text"), [("nationality", "BGD"), ("administrative_number", "18084133355"), ("birth_place", "AURORA")]
)
def test_licences_of_states_and_provinces_have_no_fields_of_nations(line, card, id_card, field, text):
    """Their restrictions and discriminators look like such; a label names one all the same."""
    country, value = (line("Oregon"), {"issuing_country": 0.9}), (line(text, 0, 100), {field: 0.9})
    foreign = (line("Nigeria"), {"issuing_country": 0.9})

    assert value_of(card(country, value), field) is None
    assert value_of(card(foreign, value), field) is not None
    assert value_of(id_card(country, value), field) is not None


def test_a_labelled_nationality_stays_on_a_licence_of_a_province(line, card):
    lines = [(line("Oregon"), {"issuing_country": 0.9}), (line("Nationality", 0, 60), {})]

    assert value_of(card(*lines, (line("BGD", 0, 90), {"nationality": 0.9})), "nationality") == "BGD"


def test_a_page_without_print_has_no_country(card):
    """Its lines may all have been left out."""
    assert decode_fields(card()) == {}


def test_a_country_is_no_part_of_a_word(line, card):
    """A Cyrillic heading, as recognition reads it; the sign of vehicles names the country."""
    heading = (line("BO3A4KA 03BOA", 0, 0), {"issuing_country": 0.8})
    rest = (line("9. AM, B", 0, 500), {})

    assert value_of(card(heading, (line("SRB", 400, 0), {}), rest), "issuing_country") == "SRB"


@pytest.mark.parametrize(
    ("text", "y", "country"),
    [
        ("SOCIALIST REPUBLIC OF VIET NAM", 0, "VNM"),
        ("Republic of Kenya", 60, "KEN"),
        ("Vietnamese", 0, None),
        ("Born in the Republic of Kenya", 0, None),
        ("Republic of Kenya", 300, None),
    ],
)
def test_the_name_of_a_state_at_the_top_is_the_country(line, id_card, text, y, country):
    page = id_card((line(text, 0, y), {}), (line("IDENTITY CARD", 600, 0), {}), (line("Name", 0, 400), {}))

    assert value_of(page, "issuing_country") == country


@pytest.mark.parametrize("union", ["EUROPEAN UNION", "Union européenne", "CARIBBEAN COMMUNITY", "STATELESS PERSON"])
@pytest.mark.parametrize(("state", "country"), [("REPUBLIC OF KENYA", "KEN"), ("PASSPORT", None)])
def test_a_union_of_states_at_the_top_is_no_country(line, id_card, union, state, country):
    page = id_card((line(union, 0, 0), {}), (line(state, 0, 30), {}), (line("Name", 0, 400), {}))

    assert value_of(page, "issuing_country") == country


@pytest.mark.parametrize("field", ["birth_place", "nationality"])
def test_another_field_at_the_top_is_no_country(line, id_card, field):
    page = id_card((line("HONG KONG", 0, 0), {field: 0.9}), (line("Name", 0, 400), {}))

    assert (value_of(page, field) is not None, value_of(page, "issuing_country")) == (True, None)
