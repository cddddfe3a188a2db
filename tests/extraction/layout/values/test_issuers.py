"""The country and the authority that issued a card, where neither the network nor a label tells."""

import pytest

from docextract.extraction.layout.fields import decode_fields


def value_of(page, field):
    found = decode_fields(page).get(field)
    return found and found.value


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "FRA"),
        ("P<D<<MUSTERMANN<<ERIKA<<<<<<<<<<<<<<", "DEU"),
        ("P<QQQMUSTERMANN<<ERIKA<<<<<<<<<<<<<<", None),
        ("Helena, MT 59601-1234", "USA"),
        ("Ottawa ON K1A 0B1", "CAN"),
        ("80333 München", None),
        ("São Paulo SP 01310-100", None),
        ("F R A N C A I S E", "FRA"),
        ("R É P U B LI QUE FRANÇAISE", "FRA"),
        ("A B C D E", None),
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


@pytest.mark.parametrize(
    ("text", "authority"),
    [
        ("4a 01.01.2013 4c. DVLA", "DVLA"),
        ("4 a 01.01.2013 4c.99999 Utopia", "99999 Utopia"),
        ("4c Landratsamt Gotha 4d 12", "Landratsamt Gotha"),
        ("4c.", None),
        ("4c. Kiállító hatóság", None),
        ("Apartment 4 c", None),
        ("DEPARTMENT OF MOTOR VEHICLES", None),
    ],
)
def test_the_authority_of_a_licence_has_the_number_4c(line, card, text, authority):
    assert value_of(card((line(text), {})), "issuing_authority") == authority


@pytest.mark.parametrize(
    ("text", "authority"),
    [
        ("UNITED STATES DEPARTMENT OF STATE", "UNITED STATES DEPARTMENT OF STATE"),
        ("Ministère de l'Intérieur", "Ministère de l'Intérieur"),
        ("Utstedt av / Authority", None),
        ("This card is the property of the issuing authority and must be returned", None),
    ],
)
def test_an_authority_may_name_itself(line, passport, text, authority):
    assert value_of(passport((line(text), {})), "issuing_authority") == authority


def test_the_holder_is_no_authority(line, passport):
    """Names also stand beside the signature."""
    names = [(line("ROSSI"), {"family_name": 0.9}), (line("ELENA", 0, 60), {"given_name": 0.9})]

    assert (
        value_of(passport(*names, (line("Elena Rossi", 0, 200), {"issuing_authority": 0.9})), "issuing_authority")
        is None
    )
    assert (
        value_of(passport(*names, (line("PADUA", 0, 200), {"issuing_authority": 0.9})), "issuing_authority") == "PADUA"
    )


def test_letters_of_an_emblem_are_an_authority_only_without_another(line, passport):
    emblem, named = (line("BE"), {"issuing_authority": 0.9}), (line("DEPARTMENT OF STATE", 0, 100), {})

    assert value_of(passport(emblem, named), "issuing_authority") == "DEPARTMENT OF STATE"
    assert value_of(passport(emblem), "issuing_authority") == "BE"


def test_a_likely_authority_stays(line, passport):
    header = (line("Ministry of Foreign Affairs"), {})

    assert (
        value_of(passport(header, (line("PADUA", 0, 100), {"issuing_authority": 0.9})), "issuing_authority") == "PADUA"
    )
    assert value_of(passport(header), "issuing_authority") == "Ministry of Foreign Affairs"
