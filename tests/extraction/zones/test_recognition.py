"""Machine-readable zones among the lines of a page."""

from datetime import date

import numpy as np
import pytest

from docextract.extraction.zones.recognition import document_type_of, find_zone, find_zone_in_strips
from docextract.predictions import TextLine
from tests.extraction.conftest import FRAMES, seen

TODAY = date(2026, 11, 20)
# The specimens printed in ICAO Doc 9303.
TD3 = ("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10")
TD1 = ("I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<")


@pytest.fixture
def page(line):
    """A passport as it is read: print above, the zone below, in no particular order."""
    return [
        line(TD3[1], 20, 340),
        line("PASSPORT", 20, 20),
        line("ERIKSSON", 200, 100),
        line("12 AUG 1974", 200, 160),
        line(TD3[0], 20, 300),
    ]


def turned(line, clockwise_deg):
    """A line of the same page lying askew."""
    angle = np.radians(clockwise_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return TextLine(line.text, (line.polygon @ turn.T).astype(np.float32), line.confidence)


def test_a_zone_is_found_among_other_print(page):
    """By its look, wherever it stands."""
    zone = find_zone(page, TODAY)

    assert zone is not None
    assert (zone.format, zone.valid, zone.lines) == ("TD3", True, TD3)
    assert zone.fields["birth_date"].value == date(1974, 8, 12)
    assert zone.fields["given_name"].value == "ANNA MARIA"


def test_three_short_lines_are_a_cards(line):
    """The back of an identity card."""
    zone = find_zone([line(text, 10, 40 * at) for at, text in enumerate(TD1)], TODAY)

    assert zone is not None
    assert (zone.format, zone.valid) == ("TD1", True)


@pytest.mark.parametrize("clockwise_deg", [0, 7, -20, 90, 180])
def test_a_page_lying_askew_has_the_same_zone(page, clockwise_deg):
    """Under each other means along the print, not along the picture."""
    zone = find_zone([turned(one, clockwise_deg) for one in page], TODAY)

    assert zone is not None
    assert zone.lines == TD3


def test_a_line_that_was_read_in_two_parts_is_one(line):
    """Detection breaks a line where its fillers begin; what stands far off on the same row is not part of it."""
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


def test_a_thumb_on_the_zone_hides_only_what_lies_under_it(line):
    """What stands right of it keeps its columns, so that what can be seen is read."""
    page = [line(TD3[0], 20, 300), line(TD3[1][:20], 20, 340), line(TD3[1][27:], 20 + 270, 340)]

    zone = find_zone(page, TODAY)

    assert zone is not None
    assert not zone.valid
    assert {name for name, agrees in zone.checks.items() if not agrees} == {"expiry_date", "composite"}
    assert zone.fields["optional_data"].value == "ZE184226B"
    assert "expiry_date" not in zone.fields


def test_each_value_lies_where_it_stands_on_its_line(page):
    """Letters are 10 px wide: the birth date begins in column 13 of the second line."""
    zone = find_zone(page, TODAY)

    assert zone is not None
    (birth,) = zone.fields["birth_date"].polygons
    assert birth.min(axis=0) == pytest.approx([20 + 130, 340])
    assert birth.max(axis=0) == pytest.approx([20 + 190, 360])


def test_a_value_keeps_its_place_where_fillers_were_lost(line):
    """The check digit at the end of a line that was read too short is still at its end."""
    page = [line("P<UTOERIKSSON<<ANNA<MARIA", 20, 300), line(TD3[1], 20, 340)]

    zone = find_zone(page, TODAY)

    assert zone is not None
    (given,) = zone.fields["given_name"].polygons
    assert (given[:, 0].min(), given[:, 0].max()) == (pytest.approx(170), pytest.approx(270))


def looking(*printed):
    """A network that sees these texts, each by the y of its middle; and where it was told to look."""
    asked = []

    def look(outlines):
        asked.extend(outlines)
        texts = [next((text for text, y in printed if abs(outline[:, 1].mean() - y) < 6), "<") for outline in outlines]
        return [seen(text, 6.0, (FRAMES - 12) / len(text)) if len(text) > 1 else seen("<") for text in texts]

    return look, asked


def test_a_closer_look_says_what_the_reader_missed(line):
    """Fillers that were dropped, a letter for a digit, half of a line: the network that knows zones knows better."""
    look, asked = looking((TD3[0], 310), (TD3[1], 350))
    page = [line("P<UTOERIKSS0N<<ANNA<MAR1A<<<<<", 20, 300), line(TD3[1][:28], 20, 340), line("PASSPORT", 20, 20)]

    zone = find_zone(page, TODAY, look)

    assert zone is not None
    assert (zone.valid, zone.lines) == (True, TD3)
    assert zone.fields["family_name"].value == "ERIKSSON"
    assert len(asked) == 2
    left, right = asked[0][:, 0].min(), asked[0][:, 0].max()
    assert left < 20
    assert right > 320  # as far as the longest of them, and a little farther


def test_a_row_that_was_missed_is_looked_for(line):
    """Above, below and between those that were found."""
    for missed in range(3):
        look, _ = looking(*((text, 30 * at + 10) for at, text in enumerate(TD1)))
        page = [line(text, 10, 30 * at) for at, text in enumerate(TD1) if at != missed]

        zone = find_zone(page, TODAY, look)

        assert zone is not None
        assert (zone.valid, zone.lines) == (True, TD1)


def test_values_lie_where_the_network_saw_them(line):
    """Characters are 10 px wide here; a strip is cut a little wider than the print."""
    look, asked = looking((TD3[0], 310), (TD3[1], 350))

    zone = find_zone([line(TD3[0], 20, 300), line(TD3[1], 20, 340)], TODAY, look)

    assert zone is not None
    left, right = asked[1][:, 0].min(), asked[1][:, 0].max()
    (birth,) = zone.fields["birth_date"].polygons
    pitch = (right - left) / FRAMES * (FRAMES - 12) / 44
    assert birth[:, 0].min() == pytest.approx(left + (right - left) * 6.5 / FRAMES + 13 * pitch, abs=4)
    assert birth[:, 0].max() - birth[:, 0].min() == pytest.approx(6 * pitch, abs=4)


def test_a_line_that_was_moved_is_not_valid(line):
    """Names have no check digit; but a passport's zone begins with P."""
    moved = ("<" + TD3[0][1:-1] + "<", TD3[1])

    look, _ = looking((moved[0], 310), (moved[1], 350))

    zone = find_zone([line(moved[0], 20, 300), line(moved[1], 20, 340)], TODAY, look)

    assert zone is not None
    assert not zone.valid


def test_only_a_valid_zone_is_taken_from_where_none_was_found():
    """Along lines that were searched for there may be anything."""
    outline = np.array([[0, 0], [500, 0], [500, 30], [0, 30]], np.float32)
    forged = TD3[1].replace("740812", "750812")

    found = find_zone_in_strips([(seen(text), outline) for text in ("<" * 44, *TD3)], [], TODAY)

    assert found is not None
    assert found.lines == TD3
    assert find_zone_in_strips([(seen(text), outline) for text in (TD3[0], forged)], [], TODAY) is None
    assert find_zone_in_strips([], [], TODAY) is None


def test_what_the_network_doubts_is_less_sure(line):
    """Its chances are the values' confidences; where it sees nothing, the reader's own lines stand."""
    page = [line(TD3[0], 20, 300), line(TD3[1], 20, 340)]
    doubtful = seen(TD3[0], doubts={6: {"R": 0.6, "K": 0.4}}), seen(TD3[1])

    sure, unsure = (
        find_zone(page, TODAY, lambda _: [seen(text) for text in TD3]),
        find_zone(page, TODAY, lambda _: doubtful),
    )
    blind = find_zone(page, TODAY, lambda outlines: [seen("<" * 44, unseen=range(44)) for _ in outlines])

    assert sure is not None
    assert unsure is not None
    assert blind is not None
    assert blind.lines == TD3
    assert unsure.fields["family_name"].confidence < sure.fields["family_name"].confidence
    assert unsure.fields["birth_date"].confidence == sure.fields["birth_date"].confidence


def test_a_checked_value_is_surer_than_an_unchecked_one(page):
    """A check digit speaks for the number and the dates, none for the names; a wrong one speaks against."""
    zone = find_zone(page, TODAY)
    forged = find_zone([line for line in page if line.text != TD3[1]] + [
        TextLine(TD3[1].replace("740812", "750812"), page[0].polygon, 0.99)], TODAY)  # fmt: skip

    assert zone is not None
    assert forged is not None
    assert zone.fields["document_number"].confidence > 0.98 > zone.fields["family_name"].confidence > 0.9
    assert forged.fields["birth_date"].confidence < 0.4
    assert forged.fields["document_number"].confidence < zone.fields["document_number"].confidence


def test_the_printed_number_helps_to_read_the_zones(line):
    """Of two zeros one was an O, and the number stands on the page as well."""
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
    """Ruled lines, bar codes' numbers, half a zone."""
    assert find_zone([line(text, 0, 40 * at) for at, text in enumerate(texts)], TODAY) is None


def test_lines_far_apart_are_no_zone(line):
    """The first line of one document and the second of another."""
    assert find_zone([line(TD3[0], 0, 0), line(TD3[1], 0, 400)], TODAY) is None


def test_a_valid_zone_says_what_the_document_is(page, line):
    """A passport's code begins with P, a card's with I; what is not valid says nothing."""
    forged = [line(TD3[0], 0, 0), line(TD3[1].replace("740812", "750812"), 0, 40)]

    assert document_type_of(find_zone(page, TODAY)) == "passport"
    assert document_type_of(find_zone([line(text, 0, 40 * at) for at, text in enumerate(TD1)], TODAY)) == "id_card"
    assert document_type_of(find_zone(forged, TODAY)) is None
    assert document_type_of(None) is None
