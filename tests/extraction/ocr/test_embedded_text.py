"""Comparison of text layers with what is visible, and the print that they leave out."""

import cv2
import numpy as np
import pytest

from docextract.extraction.ocr.embedded_text import (
    MIN_SAMPLE_LINES,
    compare_line,
    compare_page,
    find_uncovered_boxes,
    outside,
    sample_lines,
    with_doubt,
)
from docextract.predictions import PredictedValue

SURE, UNSURE = 0.99, 0.8


@pytest.mark.parametrize(
    ("embedded", "recognised"),
    [
        ("Total: 1,234.50 EUR", "Total 1.234,50 EUR"),
        ("Straße 5", "Strasse 5"),
        ("№ 10/2026", "No 10/2026"),
        ("Café crème", "Cafe creme"),
        ("Invoice B0S-15", "lnvoice BOS-15"),
        ("44,00¹", "44,00"),
        ("44,00¹", "44,001"),
        ("3 m²", "3 m2"),
        ("1½", "1%"),
        ("Thank you for your business", "Thank you for your busines"),
    ],
)
def test_the_same_line_in_other_signs_matches(embedded, recognised):
    """Only letters and digits count; accents and letters that look alike do not."""
    assert compare_line(embedded, recognised, SURE) == "matches"


@pytest.mark.parametrize("recognised", ["9007 Troms0", "9007 Tromso", "9007 Tromsø"])
def test_letters_without_a_decomposition_match_those_that_they_resemble(recognised):
    assert compare_line("9007 Tromsø", recognised, SURE) == "matches"
    assert compare_line("9001 Tromsø", recognised, SURE) == "differs"


@pytest.mark.parametrize(
    ("embedded", "recognised"),
    [
        ("Total 1,234.50", "Total 1,284.50"),
        ("IBAN DE02 1203 0000 0000 2020 51", "IBAN DE02 1203 0000 0000 2026 51"),
        ("Pay to Harbour Ltd", "Nothing of this kind"),
        ("Total 100.00", "Total 1000.00"),
    ],
)
def test_another_digit_or_another_line_differs(embedded, recognised):
    """If recognition is sure; otherwise nobody knows yet."""
    assert compare_line(embedded, recognised, SURE) == "differs"
    assert compare_line(embedded, recognised, UNSURE) == "unclear"


@pytest.mark.parametrize(
    ("embedded", "recognised", "confidence", "agreement"),
    [
        ("£564.60", "€564.60", SURE, "differs"),
        ("$ 12.00", "12.00 €", SURE, "differs"),
        ("£564.60", "€564.60", UNSURE, "matches"),
        ("£564.60", "564.60", SURE, "matches"),
        ("€12 ($13)", "€12 (13)", SURE, "matches"),
        ("₹564.60", "€564.60", SURE, "matches"),
    ],
)
def test_another_currency_is_another_amount(embedded, recognised, confidence, agreement):
    """Recognition leaves signs out, but takes none of these for another."""
    assert compare_line(embedded, recognised, confidence) == agreement


def test_print_that_recognition_does_not_know_is_unclear():
    """Greek, Hebrew or Chinese letters cannot be compared; they are never said to differ."""
    assert compare_line("Τιμολόγιο", "TuoA0YIo", SURE) == "unclear"
    assert compare_line("חשבונית", "n1anwn", SURE) == "unclear"


def test_one_wrong_line_condemns_the_page():
    """However many others are right."""
    right = [(f"line {number}", f"line {number}", SURE) for number in range(10)]

    assert compare_page(right) == "matches"
    assert compare_page([*right, ("Total 10.00", "Total 70.00", SURE)]) == "differs"


def test_a_page_is_unclear_when_a_number_remains_in_doubt():
    """A misread heading does not matter, an amount does."""
    right = [(f"line {number}", f"line {number}", SURE) for number in range(10)]

    assert compare_page([*right, ("Harbour", "Hxxbxxr", UNSURE)]) == "matches"
    assert compare_page([*right, ("Total 10.00", "Total 7", UNSURE)]) == "unclear"
    assert compare_page([("Ωmega Ψ", "?", SURE)] * 5) == "unclear"


@pytest.mark.parametrize("recognised", ["", "-", " . "])
def test_a_page_is_unclear_when_nothing_is_printed_where_a_line_is(recognised):
    """The name may be under a black bar."""
    right = [(f"line {number}", f"line {number}", SURE) for number in range(10)]

    assert compare_page([*right, ("Harbour", recognised, UNSURE)]) == "unclear"


def test_every_line_with_a_value_is_compared(line):
    """Of however many; the rest are the longest lines, which are the hardest to fake."""
    lines = [line("x" * (number + 1), y=40 * number) for number in range(60)]

    def texts(numbers):
        values = [PredictedValue("x", "x", 0.9, (lines[number].polygon,)) for number in numbers]
        return [one.text for one in sample_lines(lines, values)]

    assert texts([2, 4]) == ["x" * 3, "x" * 5, "x" * 60, "x" * 59]
    assert len(texts([])) == MIN_SAMPLE_LINES
    assert len(texts(range(60))) == 60


def test_of_lines_over_each_other_the_one_with_the_value_is_compared(line):
    """Hidden text may lie over print: comparing the print would prove nothing."""
    lines = [line("Northwind Trading"), line("Westwind Logistics")]
    hidden = PredictedValue("Westwind Logistics", "Westwind Logistics", 0.9, (lines[1].polygon,))

    assert sample_lines(lines, [hidden])[0].text == "Westwind Logistics"


def test_a_value_that_was_not_compared_is_doubtful(line):
    """One that is found when the pages of a document are read together."""
    value = PredictedValue("x", "x", 0.99, (line("Total").polygon, line("10.00", y=40).polygon))
    compared = [polygon + 1 for polygon in value.polygons]

    assert with_doubt(value, compared) is value
    assert with_doubt(value, compared[:1]).confidence <= 0.5


def _page_with(*texts: tuple[str, int]) -> np.ndarray:
    page = np.full((800, 600, 3), 255, np.uint8)
    for text, y in texts:
        cv2.putText(page, text, (40, y), cv2.FONT_HERSHEY_SIMPLEX, 1, (0, 0, 0), 2, cv2.LINE_AA)
    return page


def _polygon(left, top, right, bottom):
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def test_print_outside_the_text_layer_is_found(line):
    """A logo or a stamp; rules and empty paper are not print."""
    page = _page_with(("Covered line", 100), ("STAMPED", 400))
    cv2.line(page, (20, 600), (580, 600), (0, 0, 0), 2)
    covered = line("Covered line")
    covered = type(covered)(covered.text, _polygon(30, 65, 300, 115), 1.0)

    boxes = find_uncovered_boxes(page, [covered])

    assert boxes is not None
    (box,) = boxes
    left, top, right, bottom = box
    assert left <= 40
    assert right >= 180
    assert top <= 380
    assert 400 <= bottom < 500


def test_a_page_that_is_mostly_outside_its_text_layer_is_recognised(line):
    """A scan with one line of text, such as a fax header."""
    rows = [(f"ROW {a} OF PRINT", 40 + 45 * a) for a in range(16)]
    header = line("x")
    assert find_uncovered_boxes(_page_with(*rows), [type(header)("x", _polygon(0, 0, 5, 5), 1.0)]) is None


def test_lines_found_twice_are_left_out(line):
    """What recognition finds inside a line of the text layer is that line."""
    known, stamp = line("Total 10.00"), line("PAID", y=300)

    assert outside([line("Total 10.0O", x=3, y=2), stamp], [known]) == [stamp]


def test_only_the_part_of_a_line_with_values_is_compared(line):
    """In whole words, with a margin; several values on one line are one part."""
    whole = line("Subtotal 100.00 EUR and total 119.00 EUR", y=0)
    width = (whole.polygon[1, 0] - whole.polygon[0, 0]) / len(whole.text)

    def at(content):
        start = whole.text.index(content)
        left, right = whole.polygon[0, 0] + width * start, whole.polygon[0, 0] + width * (start + len(content))
        top, bottom = whole.polygon[0, 1], whole.polygon[2, 1]
        return PredictedValue(content, content, 0.9, (_polygon(left, top, right, bottom),))

    (one,) = [part for part in sample_lines([whole], [at("119.00")]) if part.text]
    assert one.text == "119.00"
    assert 0 < at("119.00").polygons[0][0, 0] - one.polygon[0, 0] < width
    assert sample_lines([whole], [at("EUR")])[0].text == "100.00 EUR and"
    (both,) = sample_lines([whole], [at("119.00"), at("100.00")])
    assert both.text == "100.00 EUR and total 119.00"
