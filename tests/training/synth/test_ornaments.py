import numpy as np
import pytest

from training.synth import ornaments, printing
from training.synth.sheet import Ornament, Sheet, Text

KINDS = ("portrait", "signature", "chip", "waves", "rosette", "hatching", "wash")
WHITE = np.full(3, 250, np.float32)


def card(kind: str, strength: float = 1.0) -> Sheet:
    return Sheet(85.6, 54.0, (Ornament(kind, 20.0, 10.0, 40.0, 30.0, (90, 130, 190), strength),))


@pytest.mark.parametrize("kind", KINDS)
def test_an_ornament_stays_in_its_place(kind):
    """It colours its rectangle and nothing outside."""
    ground = ornaments.paint(card(kind), 10.0, WHITE, np.random.default_rng(1))

    inside = ground[100:400, 200:600]
    assert ground.shape == (540, 856, 3)
    assert np.abs(inside - 250).max() > 15
    ground[100:400, 200:600] = 250
    assert (ground == 250).all()


@pytest.mark.parametrize("kind", ["portrait", "waves", "rosette", "hatching", "wash", "signature"])
def test_a_weak_ornament_changes_the_card_less(kind):
    """A ghost portrait is fainter than the portrait."""
    strong, weak = (
        ornaments.paint(card(kind, strength), 10.0, WHITE, np.random.default_rng(2)) for strength in (0.99, 0.2)
    )

    assert np.abs(weak - 250).mean() < 0.5 * np.abs(strong - 250).mean()


def test_same_seed_paints_the_same_card():
    """Cards are reproducible from their seed."""
    sheet = Sheet(85.6, 54.0, tuple(mark for kind in KINDS for mark in card(kind).marks))
    first, again = (ornaments.paint(sheet, 8.0, WHITE, np.random.default_rng(5)) for _ in range(2))

    assert np.array_equal(first, again)


def test_text_is_printed_over_ornaments():
    """Text over fine lines is dark, and its contrast is measured against the coloured card."""
    marks = (*card("wash").marks, Text("ERIKSSON", 22.0, 20.0, 30.0, 5.0, "family_name"))
    printed = printing.print_sheet(Sheet(85.6, 54.0, marks), np.random.default_rng(3), px_per_mm=10.0)

    (left, top), (right, bottom) = printed.runs[0].polygon[[0, 2]].astype(int)
    assert printed.pixels[top:bottom, left:right].min() < 90
    assert 20 < printed.ink_contrast < 100


def test_accents_of_capitals_are_printed():
    """Ink above the line's box is printed too."""
    plain, accented = (
        printing.print_sheet(
            Sheet(80.0, 30.0, (Text(text, 10.0, 12.0, 30.0, 6.0),)), np.random.default_rng(4), 10.0
        ).pixels
        for text in ("SEEE", "ŠÉÈÊ")
    )

    above = slice(100, 119)
    assert plain[above].min() > 200
    assert accented[above].min() < 120
