"""Invented account and tax numbers with valid check digits."""

from itertools import product
from random import Random

from stdnum import iban

from docextract.documents.identifiers import rule
from training.synth.documents.grammar import expand

_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

# What to fill in at random, "*" for each check character, and the characters it may be.
_MADE: dict[str, tuple[str, str, str, str]] = {
    "AT": ("at", "vat", "ATU{d7}*", _DIGITS),
    "AU": ("au", "abn", "**{n9}", _DIGITS),
    "BE": ("be", "vat", "0{n7}**", _DIGITS),
    "BR": ("br", "cnpj", "{n8}0001**", _DIGITS),
    "CA": ("ca", "bn", "{n8}*", _DIGITS),
    "CH": ("ch", "uid", "CHE{n8}*", _DIGITS),
    "DE": ("de", "vat", "DE{n8}*", _DIGITS),
    "ES": ("es", "nif", "B{n7}*", _DIGITS),
    "GB": ("gb", "vat", "{n7}**", _DIGITS),
    "IE": ("ie", "vat", "{n7}*", _LETTERS),
    "IN": ("in", "gstin", "27AA{letter}C{letter}{n4}{letter}1Z*", _DIGITS + _LETTERS),
    "IT": ("it", "iva", "0{d6}0{n2}*", _DIGITS),
    "LU": ("lu", "vat", "{n6}**", _DIGITS),
    "MX": ("mx", "rfc", "{letter}{letter}{letter}{d2}0{n1}1{d1}{letter}{d1}*", _DIGITS),
    "NL": ("nl", "vat", "{n8}*B01", _DIGITS),
    "PT": ("pt", "vat", "5{d7}*", _DIGITS),
    "SG": ("sg", "uen", "201{d6}*", _LETTERS),
    "siren": ("fr", "siren", "{n8}*", _DIGITS),
}  # fmt: skip
# How the numbers are printed: "X" for each character of what was made.
_PRINTED: dict[str, tuple[str, ...]] = {
    "AT": ("XXXXXXXXXXX", "XXXXXXXXXXX", "XXX XXXXXXXX"),
    "AU": ("XX XXX XXX XXX", "XX XXX XXX XXX", "XXXXXXXXXXX"),
    "BE": ("BE XXXX.XXX.XXX", "BEXXXXXXXXXX", "BE XXXX XXX XXX", "BE-XXXX.XXX.XXX"),
    "BR": ("XX.XXX.XXX/XXXX-XX",),
    "CA": ("XXXXXXXXX RT0001", "XXXXXXXXXRT0001", "XXXXX XXXX RT0001", "XXXXXXXXX"),
    "CH": ("XXX-XXX.XXX.XXX MWST", "XXX-XXX.XXX.XXX", "XXX-XXX.XXX.XXX TVA"),
    "DE": ("XXXXXXXXXXX", "XXXXXXXXXXX", "XXXXXXXXXXX", "XX XXX XXX XXX", "XX XXXXXXXXX"),
    "ES": ("XXXXXXXXX", "XXXXXXXXX", "X-XXXXXXXX", "ESXXXXXXXXX"),
    "FR": ("XXXXXXXXXXXXX", "XX XX XXXXXXXXX", "XX XX XXX XXX XXX", "XXXX XXXXXXXXX"),
    "GB": ("GBXXXXXXXXX", "GB XXX XXXX XX", "XXX XXXX XX", "GB XXXXXXXXX"),
    "IE": ("IEXXXXXXXX", "IE XXXXXXXX"),
    "IN": ("XXXXXXXXXXXXXXX",),
    "IT": ("ITXXXXXXXXXXX", "XXXXXXXXXXX", "XXXXXXXXXXX", "IT XXXXXXXXXXX"),
    "LU": ("LUXXXXXXXX", "LU XXXXXXXX"),
    "MX": ("XXXXXXXXXXXX", "XXX-XXXXXX-XXX"),
    "NL": ("NLXXXXXXXXXXXX", "NL XXXX.XX.XXX.XXX", "NLXXXXXXXXX.XXX"),
    "PT": ("XXXXXXXXX", "PTXXXXXXXXX", "PT XXXXXXXXX", "XXX XXX XXX"),
    "SG": ("XXXXXXXXXX",),
}
_BANK_ACCOUNTS = {
    "AT": "{d16}", "BE": "{d12}", "CH": "{d17}", "DE": "{d18}", "ES": "{d20}", "FR": "{d21}{d2}",
    "GB": "{letter}{letter}{letter}{letter}{d14}", "IE": "{letter}{letter}{letter}{letter}{d14}",
    "IT": "{letter}{d22}", "LU": "{d16}", "NL": "{letter}{letter}{letter}{letter}0{d9}", "PT": "{d21}",
}  # fmt: skip
BANKING_COUNTRIES = frozenset(_BANK_ACCOUNTS)


def make_iban(country: str, rng: Random) -> str:
    """An account that does not exist, with the right check digits, without spaces. Country: of BANKING_COUNTRIES."""
    account = expand(_BANK_ACCOUNTS[country], {}, rng)
    return country + str(iban.calc_check_digits(f"{country}00{account}")) + account


def make_tax_id(country: str, rng: Random) -> str:
    """A company's tax number that keeps its country's rule, as it is printed. Raises KeyError for other countries."""
    return _in_form(_compact_tax_id(country, rng), rng.choice(_PRINTED[country]))


def _compact_tax_id(country: str, rng: Random) -> str:
    if country == "FR":  # two check digits over a number that has one of its own
        siren = _compact_tax_id("siren", rng)
        return f"FR{(12 + 3 * (int(siren) % 97)) % 97:02}{siren}"
    code, name, template, characters = _MADE[country]
    is_valid = rule(code, name)
    while True:  # some bodies have no check character at all
        body = expand(template, {}, rng)
        for check in product(characters, repeat=body.count("*")):
            waiting = iter(check)
            made = "".join(next(waiting) if char == "*" else char for char in body)
            if is_valid(made):
                return made


def _in_form(compact: str, form: str) -> str:
    characters = iter(compact)
    return "".join(next(characters) if char == "X" else char for char in form)
