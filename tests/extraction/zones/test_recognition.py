"""Machine-readable zones among the text lines of a page."""

from datetime import date

import numpy as np
import pytest

from docextract.extraction.zones.recognition import document_type_of, find_zone, find_zone_in_strips
from docextract.predictions import TextLine
from tests.extraction.conftest import FRAMES, frame_scores

TODAY = date(2026, 11, 20)
# The specimens printed in ICAO Doc 9303.
TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")


@pytest.fixture
def page(line):
    """OCR lines of a passport in arbitrary order: print above, the zone below."""
    return [
        line(TD3[1], 20, 340),
        line("PASSPORT", 20, 20),
        line("ERIKSSON", 200, 100),
        line("12 AUG 1974", 200, 160),
        line(TD3[0], 20, 300),
    ]


def rotated(line, clockwise_deg):
    """Rotate a line with its page."""
    angle = np.radians(clockwise_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return TextLine(line.text, (line.polygon @ turn.T).astype(np.float32), line.confidence)


def test_a_zone_is_found_among_other_print(page):
    """The zone is recognised by its characters, wherever it is on the page."""
    zone = find_zone(page, TODAY)

    assert zone is not None
    assert (zone.format, zone.valid, zone.lines) == ("TD3", True, TD3)
    assert zone.fields["birth_date"].value == date(1974, 8, 12)
    assert zone.fields["given_name"].value == "ANNA MARIA"


def test_arrows_printed_on_a_card_are_no_zone(line):
    """Without a document code a zone needs three valid check digits; two agree by chance in garbage."""
    rows = ("<X" + TD3[0][2:], "L898902C36UTO7408123F1204158ZE184226B<<<<<11")

    assert find_zone([line(text, 20, 300 + 40 * at) for at, text in enumerate(rows)], TODAY) is None


def test_three_short_lines_are_the_zone_of_a_card(line):
    """The back of an identity card."""
    zone = find_zone([line(text, 10, 40 * at) for at, text in enumerate(TD1)], TODAY)

    assert zone is not None
    assert (zone.format, zone.valid) == ("TD1", True)


@pytest.mark.parametrize("clockwise_deg", [0, 7, -20, 90, 180])
def test_a_rotated_page_has_the_same_zone(page, clockwise_deg):
    """Rows follow the direction of the print, not that of the picture."""
    zone = find_zone([rotated(one, clockwise_deg) for one in page], TODAY)

    assert zone is not None
    assert zone.lines == TD3


def test_a_line_that_ocr_split_is_joined(line):
    """Text detection splits a line where its fillers begin."""
    page = [
        line(TD3[0][:25], 20, 300),
        line(TD3[0][25:], 290, 301),
        line(TD3[1][:28], 20, 340),
        line("ZE184226B<<<<<10", 310, 339),
    ]

    zone = find_zone(page, TODAY)

    assert zone is not None
    assert zone.lines == TD3
    (family,) = zone.fields["family_name"].polygons
    assert family[:, 0].min() == pytest.approx(70)
    assert len(zone.polygons) == 4


def test_a_thumb_hides_only_the_characters_under_it(line):
    """Characters to the right of the thumb keep their columns, so their fields are read."""
    page = [line(TD3[0], 20, 300), line(TD3[1][:20], 20, 340), line(TD3[1][27:], 20 + 270, 340)]

    zone = find_zone(page, TODAY)

    assert zone is not None
    assert not zone.valid
    assert {name for name, agrees in zone.checks.items() if not agrees} == {"expiry_date", "composite"}
    assert zone.fields["optional_data"].value == "ZE184226B"
    assert "expiry_date" not in zone.fields


def test_values_have_the_polygons_of_their_characters(page):
    """Letters are 10 px wide: the birth date begins in column 13 of the second line."""
    zone = find_zone(page, TODAY)

    assert zone is not None
    (birth,) = zone.fields["birth_date"].polygons
    assert birth.min(axis=0) == pytest.approx([20 + 130, 340])
    assert birth.max(axis=0) == pytest.approx([20 + 190, 360])


def test_values_keep_their_place_if_fillers_are_missing(line):
    """The names begin at the start of a line that OCR read too short."""
    page = [line("P<UTOERIKSSON<<ANNA<MARIA", 20, 300), line(TD3[1], 20, 340)]

    zone = find_zone(page, TODAY)

    assert zone is not None
    (given,) = zone.fields["given_name"].polygons
    assert (given[:, 0].min(), given[:, 0].max()) == (pytest.approx(170), pytest.approx(270))


def strip_reader(*printed):
    """A reader that finds these texts, each at the y of its middle; and the polygons that it was asked to read."""
    requested = []

    def read_strips(polygons):
        requested.extend(polygons)
        texts = [next((text for text, y in printed if abs(polygon[:, 1].mean() - y) < 6), "<") for polygon in polygons]
        return [
            frame_scores(text, 6.0, (FRAMES - 12) / len(text)) if len(text) > 1 else frame_scores("<") for text in texts
        ]

    return read_strips, requested


def test_the_zone_network_corrects_ocr(line):
    """OCR dropped fillers, confused letters with digits, and missed half of a line."""
    read_strips, requested = strip_reader((TD3[0], 310), (TD3[1], 350))
    page = [line("P<UTOERIKSS0N<<ANNA<MAR1A<<<<<", 20, 300), line(TD3[1][:28], 20, 340), line("PASSPORT", 20, 20)]

    zone = find_zone(page, TODAY, read_strips)

    assert zone is not None
    assert (zone.valid, zone.lines) == (True, TD3)
    assert zone.fields["family_name"].value == "ERIKSSON"
    assert len(requested) == 2
    left, right = requested[0][:, 0].min(), requested[0][:, 0].max()
    assert left < 20
    assert right > 320  # a little wider than the longest line


def test_rows_that_detection_missed_are_read(line):
    """The missed row may be above, below or between the detected ones."""
    for missed in range(3):
        read_strips, _ = strip_reader(*((text, 30 * at + 10) for at, text in enumerate(TD1)))
        page = [line(text, 10, 30 * at) for at, text in enumerate(TD1) if at != missed]

        zone = find_zone(page, TODAY, read_strips)

        assert zone is not None
        assert (zone.valid, zone.lines) == (True, TD1)


def test_values_have_the_polygons_that_the_network_found(line):
    """Characters are 10 px wide; a strip is a little wider than the print."""
    read_strips, requested = strip_reader((TD3[0], 310), (TD3[1], 350))

    zone = find_zone([line(TD3[0], 20, 300), line(TD3[1], 20, 340)], TODAY, read_strips)

    assert zone is not None
    left, right = requested[1][:, 0].min(), requested[1][:, 0].max()
    (birth,) = zone.fields["birth_date"].polygons
    pitch = (right - left) / FRAMES * (FRAMES - 12) / 44
    assert birth[:, 0].min() == pytest.approx(left + (right - left) * 6.5 / FRAMES + 13 * pitch, abs=4)
    assert birth[:, 0].max() - birth[:, 0].min() == pytest.approx(6 * pitch, abs=4)


def test_a_shifted_first_line_is_not_valid(line):
    """Names have no check digit, but the zone of a passport must begin with P."""
    shifted = ("<" + TD3[0][1:-1] + "<", TD3[1])

    read_strips, _ = strip_reader((shifted[0], 310), (shifted[1], 350))

    zone = find_zone([line(shifted[0], 20, 300), line(shifted[1], 20, 340)], TODAY, read_strips)

    assert zone is not None
    assert not zone.valid


def test_searched_strips_give_valid_zones_only():
    """Strips that were searched for may contain anything."""
    polygon = np.array([[0, 0], [500, 0], [500, 30], [0, 30]], np.float32)
    forged = TD3[1].replace("740812", "750812")

    found = find_zone_in_strips([(frame_scores(text), polygon) for text in ("<" * 44, *TD3)], [], TODAY)

    assert found is not None
    assert found.lines == TD3
    assert find_zone_in_strips([(frame_scores(text), polygon) for text in (TD3[0], forged)], [], TODAY) is None
    assert find_zone_in_strips([], [], TODAY) is None


def test_uncertain_characters_lower_the_confidence(line):
    """The network's probabilities are the confidences; if it sees no characters, the OCR text is used."""
    page = [line(TD3[0], 20, 300), line(TD3[1], 20, 340)]
    uncertain = frame_scores(TD3[0], alternatives={6: {"R": 0.6, "K": 0.4}}), frame_scores(TD3[1])

    certain_zone, uncertain_zone = (
        find_zone(page, TODAY, lambda _: [frame_scores(text) for text in TD3]),
        find_zone(page, TODAY, lambda _: uncertain),
    )
    blind = find_zone(page, TODAY, lambda polygons: [frame_scores("<" * 44, hidden=range(44)) for _ in polygons])

    assert certain_zone is not None
    assert uncertain_zone is not None
    assert blind is not None
    assert blind.lines == TD3
    assert uncertain_zone.fields["family_name"].confidence < certain_zone.fields["family_name"].confidence
    assert uncertain_zone.fields["birth_date"].confidence == certain_zone.fields["birth_date"].confidence


def test_a_name_is_doubtful_if_what_stands_behind_it_is(line):
    """A thumb over the rest of a name is read as fillers, with a low probability."""
    page = [line(TD3[0], 20, 300), line(TD3[1], 20, 340)]
    end = len(TD3[0].rstrip("<"))
    covered = frame_scores(TD3[0], alternatives={end + 1: {"<": 0.5, "E": 0.5}}), frame_scores(TD3[1])

    whole = find_zone(page, TODAY, lambda _: [frame_scores(text) for text in TD3])
    half = find_zone(page, TODAY, lambda _: covered)

    assert whole is not None
    assert half is not None
    assert half.fields["given_name"].value == whole.fields["given_name"].value
    assert half.fields["given_name"].confidence < 0.96 < 0.99 < whole.fields["given_name"].confidence
    assert half.fields["family_name"].confidence == whole.fields["family_name"].confidence


def test_a_check_digit_raises_the_confidence(page):
    """The number and the dates have check digits, the names have none; a wrong check digit lowers the confidence."""
    zone = find_zone(page, TODAY)
    forged = find_zone([line for line in page if line.text != TD3[1]] + [
        TextLine(TD3[1].replace("740812", "750812"), page[0].polygon, 0.99)], TODAY)  # fmt: skip

    assert zone is not None
    assert forged is not None
    assert zone.fields["document_number"].confidence > 0.98 > zone.fields["family_name"].confidence > 0.9
    assert forged.fields["birth_date"].confidence < 0.4
    assert forged.fields["document_number"].confidence < zone.fields["document_number"].confidence


def test_the_number_printed_elsewhere_decides_between_readings(line):
    """One of two zeros is an O, and the number is also printed outside the zone."""
    alone = [line(TD3[0], 20, 300), line("Y01K5Y3078AUS7305092M2807096<<<<<<<<<<<<<<<0", 20, 340)]

    without, helped = find_zone(alone, TODAY), find_zone([line("YO1K5Y307", 20, 100), *alone], TODAY)

    assert without is not None
    assert not without.valid
    assert helped is not None
    assert helped.valid
    assert helped.fields["document_number"].value == "YO1K5Y307"


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("TOTAL 12.50", "THANK YOU"),
        ("----------------------------", "<<<<<<<<<<<<<<<<<<<<<<<<<<"),
        ("12345678901234567890123456789012", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF"),
        TD3[:1],
    ],
)
def test_other_print_is_no_zone(line, texts):
    """Ruled lines, the numbers of bar codes, and half a zone are no zone."""
    assert find_zone([line(text, 0, 40 * at) for at, text in enumerate(texts)], TODAY) is None


def test_lines_far_apart_are_no_zone(line):
    """They are the first line of one document and the second line of another."""
    assert find_zone([line(TD3[0], 0, 0), line(TD3[1], 0, 400)], TODAY) is None


def test_a_valid_zone_implies_the_document_type(page, line):
    """The code of a passport begins with P, that of a card with I; an invalid zone implies nothing."""
    forged = [line(TD3[0], 0, 0), line(TD3[1].replace("740812", "750812"), 0, 40)]

    assert document_type_of(find_zone(page, TODAY)) == "passport"
    assert document_type_of(find_zone([line(text, 0, 40 * at) for at, text in enumerate(TD1)], TODAY)) == "id_card"
    assert document_type_of(find_zone(forged, TODAY)) is None
    assert document_type_of(None) is None
