"""Verification of account and tax numbers by their check digits.

The rules are those of python-stdnum; this module decides which rule applies to a printed number.
"""

import re
from collections.abc import Callable
from functools import cache

from stdnum import get_cc_module, iban, iso11649, numdb

# Numbers without the letters of a country: currency of the document, form, and python-stdnum's country and rule. Where
# a form has several rules, numbers of still other countries have it, too.
_RULES_BY_CURRENCY: tuple[tuple[str, str, str, str], ...] = (
    ("AUD", r"\d{11}", "au", "abn"),
    ("BRL", r"\d{14}", "br", "cnpj"),
    ("CAD", r"\d{9}(RT\d{4})?", "ca", "bn"),
    ("EUR", r"[A-Z]\d{7}[\dA-J]|\d{8}[A-Z]", "es", "nif"),
    ("EUR", r"\d{11}", "it", "iva"),
    ("EUR", r"\d{11}", "lv", "pvn"),
    ("EUR", r"\d{11}", "hr", "oib"),
    ("GBP", r"\d{9}", "gb", "vat"),
    ("INR", r"\d{2}[A-Z]{5}\d{4}[A-Z]\w{3}", "in", "gstin"),
    ("MXN", r"[A-Z]{3,4}\d{6}[A-Z\d]{3}", "mx", "rfc"),
    ("SGD", r"(19|20)\d{7}[A-Z]", "sg", "uen"),
)
_EUROPEAN_VAT_NUMBER = re.compile(r"(?:ATU|[A-Z]{2}\d|(?:CY|ES|FR)[A-Z])(?=[A-Z]*(?:\d[A-Z]*){5})[A-Z0-9]{6,12}")
_IBAN_CHARACTERS = {"n": r"\d", "a": "[A-Z]", "c": "[A-Z0-9]"}  # by the letters of ISO 13616
_BELGIAN_COMMUNICATION = re.compile(r"[+*]{3}\s?(\d{3})/(\d{4})/(\d{3})(\d{2})\s?[+*]{3}")
# "RF18 5390 0754 7034" or in one word; every group of four has a digit.
_RF_REFERENCE = re.compile(r"RF\d{2}(?:[A-Z0-9]{1,21}|(?:\s(?=[A-Z]*\d)[A-Z0-9]{4})*\s(?=[A-Z]*\d)[A-Z0-9]{1,4})")
SWISS_REFERENCE_DIGITS = 27
GREEK_VAT_PREFIX = "EL"  # the only one that is not the country's code of ISO 3166-1
VAT_PREFIXES = frozenset("AT BE BG CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split())


def is_valid_iban(number: str) -> bool:
    """Whether an IBAN without spaces has its country's length and its check digits (ISO 13616)."""
    return bool(iban.is_valid(number, check_country=False))


def has_iban_form(number: str) -> bool:
    """Whether a text without spaces has the form of its country's IBANs (ISO 13616), whatever its check digits."""
    if not number:
        return False
    country = numdb.get("iban").info(number)[0][1]
    parts = re.findall(r"(\d+)!([nac])", country.get("bban", ""))  # such as 8!n10!n
    form = "".join(f"{_IBAN_CHARACTERS[kind]}{{{count}}}" for count, kind in parts)
    return bool(parts) and re.fullmatch(r"[A-Z]{2}\d{2}" + form, number) is not None


def is_payment_reference(text: str) -> bool:
    """Whether a printed text is a payment reference of a standard form with valid check digits.

    RF references (ISO 11649), Swiss QR references of 27 digits, and Belgian structured communications.
    """
    if belgian := _BELGIAN_COMMUNICATION.fullmatch(text):
        number, check = int(belgian[1] + belgian[2] + belgian[3]), int(belgian[4])
        return (number % 97 or 97) == check
    plain = "".join(text.split())
    if plain.startswith("RF"):
        return _RF_REFERENCE.fullmatch(text) is not None and bool(iso11649.is_valid(plain))
    return len(plain) == SWISS_REFERENCE_DIGITS and plain.isdigit() and stdnum_validator("ch", "esr")(plain)


def is_valid_tax_id(number: str, currency: str | None) -> bool | None:
    """Whether a printed tax number has valid check digits; None where no rule is known for it, or another may apply.

    currency: ISO 4217, of the document; it selects the rule for numbers without the letters of a country.
    """
    plain = re.sub(r"[^A-Z0-9]", "", number.upper())
    if "/" in number and currency == "EUR":
        return None  # a German tax number (Steuernummer): as many digits as an Italian VAT number, but another rule
    rules = [rule for code, form, *rule in _RULES_BY_CURRENCY if code == currency and re.fullmatch(form, plain)]
    if rules:
        valid = any(stdnum_validator(country, name)(plain) for country, name in rules)
        return valid or (None if len(rules) > 1 else False)
    if re.match(r"CHE\d", plain):
        return stdnum_validator("ch", "uid")(plain[:12])
    if plain[:2] in VAT_PREFIXES and _EUROPEAN_VAT_NUMBER.fullmatch(plain):
        return stdnum_validator("gr" if plain.startswith(GREEK_VAT_PREFIX) else plain[:2].lower(), "vat")(plain)
    return None


@cache
def stdnum_validator(country: str, name: str) -> Callable[[str], bool]:
    """Return python-stdnum's validator of a number. Raises LookupError for an unknown rule.

    country: ISO 3166-1 alpha-2 code in lower case. name: of the rule, such as "vat".
    """
    module = get_cc_module(country, name)
    if module is None:
        raise LookupError(f"python-stdnum has no rule {name!r} for {country!r}")
    return module.is_valid
