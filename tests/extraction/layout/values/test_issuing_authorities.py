"""The authority that issued a card, where neither the network nor a label names a likely one."""

import numpy as np
import pytest

from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("text", "authority"),
    [
        ("4a 01.01.2013 4c. DVLA", "DVLA"),
        ("4 a 01.01.2013 4c.99999 Utopia", "99999 Utopia"),
        ("4c Landratsamt Gotha 4d 12", "Landratsamt Gotha"),
        ("4c.", None),
        ("4c. Kiállító hatóság", None),
        ("4c DOC IDENTIDADE / ÓRG EMISSOR / UF", None),
        ("4c DVLA 5. MORGA657054SM9IJ", "DVLA"),
        ("8. 4C HIGH STREET, LONDON", None),
        ("123 MAIN ST APT 4C SAN DIEGO", None),
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
        ("Signature of authority", None),
        ("If found return to nearest Embassy of Utopia", None),
        ("Ministry of Interior 12.05.2015", None),
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


@pytest.mark.parametrize(
    ("found", "probability", "expected"),
    [
        ("VÁSQUEZ PINTO CARLA", 0.7, "DIRECCIÓN GENERAL DE REGISTRO CIVIL"),
        ("PADUA", 0.9, "PADUA"),
        ("MINISTERIO DEL INTERIOR", 0.7, "MINISTERIO DEL INTERIOR"),
    ],
)
def test_a_named_authority_is_better_than_a_doubtful_text(line, card, passport, found, probability, expected):
    """On licences too, of which most print the name of an authority that is none of their fields."""
    lines = (line("DIRECCIÓN GENERAL DE REGISTRO CIVIL"), {}), (line(found, 0, 300), {"issuing_authority": probability})

    assert value_of(passport(*lines), "issuing_authority") == expected
    assert value_of(card(*lines), "issuing_authority") == expected


def test_an_authority_has_its_first_word(line, card):
    page = card((line("SECRETARÍA DE MOVILIDAD Y TRANSPORTE"), {"issuing_authority": 0.9}))
    page.labels[0] = np.eye(page.labels.shape[1])[0]  # of no field

    assert value_of(page, "issuing_authority") == "SECRETARÍA DE MOVILIDAD Y TRANSPORTE"


def test_what_is_mainly_another_field_is_no_authority(line, passport):
    page = passport((line("SAITAMA PREFECTURE"), {"birth_place": 0.9}))

    assert value_of(page, "issuing_authority") is None


def test_a_labelled_authority_may_have_the_name_of_the_holder(line, passport):
    page = passport(
        (line("PARIS"), {"family_name": 0.9}),
        (line("Authority", 0, 100), {}),
        (line("PARIS", 0, 130), {"issuing_authority": 0.9}),
    )

    assert value_of(page, "issuing_authority") == "PARIS"


def test_a_number_is_no_emblem(line, passport):
    page = passport((line("8013"), {"issuing_authority": 0.9}), (line("Ministry of Foreign Affairs", 0, 100), {}))

    assert value_of(page, "issuing_authority") == "8013"


@pytest.mark.parametrize(
    ("upper", "lower", "authority"),
    [
        ("UNITED STATES DEPARTMENT OF", "STATE", "UNITED STATES DEPARTMENT OF STATE"),
        ("Ministère de l'Intérieur et", "des Outre-mer", "Ministère de l'Intérieur et des Outre-mer"),
        ("Ministry of Foreign Affairs", "UTOPIA", "Ministry of Foreign Affairs"),
        ("MINISTRY OF", "Date of birth", "MINISTRY OF"),
        ("MINISTRY OF", "12.05.2015", "MINISTRY OF"),
    ],
)
def test_an_authority_goes_on_below_a_word_that_leads_on(line, passport, upper, lower, authority):
    page = passport((line(upper), {"issuing_authority": 0.9}), (line(lower, 0, 30), {}))

    assert value_of(page, "issuing_authority") == authority


def test_an_authority_does_not_go_on_below_what_stands_behind_it(line, passport):
    page = passport((line("MINISTRY OF"), {"issuing_authority": 0.9}), (line("UTOPIA", 500, 30), {}))

    assert value_of(page, "issuing_authority") == "MINISTRY OF"


@pytest.mark.parametrize(
    ("below", "left", "down", "authority"),
    [
        ("KREISVERWALTUNGSREFERAT", 0, 25, "LANDESHAUPTSTADT MÜNCHEN KREISVERWALTUNGSREFERAT"),
        ("KREISVERWALTUNGSREFERAT", 0, 60, "LANDESHAUPTSTADT MÜNCHEN"),
        ("KREISVERWALTUNGSREFERAT", 80, 25, "LANDESHAUPTSTADT MÜNCHEN"),
        ("Jefe Nacional", 0, 25, "LANDESHAUPTSTADT MÜNCHEN"),
        ("TITUL/TITLE", 0, 25, "LANDESHAUPTSTADT MÜNCHEN"),
        ("NR. | NO. UTOPIA", 0, 25, "LANDESHAUPTSTADT MÜNCHEN"),
        ("X X X", 0, 25, "LANDESHAUPTSTADT MÜNCHEN"),
        ("DATE OF FIRST ISSUE", 0, 25, "LANDESHAUPTSTADT MÜNCHEN"),
    ],
)
def test_a_labelled_authority_goes_on_directly_below(line, passport, below, left, down, authority):
    page = passport(
        (line("Behörde / Authority", 0, 0), {}),
        (line("LANDESHAUPTSTADT MÜNCHEN", 0, 30), {"issuing_authority": 0.9}),
        (line(below, left, 30 + down), {}),
    )

    assert value_of(page, "issuing_authority") == authority


def test_a_hyphen_at_the_end_of_a_line_leads_on(line, passport):
    upper = (line("Bezirksamt Charlottenburg-"), {"issuing_authority": 0.9})

    assert (
        value_of(passport(upper, (line("Wilmersdorf von Berlin", 0, 30), {})), "issuing_authority")
        == "Bezirksamt Charlottenburg-Wilmersdorf von Berlin"
    )


@pytest.mark.parametrize(
    ("country", "authority"),
    [("Ohio", None), ("Nova Scotia", None), ("Victoria", None), ("Nigeria", "OFFICE OF MOTORS")],
)
def test_cards_of_states_and_provinces_name_no_authority(line, card, country, authority):
    """But their officials, in the eyes of the network, and offices in print that is no field."""
    page = card(
        (line(country), {"issuing_country": 0.9}), (line("OFFICE OF MOTORS", 0, 100), {"issuing_authority": 0.9})
    )

    assert value_of(page, "issuing_authority") == authority


def test_passports_and_labels_name_authorities_of_all_countries(line, card, passport):
    country, own = (line("USA"), {"issuing_country": 0.9}), {"issuing_authority": 0.9}

    assert value_of(passport(country, (line("PASSPORT OFFICE", 0, 90), own)), "issuing_authority") == "PASSPORT OFFICE"
    labelled = card(country, (line("Issuing Authority", 0, 60), {}), (line("PASSPORT OFFICE", 0, 90), own))
    assert value_of(labelled, "issuing_authority") == "PASSPORT OFFICE"


@pytest.mark.parametrize(("signature", "is_one"), [("E Rossi", False), ("E. R.", True), ("P Rossi", True)])
def test_a_signature_with_initials_is_no_authority(line, passport, signature, is_one):
    names = [(line("ROSSI"), {"family_name": 0.9}), (line("ELENA", 0, 60), {"given_name": 0.9})]
    page = passport(*names, (line(signature, 0, 200), {"issuing_authority": 0.9}))

    assert (value_of(page, "issuing_authority") is not None) == is_one


def test_a_described_type_may_have_an_american_authority(line, described_page):
    toml = '[fields]\nissuing_country = "string"\nissuing_authority = "string"\n'
    country = (line("USA", 0, 0), {"issuing_country": 0.95})
    page = described_page(toml, country, (line("Port of Boston", 0, 60), {"issuing_authority": 0.95}))

    assert value_of(page, "issuing_authority") == "Port of Boston"
