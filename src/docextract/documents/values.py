"""Printed text → typed values, and typed values → the wire.

One `Kind` per sort of field. Nothing is guessed here: what cannot be parsed is None, and a date whose
order the print does not tell is read in the order given by the caller (a model's judgement of the page).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from docextract.documents.amounts import parse_amount, parse_integer, parse_number
from docextract.documents.countries import parse_country
from docextract.documents.dates import DateOrder, parse_date, parse_time
from docextract.documents.identifiers import is_valid_iban
from docextract.documents.persons import SEXES, parse_document_number, parse_sex


@dataclass(frozen=True)
class Conventions:
    """What a page takes for granted: the order of its dates and its money."""

    date_order: DateOrder = "DMY"
    currency: str | None = None  # ISO 4217


@dataclass(frozen=True)
class FieldKind:
    """A sort of value. `parse` gives None for what is no such value; `wire` its JSON form."""

    name: str  # as in the contract: string, date, time, currency, number, phone_number, country_code, sex
    parse: Callable[[str, Conventions], Any]
    to_json: Callable[[Any, Conventions], Any]
    schema: Mapping[str, Any] = field(compare=False)  # JSON Schema of what `wire` gives
    # (read, printed) → how many times likelier the second is than the reader thinks, where it wavers between the two
    # anywhere but at the end.
    odds_factors: Mapping[tuple[str, str], float] = field(default_factory=dict, compare=False)


def collapse_whitespace(text: str) -> str:
    """White space collapsed and trimmed."""
    return " ".join(text.split())


# A legal form that exists in one spelling only, as readers misread it. Elsewhere in a name a letter may be meant.
_MISREAD_FORM = re.compile(r"\bS[DO0Q][NMH](?P<gap>\.? ?)[B8][HN][DO0]\b", re.I)


def fix_legal_form(name: str) -> str:
    """SON BHD → SDN BHD, in the case of the print; the rest of a company's name stays as it was read."""

    def mended(match: re.Match[str]) -> str:
        form = f"SDN{match['gap']}BHD"
        return form if match[0].isupper() else form.title()

    return _MISREAD_FORM.sub(mended, name)


# What stands between the parts of an address is a comma, where the reader wavers between that and a full stop: odds.
# From 10 to 150 as many addresses of real receipts kept back from training are right, and 4 % more than without.
COMMA_ODDS = 20.0
_BETWEEN_LINES = re.compile(r"\s*[·•∙|]\s*")


def parse_address(text: str) -> str | None:
    """An address on one line; the dots and bars that part its lines where they stand beside each other are left out."""
    return collapse_whitespace(_BETWEEN_LINES.sub(" ", text)) or None


_IBAN = re.compile(r"[A-Z]{2}[A-Z0-9]{13,32}")
_LETTER_TO_DIGIT = str.maketrans("OQDILZSGB", "000112568")
_DIGIT_TO_LETTER = str.maketrans("012568", "OIZSGB")


def parse_iban(text: str) -> str | None:
    """DE89 3704 0044 0532 0130 00 → DE89370400440532013000; None for what has not the form of an IBAN.

    Letters read for digits, and digits for letters of the bank, are mended where that makes the check digits right; a
    number that stays wrong is given as it was read, and fails its check.
    """
    plain = re.sub(r"[^A-Z0-9]", "", text.upper()).removeprefix("IBAN")
    if not _IBAN.fullmatch(plain):
        return None
    bank = plain[4:8]  # letters in some countries
    mended = (plain[:2] + plain[2:4].translate(_LETTER_TO_DIGIT) + kept + plain[8:].translate(_LETTER_TO_DIGIT)
              for kept in (bank, bank.translate(_LETTER_TO_DIGIT), bank.translate(_DIGIT_TO_LETTER)))  # fmt: skip
    return next((one for one in (plain, *mended) if is_valid_iban(one)), plain)


def parse_percent(text: str) -> Decimal | None:
    """19 %, 5.5%, 8,10: a share in percent, 0 to 100."""
    number = parse_number(text)
    return number if number is not None and 0 <= number <= 100 else None


def parse_birth_date(text: str, order: DateOrder) -> date | None:
    """As `parse_date`; a year of two digits that is still to come was a hundred years ago: "12 AUG/AOÛT 63"."""
    day = parse_date(text, order)
    if day is None or day <= date.today() or str(day.year) in text:
        return day
    return day.replace(year=day.year - 100)


def _wire_money(amount: Decimal, conventions: Conventions) -> dict[str, str | None]:
    decimals = max(2, -int(amount.normalize().as_tuple().exponent))  # fuel is sold by tenths of a cent
    return {"amount": f"{amount:.{decimals}f}", "currency": conventions.currency}


_TEXT = {"type": "string", "minLength": 1}
_CLOCK = {"type": "string", "pattern": r"^\d\d:\d\d:\d\d$"}
_MONEY = {
    "type": "object",
    "properties": {
        "amount": {"type": "string", "pattern": r"^-?\d+\.\d{2,}$"},
        "currency": {"type": ["string", "null"], "description": "ISO 4217; null where the page does not tell"},
    },
    "required": ["amount", "currency"],
    "additionalProperties": False,
}

STRING = FieldKind("string", lambda text, _: collapse_whitespace(text) or None, lambda value, _: value, _TEXT)
COMPANY_NAME = FieldKind("string", lambda text, _: fix_legal_form(collapse_whitespace(text)) or None, lambda value, _: value, _TEXT)
PHONE_NUMBER = FieldKind(
    "phone_number",
    lambda text, _: collapse_whitespace(text) if sum(map(str.isdigit, text)) >= 5 else None,
    lambda value, _: value,
    _TEXT,
)
DATE = FieldKind(
    "date",
    lambda text, c: parse_date(text, c.date_order),
    lambda value, _: value.isoformat(),
    {"type": "string", "format": "date"},
)
BIRTH_DATE = FieldKind(
    "date", lambda text, c: parse_birth_date(text, c.date_order), DATE.to_json, {"type": "string", "format": "date"}
)
TIME = FieldKind("time", lambda text, _: parse_time(text), lambda value, _: value.isoformat(), _CLOCK)
CURRENCY = FieldKind("currency", lambda text, c: parse_amount(text, c.currency), _wire_money, _MONEY)
NUMBER = FieldKind("number", lambda text, _: parse_number(text), lambda value, _: float(value), {"type": "number"})
INTEGER = FieldKind("integer", lambda text, _: parse_integer(text), lambda value, _: value, {"type": "integer"})
PERCENT = FieldKind("number", lambda text, _: parse_percent(text), lambda value, _: float(value), {"type": "number"})
ADDRESS = FieldKind(
    "string", lambda text, _: parse_address(text), lambda value, _: value, _TEXT, odds_factors={(".", ","): COMMA_ODDS}
)
IBAN = FieldKind("string", lambda text, _: parse_iban(text), lambda value, _: value, _TEXT)
COUNTRY = FieldKind(
    "country_code",
    lambda text, _: parse_country(text),
    lambda value, _: value,
    {"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 3166-1 alpha-3, or a code of ICAO Doc 9303"},
)
SEX = FieldKind("sex", lambda text, _: parse_sex(text), lambda value, _: value, {"type": "string", "enum": list(SEXES)})
DOCUMENT_NUMBER = FieldKind("string", lambda text, _: parse_document_number(text), lambda value, _: value, _TEXT)

__all__ = [
    "ADDRESS", "BIRTH_DATE", "COMPANY_NAME", "COUNTRY", "CURRENCY", "DATE", "DOCUMENT_NUMBER", "IBAN", "INTEGER",
    "NUMBER", "PERCENT", "PHONE_NUMBER", "SEX", "STRING", "TIME", "Conventions", "DateOrder", "FieldKind", "mend_legal_form",
    "parse_address", "parse_amount", "parse_birth_date", "parse_date", "parse_iban", "parse_number", "parse_percent",
    "parse_time", "squeeze",
]  # fmt: skip
