"""Parsing of money and quantities, with OCR errors."""

from decimal import Decimal

import pytest

from docextract.documents.amounts import parse_amount, parse_integer, parse_number, proven_decimal_mark
from docextract.documents.values import CURRENCY, Conventions


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1,234.50", "1234.50"),
        ("1.234,50", "1234.50"),
        ("1 234,50", "1234.50"),
        ("1\u202f234,50", "1234.50"),
        ("1'234.50", "1234.50"),
        ("1’234.50", "1234.50"),
        ("12,34,567.00", "1234567.00"),
        ("1.234.567,89", "1234567.89"),
        ("1,234,567", "1234567"),
        ("9,9000", "9.9000"),
        ("0,05205", "0.05205"),
        ("1.234,5678", "1234.5678"),
        ("12,345.678", "12345.678"),
        ("1.234,567", "1234.567"),
        ("1 234 567,890", "1234567.890"),
        ("1.234", "1234"),
        ("1,234", "1234"),
        ("12,50", "12.50"),
        ("9", "9"),
        ("9.5", "9.5"),
        ("0.435", "0.435"),
        ("0,00", "0.00"),
        (".50", "0.50"),
        (",50", "0.50"),
        ("1.234,50¹", "1234.50"),
        ("1.234,50¹²", "1234.50"),
        ("$129⁹⁹", "129.99"),
        ("-1.234⁵⁶ €", "-1234.56"),
        ("12€⁹⁹", "12.99"),
        ("129,⁹⁹ €", "129.99"),
        ("44 €¹²", "44"),
        ("¥1200¹²", "1200"),
        ("44¹", "44"),
        ("44 ¹²", "44"),
        ("2,50 €/m²", "2.50"),
        ("2½ €", "2.5"),
        ("2⅓ €", "2.3333"),
        ("3⅛ €", "3.125"),
        ("1⅛", "1.125"),
        ("12,50½", "12.50"),
        ("2,5½", "2.5"),
        ("5,-", "5"),
        ("5.--", "5"),
    ],
)
def test_amounts_are_parsed_in_any_punctuation(text, amount):
    """The last separator is the decimal one if one or two digits follow, or if it differs from the earlier ones."""
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("RM9.00", "9.00"), ("RM 9.00", "9.00"), ("R M9.00", "9.00"), ("MYR9.00", "9.00"), ("$ 5,00", "5.00"),
        ("$.50", "0.50"), ("$9.00 USD", "9.00"), ("1.234,50 €", "1234.50"), ("€12,50", "12.50"), ("12€50", "12.50"),
        ("12,50€ B", "12.50"), ("EUR12,90", "12.90"), ("£3.49", "3.49"), ("Rs. 1,250.00", "1250.00"), ("Rs.250", "250"),
        ("R$ 12,90", "12.90"), ("S$4.50", "4.50"), ("NT$120", "120"), ("¥1,280", "1280"), ("￥１，２８０", "1280"),
        ("1,280円", "1280"), ("1 280 Ft", "1280"), ("12,50 zł", "12.50"), ("1.250 Kč", "1250"), ("CHF 5.--", "5"),
    ],
)  # fmt: skip
def test_amounts_are_parsed_with_a_currency_on_either_side(text, amount):
    """The text next to the number does not change the amount."""
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("12. 50", "12.50"),
        ("12 .50", "12.50"),
        ("12 50", "12.50"),
        ("10..00", "10.00"),
        ("10.,00", "10.00"),
        ("10.00.", "10.00"),
        ("9.OO", "9.00"),
        ("RM9.0O", "9.00"),
        ("1O.50", "10.50"),
        ("O.50", "0.50"),
        ("l2.50", "12.50"),
        ("RM I2.50", "12.50"),
        ("*****9.00", "9.00"),
        ("9.00A", "9.00"),
        ("9.00 SR", "9.00"),
        ("1.99 N F", "1.99"),
        ("$30:76", "30.76"),
        ("$12:46", "12.46"),
        ("4:75", "4.75"),
        ("100:50", "100.50"),
    ],
)
def test_ocr_errors_around_the_decimal_separator_are_repaired(text, amount):
    """Neither a gap nor a doubled point changes the amount, nor an O among digits, nor a colon where no time is."""
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("TOTAL 2 9.00", "9.00"),
        ("2 x 4.50", "4.50"),
        ("2@4.50", "4.50"),
        ("GST 6% 0.54", "0.54"),
        ("0.54 (6%)", "0.54"),
        ("TOTAL (RM): 9.00", "9.00"),
        ("9.00 25/12/2018", "9.00"),
        ("08:13 9.00", "9.00"),
        ("12.50/kg", "12.50"),
        ("99.50 4.9750", "99.50"),  # an exchange rate
        ("2 x 150.0000", "150.0000"),
    ],
)
def test_the_amount_is_chosen_among_other_numbers(text, amount):
    """Counts, rates, dates and times are not amounts."""
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("-1.73", "-1.73"),
        ("−1.73", "-1.73"),
        ("–1.73", "-1.73"),
        ("1.73-", "-1.73"),
        ("1.73 -", "-1.73"),
        ("(1.73)", "-1.73"),
        ("($1.73)", "-1.73"),
        ("(1.73 €)", "-1.73"),
        ("-₺1.73", "-1.73"),
        ("-zł 1,73", "-1.73"),
        ("-S/ 1.73", "-1.73"),
        ("1.73-A", "-1.73"),
        ("1,73 €-", "-1.73"),
        ("1,73-€", "-1.73"),
        ("1,73- EUR", "-1.73"),
        ("1,73 kr-", "-1.73"),
        ("£(1.73)", "-1.73"),
        ("1,73-inkl", "1.73"),
        ("1,73-kg", "1.73"),
        ("1.73-KGS", "1.73"),
        ("1,73-TTC", "1.73"),
        ("1,73 NET-", "1.73"),
        ("1,73 - EUR", "1.73"),
        ("1,73 €-EUR", "1.73"),
        ("1,73 €- 5,00 €", "1.73"),
        ("1.73 CR", "-1.73"),
        ("CR 1.73", "1.73"),
        ("(1.73 ea)", "1.73"),
        ("(20.00 NET)", "20.00"),
        ("Total (net 20.00)", "20.00"),
        ("(TTC 20,00)", "20.00"),
        ("A/-1.73", "1.73"),
        ("-$5.00", "-5.00"),
        ("$-5.00", "-5.00"),
        ("RM-5.00", "-5.00"),
        ("- RM 5.00", "-5.00"),
        ("TOTAL -5.00", "-5.00"),
        ("TOTAL - 5.00", "5.00"),
        ("TOTAL-5.00", "5.00"),
        ("5,- €", "5"),
        ("(RM): 5.00", "5.00"),
        ("5.00 (6%)", "5.00"),
    ],
)
def test_a_minus_is_distinguished_from_a_dash(text, amount):
    """Refunds are negative; a dash after a label, or in place of cents, is not a minus."""
    assert parse_amount(text) == Decimal(amount)


@pytest.mark.parametrize(("currency", "amount"), [("MYR", "9.000"), ("USD", "9.000"), ("EUR", "9000"), (None, "9000")])
def test_the_currency_decides_the_meaning_of_three_decimals(currency, amount):
    """9.000 is nine ringgit and nine thousand euros."""
    assert parse_amount("9.000", currency) == Decimal(amount)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "FREE",
        "RM",
        "-",
        ".",
        "--",
        "9:00",
        "23:59",
        "9:41:75",
        "25/12/2018",
        "012-3456789",
        "6%",
        "16 %",
        "RM S.00",
    ],
)
def test_text_without_an_amount_gives_none(text):
    """A time, a date, a telephone number, a rate and cents without their whole part are not amounts."""
    assert parse_amount(text) is None


def test_printed_amounts_are_parsed_back():
    """A hundred amounts, printed in the forms of five countries."""
    for cents in range(1, 2_000_000, 19_973):
        amount = Decimal(cents) / 100
        english = f"{amount:,.2f}"
        for printed in (
            english,
            english.translate(str.maketrans(",.", ".,")),
            english.translate(str.maketrans(",.", " ,")),
            english.replace(",", "'"),
            f"RM{english}",
        ):
            assert parse_amount(printed) == amount, printed


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", "2"),
        ("2.00", "2"),
        ("x2", "2"),
        ("2 PCS", "2"),
        ("QTY:2", "2"),
        ("0.435", "0.435"),
        (".5 kg", "0.5"),
        ("1,250 kg", "1.25"),
        ("1.000", "1"),
        ("1,250.00", "1250"),
        ("1.250,5", "1250.5"),
        ("12 500", "12500"),
        ("1\u00a0250,5 kWh", "1250.5"),
        ("12'500", "12500"),
        ("5,0000", "5"),
        ("1.234.567", "1234567"),
        ("2 50", "2"),
        ("-1", "-1"),
        ("1.5L", "1.5"),
        ("1½", "1.5"),
        ("2 ¼ h", "2.25"),
        ("¾", "0.75"),
        ("⅓", "0.3333"),
        ("1⅛", "1.125"),
    ],
)
def test_quantity_keeps_three_decimals(text, number):
    """Scales print grams."""
    assert parse_number(text) == Decimal(number)


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["12,50", "3,00 €", "Summe 1.250,00"], ","),
        (["12.50", "1,250.00"], "."),
        (["12,50"], None),
        (["12,50", "3.00"], None),
        (["12,50", "3,00", "12.03.2024", "12.03.", "19.00 %", "1.045"], ","),
    ],
)
def test_two_decimals_prove_the_decimal_mark_of_a_page(texts, mark):
    """Dates, rates and numbers with three digits behind a mark prove nothing."""
    assert proven_decimal_mark(texts) == mark


@pytest.mark.parametrize(
    ("text", "mark", "amount", "quantity"),
    [
        ("1,659", ",", "1.659", "1.659"),
        ("2.000", ",", "2000", "2000"),
        ("1.659", ".", "1.659", "1.659"),
        ("2,000", ".", "2000", "2000"),
        ("0.435", ",", "0.435", "0.435"),
    ],
)
def test_the_decimal_mark_of_the_page_decides_three_digits(text, mark, amount, quantity):
    """Of fuel prices and of quantities; a number that begins with zero has decimals on any page."""
    assert parse_amount(text, "EUR", mark) == Decimal(amount)
    assert parse_number(text, mark) == Decimal(quantity)


def test_text_without_digits_is_no_quantity():
    """A quantity needs a digit."""
    assert parse_number("EACH") is None


@pytest.mark.parametrize(
    ("printed", "whole"),
    [("11,620 kg", 11620), ("11.620", 11620), ("24 680", 24680), ("7", 7), ("1.234.567", 1234567), ("4,5", None)],
)
def test_integers_have_no_decimals(printed, whole):
    """Every separator in an integer groups digits."""
    assert parse_integer(printed) == whole


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [("3.499", "USD", "3.499"), ("12.345", "KWD", "12.345"), ("9.000", "MYR", "9.00"), ("7,50", None, "7.50")],
)
def test_amounts_in_json_keep_all_decimals(text, currency, amount):
    """Fuel prices have tenths of a cent, and a dinar has a thousand fils; JSON has at least two decimals."""
    conventions = Conventions(currency=currency)

    assert CURRENCY.to_json(CURRENCY.parse(text, conventions), conventions)["amount"] == amount
