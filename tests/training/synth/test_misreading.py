"""Sheets become lines as a reader would report them."""

from random import Random

import numpy as np
import pytest

from training.synth.documents import generator_of
from training.synth.misreading import error_rates, misread
from training.synth.sheet import Sheet, Text

STRINGS = {"merchant_address"}


def sheet(*texts: Text) -> Sheet:
    return Sheet(80, 100, texts)


class Steady:
    """Dice that always fall in the reader's favour: nothing is misread."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def choice(self, options, p=None):
        return options[0]

    def random(self, size=None):
        return 0.99 if size is None else np.full(size, 0.99)

    def poisson(self, _rate):
        return 0

    def __getattr__(self, name):
        return getattr(self._rng, name)


def test_label_and_value_printed_close_are_one_line():
    """As a detector sees it; the truth still knows which part is the value."""
    (line,) = misread(sheet(Text("TOTAL: ", 5, 10, 14, 3), Text("9.00", 19, 10, 8, 3, field="total")), Steady(), ())

    assert line.line.text == "TOTAL: 9.00"
    assert [(line.line.text[a:b], field) for a, b, field, _ in line.marks] == [("9.00", "total")]


def test_what_stands_far_apart_is_two_lines():
    """An amount on the right is read by itself."""
    lines = misread(sheet(Text("TOTAL", 5, 10, 10, 3), Text("9.00", 60, 10, 8, 3, field="total")), Steady(), ())

    assert sorted(one.line.text for one in lines) == ["9.00", "TOTAL"]


def test_an_address_on_two_rows_is_one_printing():
    """Its second row goes on, it does not begin anew; a far repetition does."""
    rows = [("12 JALAN SAGU", 10), ("81100 JOHOR", 14), ("12 JALAN SAGU", 80)]
    texts = [Text(text, 5, y, 30, 3, field="merchant_address") for text, y in rows]

    lines = sorted(misread(sheet(*texts), Steady(), STRINGS), key=lambda one: one.line.polygon[0, 1])

    assert [one.marks[0][3] for one in lines] == [0, 0, 1]


def test_cuts_lie_where_the_letters_are():
    """Between the columns of the print, rising from 0 to 1."""
    (line,) = misread(sheet(Text("AB", 0, 0, 4, 3), Text("CD", 6, 0, 4, 3)), Steady(), ())

    assert line.line.text == "AB CD"
    assert line.line.cuts == pytest.approx((0, 0.2, 0.4, 0.6, 0.8, 1.0))


def test_the_same_seed_is_misread_alike():
    """Training pages can be made again."""
    receipts = generator_of("receipt")
    record = receipts.sample(Random(3))

    first, second = (misread(receipts.typeset(record, Random(4)), np.random.default_rng(5), STRINGS) for _ in range(2))

    assert [one.line.text for one in first] == [one.line.text for one in second]


def test_mistakes_are_as_frequent_as_they_were_measured():
    """Over many pages, the rate lies near the fitted one, within a factor for the mix of clean and poor pages."""
    text = "THE QUICK BROWN FOX JUMPS OVER 1234567890"
    rng = np.random.default_rng(7)
    wrong = total = 0
    for _ in range(400):
        for one in misread(sheet(Text(text, 1, 10, 70, 3)), rng, ()):
            read = one.line.text.upper()
            if len(read) == len(text):
                wrong += sum(a != b for a, b in zip(read, text, strict=True))
                total += len(text)

    assert 0.2 * error_rates().wrong < wrong / total < 2 * error_rates().wrong
