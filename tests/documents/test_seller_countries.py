"""The currency of a seller's country."""

import pytest

from docextract.documents.seller_countries import currency_of_seller


@pytest.mark.parametrize(
    ("tax_id", "phone", "address", "currency"),
    [
        ("CZ28114402", None, None, "CZK"),
        ("ATU 58301472", None, None, "EUR"),
        ("EL094014201", None, None, "EUR"),
        ("CHE-108.447.219 MWST", None, None, "CHF"),
        ("2884471-8", None, None, "EUR"),
        ("676-118-20-47", None, None, "PLN"),
        ("11.884.471/0001-30", None, None, "BRL"),
        ("MOAL710418KX2", None, None, "MXN"),
        ("30-71234567-8", None, None, "ARS"),
        ("76.543.210-K", None, None, "CLP"),
        ("900.123.456-7", None, None, "COP"),
        ("01.234.567.8-901.000", None, None, "IDR"),
        ("123.456.789-09", None, None, None),  # a person in Brazil
        (None, "+381 11 555 0123", None, "RSD"),
        (None, "+372 5550 118", None, "EUR"),
        (None, "(+420) 541 220 117", None, "CZK"),
        (None, "0048 12 345 67 89", None, "PLN"),
        (None, None, "2800 W PETERSON AVE CHICAGO, IL 60659", "USD"),
        (None, None, "Lai 22, 51005 Tartu, Estonia", "EUR"),
        ("LV40203118847", "+371 63 488 120", "Miera iela 29, Rīga, LV-1001", "EUR"),
        ("CZ28114402", "+48 12 345 67 89", None, None),  # of two countries
        ("556677-1234", None, None, "SEK"),
        ("450101-3380", None, None, None),  # a company in Iceland, or a Swede
        ("450101-3380", "+354 511 2345", None, None),
        ("BG131129282", "+359 2 811 2345", None, None),  # euros or leva
        ("331 8842 07", "01947 555 018", "9 Quay Street, Whitby YO21 1BN", None),
        ("123456789012", "541 220 117", "Nádražní 214/8, 602 00 Brno", None),
        (None, None, None, None),
    ],
)
def test_the_country_of_a_seller_tells_the_currency(tax_id, phone, address, currency):
    assert currency_of_seller(tax_id, phone, address) == currency
