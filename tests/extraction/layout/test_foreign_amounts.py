"""Amounts that are printed with another currency than the page's."""

from dataclasses import replace

import pytest

from docextract.documents.values import Conventions
from docextract.extraction.layout.fields import MAX_FOREIGN_PROBABILITY, decode_fields


@pytest.mark.parametrize(("currency", "total"), [("EUR", "412.99"), ("USD", "402.58"), (None, "402.58")])
def test_an_amount_in_another_currency_is_no_total(line, invoice, currency, total):
    """However sure the network is; without a currency of the page both count."""
    page = invoice((line("USD 402.58", 0, 0), {"total": 0.9}), (line("EUR 412.99", 0, 40), {"total": 0.3}))

    found = decode_fields(replace(page, conventions=Conventions(currency=currency)))

    assert str(found["total"].value) == total


def test_an_amount_in_another_currency_alone_is_uncertain(line, invoice):
    page = invoice((line("USD 402.58", 0, 0), {"total": 0.9}))

    found = {code: decode_fields(replace(page, conventions=Conventions(currency=code))) for code in ("EUR", "USD")}

    supports = [found[code]["total"].support for code in ("EUR", "USD")]
    assert supports == pytest.approx([MAX_FOREIGN_PROBABILITY, 0.9])


@pytest.mark.parametrize("other", [("12.00", 0.16), ("USD 12.00", 0.05)])
def test_an_unlikely_amount_does_not_replace_one_in_another_currency(line, invoice, other):
    """One without a currency may be any number."""
    text, probability = other
    page = invoice((line("EUR 402.58", 0, 0), {"total": 0.95}), (line(text, 0, 40), {"total": probability}))

    total = decode_fields(replace(page, conventions=Conventions(currency="USD")))["total"]

    assert (str(total.value), total.support) == ("402.58", pytest.approx(MAX_FOREIGN_PROBABILITY))


def test_a_likely_amount_without_a_currency_is_the_total(line, invoice):
    page = invoice((line("EUR 402.58", 0, 0), {"total": 0.95}), (line("412.99", 0, 40), {"total": 0.5}))

    assert str(decode_fields(replace(page, conventions=Conventions(currency="USD")))["total"].value) == "412.99"


@pytest.mark.parametrize(
    ("label", "total"),
    [("TOTAL BGN", "6.62"), ("TOTAL HRK:", "6.62"), ("Total USD (rate 0.5110)", "6.62"), ("TOTAL", "12.95"),
     ("1 EUR = 1.95 BGN", "12.95")],
)  # fmt: skip
def test_the_label_beside_an_amount_names_its_currency(line, receipt, label, total):
    """Also one that the euro has replaced, but not with a rate of exchange, whose currency belongs to its number."""
    page = receipt(
        (line("TOTAL EUR", 0, 0), {}), (line("6.62", 400, 0), {"total": 0.3}),
        (line(label, 0, 40), {}), (line("12.95", 400, 40), {"total": 0.9}),
    )  # fmt: skip

    found = decode_fields(replace(page, conventions=Conventions(currency="EUR")))

    assert str(found["total"].value) == total
