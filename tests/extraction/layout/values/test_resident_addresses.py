"""Addresses of holders that their form tells: a street above a town with its postal code."""

from time import process_time

import pytest

from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.values.resident_addresses import home_on
from tests.extraction.layout.conftest import value_of

TOWN = "HARDIN MT 59034"


@pytest.mark.parametrize(
    ("street", "town", "expected"),
    [
        ("615 N CENTER AVE", TOWN, "615 N CENTER AVE HARDIN MT 59034"),
        ("8 615 N CENTER AVE APT 3R", TOWN, "615 N CENTER AVE APT 3R HARDIN MT 59034"),
        ("PO BOX 77", TOWN, "PO BOX 77 HARDIN MT 59034"),
        ("14 WATTLE GROVE", "MOUNT BARKER SA 5251", "14 WATTLE GROVE MOUNT BARKER SA 5251"),
        ("2222 BAYVIEW AVE", "TORONTO ON M4N 3L7", "2222 BAYVIEW AVE TORONTO ON M4N 3L7"),
        ("SHAWNA LYNN", TOWN, None),
        ("15 SEX F", TOWN, None),
        ("10/11/2022", TOWN, None),
        ("615 N CENTER AVE", "12 MT 59034", None),
    ],
)
def test_a_street_above_a_coded_town_is_the_address(line, card, street, town, expected):
    """Where the network finds none."""
    page = card((line(street, 0, 100), {}), (line(town, 0, 130), {}))

    assert value_of(page, "resident_address") == expected


@pytest.mark.parametrize(("street", "is_added"), [("19 HANOVER CT APT 3R", True), ("9 CLASS D", False), ("JO", False)])
def test_the_street_above_a_town_belongs_to_its_address(line, card, street, is_added):
    page = card((line(street, 0, 100), {"given_name": 0.3}), (line(TOWN, 0, 130), {"resident_address": 0.9}))

    assert value_of(page, "resident_address") == (f"{street} {TOWN}" if is_added else TOWN)


def test_a_street_in_another_column_is_of_another_address(line, card):
    page = card((line("19 HANOVER CT", 200, 100), {}), (line("HARDIN HILLS FALLS MT 59034", 0, 130), {}))

    assert value_of(page, "resident_address") is None


def test_two_addresses_of_which_the_network_knows_none_say_nothing(line, card):
    lines = [("615 N CENTER AVE", 100), (TOWN, 130), ("1 STATE ST", 300), ("HELENA MT 59601", 330)]

    assert value_of(card(*((line(text, 0, y), {}) for text, y in lines)), "resident_address") is None


def test_an_address_ends_with_the_whole_postal_code(line, card):
    """Canadian ones have letters, and look like another number."""
    page = card((line("1 HIGHLAND DR, ANTIGONISH NS B2G 2K9", 0, 0), {"resident_address": 0.9}))
    for at, piece in enumerate(page.pieces):
        if piece.text in ("B", "2", "G", "K", "9"):
            page.labels[at] = 0
            page.labels[at, begin_label(page.numbers["document_number"])] = 0.9

    assert value_of(page, "resident_address") == "1 HIGHLAND DR, ANTIGONISH NS B2G 2K9"


@pytest.mark.parametrize(
    ("town", "below", "is_code"),
    [
        ("WINNIPEG MB", "R3L 2G8", True),
        ("AUSTIN TX", "78734-6801", True),
        ("WINNIPEG MB", "5F 12345", False),
        ("WINNIPEG", "R3L 2G8", False),
        ("WINNIPEG MB R3L 2G8", "78734", False),
    ],
)
def test_a_postal_code_may_be_alone_below_the_town(line, card, town, below, is_code):
    page = card(
        (line("55 NASSAU ST N", 0, 0), {"resident_address": 0.9}),
        (line(town, 0, 26), {"resident_address": 0.9}),
        (line(below, 0, 52), {"document_number": 0.6}),
    )
    number, at = page.numbers["resident_address"], page.lines.below([0])[0]
    page.labels[at, [begin_label(number), inside_label(number)]] = (0, 0.9)

    assert value_of(page, "resident_address") == f"55 NASSAU ST N {town}" + f" {below}" * is_code


@pytest.mark.parametrize(
    ("text", "first"), [("8 BOX 1182", "BOX 1182"), ("8 ADDRESS 1182", "1182"), ("4 BOX 1182", "1182")]
)
def test_an_address_begins_behind_its_number(line, card, text, first):
    page = card((line(text, 0, 0), {"resident_address": 0.9}), (line("WINKLER MB R6W 4B2", 0, 26), {}))
    page.labels[:2] = 0

    assert value_of(page, "resident_address") == f"{first} WINKLER MB R6W 4B2"


def test_a_unit_above_a_street_is_no_name(line, card):
    page = card(
        (line("FLAT 10", 0, 100), {"given_name": 0.9}),
        (line("77 SAMPLE PARADE", 0, 130), {"resident_address": 0.9}),
        (line("KEW EAST VIC 3102", 0, 160), {"resident_address": 0.9}),
    )

    assert value_of(page, "resident_address") == "FLAT 10 77 SAMPLE PARADE KEW EAST VIC 3102"


def test_a_page_full_of_towns_takes_no_longer_than_another(line, card):
    texts = ["12 MAIN ST", TOWN] * 160
    page = card(*((line(text, 0, 30 * at), {}) for at, text in enumerate(texts)))
    started = process_time()

    assert [home_on(page) for _ in range(5)] == [None] * 5
    assert process_time() - started < 1.0


def test_parts_of_an_address_may_have_labels_of_their_own(line, id_card):
    """On Indonesian cards; the network finds the street, and the first label."""
    parts = [("RT/RW", "003/011"), ("Kel/Desa", "SUMBER"), ("Kecamatan", "BANJARSARI"), ("Agama", "ISLAM")]
    page = id_card(
        (line("Alamat", 0, 0), {}),
        (line(": JL. MAWAR NO. 12", 300, 0), {"resident_address": 0.9}),
        *((line(label, 0, 30 * at), {}) for at, (label, _) in enumerate(parts, start=1)),
        *((line(f": {part}", 300, 30 * at), {"birth_place": 0.8}) for at, (_, part) in enumerate(parts, start=1)),
    )

    assert value_of(page, "resident_address") == "JL. MAWAR NO. 12 003/011 SUMBER BANJARSARI"
    assert value_of(page, "birth_place") is None


def test_a_family_name_is_no_label_of_an_address(line, card):
    """Desa is also a word for a village."""
    page = card((line("DESA", 0, 0), {"family_name": 0.9}), (line("MARIA", 0, 26), {"given_name": 0.9}))

    assert [value_of(page, name) for name in ("family_name", "given_name")] == ["DESA", "MARIA"]
