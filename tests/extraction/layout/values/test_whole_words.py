"""Numbers are given to the ends of their words."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.candidates import candidate_of
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.labels import begin_label, inside_label
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.values.whole_words import whole_amount, whole_identifier, whole_words
from tests.extraction.layout.conftest import INVOICE, NAMES


def whole(complete, line, text, part):
    """The text that the first piece with this text is completed to."""
    _, page = split_into_pieces([line(text)])
    start = next(index for index, piece in enumerate(page.pieces) if piece.text == part)
    return join_pieces([page.pieces[index] for index in complete((start,), page.pieces)])


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("Total 1'290.55", "290.55", "1'290.55"),
        ("Total 1’234’290.55 CHF", "1", "1’234’290.55"),
        ("5 x 290.55", "290.55", "290.55"),
        ("CHF 3'000.–", "3", "3'000.–"),
        ("3’000.-", "-", "3’000.-"),
        ("CHF 3'000.--", "000", "3'000.--"),
        ("height 5'-07", "5", "5"),
        ("width 5' 250", "5", "5"),
        ("no. 5'25075", "5", "5"),
        ("Spolu 258 770,33 €", "258", "258 770,33"),
        ("Total 1 258 770.33", "1", "1 258 770.33"),
        ("2 pcs 770,33", "2", "2"),
        ("2024 770,33", "2024", "2024"),
        ("12 770,333", "12", "12"),
    ],
)
def test_amounts_have_all_their_thousands(line, text, part, expected):
    assert whole(whole_amount, line, text, part) == expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("Nr. 544/MAG/2015 z dnia", "544", "544/MAG/2015"),
        ("Nr. 544/MAG/2015", "2015", "544/MAG/2015"),
        ("ID BF38C3-F0E3DB-5A", "BF", "BF38C3-F0E3DB-5A"),
        ("INV-2024 0815", "INV", "INV-2024"),
        ("D1234567CLASS C", "1234567", "D1234567"),
        ("4711, Seite 1", "4711", "4711"),
        ("NO R471-708", "471-708", "R471-708"),
        ("NO4711", "4711", "4711"),
    ],
)
def test_identifiers_have_their_whole_word(line, text, part, expected):
    assert whole(whole_identifier, line, text, part) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Inv 221-88104", "221-88104"),
        ("Boleta 448120", "448120"),
        ("INV-221", "INV-221"),
        ("Inv221", "Inv221"),
        ("FS 2026/104", "FS 2026/104"),
        ("Bon", "Bon"),
    ],
)
def test_words_for_documents_are_no_part_of_their_numbers(line, receipt, text, expected):
    page = receipt((line(text), {"document_number": 0.9}))

    assert decode_fields(page)["document_number"].content == expected


@pytest.mark.parametrize(("text", "expected"), [("Inv 221-88104", "221-88104"), ("Boleta 448120", "448120")])
def test_a_number_that_begins_again_behind_a_word_for_the_document_has_no_such_word(line, receipt, text, expected):
    page = receipt((line(text), {"document_number": 0.9}))
    labels = page.labels.copy()
    labels[1] = 0
    labels[1, begin_label(page.numbers["document_number"])] = 0.9
    page = replace(page, probabilities=replace(page.probabilities, labels=labels))

    assert decode_fields(page)["document_number"].content == expected


def test_the_number_of_an_invoice_may_begin_with_a_word_for_it(line, invoice):
    assert (
        decode_fields(invoice((line("INV 00123"), {"document_number": 0.9})))["document_number"].content == "INV 00123"
    )


def test_a_negative_amount_has_all_its_thousands(line):
    _, page = split_into_pieces([line("-11 250,00"), line("- 2 250,00 8", 0, 100), line("-25 770,333", 0, 200)])
    starts = [index for index, piece in enumerate(page.pieces) if piece.text == "-"]

    wholes = [whole_amount((start, start + 1), page.pieces) for start in starts]

    assert [join_pieces([page.pieces[index] for index in whole]) for whole in wholes] == [
        "-11 250,00", "- 2 250,00", "-25",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("upper", "lower", "left", "expected"),
    [
        ("ES-1128-LMD-", "60417", 0, "ES-1128-LMD-60417"),
        ("404-7718203-", "5583916-A", 4, "404-7718203-5583916-A"),
        ("ES-1128-LMD-", "60417", 200, "ES-1128-LMD"),
        ("ES-1128-LMD-", "60417 EUR", 0, "ES-1128-LMD"),
        ("ES-1128-LMD -", "60417", 0, "ES-1128-LMD"),
        ("ES-1128-LMD", "60417", 0, "ES-1128-LMD"),
    ],
)
def test_a_number_goes_on_behind_a_hyphen_at_the_end_of_its_line(line, invoice, upper, lower, left, expected):
    """In a narrow column, whose next line the network takes for no part of it."""
    page = invoice(
        (line("Invoice", 0, 0), {}), (line(upper, 0, 30), {"document_number": 0.9}), (line(lower, left, 52), {})
    )
    for index in range(len(page.pieces)):
        if page.pieces[index].text == "-" and page.pieces[index].line == 1 and page.lines.of(index)[-1] == index:
            page.labels[index] = 0

    assert decode_fields(page)["document_number"].value == expected


def test_an_amount_does_not_end_with_another(line, invoice):
    """A rate and the net amount of its tax."""
    _, page = split_into_pieces([line("21 100,00 21,00")])
    rate, net = ((index,) for index, piece in enumerate(page.pieces) if piece.text in ("21", "100,00"))

    assert whole_words(
        next(field for field in INVOICE.fields() if field.name == "subtotal"), [rate, net], page.pieces
    ) == {rate: rate, net: net}


def test_an_amount_does_not_begin_with_an_apostrophe(line, invoice):
    """The network knows all but the thousands."""
    page = invoice((line("CHF 1'290.55", 0, 0), {}))
    number = NAMES.index("total")
    page.labels[2, begin_label(number)] = page.labels[3, inside_label(number)] = 0.9

    assert str(decode_fields(page)["total"].value) == "1290.55"


def test_the_network_leaves_no_gap_in_a_number(line, invoice):
    """It knows the apostrophe and the dash, but not the thousands."""
    page = invoice((line("CHF 3'000.–", 0, 0), {}))
    number = NAMES.index("line_items.amount")
    page.labels[[1, 2, 5], [begin_label(number), *[inside_label(number)] * 2]] = 0.9

    found = candidate_of(page.field("line_items.amount"), (1, 2, 5), page)

    assert (found.content, found.value, found.probability) == ("3'000.–", 3000, pytest.approx(0.9))


def test_the_sign_is_that_of_the_whole_number(line, invoice):
    """It stands in front of the part that the network left out."""
    page = invoice((line("-3'000.–", 0, 0), {}))

    assert candidate_of(page.field("line_items.amount"), (3, 4, 5), page).value == -3000


def test_a_completed_number_is_as_likely_as_its_part(line, invoice):
    """The network knows the first piece only."""
    page = invoice((line("544/MAG/2015", 0, 0), {}))
    page.labels[0, begin_label(NAMES.index("document_number"))] = 0.9

    found = decode_fields(page)["document_number"]

    assert (found.value, found.probability) == ("544/MAG/2015", pytest.approx(0.9))


@pytest.mark.parametrize(
    ("printed", "clock"),
    [
        ("09:14P", "21:14"),
        ("09:14PM", "21:14"),
        ("12:14A", "00:14"),
        ("09:14 P", "09:14"),
        ("09:14Z", "09:14"),
        ("09:14 PM", "21:14"),
        ("09:14 p.m.", "21:14"),
        ("09:14 p. m. Mesa", "21:14"),
        ("09:14 PM 02/16/2026", "21:14"),
        ("09:14 PMT", "09:14"),
        ("12:14 AM", "00:14"),
        ("12:14 a.m.", "00:14"),
        ("12:14 am Dienstag", "12:14"),
        ("08:00 PM-Kasse", "08:00"),
    ],
)
def test_a_time_has_the_half_of_the_day_behind_it(line, receipt, printed, clock):
    """Also where the network takes it for another value; apart it may be one, such as a class."""
    page = receipt((line(printed, 0, 0), {"transaction_time": 0.9}))
    labels = page.labels.copy()
    labels[1:] = 0
    labels[1:, 0] = 1

    assert f"{decode_fields(page.with_labels(labels))['transaction_time'].value:%H:%M}" == clock
