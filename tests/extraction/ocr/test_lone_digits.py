"""Single digits that text detection misses."""

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from docextract.extraction.ocr import lone_digits
from docextract.extraction.ocr.reading import Reader

ROWS, PITCH_PX, LEFT, QUANTITY, AMOUNT = 8, 40, 30, 420, 560


@pytest.fixture(scope="module")
def invoice():
    """A page with rows of words, a one-digit quantity and an amount; and the boxes of the words and the amounts."""
    page = Image.new("RGB", (700, 40 + ROWS * PITCH_PX), (235, 235, 230))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(20)
    boxes = []
    for row in range(ROWS):
        top = 20 + row * PITCH_PX
        draw.text((QUANTITY, top), str(row + 1), "black", font)
        for left, text in ((LEFT, "Delivery of goods"), (AMOUNT, f"{row}9.50")):
            draw.text((left, top), text, "black", font)
            x0, y0, x1, y1 = draw.textbbox((left, top), text, font)
            boxes.append(
                np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32) + [[-4, -4], [4, -4], [4, 4], [-4, 4]]
            )
    return np.asarray(page).copy(), [box.astype(np.float32) for box in boxes]


def rows_of(places):
    return sorted(round((place.mean(axis=0)[1] - 32) / PITCH_PX) for place in places)


def test_digits_between_words_are_found(invoice):
    """Every digit is found at its position, and nothing else."""
    page, boxes = invoice

    places = lone_digits.find_lone_digits(page, boxes)

    assert rows_of(places) == list(range(ROWS))
    assert all(QUANTITY - 8 < place[:, 0].min() < QUANTITY + 4 for place in places)


def test_digits_close_to_rules_and_shades_are_found(invoice):
    """The first row is below a shaded table head, and a slightly tilted rule is above another row."""
    page, boxes = invoice
    page = page.copy()
    tops = [round(min(box[:, 1].min() for box in boxes[2 * row : 2 * row + 2])) + 4 for row in range(ROWS)]
    page[: tops[0] - 3] = 130
    cv2.line(page, (0, tops[3] - 6), (700, tops[3] - 3), (0, 0, 0), 2)

    places = lone_digits.find_lone_digits(page, boxes)

    assert rows_of(places) == list(range(ROWS))


def test_ink_that_is_no_digit_of_a_row_is_ignored(invoice):
    """Rules, specks, blots, a digit between two rows, and a digit outside the paper are ignored."""
    page, boxes = invoice
    page = page.copy()
    cv2.line(page, (480, 0), (480, page.shape[0]), (0, 0, 0), 2)
    cv2.line(page, (0, 54), (700, 54), (0, 0, 0), 1)
    cv2.circle(page, (510, 112), 2, (0, 0, 0), -1)
    cv2.rectangle(page, (500, 180), (540, 220), (0, 0, 0), -1)
    cv2.putText(page, "7", (500, 272), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1)
    cv2.putText(page, "7", (670, 118), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 0), 1)

    places = lone_digits.find_lone_digits(page, boxes)

    assert all(place[:, 0].max() < 480 for place in places)


@pytest.mark.parametrize("tilt_px", [0, 3])
def test_rules_of_a_grid_are_no_digits(invoice, tilt_px):
    """Between the rules above and below a row, a vertical rule of a table is as high as a digit."""
    page, boxes = invoice
    page = page.copy()
    for row in range(ROWS):
        for y in (21 + row * PITCH_PX, 42 + row * PITCH_PX):
            cv2.line(page, (10, y), (690, y), (0, 0, 0), 2)
    for left in (380, 480):
        cv2.line(page, (left, 12), (left + tilt_px, 12 + ROWS * PITCH_PX), (0, 0, 0), 2)

    places = lone_digits.find_lone_digits(page, boxes)

    assert rows_of(places) == list(range(ROWS))
    assert all(QUANTITY - 8 < place[:, 0].min() < QUANTITY + 4 for place in places)


def test_texture_gives_no_digits():
    """If very many specks look like digits, none of them is one."""
    page = np.full((1200, 1200, 3), 230, np.uint8)
    page[20::30, 20::30] = page[21::30, 20::30] = 0
    for down in range(9):
        page[20 + down :: 30, 20::30] = page[20 + down :: 30, 21::30] = 0
    boxes = [
        np.array([[x, y], [x + 12, y], [x + 12, y + 18], [x, y + 18]], np.float32)
        for y in range(16, 1180, 30)
        for x in (0, 1180)
    ]

    assert lone_digits.find_lone_digits(page, boxes) == []


def test_few_lines_give_no_digits(invoice):
    """Rows cannot be estimated from a few lines."""
    page, boxes = invoice

    assert lone_digits.find_lone_digits(page, boxes[:3]) == []
    assert lone_digits.find_lone_digits(page, []) == []


def test_the_reader_reads_lone_digits(invoice):
    """Every quantity is among the lines exactly once."""
    page, _ = invoice

    (lines,) = Reader().read([page])

    assert sorted(line.text for line in lines if len(line.text) == 1) == [str(row + 1) for row in range(ROWS)]
