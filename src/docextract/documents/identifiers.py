"""Verify account and tax numbers by their check digits.

The rules themselves are python-stdnum's; this module decides which of them a printed number falls under.
"""

import re
from collections.abc import Callable
from functools import cache

from stdnum import get_cc_module, iban

# How a number without a country's letters tells its rule: by the document's currency and its own form.
_BY_CURRENCY: tuple[tuple[str, str, str, str], ...] = (
    ("AUD", r"\d{11}", "au", "abn"),
    ("BRL", r"\d{14}", "br", "cnpj"),
    ("CAD", r"\d{9}(RT\d{4})?", "ca", "bn"),
    ("EUR", r"[A-Z]\d{7}[\dA-J]|\d{8}[A-Z]", "es", "nif"),
    ("EUR", r"\d{11}", "it", "iva"),
    ("GBP", r"\d{9}", "gb", "vat"),
    ("INR", r"\d{2}[A-Z]{5}\d{4}[A-Z]\w{3}", "in", "gstin"),
    ("MXN", r"[A-Z]{3,4}\d{6}[A-Z\d]{3}", "mx", "rfc"),
    ("SGD", r"(19|20)\d{7}[A-Z]", "sg", "uen"),
)
_EUROPEAN = re.compile(r"(?:ATU|[A-Z]{2}\d|(?:CY|ES|FR)[A-Z])(?=[A-Z]*(?:\d[A-Z]*){5})[A-Z0-9]{6,12}")
_BY_PREFIX = frozenset("AT BE BG CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split())


def is_valid_iban(number: str) -> bool:
    """Whether an IBAN without spaces has its country's length and its check digits (ISO 13616)."""
    return bool(iban.is_valid(number, check_country=False))


def is_valid_tax_id(number: str, currency: str | None) -> bool | None:
    """Whether a tax number as printed has the right check digits; None where no rule is known for it."""
    plain = re.sub(r"[^A-Z0-9]", "", number.upper())
    if "/" in number and currency == "EUR":
        return None  # a German tax office's number: as many digits as an Italian one, other rules
    for code, form, country, name in _BY_CURRENCY:
        if code == currency and re.fullmatch(form, plain):
            return stdnum_validator(country, name)(plain)
    if re.match(r"CHE\d", plain):
        return stdnum_validator("ch", "uid")(plain[:12])
    if plain[:2] in _BY_PREFIX and _EUROPEAN.fullmatch(plain):
        return stdnum_validator(plain[:2].lower(), "vat")(plain)
    return None


@cache
def stdnum_validator(country: str, name: str) -> Callable[[str], bool]:
    """Return python-stdnum's validator of a country's number. Raises LookupError for an unknown rule."""
    module = get_cc_module(country, name)
    if module is None:
        raise LookupError(f"python-stdnum has no rule {name!r} for {country!r}")
    return module.is_valid
