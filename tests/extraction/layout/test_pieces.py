"""Splitting of text lines into pieces, and their features."""

import numpy as np
import pytest

from docextract.extraction.layout.pieces import (
    FEATURE_COUNT,
    MAX_NGRAMS,
    MAX_PIECES,
    hash_ngrams,
    join_pieces,
    split_into_pieces,
    split_off_ends,
    split_page,
)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("TOTAL:RM9.00", ["TOTAL", ":", "RM", "9.00"]),
        ("25/12/2018 8:13:39 PM", ["25/12/2018", "8:13:39", "PM"]),
        ("30.12.2018/16:16 R2", ["30.12.2018", "/", "16:16", "R", "2"]),
        ("1/2/2020", ["1/2/2020"]),
        ("01.03.2024-31.03.2024", ["01.03.2024", "-", "31.03.2024"]),
        ("2024-03-01-2024-03-31", ["2024-03-01", "-", "2024-03-31"]),
        ("49-170-1234567", ["49-170-1234567"]),
        ("(789417-W)", ["(", "789417", "-", "W", ")"]),
        ("1.234,50 €", ["1.234,50", "€"]),
        ("-----", ["-----"]),
        ("Café Zoë", ["Café", "Zoë"]),
    ],
)
def test_words_without_spaces_are_split(line, text, pieces):
    """A label can begin inside what OCR took for one word."""
    _, page = split_into_pieces([line(text)])

    assert [piece.text for piece in page.pieces] == pieces


def test_lines_are_in_reading_order(line):
    """An amount on the right follows its caption, wherever OCR reported it."""
    lines = [line("9.00", 300, 102), line("THANK YOU", 50, 150), line("TOTAL", 10, 100), line("SHOP", 80, 0)]

    ordered, _ = split_into_pieces(lines)

    assert [one.text for one in ordered] == ["SHOP", "TOTAL", "9.00", "THANK YOU"]


def test_a_tilted_page_has_the_same_reading_order(line):
    """A tilt of five degrees does not mix the rows."""
    rows = [(f"ITEM {row}", f"{row}.00") for row in range(12)]
    lines = [
        one for at, (left, right) in enumerate(rows) for one in (line(left, 0, 30 * at), line(right, 700, 30 * at))
    ]
    angle = np.radians(5)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    turned = [type(one)(one.text, one.polygon @ turn, one.confidence) for one in lines]

    assert [one.text for one in split_into_pieces(turned)[0]] == [text for row in rows for text in row]


def test_pieces_have_polygons_of_their_own(line):
    """The polygon of a piece is its part of the line's polygon."""
    _, page = split_into_pieces([line("Total 9.00", 100, 40)])

    assert page.pieces[1].polygon.tolist() == [[160, 40], [200, 40], [200, 60], [160, 60]]


def test_boxes_do_not_depend_on_margin_or_resolution(line):
    """Print that is shifted and twice as large gives the same input."""
    small = [line("TOTAL", 0, 0), line("9.00", 300, 100)]
    large = [type(one)(one.text, one.polygon * 2 + 500, one.confidence) for one in small]

    assert split_into_pieces(small)[1].boxes.tolist() == split_into_pieces(large)[1].boxes.tolist()


def test_sums_are_features(line):
    """The cash minus the change is the total; feature 12 marks such differences."""
    lines = [line("12.50", 0, 0), line("20.00", 0, 30), line("7.50", 0, 60), line("3.33", 0, 90)]

    _, page = split_into_pieces(lines)

    is_difference = page.features[:, 12]
    assert is_difference.tolist() == [1, 0, 1, 0]


def test_long_numbers_are_no_amounts(line):
    """A bar code that ends like a price causes no overflow."""
    _, page = split_into_pieces([line("12345678901234567890,12", 0, 0), line("12.50", 0, 30)])

    assert page.features[:, 5].tolist() == [0, 1]


def test_a_page_without_print_has_no_pieces():
    """The arrays are empty but have the right width."""
    ordered, page = split_into_pieces([])

    assert (ordered, page.pieces) == ((), ())
    assert page.ngrams.shape == (0, MAX_NGRAMS)
    assert page.features.shape == (0, FEATURE_COUNT)


def test_long_pages_are_cut(line):
    """A page of noise takes a limited time."""
    _, page = split_into_pieces([line("a b c d e f", 0, 25 * row) for row in range(400)])

    assert len(page.pieces) == MAX_PIECES


def test_a_misread_letter_keeps_most_ngrams():
    """SUBT0TAL has most n-grams of SUBTOTAL."""
    right, wrong = set(hash_ngrams("SUBTOTAL")), set(hash_ngrams("SUBT0TAL"))

    assert len(right & wrong) >= 8


def roll_of(line, rows):
    """A long receipt: an article and its price on each row."""
    return [one for row in range(rows) for one in (line(f"ARTICLE {row}", 0, 30 * row), line("1.00", 400, 30 * row))]


def test_a_page_of_usual_length_is_one_window(line):
    """The same as without windows."""
    lines = roll_of(line, 60)
    ordered, (window,) = split_page(lines)
    _, whole = split_into_pieces(lines)

    assert ordered == split_into_pieces(lines)[0]
    assert [piece.text for piece in window.pieces] == [piece.text for piece in whole.pieces]
    assert np.array_equal(window.features, whole.features)
    assert window.boxes.tolist() == whole.boxes.tolist()


@pytest.mark.parametrize("rows", [150, 600])
def test_a_long_page_is_split_between_rows_and_nothing_is_lost(line, rows):
    """Each window has a printed area of its own, so that its rows are as far apart as on a short page."""
    lines = roll_of(line, rows)
    ordered, windows = split_page(lines)
    pieces = [piece for window in windows for piece in window.pieces]

    assert len(windows) > 1
    assert len(pieces) == 3 * rows
    assert [ordered[piece.line].text[piece.start : piece.end] for piece in pieces] == [piece.text for piece in pieces]
    assert all(window.pieces[0].text == "ARTICLE" for window in windows)
    assert all(len(window.pieces) <= MAX_PIECES for window in windows)
    assert all((window.boxes[0, 1], window.boxes[-1, 3]) == (0, 1000) for window in windows)


def test_amounts_are_related_over_all_windows(line):
    """The total on the last window is the largest amount of the page; no other is."""
    _, windows = split_page([*roll_of(line, 150), line("150.00", 400, 4500)])
    pieces = [piece for window in windows for piece in window.pieces]
    is_largest = np.concatenate([window.features[:, 9] for window in windows])
    largest = [piece.text for piece, largest in zip(pieces, is_largest, strict=True) if largest]

    assert largest == ["150.00"]


def test_the_ends_of_a_long_list_are_one_page(line):
    """The last rows stand directly below the first ones, as in a short list."""
    lines = roll_of(line, 150)
    ordered, ends = split_off_ends(lines)
    _, short = split_into_pieces(roll_of(line, 60))

    assert [one.text for one in ordered[::2]] == [f"ARTICLE {row}" for row in (*range(30), *range(120, 150))]
    assert [ordered[piece.line].text[piece.start : piece.end] for piece in ends.pieces] == [
        piece.text for piece in ends.pieces
    ]
    assert np.abs(ends.boxes[:, 1::2] - short.boxes[:, 1::2]).max() < 10


@pytest.mark.parametrize("shift", [0, 1])
def test_a_long_list_may_have_one_line_on_each_row(line, shift):
    """As in the text layer of a receipt; all begin at the same place, or nearly."""
    lines = [line(f"ARTICLE {row} 1.00", shift * (row % 2), 30 * row) for row in range(150)]

    ordered, _ = split_off_ends(lines)
    _, windows = split_page(lines)

    assert (len(ordered), len(windows)) == (60, 2)


@pytest.mark.parametrize(("rows", "words"), [(60, 1), (0, 1), (150, 20)])
def test_short_pages_and_dense_ones_have_no_ends(line, rows, words):
    """A page whose rows have many words is no list."""
    assert split_off_ends([line("word " * words, 0, 30 * row) for row in range(rows)]) is None


def test_the_network_does_not_tell_dashes_apart():
    """A minus is printed as any of them."""
    assert hash_ngrams("–") == hash_ngrams("−") == hash_ngrams("-") != hash_ngrams("+")


@pytest.mark.parametrize(
    ("upper", "lower", "text"),
    [
        ("LANDRATSAMT GARMISCH-", "PARTENKIRCHEN", "LANDRATSAMT GARMISCH-PARTENKIRCHEN"),
        ("Garmisch-", "partenkirchen", "Garmisch-partenkirchen"),
        ("BOUTIQUE -", "PARIS", "BOUTIQUE - PARIS"),
        ("X-", "RAY", "X- RAY"),
        ("SHOP-", "Open", "SHOP- Open"),
        ("Garten-", "und Landschaftsbau", "Garten- und Landschaftsbau"),
        ("SAINT-GERMAIN-", "EN-LAYE", "SAINT-GERMAIN-EN-LAYE"),
        ("HOCH-", "UND TIEFBAU", "HOCH- UND TIEFBAU"),
        ("NORTON ST 21-", "23", "NORTON ST 21- 23"),
    ],
)
def test_a_word_behind_a_hyphen_at_the_end_of_a_line_is_attached(line, upper, lower, text):
    """Unless the hyphen is a dash, or stands behind a number or a letter, or in front of a conjunction."""
    _, page = split_into_pieces([line(upper, 0, 0), line(lower, 0, 30)])

    assert join_pieces(page.pieces) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("1 734 Ft", ["1 734", "Ft"]),
        ("3 db x 1 190 Ft/db", ["3", "db", "x", "1 190", "Ft", "/", "db"]),
        ("2 349 698 Ft", ["2", "349", "698", "Ft"]),
        ("D3 129 Ft", ["D", "3", "129", "Ft"]),
        ("0,75 129 Ft", ["0,75", "129", "Ft"]),
        ("2 120 kr 240 kr", ["2", "120", "kr", "240", "kr"]),
        ("1 734,50 Ft", ["1", "734,50", "Ft"]),
    ],
)
def test_two_groups_of_digits_in_front_of_forints_are_one_piece(line, text, pieces):
    """More groups may be several numbers."""
    _, page = split_into_pieces([line(text)])

    assert [piece.text for piece in page.pieces] == pieces


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("7 543 Ft", ["7 543"]),
        ("2 Rp 17.955", ["17.955"]),
        ("¥1,200", ["1,200"]),
        ("289 Ft 6 db", ["289"]),
        ("2 kr", []),
        ("12 EUR", []),
    ],
)
def test_whole_numbers_are_amounts_beside_currencies_without_decimals(line, text, amounts):
    _, page = split_into_pieces([line(text)])

    assert [piece.text for piece, own in zip(page.pieces, page.features, strict=True) if own[5]] == amounts
