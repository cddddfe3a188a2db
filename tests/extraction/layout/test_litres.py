"""The unit of bottles, which OCR takes for a 1."""

import numpy as np
import pytest

from docextract.extraction.layout.litres import with_litres
from docextract.extraction.layout.pieces import split_into_pieces
from docextract.predictions import CharacterAlternative, TextLine


def line(text, other="l"):
    alternatives = (CharacterAlternative(len(text) - 1, other, 0.01),) if other else ()
    polygon = np.array([[0, 0], [300, 0], [300, 20], [0, 20]], np.float32)
    return TextLine(text, polygon, 0.98, alternatives=alternatives)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Riesling Smaragd 2024, 0,75 1", "Riesling Smaragd 2024, 0,75 l"),
        ("2 x Pulli IPA 0.33 1", "2 x Pulli IPA 0.33 l"),
        ("Öl 0,5 1", "Öl 0,5 l"),
        ("Gerolsteiner 0,751", "Gerolsteiner 0,75l"),
    ],
)
def test_an_uncertain_1_behind_a_usual_size_is_a_litre(text, expected):
    assert with_litres(line(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "0,75 1",
        "Kaffee 2,80 1",
        "Semmel 0,39 1",
        "Pfand 0,25 1",
        "Banane 0,41",
        "Kaffee 2 1",
        "Wein 10,5 1",
        "Wein 0,75 2",
    ],
)
def test_other_numbers_stay(text):
    assert with_litres(line(text)) == text


@pytest.mark.parametrize("other", [None, "7"])
def test_a_1_that_can_be_no_letter_stays(other):
    assert with_litres(line("Riesling 0,75 1", other)) == "Riesling 0,75 1"


def test_the_unit_is_a_piece_of_its_own():
    _, pages = split_into_pieces([line("Cola 0,331")])

    assert [piece.text for piece in pages.pieces] == ["Cola", "0,33", "l"]
