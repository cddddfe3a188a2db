"""Synthetic account and tax numbers."""

from random import Random

import pytest

from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id
from training.synth.documents.identifiers import banking_countries, make_iban, make_tax_id, tax_id_countries

CURRENCIES = {
    "AU": "AUD", "BR": "BRL", "CA": "CAD", "CH": "CHF", "GB": "GBP", "IN": "INR", "MX": "MXN", "SG": "SGD",
}  # fmt: skip


@pytest.mark.parametrize("country", sorted(banking_countries()))
def test_synthetic_ibans_have_valid_check_digits(country):
    """They have the format of their country, and all are different."""
    made = {make_iban(country, Random(seed)) for seed in range(30)}

    assert len(made) == 30
    assert all(number.startswith(country) and is_valid_iban(number) for number in made)


@pytest.mark.parametrize("country", tax_id_countries())
def test_synthetic_tax_numbers_are_valid(country):
    """They are valid by their country's rule in every printed form."""
    made = [make_tax_id(country, Random(seed)) for seed in range(30)]
    found = {is_valid_tax_id(number, CURRENCIES.get(country, "EUR")) for number in made}

    assert found <= ({True, None} if country == "PT" else {True})  # nine digits alone may be of any country
    assert len(set(made)) > 25
