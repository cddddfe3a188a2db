"""Sheets become text lines as OCR would report them."""

from random import Random

import numpy as np
import pytest

from training.synth.documents import generator_of
from training.synth.misreading import error_rates, misread, number_occurrences
from training.synth.sheet import Sheet, Text

STRINGS = {"merchant_address"}


def sheet(*texts: Text) -> Sheet:
    return Sheet(80, 100, texts)


class ErrorFreeGenerator:
    """A random generator whose values never cause a recognition error."""

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


def test_close_label_and_value_are_one_line():
    """A text detector joins them; the ground truth still marks the value."""
    (line,) = misread(
        sheet(Text("TOTAL: ", 5, 10, 14, 3), Text("9.00", 19, 10, 8, 3, field="total")), ErrorFreeGenerator(), ()
    )

    assert line.line.text == "TOTAL: 9.00"
    assert [(line.line.text[a:b], field) for a, b, field, _ in line.marks] == [("9.00", "total")]


def test_distant_runs_are_two_lines():
    """An amount at the right end is a line of its own."""
    lines = misread(
        sheet(Text("TOTAL", 5, 10, 10, 3), Text("9.00", 60, 10, 8, 3, field="total")), ErrorFreeGenerator(), ()
    )

    assert sorted(one.line.text for one in lines) == ["9.00", "TOTAL"]


def test_an_address_on_two_rows_is_one_occurrence():
    """Its second row continues the address; a repetition elsewhere is a new occurrence."""
    rows = [("12 JALAN SAGU", 10), ("81100 JOHOR", 14), ("12 JALAN SAGU", 80)]
    texts = [Text(text, 5, y, 30, 3, field="merchant_address") for text, y in rows]

    lines = sorted(misread(sheet(*texts), ErrorFreeGenerator(), STRINGS), key=lambda one: one.line.polygon[0, 1])

    assert [one.marks[0][3] for one in lines] == [0, 0, 1]


@pytest.mark.parametrize(
    ("places", "numbers"),
    [
        ([("12 Elm St", 5, 10), ("12 Elm St", 120, 10), ("Davis", 5, 14), ("Davis", 120, 14)], [0, 1, 0, 1]),
        ([("12 Elm St", 5, 10), ("12 Elm St,", 120, 12), ("Davis", 5, 14), ("Davis", 120, 16)], [0, 1, 0, 1]),
        ([("12 Elm St,", 60, 10), ("Davis", 5, 14)], [0, 0]),
        ([("12 Elm St,", 5, 10), ("Davis", 40, 10)], [0, 0]),
        ([("Bukit 5,", 5, 10), ("Singapore", 5, 14), ("049315,", 5, 18), ("Singapore", 5, 22)], [0, 0, 0, 0]),
        ([("12 Elm St", 5, 10), ("Davis", 5, 50)], [0, 1]),
    ],
)
def test_blocks_beside_each_other_are_two_occurrences(places, numbers):
    """A value goes on where it touches itself, or at the start of the next line; the town may be the country."""
    texts = [Text(text, x, y, 20, 3, field="merchant_address") for text, x, y in places]

    assert [number for _, number in number_occurrences(texts, STRINGS)] == numbers


def test_character_positions_follow_the_print():
    """Positions are between the characters of the print, rising from 0 to 1."""
    (line,) = misread(sheet(Text("AB", 0, 0, 4, 3), Text("CD", 6, 0, 4, 3)), ErrorFreeGenerator(), ())

    assert line.line.text == "AB CD"
    assert line.line.cuts == pytest.approx((0, 0.2, 0.4, 0.6, 0.8, 1.0))


def test_same_seed_gives_the_same_lines():
    """Training pages are reproducible."""
    receipts = generator_of("receipt")
    record = receipts.sample(Random(3))

    first, second = (misread(receipts.typeset(record, Random(4)), np.random.default_rng(5), STRINGS) for _ in range(2))

    assert [one.line.text for one in first] == [one.line.text for one in second]


def test_errors_are_as_frequent_as_measured():
    """Over many pages the error rate is near the fitted one; pages are a mix of clean and noisy ones."""
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
