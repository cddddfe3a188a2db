"""Due dates beside dates of early payment discounts, and the ends of payment terms."""

import pytest

from docextract.extraction.layout.fields import decode_fields


def due_date(invoice, *lines):
    found = decode_fields(invoice(*lines))
    return found["due_date"].value.isoformat()


@pytest.mark.parametrize(
    "text",
    [
        "Zahlbar bis 04.07.2018 netto, 3% Skonto bis 15.06.2018",
        "Bei Zahlung bis zum 15.06.2018 2% Skonto, netto bis 04.07.2018",
        "2% discount until 15/06/2018 or in full by 04/07/2018",
    ],
)
def test_the_last_date_of_a_line_with_a_discount_counts(line, invoice, text):
    """Even if the network knows all of them."""
    assert due_date(invoice, (line(text), {"due_date": 0.5})) == "2018-07-04"


def test_the_last_date_of_a_line_with_a_discount_in_percent_is_one_without_the_network_too(line, invoice):
    """Such as in a table of payment terms far from all other data."""
    lines = [(line("30 Tage netto bis 04.07.2018, 3% Skonto innerhalb 10 Tagen bis 15.06.2018"), {})]

    assert due_date(invoice, *lines) == "2018-07-04"


def test_the_date_beside_a_discount_is_left_out(line, invoice):
    """The network is surer of it, but another date is the due date."""
    lines = [
        (line("Zahlbar ohne Abschlag bis", 0, 0), {}), (line("20.11.2018", 400, 0), {"due_date": 0.4}),
        (line("Zahlbar mit 2% Skonto bis", 0, 40), {}), (line("14.11.2018", 400, 40), {"due_date": 0.9}),
    ]  # fmt: skip

    assert due_date(invoice, *lines) == "2018-11-20"


@pytest.mark.parametrize("text", ["2% Skonto bis 14.11.2018", "Zahlbar bis 14.11.2018, 2% Skonto"])
def test_the_only_date_stays(line, invoice, text):
    assert due_date(invoice, (line(text), {"due_date": 0.6})) == "2018-11-14"


def test_a_due_date_elsewhere_is_not_replaced(line, invoice):
    """A line with a discount adds no date to those that were found, if it has none of them."""
    lines = [
        (line("Due 20.11.2018", 0, 0), {"due_date": 0.9}),
        (line("Ordered 1.1.2018 with a discount, delivered 2.2.2018", 0, 40), {}),
    ]

    assert due_date(invoice, *lines) == "2018-11-20"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Payable within 14 days. Thank you", "Payable within 14 days"),
        ("Terms: 7 Days Net. 7 days of invoice date", "Terms: 7 Days Net"),
        ("Net 30 days. 2% discount within 10 days", "Net 30 days. 2% discount within 10 days"),
        ("Zahlbar in 14 Tg. Netto", "Zahlbar in 14 Tg. Netto"),
        ("30 days net", "30 days net"),
    ],
)
def test_a_payment_term_is_one_sentence(line, invoice, text, expected):
    """Unless the next one is about a discount, or the full stop is that of an abbreviation."""
    page = invoice((line(text), {"payment_term": 0.9}))

    assert decode_fields(page)["payment_term"].value == expected
