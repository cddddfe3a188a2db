"""What generators can rely on when they set lines of text."""

import pytest

from training.synth.sheet import Text
from training.synth.typesetting import LineLayout, wrap


@pytest.fixture
def roll() -> LineLayout:
    """80 mm of paper with 40 columns."""
    return LineLayout(width_mm=80.0, margin_mm=4.0, line_mm=3.0, advance_mm=1.8)


def _texts(roll: LineLayout) -> tuple[Text, ...]:
    return roll.sheet().texts()


def test_a_value_follows_its_label_as_a_run_of_its_own(roll: LineLayout) -> None:
    """ "Date: 25/12/2018" is two runs that print as one string."""
    roll.left([("Date: ", None), ("25/12/2018", "document_date")])
    label, value = _texts(roll)

    assert (label.field, value.field) == (None, "document_date")
    assert value.x_mm == pytest.approx(label.x_mm + label.width_mm)
    assert value.y_mm == label.y_mm


def test_amounts_end_at_the_same_position(roll: LineLayout) -> None:
    """Totals are aligned in a column, whatever their length."""
    roll.spread([("SUBTOTAL", None)], [("9.00", "subtotal")])
    roll.spread([("TOTAL", None)], [("1,009.00", "total")])
    ends = [text.x_mm + text.width_mm for text in _texts(roll) if text.field]

    assert ends[0] == pytest.approx(ends[1])


def test_an_amount_that_does_not_fit_moves_to_the_next_line(roll: LineLayout) -> None:
    """A long label never overlaps its amount."""
    roll.spread([("TOTAL SALES INCLUSIVE OF ALL TAXES AND FEES", None)], [("12.00", "total")])
    label, amount = _texts(roll)

    assert amount.y_mm >= label.y_mm + label.height_mm


def test_a_line_longer_than_the_paper_is_narrowed(roll: LineLayout) -> None:
    """Nothing is printed outside the paper."""
    roll.centre([("X" * 100, None)])
    (text,) = _texts(roll)

    assert text.x_mm > 0
    assert text.x_mm + text.width_mm < roll.width_mm


def test_cells_of_a_table_do_not_touch(roll: LineLayout) -> None:
    """A wide number moves its neighbour to the left; a wide first cell gets a line of its own."""
    roll.table_row([
        ([("A description as long as the paper", None)], 0.0, "l"), ([("123,456.00", None)], 0.8, "r"),
        ([("1,234,567.00", None)], 1.0, "r"),
    ])  # fmt: skip
    first, unit, amount = _texts(roll)

    assert first.y_mm < unit.y_mm == amount.y_mm
    assert unit.x_mm + unit.width_mm < amount.x_mm


def test_wrapping_keeps_every_word() -> None:
    """Lines joined by a space give the text; only a long word makes a line longer than requested."""
    text = "NO. 17-G, JALAN SETIA INDAH (X) U13/X, SETIA ALAM, SEKSYEN U13"
    lines = wrap(text, 20)

    assert " ".join(lines) == text
    assert max(map(len, lines)) <= 20
