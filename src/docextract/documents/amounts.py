"""Printed numbers → `Decimal`: money in any country's punctuation, and quantities.

Regular expressions on purpose: of 110 amounts collected from receipts, price-parser 0.5.1 misread 29, among them
every negative one and "2 x 4.50", which it takes for 2.
"""

import re
import unicodedata
from decimal import Decimal

# Where prices have a decimal point, "9.000" is nine and not nine thousand: some tills print three decimals.
_POINT_CURRENCIES = frozenset(
    "AED AUD BHD CAD CNY EGP GBP HKD ILS INR JOD JPY KES KRW KWD LKR MXN MYR NGN NZD OMR PHP PKR SAR SGD THB TWD "
    "USD".split()
)

_DASHES = str.maketrans("−–—’‘`\u00a0\u2009\u202f", "---'''   ")
_LETTERS_O = re.compile(r"(?<=[\d.,])[Oo]+(?![A-Za-z])|(?<![A-Za-z\d])[Oo](?=[.,]\d)")
_LETTER_ONE = re.compile(r"(?<![A-Za-z\d])[lI|](?=\d*[.,]\d)")
_SYMBOL_AS_POINT = re.compile(r"(?<=\d)[€£$](?=\d\d(?!\d))")

_CENTS = r"(?:\s?[.,]{1,2}\s?\d{1,2}(?!\d))"
# Not a number of its own: a part of a date, a time or a telephone number.
_FREE_BEFORE = r"(?<![\d:/])(?<!\d-)(?<!\d[.,])"
_FREE_BEHIND = r"(?!\d|[:/-]\d|\s?%)"
_AMOUNT = re.compile(
    rf"{_FREE_BEFORE}(?:"
    rf"(?P<grouped>\d{{1,3}}(?:(?:[.,']\s?|\s)\d{{3}}(?!\d))+|\d{{1,2}}(?:,\d\d)+,\d{{3}}(?!\d))(?P<cents>{_CENTS})?"
    rf"|(?P<plain>\d+(?:{_CENTS}|[.,]\d{{3}})?)"
    rf"|(?<![A-Za-z])(?P<below_one>[.,]\d{{1,2}})"
    rf"){_FREE_BEHIND}"
)
_POINT_LOST = re.compile(r"\D*(\d+)\s(\d\d)\D*")
_CURRENCY = r"(?:[A-Za-z]{1,3}\.?|[A-Za-z]{0,2}\$|[€£¥₹₩])?"
_MINUS_BEFORE = re.compile(rf"(?:^|\s)\s*{_CURRENCY}-\s*{_CURRENCY}\s*$")
_LABEL_DASH = re.compile(rf"\w.*\s-\s+{_CURRENCY}\s*$")
_BRACKET_BEFORE = re.compile(rf"\(\s*{_CURRENCY}\s*$")
_MINUS_BEHIND = re.compile(r"\s*-\s*$")
_BRACKET_BEHIND = re.compile(r"\s*\)")

_QUANTITY = re.compile(
    r"(?P<minus>(?<![\w-])-\s?)?"
    r"(?:(?P<grouped>\d{1,3}(?:,\d{3})+\.\d+)|(?P<dotted>\d{1,3}(?:\.\d{3})+,\d+)"
    r"|(?P<plain>\d+(?:[.,]\d{1,3})?|[.,]\d{1,3}))"
)


def parse_amount(text: str, currency: str | None = None) -> Decimal | None:
    """The amount of money in the text; 1,234.50, 1.234,50, 1 234,50 and 1'234.50 are the same.

    Of several numbers the one with cents counts, then the longest; percentages, dates, times and telephone numbers
    never do. Brackets and a minus on either side are negative, as on cash registers. What stands before three
    digits groups thousands, unless it is the point of a currency (ISO 4217) that has one, or comes after a zero.
    """
    plain = _mended(text)
    if lost := _POINT_LOST.fullmatch(plain):
        return Decimal(f"{lost[1]}.{lost[2]}")
    matches = list(_AMOUNT.finditer(plain))
    values = [(_value(match, currency), match) for match in matches]
    found = [(value, match) for value, match in values if value is not None]
    if not found:
        return None
    value, match = max(found, key=lambda pair: (_has_cents(pair[0]), sum(map(str.isdigit, pair[1][0]))))
    return -value if _is_negative(plain[: match.start()], plain[match.end() :]) else value


def _mended(text: str) -> str:
    """One kind of dash, apostrophe and space; letters read for digits where only a digit can stand."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = _LETTERS_O.sub(lambda match: "0" * len(match[0]), text)
    return _SYMBOL_AS_POINT.sub(".", _LETTER_ONE.sub("1", text))


def _value(match: re.Match[str], currency: str | None) -> Decimal | None:
    if match["below_one"]:
        return Decimal(f"0.{match['below_one'][1:]}")
    if match["grouped"] and (match["cents"] or not _is_point(match["grouped"], currency)):
        cents = re.sub(r"\D", "", match["cents"] or "")
        return Decimal(re.sub(r"\D", "", match["grouped"]) + (f".{cents}" if cents else ""))
    whole, *decimals = re.split(r"[^\d]+", match["grouped"] or match["plain"])
    if len(whole) > 1 and not whole.strip("0"):
        return None  # "S.00": the cents of an amount whose head was not read
    return Decimal(".".join([whole, *decimals]))


def _is_point(grouped: str, currency: str | None) -> bool:
    """Whether the one separator before three digits is a decimal one after all."""
    return re.fullmatch(r"0[.,]\d{3}", grouped) is not None or (
        currency in _POINT_CURRENCIES and re.fullmatch(r"\d+\.\d{3}", grouped) is not None
    )


def _has_cents(value: Decimal) -> bool:
    exponent = value.as_tuple().exponent
    return isinstance(exponent, int) and exponent < 0


def _is_negative(before: str, behind: str) -> bool:
    if _MINUS_BEFORE.search(before):
        return not _LABEL_DASH.search(before)
    return bool(_MINUS_BEHIND.match(behind) or (_BRACKET_BEFORE.search(before) and _BRACKET_BEHIND.match(behind)))


def parse_number(text: str) -> Decimal | None:
    """A quantity or weight: 2, 0.435, 1,250 kg. Three decimals are decimals here, unlike in money."""
    match = _QUANTITY.search(text.translate(_DASHES))
    if match is None:
        return None
    digits = match["grouped"].replace(",", "") if match["grouped"] else _with_point(match["dotted"] or match["plain"])
    return Decimal(digits) * (-1 if match["minus"] else 1)


def _with_point(digits: str) -> str:
    """1.250,5 → 1250.5; 0,435 → 0.435."""
    return digits.replace(".", "").replace(",", ".") if "." in digits and "," in digits else digits.replace(",", ".")


_WHOLE = re.compile(r"(?<![\d.,])(?:\d{1,3}(?P<mark>[.,' ])\d{3}(?:(?P=mark)\d{3})*|\d+)(?![\d]|[.,]\d)")


def parse_integer(text: str) -> int | None:
    """A count, or a weight in kilograms: 11620, 11,620, 11.620, 11 620. What has decimals is none."""
    match = _WHOLE.search(text)
    return int(re.sub(r"\D", "", match[0])) if match else None
