"""Decoding of frame scores into the lines of a zone."""

import numpy as np
import pytest

from docextract.documents.mrz.layout import LAYOUTS
from docextract.extraction.zones.decoding import decode_zone
from tests.extraction.conftest import FRAMES, frame_scores

TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD2 = ("I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")


@pytest.mark.parametrize("lines", [TD1, TD2, TD3])
def test_runs_of_fillers_have_the_right_length(lines):
    """Nineteen fillers are decoded as nineteen, so the format is right too."""
    zone = decode_zone([frame_scores(line) for line in lines])

    assert zone is not None
    assert zone.lines == lines
    assert LAYOUTS[zone.layout.format] is zone.layout
    assert zone.is_unambiguous(lines)


@pytest.mark.parametrize(
    ("start", "pitch", "bend"), [(0.5, 3.9, 0.0), (30.0, 2.9, 0.0), (6.0, 3.7, 2.5), (6.0, 3.7, -2.5)]
)
def test_loose_boxes_and_curved_paper_decode_alike(start, pitch, bend):
    """The grid finds its own start and pitch, and bends a little."""
    zone = decode_zone([frame_scores(line, start, pitch, bend) for line in TD3])

    assert zone is not None
    assert zone.lines == TD3


@pytest.mark.parametrize("fold", [0.8, 1.2])
@pytest.mark.parametrize("missing", [None, 12])
def test_folded_paper_changes_the_pitch(fold, missing):
    """Also where the centre of a character is missing."""
    scores = [frame_scores(line, 3.0, 3.3, fold=fold) for line in TD3]
    if missing is not None:
        at = round(3.0 + 3.3 * (missing + 0.5))
        scores[0].centre_log_odds[at - 1 : at + 2] = -4.0
    zone = decode_zone(scores)

    assert zone is not None
    assert zone.lines == TD3


def test_cuts_lie_between_characters():
    """There is one border more than there are characters."""
    zone = decode_zone([frame_scores(line, start=5.0, pitch=3.8) for line in TD3])

    assert zone is not None
    cuts = np.array(zone.columns[0].cuts) * FRAMES
    assert len(cuts) == 45
    assert cuts == pytest.approx(5.5 + 3.8 * np.arange(45), abs=0.6)


def test_hidden_characters_keep_their_columns():
    """Characters under a thumb have low probabilities, and the others stay in their columns."""
    zone = decode_zone([frame_scores(TD3[0]), frame_scores(TD3[1], hidden=range(21, 28))])

    assert zone is not None
    assert zone.lines[1][:21] == TD3[1][:21]
    assert zone.lines[1][28:] == TD3[1][28:]
    assert zone.character_probabilities(1)[22] < 0.2


def test_check_digits_choose_among_possible_characters():
    """The network prefers an 8, but only the 0 agrees with the check digit."""
    zone = decode_zone([frame_scores(TD3[0]), frame_scores(TD3[1], alternatives={5: {"8": 0.8, "0": 0.2}})])

    assert zone is not None
    assert zone.lines == TD3
    assert zone.likeliest_lines[1][5] == "8"
    assert zone.log_odds_against(TD3) == pytest.approx(np.log(4), abs=0.1)
    assert zone.character_probabilities(1)[5] == pytest.approx(0.2, abs=0.02)


def test_the_format_restricts_the_characters_of_a_column():
    """A date has no letters, however similar they look."""
    zone = decode_zone([frame_scores(TD3[0]), frame_scores(TD3[1], alternatives={13: {"T": 0.9, "7": 0.1}})])

    assert zone is not None
    assert zone.lines == TD3


def test_country_codes_are_existing_codes():
    """UTA is no code; UTO is the code of Utopia, which is used on specimens."""
    zone = decode_zone([frame_scores(TD3[0], alternatives={4: {"A": 0.9, "O": 0.1}}), frame_scores(TD3[1])])

    assert zone is not None
    assert zone.lines == TD3


@pytest.mark.parametrize(
    ("start", "doubt", "code"),
    [
        ("C1USA", {"1": 0.99, "I": 0.01}, "C1"),
        ("C2USA", {"2": 0.99, "Z": 0.01}, "C2"),
        ("IDUTO", {"0": 0.8, "D": 0.2}, "ID"),
        ("ISUTO", {"5": 0.8, "S": 0.2}, "IS"),
    ],
)
def test_a_clear_digit_of_a_document_code_is_one_and_a_doubtful_one_a_letter(start, doubt, code):
    """American permanent residents have C1 and C2; nearly all other codes are letters."""
    first = start + TD1[0][5:]
    zone = decode_zone([frame_scores(first, alternatives={1: doubt}), *map(frame_scores, TD1[1:])])

    assert zone is not None
    assert zone.lines == (first.replace(start[:2], code), *TD1[1:])
    assert zone.is_unambiguous(zone.lines)


@pytest.mark.parametrize(("doubt", "letter"), [({"H": 0.99, "M": 0.01}, "H"), ({"H": 0.8, "M": 0.2}, "M")])
def test_a_doubtful_h_for_the_sex_is_m(doubt, letter):
    """Only Mexico has H, for men."""
    first, second, third = TD1
    scores = [frame_scores(first), frame_scores(second, alternatives={7: doubt}), frame_scores(third)]
    zone = decode_zone(scores)

    assert zone is not None
    assert zone.lines == (first, second[:7] + letter + second[8:], third)


def test_another_reader_decides_a_doubtful_character_of_a_document_code():
    """It is good at letters."""
    first = "IDUTO" + TD1[0][5:]
    scores = [frame_scores(first, alternatives={1: {"O": 0.8, "D": 0.2}}), *map(frame_scores, TD1[1:])]
    zone = decode_zone(scores, other_readings=[(first, *TD1[1:])])

    assert zone is not None
    assert zone.lines[0] == first


def test_check_digits_do_not_choose_impossible_characters():
    """A clearly printed number with a wrong check digit stays as it is printed."""
    forged = TD3[1].replace("L898902C3", "L898702C3")

    zone = decode_zone([frame_scores(TD3[0]), frame_scores(forged)])

    assert zone is not None
    assert zone.lines == (TD3[0], forged)


def test_of_two_valid_readings_none_is_chosen_unless_the_number_is_printed_elsewhere():
    """Either of two zeros may be an O according to the check digit."""
    line = "Y01K5Y3078AUS7305092M2807096<<<<<<<<<<<<<<<0"
    alternatives = {1: {"0": 0.6, "O": 0.4}, 7: {"0": 0.6, "O": 0.4}}
    rows = [frame_scores(TD3[0]), frame_scores(line, alternatives=alternatives)]

    alone, helped = decode_zone(rows), decode_zone(rows, printed_numbers={"YO1K5Y307"})

    assert alone is not None
    assert alone.lines[1] == line
    assert helped is not None
    assert helped.lines[1].startswith("YO1K5Y307")


def test_the_other_reader_counts_for_names_only():
    """It is good at letters, but confuses O with 0."""
    rows = [
        frame_scores(TD3[0], alternatives={7: {"Y": 0.7, "I": 0.2}}),
        frame_scores(TD3[1], alternatives={5: {"0": 0.8, "O": 0.2}}),
    ]

    zone = decode_zone(rows, other_readings={(TD3[0], TD3[1].replace("0", "O"))})

    assert TD3[0][7] == "I"
    assert zone is not None
    assert zone.lines == TD3


def test_one_line_or_four_lines_are_no_zone():
    """No format has that many lines."""
    assert decode_zone([frame_scores(TD3[0])]) is None
    assert decode_zone([frame_scores(line) for line in TD3 * 2]) is None
