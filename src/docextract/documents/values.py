"""The kinds of field values: parsing of printed text, and the JSON form of the values.

Parsing does not guess: text that cannot be parsed gives None. An ambiguous date is parsed in the order that the caller
states, which a model has predicted for the page.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from typing import Any

from docextract.documents.accents import letters_alone, with_letters_of
from docextract.documents.amounts import DecimalMark, parse_amount, parse_integer, parse_number
from docextract.documents.countries import parse_country
from docextract.documents.data import load_data
from docextract.documents.dates import DateOrder, latest_today, parse_date, parse_period_start, parse_time
from docextract.documents.identifiers import has_iban_form, is_valid_iban
from docextract.documents.persons import SEXES, parse_document_number, parse_sex
from docextract.documents.postal_codes import with_digits_of_code
from docextract.documents.signs import with_plain_hyphens, without_footnote
from docextract.documents.validity import parse_expiry_date


@dataclass(frozen=True)
class Conventions:
    """What a page does not print with every value: the order of its dates, its currency, decimal mark and country."""

    date_order: DateOrder = "DMY"
    currency: str | None = None  # ISO 4217
    currency_confidence: float = 0.0  # probability that the currency is right; 0 without one
    decimal_mark: DecimalMark | None = None  # None where the page does not prove it
    issuing_country: str | None = None  # alpha-3, where the page of an identity document names it
    country_of_sexes: str | None = None  # alpha-3; the issuer whose own letters for sexes count, see `parse_sex`
    # Of each order that dates may have; empty where the order is given, proven, or implied by the country.
    date_order_probabilities: Mapping[DateOrder, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class FieldKind:
    """A kind of value. `parse` returns None for text that is no such value; `to_json` gives its JSON form."""

    name: str  # as in the API: string, date, time, currency, number, phone_number, country_code, sex, invoice_kind
    parse: Callable[[str, Conventions], Any]
    to_json: Callable[[Any, Conventions], Any]
    schema: Mapping[str, Any] = field(compare=False)  # JSON Schema of the result of `to_json`
    # By (recognised, alternative) character: the factor by which the alternative is more probable than recognition
    # estimates, anywhere but at the end of the value.
    odds_factors: Mapping[tuple[str, str], float] = field(default_factory=dict, compare=False)


# Of labels, which have one form in every language: ISO 8601 dates and plain decimals.
LABEL_CONVENTIONS = Conventions("YMD", decimal_mark=".")


def label_text(value: str | date | time | Decimal | int) -> str:
    """Return a typed value as a label: ISO 8601 for dates and times, plain decimals; `parse` has the inverse."""
    if isinstance(value, date | time):
        return value.isoformat()
    return value if isinstance(value, str) else f"{Decimal(value):f}"


def collapse_whitespace(text: str) -> str:
    """Replace each run of white space by one space, and remove it at both ends."""
    return " ".join(text.split())


def parse_text(text: str, issuing_country: str | None = None) -> str | None:
    """Return a text with single spaces, and with the letters of the country that issued it; None for an empty one."""
    return collapse_whitespace(with_letters_of(text, issuing_country)) or None


# OCR errors in a legal form that has a single spelling. Elsewhere in a name each of these letters may be correct.
_MISREAD_LEGAL_FORM = re.compile(r"\bS[DO0Q][NMH](?P<gap>\.? ?)[B8][HN][DO0]\b", re.I)


def fix_legal_form(name: str) -> str:
    """Repair OCR errors in the legal form of a company: SON BHD becomes SDN BHD, in the printed case."""

    def corrected(match: re.Match[str]) -> str:
        form = f"SDN{match['gap']}BHD"
        return form if match[0].isupper() else form.title()

    return _MISREAD_LEGAL_FORM.sub(corrected, name)


_DIVIDING_HYPHEN = re.compile(r"(?<=\w-) (?=\w*\d)")


def parse_reference(text: str) -> str | None:
    """Return a number of any form with plain hyphens, without the raised digit of a footnote; None for an empty one.

    No space is between a hyphen that divides it at the end of a line and the word with digits behind: "404-77- 518".
    """
    return _DIVIDING_HYPHEN.sub("", collapse_whitespace(without_footnote(with_plain_hyphens(text)))) or None


# Odds of a comma against a full stop between the parts of an address, where recognition is unsure. On held-out real
# receipts all values from 10 to 150 give the same number of correct addresses, 4 % more than without.
COMMA_ODDS = 20.0
_LINE_SEPARATORS = re.compile(r"\s*[·•∙|]\s*")
# Before the name of a street, "Av. Real", and before its number, "Schneiderstr. 90", where OCR reads a comma. Behind
# the name, as in "5th Av, New York", and before a town a comma may be printed.
_ABBREVIATED_STREET = re.compile(
    r"((?:^(?:bd|blvd|cra|pl|plza|pza)|(?:^|,\s)(?:av|avda|ctra))),(?=\s[^\W\d])|(str),(?=\s\d{1,4}(?!\d))",
    re.IGNORECASE,
)


def parse_address(text: str) -> str | None:
    """Return an address on one line, without the dots and bars that separate lines printed next to each other."""
    line = collapse_whitespace(_LINE_SEPARATORS.sub(" ", text))
    return with_digits_of_code(_ABBREVIATED_STREET.sub(lambda match: f"{match[1] or match[2]}.", line)) or None


# Behind a word, but not behind an abbreviation; and the comma that is lost behind initials: "D.C., U.S.A.".
_ABBREVIATION = r"\b(?:prov|dist|dept|dpto|pcia|gral|cnel|alte|pdte|cdad|stgo)"  # "Gral. Roca", "Pcia. de Salta"
_MISREAD_COMMA = re.compile(rf"(?<=[^\W\d_]{{4}})(?<!{_ABBREVIATION})\.(?=\s[^\W\d_])", re.IGNORECASE)
_LOST_COMMA = re.compile(r"(?<=\b[^\W\d_]\.)(?=\s(?:[A-Z]\.){2,}[A-Z]?$)")


_IN_BRACKETS = re.compile(r"\(([^()]+)\)")


def parse_place(text: str) -> str | None:
    """Return a place with its country or region, with commas where OCR reads full stops: "NEW YORK. U.S.A.".

    Without brackets around all of it, as on French licences, and without the comma in front of a date.
    """
    place = collapse_whitespace(text).rstrip(", ")
    if whole := _IN_BRACKETS.fullmatch(place):
        place = whole[1].strip()
    return _LOST_COMMA.sub(",", _MISREAD_COMMA.sub(",", place)) or None


_OTHER_CREDIT_NOTES = ("nota credito", "korekta", "kredīta rēķins")  # words of titles that are no captions
_CREDIT_NOTE_WORDS = tuple(map(letters_alone, (*load_data("captions")["credit_note_title"], *_OTHER_CREDIT_NOTES)))
_CANCELLATIONS = frozenset(  # alone they are titles of credit notes; within others they may name a fee or an insurance
    map(letters_alone, (
        "Storno", "Stornierung", "sztornó", "annullering", "annulering", "annullamento", "annulation", "anulación",
        "anulação", "anulare", "anulowanie", "cancellation",
    ))
)  # fmt: skip
_IBAN = re.compile(r"[A-Z]{2}[A-Z0-9]{13,32}")
_LETTER_TO_DIGIT = str.maketrans("OQDILZSGB", "000112568")
_DIGIT_TO_LETTER = str.maketrans("012568", "OIZSGB")


def parse_iban(text: str) -> str | None:
    """Return an IBAN without spaces: DE89370400440532013000; None for text that does not have the form of an IBAN.

    Confusions of letters and digits are repaired if that makes the check digits valid. A number that stays invalid is
    returned as it was recognised, and fails its check.
    """
    number = re.sub(r"[^A-Z0-9]", "", text.upper()).removeprefix("IBAN")
    valid = next((one for one in (number, *_repaired_ibans(number)) if is_valid_iban(one)), None)
    return valid or (number if _IBAN.fullmatch(number) else None)


def _repaired_ibans(number: str) -> Iterator[str]:
    """Yield what an IBAN may be if letters and digits were confused; letters of the bank as they are come first."""
    country, check_digits, bank, account = number[:2], number[2:4], number[4:8], number[8:]
    for bank_form in (bank, bank.translate(_LETTER_TO_DIGIT), bank.translate(_DIGIT_TO_LETTER)):
        yield (
            country.translate(_DIGIT_TO_LETTER)
            + check_digits.translate(_LETTER_TO_DIGIT)
            + bank_form
            + account.translate(_LETTER_TO_DIGIT)
        )


_TAX_LABEL = re.compile(r"^(?:ALV|KMKR|PVM|PVN|VAT|TVA|IVA|BTW|MWST|NIP|[NČ][°º.]\s?[oO]?\.?)[:.]?\s+(?=[\dA-Z]*\d)")
_NEXT_NUMBER = re.compile(r"((?:\d\W?){7,})\s+[^\W\d_]{3,}\W*\s(?:\d\W?){5,}$")
_LAST_LETTERS = re.compile(r"((?:\d\W?){9,})\s+(?:[A-Z]|[A-Z][^\W\d_A-Z]+)\W?$")


def parse_tax_id(text: str) -> str | None:
    """Return a tax number as printed, with plain hyphens; None for a text with the form of an IBAN.

    The end of a label in front, and behind enough digits another number with its label, a letter or the beginning of a
    word are left out: "ALV 4931680-6", "48-0917735 NPI 1770493328", "04468280740 R".
    """
    number = _NEXT_NUMBER.sub(r"\1", _TAX_LABEL.sub("", parse_reference(text) or ""))
    number = _LAST_LETTERS.sub(r"\1", number)
    return None if has_iban_form(re.sub(r"[^A-Z0-9]", "", number.upper())) else number or None


_BIC = re.compile(r"[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")


def parse_bic(text: str) -> str | None:
    """Return a BIC (ISO 9362) of 8 or 11 characters without spaces; None for other text."""
    code = re.sub(r"[^A-Z0-9]", "", text.upper())
    code = code[:4].translate(_DIGIT_TO_LETTER) + code[4:6].translate(_DIGIT_TO_LETTER) + code[6:]
    return code if _BIC.fullmatch(code) else None


_MIN_PHONE_DIGITS, _MAX_PHONE_DIGITS = 5, 15  # ITU-T E.164
_AFTER_PHONE = re.compile(r"[/;|]|(?<=\d)\s*\+|[^\W\d_]{2,}")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def parse_email_address(text: str) -> str | None:
    """Return an e-mail address without spaces, which recognition may add; None for other text."""
    address = "".join(text.split()).strip(",;:.")
    return address if _EMAIL.fullmatch(address) else None


def parse_phone_number(text: str) -> str | None:
    """Return a telephone number as printed, without what separates it from its neighbours; None without digits.

    Of two numbers, which have more digits than one can have, the first. None with three zeros in front, as numbers of
    shops have them: behind 00 comes the code of a country, which has none.
    """
    number = collapse_whitespace(text).strip(" -–·|,;:/")
    if sum(map(str.isdigit, number)) > _MAX_PHONE_DIGITS:
        number = _first_phone_number(number)
    digits = "".join(filter(str.isdigit, number))
    return number if len(digits) >= _MIN_PHONE_DIGITS and not digits.startswith("000") else None


def _first_phone_number(numbers: str) -> str:
    """Return what stands before a mark or word between two numbers; else before the group that divides them evenly."""
    parts = [numbers[: match.start()].strip(" ,") for match in _AFTER_PHONE.finditer(numbers)]
    parts += [numbers[: match.start()] for match in re.finditer(r"\s(?=[0(])", numbers)]
    counts = {part: sum(map(str.isdigit, part)) for part in parts}
    whole = sum(map(str.isdigit, numbers))
    possible = [part for part in parts if _MIN_PHONE_DIGITS <= counts[part] <= _MAX_PHONE_DIGITS]
    return min(possible, key=lambda part: abs(2 * counts[part] - whole), default=numbers)


def parse_discount(text: str, currency: str | None = None, decimal_mark: DecimalMark | None = None) -> Decimal | None:
    """Return a discount as a positive amount, even where it is printed as a negative one; None for other text."""
    amount = parse_amount(text, currency, decimal_mark)
    return None if amount is None else abs(amount)


def parse_invoice_kind(text: str) -> str | None:
    """Return what the title of an invoice makes of it: credit_note or invoice; None for a text without letters."""
    words = letters_alone(text)
    if not words:
        return None
    is_credit = words in _CANCELLATIONS or any(word in words for word in _CREDIT_NOTE_WORDS)
    return "credit_note" if is_credit else "invoice"


def parse_percent(text: str) -> Decimal | None:
    """Return a percentage, 0 to 100: 19 %, 5.5%, 8,10."""
    number = parse_number(text)
    return number if number is not None and 0 <= number <= 100 else None


def parse_birth_date(text: str, order: DateOrder) -> date | None:
    """As `parse_date`, but a date whose year has two digits is not in the future: "12 AUG/AOÛT 63"."""
    return parse_date(text, order, latest_today())


def _money_to_json(amount: Decimal, conventions: Conventions) -> dict[str, str | None]:
    decimals = max(2, -int(amount.normalize().as_tuple().exponent))  # fuel prices have tenths of a cent
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

STRING = FieldKind("string", lambda text, c: parse_text(text, c.issuing_country), lambda value, _: value, _TEXT)
REFERENCE = FieldKind("string", lambda text, _: parse_reference(text), lambda value, _: value, _TEXT)
COMPANY_NAME = FieldKind(
    "string", lambda text, _: fix_legal_form(collapse_whitespace(text)) or None, lambda value, _: value, _TEXT
)
PHONE_NUMBER = FieldKind(
    "phone_number",
    lambda text, _: parse_phone_number(text),
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
EXPIRY_DATE = FieldKind("date", lambda text, c: parse_expiry_date(text, c.date_order), DATE.to_json, DATE.schema)
PERIOD_START = FieldKind("date", lambda text, c: parse_period_start(text, c.date_order), DATE.to_json, DATE.schema)
TIME = FieldKind("time", lambda text, _: parse_time(text), lambda value, _: value.isoformat(), _CLOCK)
CURRENCY = FieldKind("currency", lambda text, c: parse_amount(text, c.currency, c.decimal_mark), _money_to_json, _MONEY)
DISCOUNT = FieldKind(
    "currency", lambda text, c: parse_discount(text, c.currency, c.decimal_mark), _money_to_json, _MONEY
)
NUMBER = FieldKind(
    "number", lambda text, c: parse_number(text, c.decimal_mark), lambda value, _: float(value), {"type": "number"}
)
INTEGER = FieldKind("integer", lambda text, _: parse_integer(text), lambda value, _: value, {"type": "integer"})
PERCENT = FieldKind("number", lambda text, _: parse_percent(text), lambda value, _: float(value), {"type": "number"})
ADDRESS = FieldKind(
    "string",
    lambda text, c: parse_address(with_letters_of(text, c.issuing_country)),
    lambda value, _: value,
    _TEXT,
    odds_factors={(".", ","): COMMA_ODDS},
)
PLACE = FieldKind(
    "string", lambda text, c: parse_place(with_letters_of(text, c.issuing_country)), lambda value, _: value, _TEXT
)
IBAN = FieldKind("string", lambda text, _: parse_iban(text), lambda value, _: value, _TEXT)
COUNTRY = FieldKind(
    "country_code",
    lambda text, c: parse_country(text, c.issuing_country),
    lambda value, _: value,
    {"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 3166-1 alpha-3, or a code of ICAO Doc 9303"},
)
SEX = FieldKind(
    "sex",
    lambda text, c: parse_sex(text, c.country_of_sexes),
    lambda value, _: value,
    {"type": "string", "enum": list(SEXES)},
)
TAX_ID = FieldKind("string", lambda text, _: parse_tax_id(text), lambda value, _: value, _TEXT)
BIC = FieldKind("string", lambda text, _: parse_bic(text), lambda value, _: value, _TEXT)
EMAIL_ADDRESS = FieldKind("string", lambda text, _: parse_email_address(text), lambda value, _: value, _TEXT)
INVOICE_KIND = FieldKind(
    "invoice_kind",
    lambda text, _: parse_invoice_kind(text),
    lambda value, _: value,
    {"type": "string", "enum": ["invoice", "credit_note"]},
)
DOCUMENT_NUMBER = FieldKind("string", lambda text, _: parse_document_number(text), lambda value, _: value, _TEXT)

__all__ = [
    "ADDRESS", "BIC", "BIRTH_DATE", "COMPANY_NAME", "COUNTRY", "CURRENCY", "DATE", "DISCOUNT", "DOCUMENT_NUMBER",
    "EMAIL_ADDRESS", "EXPIRY_DATE", "IBAN", "INTEGER", "INVOICE_KIND", "LABEL_CONVENTIONS", "NUMBER", "PERCENT",
    "PERIOD_START", "PHONE_NUMBER", "PLACE", "REFERENCE", "SEX", "STRING", "TAX_ID", "TIME", "Conventions", "DateOrder",
    "FieldKind", "collapse_whitespace",
    "fix_legal_form", "label_text", "parse_address", "parse_amount", "parse_bic", "parse_birth_date", "parse_date",
    "parse_discount", "parse_email_address", "parse_expiry_date", "parse_iban", "parse_invoice_kind", "parse_number",
    "parse_percent", "parse_period_start", "parse_phone_number", "parse_place", "parse_reference", "parse_tax_id",
    "parse_time",
]  # fmt: skip
