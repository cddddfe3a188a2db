"""Printed dates and times → `date` and `time`, also as a text reader leaves them: glued, spaced, a letter for a digit.

Regular expressions on purpose. On 135 dates collected from receipts, dateparser 1.5.0 (11 languages, absolute
parser) missed 33, nearly all of them glued to their neighbour ("25/12/201808:13", "MAR162018"), and did 1,700 a
second where the decoder tries every candidate on a page; these patterns do over 100,000.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, time
from typing import Literal

DateOrder = Literal["DMY", "MDY", "YMD"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            # English, German, French, Spanish, Italian, Portuguese, Dutch, Nordic, Malay, Indonesian, Polish, Romanian,
            # Turkish, Hungarian, Icelandic
            "jan january januar janvier janv jän jänner ene enero gennaio gen janeiro januari sty stycznia ianuarie "
            "ian oca ocak",
            "feb february februar février févr fév febrero febbraio fevereiro februari pebruari lut lutego februarie "
            "şub şubat",
            "mar march märz maerz mrz mars marzo março maart mrt marts mac maret marca martie",
            "apr april avril avr abr abril aprile kwi kwietnia aprilie nis nisan ápr",
            "may mai mayo maggio mag maio mei maj maja máj maí mayis",
            "jun june juni juin junio giugno giu junho czerwca cze iunie iun haz haziran jún",
            "jul july juli juillet juil julio luglio lug julho julai lip lipca iulie iul tem temmuz júl",
            "aug august août ago agosto augustus augusti ogos ogo agustus sie sierpnia ağu ağustos agt agu",
            "sep sept september septembre septiembre settembre set setembro wrz września septembrie eyl eylül szep",
            "oct october oktober okt octobre octubre ottobre ott outubro out paź października octombrie eki ekim",
            "nov november novembre noviembre novembro lis listopada noiembrie noi kas kasim nóv",
            "dec december dezember dez décembre déc decembre diciembre dic dicembre dezembro desember dis disember gru "
            "grudnia decembrie ara aralik",
        ),
        start=1,
    )
    for name in unicodedata.normalize("NFKD", names).encode("ascii", "ignore").decode().split()
}
_EAST_ASIAN = str.maketrans("年月日년월일", "-- -- ")
_NO_DECOMPOSITION = str.maketrans("łøıß", "loiz")

# A reader's l, i or | before a digit may be the digit 1: such a place begins no number, `_read_as_digits` mends it.
_START = r"(?<!\d)(?<![^a-z][oil|])"
_CLOCK_FOLLOWS = r"(?=(?:[01]?\d|2[0-3]):[0-5]\d)"
_YEAR_4 = rf"(?:19|20)\d\d(?:(?!\d|:[0-5]\d)|{_CLOCK_FOLLOWS})"
# "25/12/2018:13" is the year 20 and thirteen past six: no year is followed by a colon.
# Nor by another one: "3.18.05.1973" is line 3 of a licence, and a birth in May.
_YEAR = rf"({_YEAR_4}|\d\d(?:(?![\d:]|[/.](?:19|20)\d\d(?!\d))|{_CLOCK_FOLLOWS}))"
_MARK = r"\s*([-/.,'|\\])\s*"
_MONTH_NAME = rf"(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
# In passports in two languages: "12 AUG/AOÛT 88".
_MONTH = rf"({_MONTH_NAME})(?:\s*/\s*{_MONTH_NAME})?(?![a-z])"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|[oa°])?"
_GAP = r"[-\s/.,'|\\]*(?:(?:de[l]?|do|of)\s+)?"
_SOME_GAP = r"(?:[-\s/.,'|\\]+(?:(?:de[l]?|do|of)\s+)?)"
_CLOCK = r"(?:\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]m\s*)?(?:[a-z]{3,4}\s+)?)"

# "#04 MAR.19'17" is the nineteenth: two digits that another two follow are a day; a time or another date may follow.
_NO_YEAR_BEHIND = rf"(?!(?<!\d{{4}})['/]\d\d(?![\d:]|{_GAP}{_MONTH_NAME}))"
_DAY_MONTH_YEAR = re.compile(rf"{_START}{_DAY}{_GAP}{_MONTH}{_GAP}{_YEAR}{_NO_YEAR_BEHIND}")
_YEAR_MONTH_DAY = re.compile(rf"{_START}((?:19|20)\d\d){_GAP}{_MONTH}{_GAP}(\d{{1,2}})(?!\d)")
_MONTH_DAY_YEAR = re.compile(rf"(?<![a-z]){_MONTH}{_GAP}{_DAY}(?:{_SOME_GAP}{_CLOCK}?{_YEAR}|({_YEAR_4}))")
_NAMED = (
    (_DAY_MONTH_YEAR, "dmy"),
    (_YEAR_MONTH_DAY, "ymd"),
    (_MONTH_DAY_YEAR, "mdyy"),
)
_DIGITS = (
    re.compile(rf"{_START}((?:19|20)\d\d){_MARK}(\d{{1,2}})\s*\2\s*(\d{{1,2}})(?:(?!\d)|{_CLOCK_FOLLOWS})"),
    re.compile(rf"{_START}(\d{{1,2}}){_MARK}(\d{{1,2}})\s*\2\s*{_YEAR}"),
    re.compile(r"\A\s*((?:19|20)\d\d)()\s(\d\d)\s(\d\d)\s*\Z"),
    # The reader took the two marks for different ones, or lost them: only a full year tells that it is a date, and
    # four more digits that it is a telephone number.
    re.compile(rf"{_START}(\d{{1,2}})[-/.,'|\\\s]+()(\d{{1,2}})[-/.,'|\\\s]+({_YEAR_4})(?!\s\d{{4}})"),
    re.compile(r"\A\s*(\d\d)\s+()(\d\d)\s+(\d\d)\s*\Z"),
    re.compile(r"(?<![\da-z])((?:19|20)\d\d)()(\d\d)(\d\d)(?:(?=\d{6}(?!\d))|(?!\d))"),
    re.compile(rf"(?<![\da-z])(\d\d)()(\d\d)((?:19|20)\d\d)(?:(?!\d)|{_CLOCK_FOLLOWS})"),
    re.compile(r"\A\s*(\d\d)()(\d\d)(\d\d)\s*\Z"),
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
_HOUR_ALONE = re.compile(r"(?<![\d.:])(1[0-2]|0?[1-9])()()\s?([ap])\.?\s?m\b")


def parse_date(text: str, order: DateOrder = "DMY") -> date | None:
    """The date in the text, 1900 to 2100; the first where there are several. None where there is none.

    `order` decides only what the print leaves open. A date with its month's name goes before one in digits.
    Letters that were read for digits ("O5/O3/2O18", "16 0CT 2018") are mended only if nothing else is found.
    """
    plain = _plain(text)
    return next(_dates(plain, order), None) or next(_dates(_read_as_digits(plain), order), None)


def _plain(text: str) -> str:
    """Lower case without accents, one space before, so that a pattern can look behind."""
    if not text.isascii():
        text = text.translate(_EAST_ASIAN)
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return f" {text.lower().translate(_NO_DECOMPOSITION)}"


def _read_as_digits(plain: str) -> str:
    """Letters inside numbers → digits, digits inside months' names → letters."""

    def number(match: re.Match[str]) -> str:
        mended = match[0].translate(_LETTER_TO_DIGIT)
        return mended if sum(map(str.isdigit, match[0])) * 2 >= sum(map(str.isdigit, mended)) else match[0]

    def word(match: re.Match[str]) -> str:
        mended = match[0].translate(_DIGIT_TO_LETTER)
        return mended if mended in _MONTHS else match[0]

    return _WORD_WITH_DIGITS.sub(word, _NUMBER_WITH_LETTERS.sub(number, plain))


def _dates(plain: str, order: DateOrder) -> Iterator[date]:
    for pattern, places in _NAMED:
        for match in pattern.finditer(plain):
            parts = {place: group for place, group in zip(places, match.groups(), strict=True) if group}
            if found := _calendar_day(parts["y"], _MONTHS[parts["m"]], int(parts["d"])):
                yield found
    for pattern in _DIGITS:
        for match in pattern.finditer(plain):
            first, _, second, third = match.groups()
            if found := _digits_day(first, second, third, order):
                yield found


def _digits_day(first: str, second: str, third: str, order: DateOrder) -> date | None:
    """The page's own order first, then what the calendar allows."""
    if len(first) == 4:
        return _calendar_day(first, int(second), int(third))
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
            if found := _calendar_day(year, int(month), int(day)):
                return found
    return None


def _calendar_day(year: str, month: int, day: int) -> date | None:
    """None for a day that the calendar does not have. Two-digit years are 1970 to 2069."""
    century = 0 if len(year) == 4 else 2000 if int(year) < 70 else 1900
    try:
        return date(century + int(year), month, day)
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    """The first time of day in the text, with seconds where printed: 20:13:39, 8:13PM, 8.13 pm, 20h13."""
    plain = f" {text.lower()}"
    match = _COLON_TIME.search(plain) or _OTHER_TIME.search(plain) or _HOUR_ALONE.search(plain)
    if match is None:
        return None
    hour, half = int(match[1]), match[4]
    if half == "p" and hour < 12:
        hour += 12
    if half == "a" and hour == 12:
        hour = 0
    return time(hour, int(match[2] or 0), int(match[3] or 0))
