"""Dates of payments that were made are no due dates."""

import pytest

from docextract.extraction.layout.fields import decode_fields


def due_date(invoice, *lines):
    found = decode_fields(invoice(*lines)).get("due_date")
    return found and found.value.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "Bezahlt am 14.11.2018 per PayPal. Vielen Dank!",
        "Bezahlt mit Mastercard am 14.11.2018. Der Gesamtbetrag enthält USt.",
        "Vielen Dank. Zahlung erhalten: 14.11.2018",
        "Facture payée le 14/11/2018 par carte bancaire",
        "PAID BY VISA ON 14/11/2018",
        "Payment received 14 Nov 2018",
        "Betaald op 14-11-2018",
        "Zaplaceno dne 14.11.2018",
        "Zapłacono: 14.11.2018",
        "Maksettu 14.11.2018",
    ],
)
def test_a_date_behind_a_word_for_a_payment_is_no_due_date(line, invoice, text):
    assert due_date(invoice, (line(text), {"due_date": 0.9})) is None


@pytest.mark.parametrize("place", [(0, 0, 400, 0), (0, 0, 0, 40)])
def test_the_word_may_stand_beside_or_above_the_date(line, invoice, place):
    left, top, x, y = place
    lines = [(line("Betaald op", left, top), {}), (line("14-11-2018", x, y), {"due_date": 0.9})]

    assert due_date(invoice, *lines) is None


def test_another_date_is_taken(line, invoice):
    lines = [
        (line("Paid on 14/11/2018", 0, 0), {"due_date": 0.9}),
        (line("Payable 20/11/2018", 0, 40), {"due_date": 0.6}),
    ]

    assert due_date(invoice, *lines) == "2018-11-20"


@pytest.mark.parametrize(
    "text",
    [
        "To be paid on 14.11.2018",
        "Paid by 14.11.2018",
        "Doit être payée avant le 14.11.2018",
        "Payée au plus tard avant le 14.11.2018",
        "Zu bezahlen bis 14.11.2018",
        "Betales senest 14.11.2018",
        "Anzahlung bezahlt. Rest fällig am 14.11.2018",
        "Unpaid on 14.11.2018",
    ],
)
def test_a_date_by_which_to_pay_is_one(line, invoice, text):
    assert due_date(invoice, (line(text), {"due_date": 0.9})) == "2018-11-14"


@pytest.mark.parametrize(
    "text",
    [
        "Paid 50.00 | Balance due",
        "Payment received 50.00, balance due",
        "Bezahlt 50 %, Rest fällig am",
        "Betalat Förfallodatum",
        "Betalt via autogiro förfaller",
        "Payé en 2 fois, échéance",
    ],
)
def test_a_date_on_which_the_rest_is_due_is_one(line, invoice, text):
    lines = [(line(text, 0, 0), {}), (line("14-11-2018", 500, 0), {"due_date": 0.9})]

    assert due_date(invoice, *lines) == "2018-11-14"


@pytest.mark.parametrize("label", ["Due", "Now due"])
def test_a_date_below_a_word_for_being_due_is_one_beside_a_stamp(line, invoice, label):
    lines = [(line(label, 600, 0), {}), (line("PAID", 0, 30), {}), (line("14-11-2018", 600, 30), {"due_date": 0.9})]

    assert due_date(invoice, *lines) == "2018-11-14"
