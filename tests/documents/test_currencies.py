"""The currency that a page prints."""

import pytest

from docextract.documents.amounts import parse_amount
from docextract.documents.currencies import find_currency


@pytest.mark.parametrize(
    ("texts", "currency"),
    [
        (["Summe 310,00 EURO"], "EUR"),
        (["9,00 €", "MwSt. 1,44 €"], "EUR"),
        (["Promotional Discount of Rs -40.00,"], "INR"),
        (["TOTAL RM9.00"], "MYR"),
        (["Razem 12,00 zł"], "PLN"),
        (["27,00Kč"], "CZK"),
        (["11,00 lei"], "RON"),
        (["zł 12,00"], "PLN"),
        (["Rp 12.000"], "IDR"),
        (["₱120.00"], "PHP"),
        (["฿ 120"], "THB"),
        (["120,00 ₪"], "ILS"),
        (["₩12,000"], "KRW"),
        (["1 200,00 ₽"], "RUB"),
        (["1 200,00 ₴"], "UAH"),
        (["12.000 ₫"], "VND"),
        (["12 000 ₸"], "KZT"),
        (["US$100"], "USD"),
        (["HK$100"], "HKD"),
        (["1 087 Ft"], "HUF"),
        (["990 Ft"], "HUF"),
        (["R 1 234.50"], "ZAR"),
        (["12.795 KD"], "KWD"),
        (["TOTAL KWD 1,230.500"], "KWD"),
        (["BD 2.500"], "BHD"),
        (["OMR 4.250"], "OMR"),
        (["12,500 DT"], "TND"),
        (["$ 9.00", "9,00 kr"], None),
        (["Amount in EUR or USD"], None),
        (["Rsvp", "FORM 12", "EUROPA 3"], None),
        ([], None),
    ],
)
def test_a_currency_is_found_by_its_codes_and_signs(texts, currency):
    """Signs of several countries, and pages that name several currencies, leave it open."""
    assert find_currency(texts) == currency


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("12.00EUR", "EUR"), ("EUR 12,00", "EUR"), ("CAD $12.00", "CAD"), ("2 x RON 4,50", "RON"),
        ("TRY: 1.250,00", "TRY"), ("TOTAL (RM)", "MYR"), ("Tax(RM)", "MYR"), ("TOTAL LEI", "RON"), ("Total JD", "JOD"),
        ("Rechnungsbetrag in Euro", "EUR"), ("Amount due (CAD):", "CAD"), ("Currency: CAD", "CAD"),
        ("TOTAL TTC CHF", "CHF"), ("BALL PEN BLUE", None), ("BALL PEN 1.20", None), ("TRY OUR NEW MUFFINS", None),
        ("SERVER: RON", None), ("12/03/2024 RON", None), ("RON95", None), ("KEDAI SDN BHD", None),
        ("CAD DRAWING 40.00", None), ("3 TL", None), ("HDMI cable 6 Ft", None), ("Obal EUR paleta", None),
        ("00184 Roma RM", None), ("X12 BD7689866", None), ("Devis R910441", None), ("2.99 R 12.50", None),
        ("£oyalty", None),
    ],
)  # fmt: skip
def test_a_code_counts_beside_an_amount_or_a_label(text, currency):
    """Codes and short names are also words, units and parts of numbers."""
    assert find_currency([text]) == currency


@pytest.mark.parametrize(
    ("texts", "currency"),
    [
        (["Samaksai EUR", "12,00"], "EUR"),
        (["EUR inkl. USt"], "EUR"),
        (["(RM)"], "MYR"),
        (["KÖP SEK 98,72"], "SEK"),
        (["Amount Rs.", "IBAN USD"], "INR"),
        (["Celkem Kč", "Obal EUR"], "CZK"),
    ],
)
def test_other_codes_count_where_no_amount_has_a_currency(texts, currency):
    """Labels are not all known; a currency of an amount comes before a code at the end of a line."""
    assert find_currency(texts) == currency


def test_a_sign_belongs_to_the_amounts_of_its_line():
    """The class of a tax is no currency of the amount on the next line."""
    assert find_currency(["MILK 2.99 R", "12.50 TOTAL"]) is None


@pytest.mark.parametrize(
    ("text", "amount"),
    [("12.795 KD", "12.795"), ("TOTAL KWD 1,230.500", "1230.500"), ("12.795 TND", "12.795"), ("1.250 BHD", "1.250")],
)
def test_dinars_have_three_decimals(text, amount):
    """Their point before three digits groups no thousands."""
    assert str(parse_amount(text, find_currency([text]))) == amount
