"""Parsing of printed dates and times, also with OCR errors: joined to the next word, spaced out, letters for digits.

Regular expressions instead of a library: on 135 dates collected from receipts, dateparser 1.5.0 (11 languages, absolute
parser) missed 33, nearly all of them joined to the next word ("25/12/201808:13", "MAR162018"). It parsed 1,700 texts a
second, and every candidate on a page is tried; these patterns parse over 100,000 a second.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date, time
from typing import Literal, get_args

from docextract.documents.accents import without_accents
from docextract.documents.data import load_data

DateOrder = Literal["DMY", "MDY", "YMD"]

_MONTHS = {
    unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode(): number
    for number, names in enumerate(load_data("months").values(), start=1)
    for name in names
}
_EAST_ASIAN = str.maketrans("年月日년월일", "-- -- ")
_NO_DECOMPOSITION = str.maketrans("łøıß", "loiz")

# OCR may read the digit 1 as l, i or |: no number begins directly after one of these; see `_repair_ocr_errors`.
_START = r"(?<!\d)(?<![^a-z][oil|])"
_CLOCK_FOLLOWS = r"(?=(?:[01]?\d|2[0-3]):[0-5]\d)"
_YEAR_4 = rf"(?:19|20)\d\d(?:(?!\d|:[0-5]\d)|{_CLOCK_FOLLOWS})"
# "25/12/2018:13" is the year 20 and the time 18:13, so no year is followed by a colon.
# No year is followed by another one either: "3.18.05.1973" is line 3 of a licence and a birth date in May.
_YEAR = rf"({_YEAR_4}|\d\d(?:(?![\d:]|[/.](?:19|20)\d\d(?!\d))|{_CLOCK_FOLLOWS}))"
_MARK = r"\s*([-/.,'|\\])\s*"
_MONTH_NAME = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
# Passports print the month in two languages: "12 AUG/AOÛT 88".
_MONTH = rf"({_MONTH_NAME})(?:\s*/\s*{_MONTH_NAME})?(?![a-z])"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|[oa°])?"
_GAP = r"[-\s/.,'|\\]*(?:(?:de[l]?|do|of)\s+)?"
_SOME_GAP = r"(?:[-\s/.,'|\\]+(?:(?:de[l]?|do|of)\s+)?)"
_CLOCK = r"(?:\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]m\s*)?(?:[a-z]{3,4}\s+)?)"

# "#04 MAR.19'17" is 19 March: two digits before an apostrophe or slash and two more digits are a day, not a year.
# A time or another date may still follow a year.
_NO_YEAR_BEHIND = rf"(?!(?<!\d{{4}})['/]\d\d(?![\d:]|{_GAP}{_MONTH_NAME}))"
_DAY_MONTH_YEAR = re.compile(rf"{_START}{_DAY}{_GAP}{_MONTH}{_GAP}{_YEAR}{_NO_YEAR_BEHIND}")
_YEAR_MONTH_DAY = re.compile(rf"{_START}((?:19|20)\d\d){_GAP}{_MONTH}{_GAP}(\d{{1,2}})(?!\d)")
_MONTH_DAY_YEAR = re.compile(rf"(?<![a-z]){_MONTH}{_GAP}{_DAY}(?:{_SOME_GAP}{_CLOCK}?{_YEAR}|({_YEAR_4}))")
_NAMED = ((_DAY_MONTH_YEAR, "dmy"), (_YEAR_MONTH_DAY, "ymd"), (_MONTH_DAY_YEAR, "mdyy"))
_DIGITS = (
    re.compile(rf"{_START}((?:19|20)\d\d){_MARK}(\d{{1,2}})\s*\2\s*(\d{{1,2}})(?:(?!\d)|{_CLOCK_FOLLOWS})"),
    re.compile(rf"{_START}(\d{{1,2}}){_MARK}(\d{{1,2}})\s*\2\s*{_YEAR}"),
    re.compile(r"\A\s*((?:19|20)\d\d)()\s(\d\d)\s(\d\d)\s*\Z"),
    # OCR read two different separators, or none: only a year of four digits shows that this is a date. With four more
    # digits it is a telephone number.
    re.compile(rf"{_START}(\d{{1,2}})[-/.,'|\\\s]+()(\d{{1,2}})[-/.,'|\\\s]+({_YEAR_4})(?!\s\d{{4}})"),
    re.compile(r"\A\s*(\d\d)\s+()(\d\d)\s+(\d\d)\s*\Z"),
    re.compile(r"(?<![\da-z])((?:19|20)\d\d)()(\d\d)(\d\d)(?:(?=\d{6}(?!\d))|(?!\d))"),
    re.compile(rf"(?<![\da-z])(\d\d)()(\d\d)((?:19|20)\d\d)(?:(?!\d)|{_CLOCK_FOLLOWS})"),
    re.compile(r"\A\s*(\d\d)()(\d\d)(\d\d)\s*\Z"),
    # OCR lost one of two separators.
    re.compile(r"\A\s*(\d\d)[\s.]()(\d\d)((?:19|20)\d\d)\s*\Z"),
    re.compile(r"\A\s*(\d\d)()(\d\d)[\s.]((?:19|20)\d\d)\s*\Z"),
)

_WHOLE_DATE = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(?:19|20)\d\d(?![\d/-])")
_DAY_OR_MONTH = r"(?:0?[1-9]|[12]\d|3[01])"
_MARKED_DATE = re.compile(
    rf"(?<![\w/.-]){_DAY_OR_MONTH}([/.-])\s?{_DAY_OR_MONTH}\1\s?(?:\d{{4}}|\d{{2}})(?![\d/]|\.\d)"
)
_NUMBER_WITH_LETTERS = re.compile(r"(?<![a-z\d|])[\doil|]+(?:\s?[-/.,]\s?[\doil|]+)+(?![a-z])")
_WORD_WITH_DIGITS = re.compile(r"(?<![a-z\d])[a-z\d]{3,10}(?![a-z\d])")
_LETTER_TO_DIGIT = str.maketrans("oil|", "0111")
_DIGIT_TO_LETTER = str.maketrans("0158", "olsb")

_COLON_TIME = re.compile(
    r"(?:(?<!\d)|(?<=[-/.,'a-z])(?:(?:19|20)\d\d|\d\d))"
    r"(?<!\d:)([01]?\d|2[0-3])\s*:\s*([0-5]\d)(?:\s*[:.]\s*([0-5]\d))?(?!\d)\s*(?:([ap])\.?\s?m?\b)?"
)
_OTHER_TIME = re.compile(
    r"(?<![\d.,/-])([01]?\d|2[0-3])(?:\s*h\s*|\.)([0-5]\d)()(?![\d/-]|[.,]\d\d\d)\s*(?:([ap])\.?\s?m?\b)?"
)
# Recognition loses colons: a text that is nothing else, and not a year.
_LOST_COLON = re.compile(r"\s*(?!(?:19|20)[0-3]\d\s*$)([01]\d|2[0-3]):?([0-5]\d)([0-5]\d)?()\s*")
_HOUR_ALONE = re.compile(r"(?<![\d.:])(1[0-2]|0?[1-9])()()\s?([ap])\.?\s?m\b")


def proven_date_order(texts: Iterable[str]) -> DateOrder | None:
    """Return the order that numeric dates prove, as 11/17/2017 does; None if none does, or if they differ."""
    orders: set[DateOrder] = set()
    for match in (match for text in texts for match in _WHOLE_DATE.finditer(text)):
        first, second = int(match[1]), int(match[3])
        if min(first, second) in range(1, 13) and max(first, second) in range(13, 32):
            orders.add("MDY" if second > first else "DMY")
    return orders.pop() if len(orders) == 1 else None


def are_dates_dotted(texts: Iterable[str]) -> bool:
    """Whether numeric dates are printed with points alone, as 24.01.08 is."""
    marks = {match[1] for text in texts for match in _MARKED_DATE.finditer(text)}
    return marks == {"."}


def parse_date(text: str, order: DateOrder = "DMY") -> date | None:
    """Return the first date in the text, 1900 to 2100; None if there is none.

    `order` is used only for ambiguous dates. A date with the name of its month is preferred to one in digits.
    Confusions of letters and digits ("O5/O3/2O18", "16 0CT 2018") are repaired only if no other date is found.
    """
    normalised = _normalise(text)
    return next(_dates(normalised, order), None) or next(_dates(_repair_ocr_errors(normalised), order), None)


def find_dates(text: str) -> frozenset[date]:
    """Return every date in the text; an ambiguous one in each order."""
    normalised = _normalise(text)
    return frozenset(found for order in get_args(DateOrder) for found in _dates(normalised, order))


def _normalise(text: str) -> str:
    """Lower case without accents; one space is prepended, so that patterns can look behind."""
    if not text.isascii():
        text = without_accents(text.translate(_EAST_ASIAN))
    return f" {text.lower().translate(_NO_DECOMPOSITION)}"


def _repair_ocr_errors(text: str) -> str:
    """Replace letters within numbers by digits, and digits within the names of months by letters."""

    def repair_number(match: re.Match[str]) -> str:
        digits = match[0].translate(_LETTER_TO_DIGIT)
        return digits if sum(map(str.isdigit, match[0])) * 2 >= sum(map(str.isdigit, digits)) else match[0]

    def repair_month(match: re.Match[str]) -> str:
        word = match[0].translate(_DIGIT_TO_LETTER)
        return word if word in _MONTHS else match[0]

    return _WORD_WITH_DIGITS.sub(repair_month, _NUMBER_WITH_LETTERS.sub(repair_number, text))


def _dates(text: str, order: DateOrder) -> Iterator[date]:
    for pattern, places in _NAMED:
        for match in pattern.finditer(text):
            parts = {place: group for place, group in zip(places, match.groups(), strict=True) if group}
            if found := _valid_date(parts["y"], _MONTHS[parts["m"]], int(parts["d"])):
                yield found
    for pattern in _DIGITS:
        for match in pattern.finditer(text):
            first, _, second, third = match.groups()
            if found := _date_from_digits(first, second, third, order):
                yield found


def _date_from_digits(first: str, second: str, third: str, order: DateOrder) -> date | None:
    """Try the given order first, then the other orders, until the calendar has such a date."""
    if len(first) == 4:
        return _valid_date(first, int(second), int(third))
    readings: dict[DateOrder, tuple[str, str, str]] = {
        "DMY": (third, second, first),
        "MDY": (third, first, second),
        "YMD": (first, second, third),
    }
    if len(third) == 4:
        del readings["YMD"]
    for candidate in dict.fromkeys((order, *readings)):
        if candidate in readings:
            year, month, day = readings[candidate]
            if found := _valid_date(year, int(month), int(day)):
                return found
    return None


def _valid_date(year: str, month: int, day: int) -> date | None:
    """Return the date, or None if the calendar does not have it. Two-digit years are 1970 to 2069."""
    century = 0 if len(year) == 4 else 2000 if int(year) < 70 else 1900
    try:
        return date(century + int(year), month, day)
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    """Return the first time of day in the text, with seconds where printed: 20:13:39, 8:13PM, 8.13 pm, 20h13."""
    lower = f" {text.lower()}"
    match = _COLON_TIME.search(lower) or _OTHER_TIME.search(lower) or _HOUR_ALONE.search(lower)
    match = match or _LOST_COLON.fullmatch(lower)
    if match is None:
        return None
    hour, half = int(match[1]), match[4]
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return time(hour, int(match[2] or 0), int(match[3] or 0))
