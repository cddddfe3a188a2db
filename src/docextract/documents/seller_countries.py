"""The currency of the country that the tax number, the telephone number or the address of a seller tells."""

import re
from collections.abc import Iterator
from functools import cache

from docextract.documents.countries import country_of_address, is_country_name, parse_country
from docextract.documents.data import load_data
from docextract.documents.identifiers import GREEK_VAT_PREFIX, VAT_PREFIXES

_COUNTRIES = load_data("currencies")["countries"]
_CALLING_CODE = re.compile(r"\W*(?:\+|00(?=[1-9]))\W*([1-9][\d\s]{2,})")
_VAT_NUMBER = re.compile(r"([A-Z]{2})[A-Z]?\d[\dA-Z]{6,}")


def currency_of_seller(tax_id: str | None, phone: str | None, address: str | None) -> str | None:
    """Return the currency (ISO 4217) of the country that the data of a seller tell; None if they tell none or several.

    An address tells it by the name of its country at the end, or by the code of a part and a postal code: "Helena, MT
    59601".
    """
    countries = {*_of_tax_id(tax_id or ""), *_of_phone(phone or ""), *_of_address(address or "")}
    found = {_COUNTRIES[code]["currency"] for code in countries if code in _COUNTRIES}
    return found.pop() if len(found) == 1 else None


def _of_tax_id(number: str) -> Iterator[str | None]:
    plain = "".join(number.upper().split())
    prefixed = _VAT_NUMBER.fullmatch(re.sub(r"[./-]", "", plain))
    if prefixed and prefixed[1] in VAT_PREFIXES:
        yield parse_country("GR" if prefixed[1] == GREEK_VAT_PREFIX else prefixed[1])
    else:
        yield from (code for code, form in _tax_numbers().items() if form.fullmatch(plain))


@cache
def _tax_numbers() -> dict[str, re.Pattern[str]]:
    return {code: re.compile(one["tax_numbers"]) for code, one in _COUNTRIES.items() if "tax_numbers" in one}


def _of_phone(number: str) -> Iterator[str]:
    found = _CALLING_CODE.match(number)
    digits = "".join(found[1].split()) if found else ""
    yield from (code for code, one in _COUNTRIES.items() if "calling" in one and digits.startswith(one["calling"]))


def _of_address(address: str) -> Iterator[str | None]:
    last = re.split(r"[,;\n]", address)[-1].strip()
    yield parse_country(last) if is_country_name(last) else country_of_address(address)
