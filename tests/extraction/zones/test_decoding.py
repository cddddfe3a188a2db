"""What a network saw along the lines of a zone, and the zone that is made of it."""

import numpy as np
import pytest

from docextract.documents.mrz.layout import LAYOUTS
from docextract.extraction.zones.decoding import decode_zone
from tests.extraction.conftest import FRAMES, seen

TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD2 = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")


@pytest.mark.parametrize("lines", [TD1, TD2, TD3])
def test_fillers_need_not_be_counted(lines):
    """Nineteen of them come out as nineteen, and the format with them."""
    spelling = decode_zone([seen(line) for line in lines])

    assert spelling is not None
    assert spelling.lines == lines
    assert LAYOUTS[spelling.layout.format] is spelling.layout
    assert spelling.clear(lines)


@pytest.mark.parametrize(
    ("start", "pitch", "bend"), [(0.5, 3.9, 0.0), (30.0, 2.9, 0.0), (6.0, 3.7, 2.5), (6.0, 3.7, -2.5)]
)
def test_the_box_need_not_fit_nor_the_paper_lie_flat(start, pitch, bend):
    """The comb finds its own start and pitch, and bends a little."""
    spelling = decode_zone([seen(line, start, pitch, bend) for line in TD3])

    assert spelling is not None
    assert spelling.lines == TD3


def test_each_column_knows_where_it_stands():
    """Borders lie between characters, one more than there are."""
    spelling = decode_zone([seen(line, start=5.0, pitch=3.8) for line in TD3])

    assert spelling is not None
    cuts = np.array(spelling.columns[0].cuts) * FRAMES
    assert len(cuts) == 45
    assert cuts == pytest.approx(5.5 + 3.8 * np.arange(45), abs=0.6)


def test_what_cannot_be_seen_keeps_its_columns():
    """Under a thumb nothing is known, and nothing beside it moves."""
    spelling = decode_zone([seen(TD3[0]), seen(TD3[1], unseen=range(21, 28))])

    assert spelling is not None
    assert spelling.lines[1][:21] == TD3[1][:21]
    assert spelling.lines[1][28:] == TD3[1][28:]
    assert spelling.of(1)[22] < 0.2


def test_check_digits_choose_among_what_was_seen():
    """A zero that looked more like an eight."""
    spelling = decode_zone([seen(TD3[0]), seen(TD3[1], doubts={5: {"8": 0.8, "0": 0.2}})])

    assert spelling is not None
    assert spelling.lines == TD3
    assert spelling.best[1][5] == "8"
    assert spelling.against(TD3) == pytest.approx(np.log(4), abs=0.1)
    assert spelling.of(1)[5] == pytest.approx(0.2, abs=0.02)


def test_a_layout_decides_what_may_stand_in_a_column():
    """In a date there are no letters, however alike."""
    spelling = decode_zone([seen(TD3[0]), seen(TD3[1], doubts={13: {"T": 0.9, "7": 0.1}})])

    assert spelling is not None
    assert spelling.lines == TD3


def test_a_state_has_a_code_that_there_is():
    """UTA is no state; Utopia, in whose name specimens are printed, is one."""
    spelling = decode_zone([seen(TD3[0], doubts={4: {"A": 0.9, "O": 0.1}}), seen(TD3[1])])

    assert spelling is not None
    assert spelling.lines == TD3


def test_nothing_is_chosen_that_was_not_seen():
    """A number that is plainly printed and does not fit its digit stays as it is printed."""
    forged = TD3[1].replace("L898902C3", "L898702C3")

    spelling = decode_zone([seen(TD3[0]), seen(forged)])

    assert spelling is not None
    assert spelling.lines == (TD3[0], forged)


def test_of_two_that_fit_none_is_chosen_unless_the_number_is_printed_elsewhere():
    """Either of two zeros may be the O that explains the digit."""
    line = "Y01K5Y3078AUS7305092M2807096<<<<<<<<<<<<<<<0"
    doubts = {1: {"0": 0.6, "O": 0.4}, 7: {"0": 0.6, "O": 0.4}}
    rows = [seen(TD3[0]), seen(line, doubts=doubts)]

    alone, helped = decode_zone(rows), decode_zone(rows, printed_numbers={"YO1K5Y307"})

    assert alone is not None
    assert alone.lines[1] == line
    assert helped is not None
    assert helped.lines[1].startswith("YO1K5Y307")


def test_another_reader_has_a_say_in_names_and_in_nothing_else():
    """It is good at letters, and takes O for 0."""
    rows = [seen(TD3[0], doubts={7: {"Y": 0.7, "I": 0.2}}), seen(TD3[1], doubts={5: {"0": 0.8, "O": 0.2}})]

    spelling = decode_zone(rows, heard={(TD3[0], TD3[1].replace("0", "O"))})

    assert TD3[0][7] == "I"
    assert spelling is not None
    assert spelling.lines == TD3


def test_other_numbers_of_lines_are_no_zone():
    """One line, or four."""
    assert decode_zone([seen(TD3[0])]) is None
    assert decode_zone([seen(line) for line in TD3 * 2]) is None
