"""Places of birth on two lines, or below the date of birth."""

import pytest

from docextract.extraction.layout.labels import begin_label, inside_label
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("below", "fields", "place"),
    [
        ("CAJABAMBA", {"birth_place": 0.2}, "CHIMBORAZO COLTA CAJABAMBA"),
        ("CAJABAMBA", {}, "CHIMBORAZO COLTA"),
        ("CAJABAMBA", {"birth_place": 0.2, "family_name": 0.7}, "CHIMBORAZO COLTA"),
        ("CAJABAMBA", {"birth_place": 0.15, "resident_address": 0.49}, "CHIMBORAZO COLTA CAJABAMBA"),
        ("BRITISH", {"birth_place": 0.2, "nationality": 0.4}, "CHIMBORAZO COLTA"),
        ("Cajabamba", {"birth_place": 0.2}, "CHIMBORAZO COLTA"),
        ("SEXO", {"birth_place": 0.2}, "CHIMBORAZO COLTA"),
        ("17 AGO 2032", {"birth_place": 0.2}, "CHIMBORAZO COLTA"),
    ],
)
def test_a_labelled_place_goes_on_in_the_next_line(line, id_card, below, fields, place):
    page = id_card(
        (line("LUGAR DE NACIMIENTO", 0, 0), {}),
        (line("CHIMBORAZO COLTA", 0, 30), {"birth_place": 0.95}),
        (line(below, 0, 56), fields),
    )

    assert value_of(page, "birth_place") == place


@pytest.mark.parametrize(
    ("date", "below", "place"),
    [
        ("3. 15.07.1984", "Les Ponts-de-Martel NE", "Les Ponts-de-Martel NE"),
        ("3. 15.07.1984", "4a. 23.11.2018", None),
        ("3. 15.07.1984", "DATE OF ISSUE", None),
        ("3 DOB 15.07.1984", "Les Ponts-de-Martel NE", None),
        ("15.07.1984", "Les Ponts-de-Martel NE", None),
    ],
)
def test_words_below_the_numbered_date_are_the_place(line, card, date, below, place):
    page = card((line(date, 0, 0), {"birth_date": 0.95}), (line(below, 0, 26), {}))

    assert value_of(page, "birth_place") == place


@pytest.mark.parametrize("field", ["family_name", "issuing_authority"])
def test_another_value_below_the_numbered_date_is_no_place(line, card, field):
    page = card((line("3. 15.07.1984", 0, 0), {"birth_date": 0.95}), (line("Vaud", 0, 26), {field: 0.9}))

    assert (value_of(page, field), value_of(page, "birth_place")) == ("Vaud", None)


@pytest.mark.parametrize(
    ("text", "others", "nation", "place"),
    [
        ("MLT", [], "MLT", None),
        ("MLT", [("CITIZEN OF FRANCE", {"nationality": 0.9})], "FRA", "MLT"),
        ("MLT", [("PLACE OF BIRTH", {})], None, "MLT"),
        ("ULM", [], None, "ULM"),
        ("MALTA", [], None, "MALTA"),
    ],
)
def test_the_code_of_a_country_without_a_label_is_the_nationality(line, id_card, text, others, nation, place):
    lines = [(line(other, 0, 28 * at), fields) for at, (other, fields) in enumerate(others)]
    page = id_card(*lines, (line(text, 0, 28 * len(lines)), {"birth_place": 0.95}))

    assert (value_of(page, "nationality"), value_of(page, "birth_place")) == (nation, place)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("3. 11.07.1958 's-Gravenhage", "'s-Gravenhage"),
        ("3. 11.07.1958 's-Hertogenbosch", "'s-Hertogenbosch"),
        ("L'Aquila-Paganica", "L'Aquila-Paganica"),
        ("'Paganica", "Paganica"),
        ("'-Paganica", "Paganica"),
        ("'t Gravenhage", "'t Gravenhage"),
        ("Geburtsort-Paganica", "Paganica"),
        ("3-Paganica", "Paganica"),
        ("A:Paganica", "Paganica"),
    ],
)
def test_a_place_begins_with_its_word(line, card, text, place):
    """The network finds its last part. What is no part of a name, a stray mark, and a label are left out."""
    found = ("-", "Hertogenbosch") if "Hertogenbosch" in text else ("Gravenhage", "Paganica", "t")
    page = card((line(text, 0, 0), {"birth_place": 0.95}))
    for at, piece in enumerate(page.pieces):
        if piece.text not in found:
            page.labels[at] = 0
        elif piece.text == "Hertogenbosch":  # apart from the hyphen
            number = page.numbers["birth_place"]
            page.labels[at, [begin_label(number), inside_label(number)]] = (0.95, 0)

    assert value_of(page, "birth_place") == place


def test_a_place_does_not_begin_with_another_value(line, card):
    page = card((line("MLT-Paganica", 0, 0), {"birth_place": 0.9}))
    page.labels[0] = 0
    page.labels[0, begin_label(page.numbers["nationality"])] = 0.9

    assert value_of(page, "birth_place") == "Paganica"


def test_two_parts_of_a_hyphenated_place_are_one(line, card):
    page = card((line("L'Aquila-Paganica", 0, 0), {"birth_place": 0.9}))
    page.labels[[at for at, piece in enumerate(page.pieces) if piece.text in "L'-"]] = 0

    assert value_of(page, "birth_place") == "L'Aquila-Paganica"


@pytest.mark.parametrize(("label", "place"), [("Tempat/Tgl Lahir", "SURAKARTA"), ("Alamat", "Agama")])
def test_a_label_is_no_place_where_another_labels_it(line, id_card, label, place):
    """The network takes it for one. Without a labelled place it may be one."""
    page = id_card(
        (line(label, 0, 0), {}),
        (line(": SURAKARTA, 25-08-1988", 400, 0), {}),
        (line("Agama", 0, 40), {"birth_place": 0.66}),
        (line(": ISLAM", 400, 40), {}),
    )

    assert value_of(page, "birth_place") == place
