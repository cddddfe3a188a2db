"""Printed numbers of pages."""

import pytest

from docextract.documents.page_numbers import PageNumber, find_page_number

BODY = ["Total 10.00", "Thank you", "Bank 1234", "We deliver", "Goods", "More goods", "Other", "Terms", "End"]


@pytest.mark.parametrize(
    ("text", "number", "total"),
    [
        ("Page 2 of 3", 2, 3),
        ("Invoice 4711 · Page: 2/3", 2, 3),
        ("Seite 1 von 12", 1, 12),
        ("Pagina 2 di 2", 2, 2),
        ("Strona 3 z 4", 3, 4),
        ("PAGE 7", 7, None),
        ("Seite: 2", 2, None),
        ("- 2 -", 2, None),
        ("2 / 3", 2, 3),
        ("2 of 3", 2, 3),
    ],
)
def test_numbers_are_found(text, number, total):
    """In several languages, at the bottom of the page."""
    assert find_page_number([*BODY, text]) == PageNumber(number, total)


@pytest.mark.parametrize(
    "text",
    ["see page 3 for details", "Page 4 of 3", "Page 0 of 2", "1 of 1", "01/12/2026", "2/3 cup of milk", "10 - 12"],
)
def test_other_numbers_are_not_taken(text):
    """A reference, a date, a fraction."""
    assert find_page_number([*BODY, text]) is None


def test_a_fraction_in_the_middle_is_no_page_number():
    """Without a word, a number of a page stands at the top or at the bottom."""
    assert find_page_number([*BODY[:5], "1/2", *BODY[5:]]) is None


def test_a_word_with_a_total_wins():
    """Over a number of something else at the bottom."""
    assert find_page_number(["Page 1 of 2", *BODY, "3 / 4"]) == PageNumber(1, 2)
