"""The total that items and payments make is taken in place of another sum."""

import pytest

from docextract.extraction.layout.arithmetic.proven_totals import take_paid_total, take_total_with_tip
from docextract.extraction.layout.candidates import GIVEN_SUPPORT, Candidates
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


@pytest.fixture
def parking(line, receipt):
    """Return a function that decodes a page whose only item is its total, with the tax and the net amount below."""

    def decode(paid="20.00", net="13.33"):
        printed = [
            ("Parking", {"line_items.description": 0.9}, "16.00", {"line_items.amount": 0.9}),
            ("Tax", {}, "2.67", {"total_tax": 0.9}),
            ("Net", {}, net, {"total": 0.9}),
            ("Cash", {"payments.method": 0.9}, paid, {"payments.amount": 0.9}),
            ("Change", {}, "4.00", {"change": 0.9}),
        ]
        found = _taken(take_paid_total, printed, line, receipt)
        return {name: found[name] for name in ("subtotal", "total") if name in found}

    return decode


def _taken(take, printed, line, receipt):
    lines = []
    for at, (words, of_words, amount, of_amount) in enumerate(printed):
        lines += [(line(words, 0, 40 * at), of_words), (line(amount, 400, 40 * at), of_amount)]
    page = receipt(*lines)
    found = take(Candidates(decode_fields(page), decode_groups(page)), page)
    return {name: str(one.value) for name, one in found.fields.items() if one.support >= GIVEN_SUPPORT}


def test_what_was_paid_is_the_total_of_a_net_amount_and_its_tax(parking):
    assert parking() == {"subtotal": "13.33", "total": "16.00"}


@pytest.mark.parametrize(("paid", "net"), [("25.00", "13.33"), ("20.00", "12.33")])
def test_a_total_that_no_tax_makes_what_was_paid_stays(parking, paid, net):
    assert parking(paid, net) == {"total": net}


def test_a_payment_is_no_total_if_its_change_is_as_much_as_the_tax(line, receipt):
    printed = [
        ("Tax", {}, "2.67", {"total_tax": 0.9}), ("Total", {}, "13.33", {"total": 0.9}),
        ("Cash", {"payments.method": 0.9}, "16.00", {"payments.amount": 0.9}),
    ]  # fmt: skip

    assert _taken(take_paid_total, printed, line, receipt)["total"] == "13.33"


@pytest.fixture
def tipped(line, receipt):
    """Return a function that decodes a page with a subtotal, a tax, a total, a tip and another total."""

    def decode(subtotal="92.00", tip="10.00", of_tip=None, of_last=None, paid="110.00"):
        printed = [
            ("Subtotal", {}, subtotal, {"subtotal": 0.9}),
            ("Tax", {}, "8.00", {"total_tax": 0.9}),
            ("Total", {}, "100.00", {"total": 0.9}),
            ("Propina voluntaria", {}, tip, {"tip": 0.3} if of_tip is None else of_tip),
            ("Total a pagar", {}, "110.00", {"total": 0.8} if of_last is None else of_last),
            ("Card", {"payments.method": 0.9}, paid, {"payments.amount": 0.9}),
        ]
        found = _taken(take_total_with_tip, printed, line, receipt)
        return found.get("tip"), found["total"]

    return decode


@pytest.mark.parametrize("of_tip", [{"tip": 0.3}, {"tip": 0.9}])
def test_the_total_has_the_tip(tipped, of_tip):
    assert tipped(of_tip=of_tip) == ("10.00", "110.00")


def test_a_given_tip_makes_the_total_without_a_subtotal(line, receipt):
    printed = [
        ("Sum", {}, "50.00", {"total": 0.9}),
        ("Tip", {}, "5.00", {"tip": 0.9}),
        ("All", {}, "55.00", {"total": 0.5}),
    ]

    assert _taken(take_total_with_tip, printed, line, receipt) == {"tip": "5.00", "total": "55.00"}


def test_a_likely_tip_that_the_total_has_is_proven(line, receipt):
    printed = [
        ("Subtotal", {}, "92.00", {"subtotal": 0.9}), ("Tax", {}, "8.00", {"total_tax": 0.9}),
        ("Extra", {}, "10.00", {"tip": 0.3}), ("Total", {}, "110.00", {"total": 0.9}),
    ]  # fmt: skip

    assert _taken(take_total_with_tip, printed, line, receipt)["tip"] == "10.00"


@pytest.mark.parametrize(
    "of",
    [
        {"tip": "11.00"}, {"of_tip": {"tip": 0.1}}, {"of_last": {"total": 0.1}}, {"paid": "100.00"},
        {"subtotal": "85.00"},
    ],
    ids=["another sum", "no likely tip", "no likely total", "a suggestion", "another subtotal"],
)  # fmt: skip
def test_another_total_with_a_tip_stays(tipped, of):
    assert tipped(**of) == (None, "100.00")


def test_suggested_tips_do_not_change_the_total(line, receipt):
    """Of a bill that is not paid: each of them makes another total."""
    printed = [
        ("Subtotal", {}, "92.00", {"subtotal": 0.9}), ("Tax", {}, "8.00", {"total_tax": 0.9}),
        ("Total", {}, "100.00", {"total": 0.9}),
        ("18 per cent", {}, "18.00", {"tip": 0.3}), ("with it", {}, "118.00", {"total": 0.25}),
        ("20 per cent", {}, "20.00", {"tip": 0.3}), ("with it", {}, "120.00", {"total": 0.25}),
    ]  # fmt: skip

    assert _taken(take_total_with_tip, printed, line, receipt)["total"] == "100.00"


def test_what_was_paid_with_a_tip_as_large_as_the_tax_is_no_total_after_tax(line, receipt):
    printed = [
        ("Total", {}, "100.00", {"total": 0.9}), ("incl. GST", {}, "10.00", {"total_tax": 0.9}),
        ("Tip", {}, "10.00", {"tip": 0.9}), ("Amount paid", {}, "110.00", {"total": 0.1}),
        ("Card", {"payments.method": 0.9}, "110.00", {"payments.amount": 0.9}),
    ]  # fmt: skip

    assert _taken(take_paid_total, printed, line, receipt)["total"] == "100.00"
