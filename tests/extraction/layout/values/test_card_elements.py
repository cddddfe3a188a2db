"""Numbers of data elements on licences, and the document discriminator."""

from datetime import date

import numpy as np
import pytest

from docextract.documents import document_types
from docextract.documents.values import Conventions
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import LabelProbabilities, begin_label, inside_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.values.card_elements import (
    before_next_element,
    is_numbered,
    without_next_number,
    without_number,
)
from tests.extraction.layout.conftest import value_of

LICENCE = document_types()["driver_licence"]
NAMES = tuple(field.name for field in LICENCE.fields())


def decoded(lines, field, probability_of):
    """Decode lines on which the network knows one field. probability_of: of each piece, by its text."""
    _, page = split_into_pieces(lines)
    number = NAMES.index(field)
    labels = np.zeros((len(page.pieces), 1 + 2 * len(NAMES)), np.float32)
    was_field = False
    for index, piece in enumerate(page.pieces):
        share = probability_of(piece.text)
        goes_on = was_field and page.pieces[index - 1].line == piece.line
        labels[index, inside_label(number) if goes_on else begin_label(number)] = share
        was_field = share > 0
    labels[:, 0] = 1 - labels.sum(axis=1)
    view = LabelProbabilities(labels, np.zeros(len(labels), np.float32))
    return decode_fields(PageLabels(LICENCE, NAMES, page.pieces, view, Conventions()))[field].value


@pytest.mark.parametrize(
    "lines",
    [
        [("WDLABCD456DG", 0, 0), ("DDWDLABCD456DG1234567XX1101", 0, 60)],
        [("WDLABCD456DG", 0, 0), ("DD 18084133355", 0, 60)],
        [("WDLABCD456DG", 0, 0), ("5 DD", 0, 60), ("18084133355", 0, 90)],
        [("WDLABCD456DG", 0, 0), ("5 DO 18084133355", 0, 60)],
        [("WDLABCD456DG", 0, 0), ("5.00", 0, 60), ("18084133355", 0, 90)],
    ],
)
def test_the_discriminator_of_a_licence_is_not_its_number(line, lines):
    """DD is in front of it or above it; here the network takes it for the likelier number."""

    def probability_of(text):
        return 0.0 if text in ("5", "DD", "DO", ".", "00", "5.00") else 0.8 if text in ("WDLABCD", "456", "DG") else 0.9

    assert decoded([line(*one) for one in lines], "document_number", probability_of) == "WDLABCD456DG"


def test_a_lone_discriminator_is_better_than_no_number(line):
    """It may be a number that begins with DD."""
    assert decoded([line("DD1234567", 0, 0)], "document_number", lambda text: 0.9) == "DD1234567"


@pytest.mark.parametrize("name", ["1 SAMPLE", "1. SAMPLE"])
def test_the_name_behind_its_number_is_surer(line, name):
    """The network likes another word a little more."""
    lines = [line("Previous Type", 0, 0), line(name, 0, 60)]

    assert decoded(lines, "family_name", lambda text: {"SAMPLE": 0.77, "Previous": 0.8}.get(text, 0.0)) == "SAMPLE"


@pytest.mark.parametrize("text", ["2 SAMPLE", "A 1 SAMPLE", "SAMPLE"])
def test_other_numbers_say_nothing(line, text):
    """That of another element, one within a line, or none."""
    _, page = split_into_pieces([line(text, 0, 0)])

    assert not is_numbered("family_name", [len(page.pieces) - 1], page.pieces)


def test_the_number_of_the_element_is_no_house_number(line):
    _, page = split_into_pieces([line("8 123 STREET", 0, 0)])

    kept = without_number("resident_address", (0, 1, 2), page.pieces)

    assert [page.pieces[index].text for index in kept] == ["123", "STREET"]


def test_a_house_number_eight_stays(line):
    _, page = split_into_pieces([line("8 STREET", 0, 0)])

    assert without_number("resident_address", (0, 1), page.pieces) == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WDL123 9CLASS B", "WDL123"),
        ("WDL123 9", "WDL123 9"),
        ("DL 123 456 CLASS", "DL 123 456"),
        ("9 CLASS", "9"),
        ("DL123456 5b. 412", "DL123456"),
        ("DL123456 5b 412", "DL123456"),
        ("DL12 5A4", "DL12 5A4"),
        ("5b. 412", "5b. 412"),
    ],
)
def test_the_number_of_the_next_element_is_no_part_of_a_number(line, text, expected):
    """It stands in front of a label; groups of digits are longer."""
    _, page = split_into_pieces([line(text)])
    span = tuple(index for index, piece in enumerate(page.pieces) if piece.text not in ("CLASS", "B"))

    assert join_pieces([page.pieces[index] for index in without_next_number(span, page.pieces)]) == expected


@pytest.mark.parametrize(
    ("family", "given", "names"),
    [
        ("1. Freiherr von Arnim", "2. Karl-Theodor", ["Freiherr von Arnim", "Karl-Theodor"]),
        ("1 SAMPLE III", "2 JOHN QUINCY", ["SAMPLE", "JOHN QUINCY"]),
        ("1. O'NEILL", "2. MR JOHN", ["O'NEILL", "JOHN"]),
        ("1 SAMPLE 9 CLASS D", "2 JOHN", [None, None]),
        ("1 SAMPLE EYES BRO", "2 JOHN", [None, None]),
        ("1. Name", "2. Vorname", [None, None]),
        ("1 SAMPLE", "3 JOHN", [None, None]),
    ],
)
def test_all_words_behind_the_number_of_a_name_are_the_name(line, card, family, given, names):
    """If both names are printed so, below each other; the network knows neither."""
    page = card((line(family, 0, 0), {}), (line(given, 0, 40), {}))

    assert [value_of(page, name) for name in ("family_name", "given_name")] == names


def test_what_the_network_finds_of_a_numbered_name_is_completed(line):
    lines = [line("1. Freiherr von Arnim", 0, 0), line("2. Karl-Theodor", 0, 40), line("v Arnim", 0, 200)]

    assert decoded(lines, "family_name", lambda text: 0.9 * (text == "Arnim")) == "Freiherr von Arnim"


def test_a_signature_is_no_name_beside_a_numbered_one(line):
    """The network is a little surer of it."""
    lines = [line("1. Szentgyörgyi-Nagy", 0, 0), line("2. Zsuzsanna", 0, 40), line("Sz N Zsuzsa", 0, 200)]
    shares = {"Szentgyörgyi": 0.9, "-": 0.9, "Nagy": 0.6, "Sz": 0.98, "N": 0.98, "Zsuzsa": 0.97}

    assert decoded(lines, "family_name", lambda text: shares.get(text, 0.0)) == "Szentgyörgyi-Nagy"


@pytest.mark.parametrize(
    ("text", "printed"), [("28-02-2031 4d. 07318455", "28-02-2031"), ("28 4 2031", "28 4 2031"), ("4 d", "4")]
)
def test_a_date_ends_in_front_of_the_next_element(line, text, printed):
    _, page = split_into_pieces([line(text)])
    span = tuple(index for index, piece in enumerate(page.pieces) if piece.text[0].isdigit())

    assert join_pieces([page.pieces[index] for index in before_next_element(span, page.pieces)]) == printed


@pytest.mark.parametrize("front", ["LONDON", "2020", "."])
def test_a_date_behind_the_number_of_its_element_is_found(line, card, front):
    """The network takes the last piece in front of it for a part of the date."""
    page = card((line(f"{front} 4b. 28.02.2031", 0, 0), {"expiry_date": 0.8}))

    assert value_of(page, "expiry_date") == date(2031, 2, 28)


def test_a_house_number_marks_no_discriminator(line, card):
    address = (line("500 MAIN ST", 0, 60), {"resident_address": 0.9})
    numbers = [
        (line("D1234567", 0, 85), {"document_number": 0.9}),
        (line("X7654321", 300, 400), {"document_number": 0.6}),
    ]

    assert value_of(card(address, *numbers), "document_number") == "D1234567"
