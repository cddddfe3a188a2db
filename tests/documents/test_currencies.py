"""The currency that a page prints."""

import pytest

from docextract.documents.currencies import find_currency


@pytest.mark.parametrize(
    ("texts", "currency"),
    [
        (["Summe 310,00 EURO"], "EUR"),
        (["9,00 €", "MwSt. 1,44 €"], "EUR"),
        (["Promotional Discount of Rs -40.00,"], "INR"),
        (["TOTAL RM9.00"], "MYR"),
        (["Razem 12,00 zł"], "PLN"),
        (["$ 9.00", "9,00 kr"], None),
        (["Amount in EUR or USD"], None),
        (["Rsvp", "FORM 12", "EUROPA 3"], None),
        ([], None),
    ],
)
def test_a_currency_is_found_by_its_codes_and_signs(texts, currency):
    """Signs of several countries, and pages that name several currencies, leave it open."""
    assert find_currency(texts) == currency
