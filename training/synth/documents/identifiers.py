"""Synthetic account and tax numbers with valid check digits."""

from collections.abc import Mapping
from functools import cache
from itertools import product
from random import Random
from typing import Any

from stdnum import iban

from docextract.documents.identifiers import stdnum_validator
from training.synth.documents.data_files import check_keys, read_table
from training.synth.documents.grammar import expand

_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CHECK_CHARACTERS = {"digits": _DIGITS, "letters": _LETTERS, "digits and letters": _DIGITS + _LETTERS}


@cache
def _tax_ids() -> Mapping[str, Mapping[str, Any]]:
    tables: Mapping[str, Mapping[str, Any]] = read_table("identifiers")["tax_id"]
    for country, table in tables.items():
        check_keys("identifiers", f"tax_id.{country}", table, ("rule", "template", "check_characters", "printed"))
    return tables


def tax_id_countries() -> tuple[str, ...]:
    """Return the countries that `make_tax_id` knows, ISO 3166-1 alpha-2."""
    return tuple(country for country, table in _tax_ids().items() if "printed" in table)


def banking_countries() -> frozenset[str]:
    """Return the countries that `make_iban` knows, ISO 3166-1 alpha-2."""
    return frozenset(read_table("identifiers")["bank_accounts"])


def make_iban(country: str, rng: Random) -> str:
    """Return the IBAN of an account that does not exist, with valid check digits, without spaces.

    country: one of `banking_countries`.
    """
    account = expand(read_table("identifiers")["bank_accounts"][country], {}, rng)
    return country + str(iban.calc_check_digits(f"{country}00{account}")) + account


def make_tax_id(country: str, rng: Random) -> str:
    """Return the tax number of a company, valid by its country's rule, in one of the forms in which it is printed.

    Raises KeyError for a country whose numbers have no rule.
    """
    return _fill_form(_compact_tax_id(country, rng), rng.choice(_tax_ids()[country]["printed"]))


def _compact_tax_id(country: str, rng: Random) -> str:
    if country == "FR":  # two check digits over a number that has a check digit of its own
        siren = _compact_tax_id("siren", rng)
        return f"FR{(12 + 3 * (int(siren) % 97)) % 97:02}{siren}"
    facts = _tax_ids()[country]
    characters = _CHECK_CHARACTERS[facts["check_characters"]]
    is_valid = stdnum_validator(*facts["rule"])
    while True:  # for some bodies no check character is valid
        body = expand(facts["template"], {}, rng)
        for check in product(characters, repeat=body.count("*")):
            remaining = iter(check)
            number = "".join(next(remaining) if char == "*" else char for char in body)
            if is_valid(number):
                return number


def _fill_form(compact: str, form: str) -> str:
    """Put the characters of a number in the places of "X"."""
    characters = iter(compact)
    return "".join(next(characters) if char == "X" else char for char in form)
