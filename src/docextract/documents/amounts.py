"""Parsing of printed numbers: amounts of money in the punctuation of any country, quantities and counts.

Regular expressions instead of a library: of 110 amounts collected from receipts, price-parser 0.5.1 misread 29, among
them every negative amount, and "2 x 4.50", which it parses as 2.
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal, cast

from docextract.documents.signs import (
    TYPOGRAPHIC_HYPHENS,
    with_decimal_cents,
    with_decimal_fractions,
    without_fractions,
    without_raised_digits,
)

# Currencies with a decimal point: there "9.000" is nine and not nine thousand, because some tills print three decimals.
_DECIMAL_POINT_CURRENCIES = frozenset(
    "AED AUD BHD CAD CNY EGP GBP HKD ILS INR JOD JPY KES KRW KWD LKR MXN MYR NGN NZD OMR PHP PKR SAR SGD THB TND TWD "
    "USD".split()
)
_THREE_DECIMAL_CURRENCIES = frozenset({"BHD", "JOD", "KWD", "OMR", "TND"})

_DASHES = str.maketrans(TYPOGRAPHIC_HYPHENS + "–—’‘`\u00a0\u2009\u202f", "------'''   ")
_LETTERS_O = re.compile(r"(?<=[\d.,])[Oo]+(?![A-Za-z])|(?<![A-Za-z\d])[Oo](?=[.,]\d)")
_LETTER_ONE = re.compile(r"(?<![A-Za-z\d])[lI|](?=\d*[.,]\d)")
_SYMBOL_AS_POINT = re.compile(r"(?<=\d)[€£$](?=\d\d(?!\d))")
# "$30:76", and "30:76" where it is no time; six digits and more are no amount in front of what may be minutes.
_COLON_AS_POINT = re.compile(r"(?<![\d:])(?:(?<=[€£$])|(?!(?:[01]?\d|2[0-3]|\d{6,}):[0-5]\d))(\d+):(\d\d)(?![\d:])")

_CENTS = r"(?:\s?[.,]{1,2}\s?\d{1,2}(?!\d)|[.,]\d{4,6}(?!\d))"  # or more decimals: prices of one piece have four
# The boundaries exclude parts of a date, a time or a telephone number.
_BOUNDARY_BEFORE = r"(?<![\d:/])(?<!\d-)(?<!\d[.,])"
_BOUNDARY_AFTER = r"(?!\d|[:/-]\d|\s?%)"
_AMOUNT = re.compile(
    rf"{_BOUNDARY_BEFORE}(?:"
    rf"(?P<grouped>\d{{1,3}}(?:(?:[.,']\s?|\s)\d{{3}}(?!\d))+|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d))(?P<cents>{_CENTS})?"
    rf"|(?P<plain>\d+(?:{_CENTS}|[.,]\d{{3}})?)"
    rf"|(?<![A-Za-z])(?P<below_one>[.,]\d{{1,2}})"
    rf"){_BOUNDARY_AFTER}"
)
_THREE_DECIMALS = re.compile(r"(\d+([.,'\s])\s?\d{3}(?:\2\s?\d{3})*)(?!\2)[.,]\s?(\d{3})")  # "12,345.678"
MAX_AMOUNT_DECIMALS = 3  # decimals of an amount; exchange rates have more, and so have some prices of one piece
_LOST_POINT = re.compile(r"\D*(\d+)\s(\d\d)\D*")
CURRENCY_CODES = (  # ISO 4217
    "AED AUD BHD BRL CAD CHF CZK DKK EUR GBP HKD HUF IDR INR JOD JPY KWD MXN MYR NOK NZD OMR PEN PHP PLN RON SEK SGD "
    "THB TND TRY USD ZAR"
).split()
CURRENCY_SIGNS = "$€£¥₩₪₫₱₴₸₹₺₽฿"
CURRENCY_ABBREVIATIONS = r"kr\.?|Kč|zł|Ft"
CURRENCY_PREFIXES = r"\b(?:Rp|Rs|RM)(?=[.\s\d])"  # in front of a number
CURRENCY_SYMBOLS = rf"S/\.?|[A-Za-z]{{0,2}}\$|[{CURRENCY_SIGNS}]"
_CURRENCY = rf"(?:[^\W\d_]{{1,3}}\.?|{CURRENCY_SYMBOLS})?"
_MINUS_BEFORE = re.compile(rf"(?:^|\s)\s*{_CURRENCY}-\s*{_CURRENCY}\s*$")
_LABEL_DASH = re.compile(rf"\w.*\s-\s+{_CURRENCY}\s*$")
# Remarks such as "Total (net 20.00)" are no credits.
_NO_CURRENCY = r"(?!(?i:net|inc|exc|ex|tax|vat|gst|hst|pst|tva|iva|ust|btw|ht|ttc)\b)"
_BRACKET_BEFORE = re.compile(rf"\(\s*{_NO_CURRENCY}{_CURRENCY}\s*$")
_CURRENCY_BEHIND = rf"(?:{'|'.join(CURRENCY_CODES)}|{CURRENCY_ABBREVIATIONS}|{CURRENCY_SYMBOLS})"
# "20,00-", "20,00 €-", "20,00- EUR"; "6,86-A", with the class of tax; "12.00 CR", a credit
_MINUS_AFTER = re.compile(rf"\s*(?:{_CURRENCY_BEHIND}\s?)?-\s*$|-\s*{_CURRENCY_BEHIND}\s*$|-[A-Z]$|\s?CR$")
_BRACKET_AFTER = re.compile(rf"\s*{_NO_CURRENCY}(?:[A-Z]{{3}}|{CURRENCY_SYMBOLS})?\s*\)")

_QUANTITY = re.compile(
    r"(?P<minus>(?<![\w-])-\s?)?"
    r"(?:(?P<thousands>\d{1,3}"
    r"(?:(?:[ ']\d{3})+|(?:,\d{3}){2,}|(?:\.\d{3}){2,}|(?:,\d{3})+(?=\.\d)|(?:\.\d{3})+(?=,\d)))"
    r"(?:[.,](?P<decimals>\d+))?(?!\d)"
    r"|(?P<plain>\d+(?:[.,]\d+)?|[.,]\d+))"
)
_THREE_DIGITS_BEHIND = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


DecimalMark = Literal[".", ","]
MIN_DECIMAL_MARKS = 2  # of a page whose decimal mark is proven
_TWO_DECIMALS = re.compile(rf"{_BOUNDARY_BEFORE}(?:\d{{1,3}}(?:[.,' ]\d{{3}})+|\d+)([.,])\d\d(?![.,]){_BOUNDARY_AFTER}")


def proven_decimal_mark(texts: Iterable[str]) -> DecimalMark | None:
    """Return the mark in front of two decimals, if several amounts of a page have it, and none has the other."""
    marks = [match[1] for text in texts for match in _TWO_DECIMALS.finditer(text)]
    return cast(DecimalMark, marks[0]) if len(marks) >= MIN_DECIMAL_MARKS and len(set(marks)) == 1 else None


def parse_amount(text: str, currency: str | None = None, decimal_mark: DecimalMark | None = None) -> Decimal | None:
    """Return the amount of money in the text, or None; 1,234.50, 1.234,50, 1 234,50 and 1'234.50 are equal.

    Of several numbers, one with cents is preferred, then a whole one, then the longest. Percentages, dates, times and
    telephone numbers are ignored. Brackets, and a minus on either side, make an amount negative, as on cash registers.
    A separator before three digits is a decimal mark if it is that of the page, or follows a zero or another separator:
    12,345.678. Otherwise it groups thousands, unless the page has proven no decimal mark, and it is a point and the
    currency (ISO 4217) has a decimal point.
    """
    repaired = _repair_ocr_errors(text)
    if lost := _LOST_POINT.fullmatch(repaired):
        return Decimal(f"{lost[1]}.{lost[2]}")
    matches = list(_AMOUNT.finditer(repaired))
    values = [(_value(match, currency, decimal_mark), match) for match in matches]
    found = [(value, match) for value, match in values if value is not None]
    if not found:
        return None
    value, match = max(found, key=lambda pair: (_likeness(pair[0]), sum(map(str.isdigit, pair[1][0]))))
    return -value if _is_negative(repaired[: match.start()], repaired[match.end() :]) else value


def find_amounts(text: str) -> frozenset[Decimal]:
    """Return every amount in the text without its sign; one with an ambiguous separator in both readings."""
    matches = list(_AMOUNT.finditer(_repair_ocr_errors(text)))
    currencies = (None, "USD")  # with and without a decimal point before three digits
    values = (_value(match, currency) for match in matches for currency in currencies)
    return frozenset(abs(value) for value in values if value is not None)


def _repair_ocr_errors(text: str) -> str:
    """Unify dashes, apostrophes and spaces; replace letters by digits where only a digit is possible."""
    if not text.isascii():
        text = without_fractions(with_decimal_fractions(without_raised_digits(with_decimal_cents(text))))
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = _LETTERS_O.sub(lambda match: "0" * len(match[0]), text)
    text = _COLON_AS_POINT.sub(r"\1.\2", text)
    return _SYMBOL_AS_POINT.sub(".", _LETTER_ONE.sub("1", text))


def _value(match: re.Match[str], currency: str | None, decimal_mark: DecimalMark | None = None) -> Decimal | None:
    if match["below_one"]:
        return Decimal(f"0.{match['below_one'][1:]}")
    if match["grouped"] and not match["cents"] and (mixed := _THREE_DECIMALS.fullmatch(match["grouped"])):
        return Decimal(re.sub(r"\D", "", mixed[1]) + f".{mixed[3]}")
    if match["grouped"] and (match["cents"] or not _is_decimal_mark(match["grouped"], currency, decimal_mark)):
        cents = re.sub(r"\D", "", match["cents"] or "")
        return Decimal(re.sub(r"\D", "", match["grouped"]) + (f".{cents}" if cents else ""))
    whole, *decimals = re.split(r"[^\d]+", match["grouped"] or match["plain"])
    if len(whole) > 1 and not whole.strip("0"):
        return None  # "S.00": the cents of an amount whose whole part was not recognised
    return Decimal(".".join([whole, *decimals]))


def _is_decimal_mark(grouped: str, currency: str | None, decimal_mark: DecimalMark | None) -> bool:
    """Whether the only separator before three digits is a decimal mark and does not group thousands."""
    if re.fullmatch(r"\d+[.,]\d{3}", grouped) is None:
        return False
    of_page = decimal_mark or ("." if currency in _DECIMAL_POINT_CURRENCIES else None)
    return (
        grouped[-4] == of_page
        or currency in _THREE_DECIMAL_CURRENCIES
        or re.fullmatch(r"0[.,]\d{3}", grouped) is not None
    )


def _likeness(value: Decimal) -> int:
    """Return how much a number looks like an amount: with cents, or whole; with more decimals it may be a rate."""
    decimals = -int(value.as_tuple().exponent)
    if decimals > MAX_AMOUNT_DECIMALS:
        return 2 if -int(value.normalize().as_tuple().exponent) <= 2 else 0
    return 2 if decimals > 0 else 1


def _is_negative(before: str, after: str) -> bool:
    if _MINUS_BEFORE.search(before):
        return not _LABEL_DASH.search(before)
    return bool(_MINUS_AFTER.match(after) or (_BRACKET_BEFORE.search(before) and _BRACKET_AFTER.match(after)))


def is_currency_symbol(text: str) -> bool:
    """Whether a text is one currency symbol, such as $."""
    return len(text) == 1 and unicodedata.category(text) == "Sc"


def parse_number(text: str, decimal_mark: DecimalMark | None = None) -> Decimal | None:
    """Return a quantity or weight: 2, 0.435, 1½, 1,250 kg, 12 500.

    Unlike in money, one group of three digits behind a point or comma is decimals, unless the page has another decimal
    mark.
    """
    match = _QUANTITY.search(with_decimal_fractions(text).translate(_DASHES))
    if match is None:
        return None
    digits = match["plain"]
    if digits is None or (decimal_mark and _THREE_DIGITS_BEHIND.fullmatch(digits) and digits[-4] != decimal_mark):
        digits = re.sub(r"\D", "", match["thousands"] or digits) + f".{match['decimals'] or 0}"
    return Decimal(digits.replace(",", ".")) * (-1 if match["minus"] else 1)


_WHOLE = re.compile(r"(?<![\d.,])(?:\d{1,3}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|\d+)(?![\d]|[.,]\d)")


def parse_integer(text: str) -> int | None:
    """Return a count, or a weight in kilograms: 11620, 11,620, 11.620, 11 620. None for a number with decimals."""
    match = _WHOLE.search(text)
    return int(re.sub(r"\D", "", match[0])) if match else None
