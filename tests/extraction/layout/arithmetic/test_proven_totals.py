"""The total that items and payments make is taken in place of another sum."""

import pytest

from docextract.extraction.layout.arithmetic.proven_totals import take_paid_total
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups


@pytest.fixture
def sums(line, receipt):
    """Return a function that decodes a page with items of 4.65 and 0.10, the sum of one of them, and a payment."""

    def decode(share=0.4, paid="4.75", deposit="0.10", is_part=False):
        printed = [
            ("Duona", {"line_items.description": 0.9}, "4.65", {"line_items.amount": 0.9}),
            ("Tara", {"line_items.description": 0.9}, deposit, {"line_items.amount": 0.9}),
            ("Moketi", {}, "4.75", {"total": share}),
            ("PVM", {}, "0.81", {"total_tax": 0.9}),
            ("be PVM", {}, "3.84", {"subtotal": 0.9}),
            ("Suma su PVM", {}, "4.65", {"total": 0.9}),
            ("Kortele", {"payments.method": 0.9}, paid, {"payments.amount": 0.9}),
        ]
        lines = []
        for at, (words, of_words, amount, of_amount) in enumerate(printed):
            lines += [(line(words, 0, 40 * at), of_words), (line(amount, 400, 40 * at), of_amount)]
        page = receipt(*lines)
        found = take_paid_total(Candidates(decode_fields(page), decode_groups(page)), page, is_part)
        return {name: str(one.value) for name, one in found.fields.items()}

    return decode


def test_the_total_is_what_items_and_payments_make(sums):
    """The subtotal of the other one is none of it, but the tax is right."""
    assert sums() == {"total": "4.75", "total_tax": "0.81"}


@pytest.mark.parametrize(
    "of",
    [{"share": 0.1}, {"paid": "5.00"}, {"deposit": "0.20"}, {"is_part": True}],
    ids=["no likely total", "other payments", "other items", "a part of a document"],
)
def test_another_total_stays(sums, of):
    assert sums(**of) == {"subtotal": "3.84", "total": "4.65", "total_tax": "0.81"}


def test_a_total_with_a_tip_stays(line, receipt):
    """The card may pay the items before the tip is known; the items and the tip make the total."""
    printed = [
        ("Soup", {"line_items.description": 0.9}, "4.00", {"line_items.amount": 0.9}),
        ("Tea", {"line_items.description": 0.9}, "2.00", {"line_items.amount": 0.9}),
        ("Amount", {}, "6.00", {"subtotal": 0.6, "total": 0.3}),
        ("Visa", {"payments.method": 0.9}, "6.00", {"payments.amount": 0.9}),
        ("Tip", {}, "1.00", {"tip": 0.9}),
        ("Total", {}, "7.00", {"total": 0.9}),
    ]
    lines = []
    for at, (words, of_words, amount, of_amount) in enumerate(printed):
        lines += [(line(words, 0, 40 * at), of_words), (line(amount, 400, 40 * at), of_amount)]
    page = receipt(*lines)
    before = Candidates(decode_fields(page), decode_groups(page))

    assert take_paid_total(before, page) is before
