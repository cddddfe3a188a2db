"""Names of merchants, where the network finds none or only the trade."""

import pytest

from docextract.documents.trades import is_trade
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.values.merchants import COMPLETED_PROBABILITY

ADDRESS = {"merchant_address": 0.9}


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_line_above_an_address_is_the_merchant(line, receipt, share):
    """If nothing else is likely to be its name."""
    page = receipt(
        (line("Chef Wang #12345", 50, 0), {"merchant_name": share}),
        (line("1902 Jericho Turnpike", 0, 30), ADDRESS),
        (line("New Hyde Park, NY 11040", 0, 60), ADDRESS),
    )

    found = decode_fields(page)["merchant_name"]

    assert (found.value, found.support) == ("Chef Wang", COMPLETED_PROBABILITY)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Müüja: Brert AS, reg.kood 16342248", "Brert AS"),
        ("SIA Tilts un Dārzs", "SIA Tilts un Dārzs"),
        ("Müüja: Jaan", "Nurgakohvik"),
        ("AS", "Nurgakohvik"),
    ],
)
def test_a_name_with_a_legal_form_is_the_merchant(line, receipt, text, name):
    """Rather than the line above the address, wherever it stands; a legal form alone is no name."""
    page = receipt(
        (line("Nurgakohvik", 0, 0), {}), (line("Tartu mnt 93, 51507 Tallinn", 0, 30), ADDRESS), (line(text, 0, 200), {})
    )  # fmt: skip

    assert decode_fields(page)["merchant_name"].value == name


@pytest.mark.parametrize("text", ["Tel: 555 0100", "12345", "Bill to"])
def test_what_is_no_name_above_an_address_is_none(line, receipt, text):
    """Labels, headings and numbers."""
    page = receipt((line(text, 0, 0), {}), (line("1902 Jericho Turnpike", 0, 30), ADDRESS))

    assert "merchant_name" not in decode_fields(page)


@pytest.mark.parametrize("text", ["Takk fyrir viðskiptin", "THANK YOU FOR YOUR VISIT!"])
def test_thanks_are_no_merchant(line, receipt, text):
    page = receipt((line("Brauð ehf.", 0, 0), {"merchant_name": 0.3}), (line(text, 0, 200), {"merchant_name": 0.8}))

    assert decode_fields(page)["merchant_name"].value == "Brauð ehf."


def test_thanks_alone_are_no_merchant(line, receipt):
    assert "merchant_name" not in decode_fields(receipt((line("Merci de votre visite", 0, 0), {"merchant_name": 0.8})))


def test_a_likely_name_stays_where_it_is(line, receipt):
    """A slogan may stand between the name and the address."""
    page = receipt(
        (line("Chef Wang", 0, 0), {"merchant_name": 0.6}),
        (line("Noodles since 1990", 0, 30), {}),
        (line("1902 Jericho Turnpike", 0, 60), ADDRESS),
    )

    assert decode_fields(page)["merchant_name"].value == "Chef Wang"


@pytest.mark.parametrize(("share", "name"), [(0.2, "IN-N-OUT BURGER"), (0.1, None)])
def test_a_merchant_without_another_name_has_the_line_that_is_most_like_one(line, receipt, share, name):
    """Without a legal form and an address; a number is none."""
    page = receipt(
        (line("YOUR GUEST NUMBER IS", 0, 0), {}),
        (line("12", 0, 30), {"merchant_name": 0.3}),
        (line("IN-N-OUT BURGER", 0, 60), {"merchant_name": share}),
    )
    found = decode_fields(page).get("merchant_name")

    assert (found and found.value) == name


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([("ALBETOS", 0.2), ("MEXICAN FOOD", 0.9)], "ALBETOS MEXICAN FOOD"),
        ([("TACO GARDEN", 0.0), ("MEXICAN FOOD", 0.9)], "MEXICAN FOOD"),
        ([("THANK YOU", 0.2), ("MEXICAN FOOD", 0.9)], "MEXICAN FOOD"),
        ([("Table 12", 0.2), ("MEXICAN FOOD", 0.9)], "MEXICAN FOOD"),
        ([("Welcome to", 0.2), ("MEXICAN FOOD", 0.9)], "MEXICAN FOOD"),
        ([("ALBETOS", 0.2), ("TACO GARDEN", 0.9)], "TACO GARDEN"),
        ([("SUKHOTHAI", 0.9), ("FUSION", 0.0)], "SUKHOTHAI FUSION"),
        ([("SUKHOTHAI", 0.9), ("Bakery & Cafe", 0.0)], "SUKHOTHAI"),
        ([("Muster GmbH", 0.9), ("Restaurant", 0.0)], "Muster GmbH"),
    ],
)
def test_a_trade_alone_is_rarely_the_whole_name(line, receipt, lines, name):
    page = receipt(*((line(text, 0, 30 * row), {"merchant_name": share}) for row, (text, share) in enumerate(lines)))

    assert decode_fields(page)["merchant_name"].value == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Japanese Cuisine", True),
        ("Bar & Grill", True),
        ("Bäckerei", True),
        ("Thai", False),
        ("7 Market", False),
        ("Taco Bell", False),
    ],
)
def test_words_of_a_trade(text, expected):
    assert is_trade(text) is expected


@pytest.mark.parametrize(
    "text", ["Cashier: John Smith", "SHIP TO", "www.example.com", "Welcome to", "TOTAL 12.00", "Guest Check"]
)
def test_what_is_no_name_is_not_taken_for_the_merchant(line, receipt, text):
    """Labels, headings, captions, amounts and titles, even if the network leans to them."""
    assert "merchant_name" not in decode_fields(receipt((line(text), {"merchant_name": 0.2})))


@pytest.mark.parametrize(
    ("name", "below", "fields", "price"),
    [
        ("JOE'S DINER", "Coffee", {}, True),
        ("HILTON", "Bar", {"merchant_address": 0.8}, False),
        ("Restaurant Adler", "Restaurant", {}, False),
    ],
)
def test_a_trade_below_a_name_may_be_something_else(line, receipt, name, below, fields, price):
    """An article with its price, part of an address, or a word that the name has."""
    prices = [(line("2.50", 400, 30), {})] if price else []
    page = receipt((line(name), {"merchant_name": 0.9}), (line(below, 0, 30), fields), *prices)

    assert decode_fields(page)["merchant_name"].value == name
