"""Printed text → typed values, and typed values → the wire.

One `Kind` per sort of field. Nothing is guessed here: what cannot be parsed is None, and a date whose
order the print does not tell is read in the order given by the caller (a model's judgement of the page).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

DateOrder = Literal["DMY", "MDY", "YMD"]


@dataclass(frozen=True)
class Conventions:
    """What a page takes for granted: the order of its dates and its money."""

    date_order: DateOrder = "DMY"
    currency: str | None = None  # ISO 4217


@dataclass(frozen=True)
class Kind:
    """A sort of value. `parse` gives None for what is no such value; `wire` its JSON form."""

    name: str  # as in the contract: string, date, time, currency, number, phone_number
    parse: Callable[[str, Conventions], Any]
    wire: Callable[[Any, Conventions], Any]


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janvier janv ene enero gennaio gen janeiro januari",
            "feb february februar fevrier fevr fev febrero febbraio fevereiro februari",
            "mar march marz maerz mrz mars marzo marco maart mrt mac",
            "apr april avril avr abr abril aprile",
            "may mai mayo maggio mag maio mei",
            "jun june juni juin junio giugno giu junho",
            "jul july juli juillet juil julio luglio lug julho julai",
            "aug august aout ago agosto augustus ogos",
            "sep sept september septembre septiembre settembre set setembro",
            "oct october oktober okt octobre octubre ottobre ott outubro out oktober",
            "nov november novembre noviembre novembro",
            "dec december dezember dez decembre diciembre dic dicembre dezembro desember dis disember",
        ),
        start=1,
    )
    for name in names.split()
}
_UNACCENT = str.maketrans("äáàâãçéèêëíìîïñóòôöõúùûü", "aaaaaceeeeiiiinooooouuuu")
_SEPARATOR = r"\s*[-/.,'\s]\s*"
_NUMERIC_DATE = re.compile(rf"(?<!\d)(\d{{1,4}}){_SEPARATOR}(\d{{1,2}}){_SEPARATOR}(\d{{2,4}})(?!\d{{3}})")
_DAY_FIRST = re.compile(rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?\.?{_SEPARATOR}?([a-z]{{3,10}})\.?{_SEPARATOR}?(\d{{4}}|\d{{2}})(?!\d)")
_MONTH_FIRST = re.compile(rf"\b([a-z]{{3,10}})\.?{_SEPARATOR}?(\d{{1,2}})(?:st|nd|rd|th)?{_SEPARATOR}(\d{{4}}|\d{{2}})(?!\d)")
_YEAR_FIRST = re.compile(rf"(?<!\d)(\d{{4}}){_SEPARATOR}?([a-z]{{3,10}})\.?{_SEPARATOR}?(\d{{1,2}})(?!\d)")
_PACKED = re.compile(r"(?<!\d)(\d{2})(\d{2})(\d{4}|\d{2})(?!\d)|(?<!\d)(20\d{2})(\d{2})(\d{2})(?!\d)")
_TIME = re.compile(r"(?<!\d)([01]?\d|2[0-3])\s*[:.h]\s*([0-5]\d)(?:\s*[:.]\s*([0-5]\d))?\s*([ap]\.?\s?m\b)?", re.I)
_AMOUNT = re.compile(r"[-+(]?\s*\d[\d.,'\s]*")


def parse_date(text: str, order: DateOrder = "DMY") -> date | None:
    """The first date in the text. `order` decides only what the digits leave open."""
    plain = text.lower().translate(_UNACCENT)
    for pattern, places in ((_DAY_FIRST, "dmy"), (_YEAR_FIRST, "ymd"), (_MONTH_FIRST, "mdy")):
        for match in pattern.finditer(plain):
            parts = dict(zip(places, match.groups(), strict=True))
            month = _MONTHS.get(parts["m"])
            if month and (found := _calendar_day(int(parts["y"]), month, int(parts["d"]), len(parts["y"]))):
                return found
    for match in _NUMERIC_DATE.finditer(plain):
        if found := _numeric_day(*match.groups(), order):
            return found
    for match in _PACKED.finditer(plain):
        groups = [group for group in match.groups() if group]
        if found := _numeric_day(*groups, order):
            return found
    return None


def _numeric_day(first: str, second: str, third: str, order: DateOrder) -> date | None:
    if len(first) == 4:
        return _calendar_day(int(first), int(second), int(third), 4)
    if len(first) == 3:
        return None
    readings: dict[DateOrder, tuple[str, str, str]] = {
        "DMY": (third, second, first),
        "MDY": (third, first, second),
        "YMD": (first, second, third),
    }
    # A year of four digits rules out YMD; otherwise the page's own order first, then what the calendar allows.
    orders: list[DateOrder] = [order, "DMY", "MDY", "YMD"]
    for candidate in orders:
        if candidate == "YMD" and len(third) == 4:
            continue
        year, month, day = readings[candidate]
        if found := _calendar_day(int(year), int(month), int(day), len(year)):
            return found
    return None


def _calendar_day(year: int, month: int, day: int, year_digits: int) -> date | None:
    if year_digits == 3:
        return None
    if year_digits <= 2:
        year += 2000 if year < 70 else 1900
    try:
        return date(year, month, day) if 1900 <= year <= 2100 else None
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    """The first time of day in the text, with seconds where printed."""
    match = _TIME.search(text)
    if match is None:
        return None
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    half = (match[4] or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    if half.startswith("a") and hour == 12:
        hour = 0
    return time(hour, minute, second)


def parse_amount(text: str) -> Decimal | None:
    """The amount of money in the text; 1,234.50, 1.234,50, 1 234,50 and 1'234.50 are the same.

    A last separator with exactly two digits behind it is the decimal one. Parentheses and a trailing
    minus are negative, as on cash registers.
    """
    matches: list[str] = _AMOUNT.findall(text.replace("−", "-"))
    if not matches:
        return None
    body = max(matches, key=lambda found: sum(map(str.isdigit, found)))
    negative = body.startswith(("-", "(")) or text.rstrip().endswith("-")
    return _decimal(body, negative)


def _decimal(body: str, negative: bool) -> Decimal | None:
    # "12. 50" and "1 234,50": a reader puts spaces where a printer leaves gaps.
    compact = re.sub(r"[^\d.,']", "", body).strip(".,'")
    last = max(compact.rfind("."), compact.rfind(","))
    decimals = len(compact) - last - 1
    if last > 0 and (decimals in (1, 2) or (decimals == 3 and compact[:last] == "0")):
        digits = re.sub(r"\D", "", compact[:last]) + "." + compact[last + 1 :]
    else:
        digits = re.sub(r"\D", "", compact)
    try:
        amount = Decimal(digits)
    except InvalidOperation:
        return None
    return -amount if negative else amount


def parse_number(text: str) -> Decimal | None:
    """A quantity or weight: 2, 0.435, 1,250 kg. Three decimals are decimals here, unlike in money."""
    match = re.search(r"\d+(?:[.,]\d{1,3})?", text)
    return Decimal(match[0].replace(",", ".")) if match else None


def squeeze(text: str) -> str:
    """White space collapsed and trimmed."""
    return " ".join(text.split())


def _wire_money(amount: Decimal, conventions: Conventions) -> dict[str, str | None]:
    return {"amount": f"{amount:.2f}", "currency": conventions.currency}


STRING = Kind("string", lambda text, _: squeeze(text) or None, lambda value, _: value)
PHONE_NUMBER = Kind(
    "phone_number", lambda text, _: squeeze(text) if sum(map(str.isdigit, text)) >= 5 else None, lambda value, _: value
)
DATE = Kind("date", lambda text, c: parse_date(text, c.date_order), lambda value, _: value.isoformat())
TIME = Kind("time", lambda text, _: parse_time(text), lambda value, _: value.isoformat())
CURRENCY = Kind("currency", lambda text, _: parse_amount(text), _wire_money)
NUMBER = Kind("number", lambda text, _: parse_number(text), lambda value, _: float(value))
