"""Parsing of printed dates and times, also with OCR errors: joined to the next word, spaced out, letters for digits.

Regular expressions instead of a library: on 135 dates collected from receipts, dateparser 1.5.0 (11 languages, absolute
parser) missed 33, nearly all of them joined to the next word ("25/12/201808:13", "MAR162018"). It parsed 1,700 texts a
second, and every candidate on a page is tried; these patterns parse over 100,000 a second.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, time, timedelta
from itertools import groupby, islice
from operator import itemgetter
from typing import Literal, get_args

from docextract.documents.accents import without_accents
from docextract.documents.data import load_data
from docextract.documents.signs import TYPOGRAPHIC_HYPHENS, with_plain_hyphens, without_raised_digits

LATEST_DATE = date(2069, 12, 31)  # that a year of two digits may give, where nothing is known of the date
MAX_BETWEEN = 8  # dashes and words of a period between which its dates are looked for
DateOrder = Literal["DMY", "MDY", "YMD"]
YEAR_BEHIND: tuple[DateOrder, ...] = ("DMY", "MDY")


def _any_of(words: Iterable[str]) -> str:
    """Return a pattern of any of some words, the longest first; grouped by their first letters, for speed."""
    groups = groupby(sorted(words, key=lambda word: (word[0], -len(word))), key=itemgetter(0))
    ends = {re.escape(first): "|".join(re.escape(word[1:]) for word in group) for first, group in groups}
    return f"(?:{'|'.join(f'{first}(?:{rest})' for first, rest in ends.items())})"


_MONTHS = {
    without_accents(name): number
    for number, names in enumerate(load_data("months").values(), start=1)
    for name in names
}
# Decide where two words for the month differ, because short names in other languages are ambiguous.
_ENGLISH_MONTHS = frozenset(
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov "
    "november dec december".split()
)
_ROMAN_MONTHS = {name: at for at, name in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), start=1)}
# Of Canada, in texts that are a date with the year in front: "2026/JL/05". Elsewhere some of these letters are words,
# and numbers of invoices have such parts: "2024-DE-12".
_CANADIAN_MONTHS = {name: at for at, name in enumerate("ja fe mr al ma jn jl au se oc no de".split(), start=1)}
_MONTH_NUMBERS = _MONTHS | _ROMAN_MONTHS | _CANADIAN_MONTHS
_SIGNS = str.maketrans("年月日년월일" + TYPOGRAPHIC_HYPHENS, "-- -- ----")
# One date, not two.
_HYPHENATED = re.compile(rf"(?<!\w)\w{{1,10}}([–{TYPOGRAPHIC_HYPHENS}])\w{{1,10}}\.?\1\d{{1,4}}(?!\w)")
_NO_DECOMPOSITION = str.maketrans("łøıß", "loiz")

# OCR may read the digit 1 as l, i or |: no number begins directly after one of these; see `_repair_ocr_errors`.
_START = r"(?<!\d)(?<![^a-z][oil|])"
_CLOCK_FOLLOWS = r"(?=(?:[01]?\d|2[0-3]):[0-5]\d)"
_YEAR_4 = rf"(?:19|20)\d\d(?:(?!\d|:[0-5]\d)|{_CLOCK_FOLLOWS})"
# "25/12/2018:13" is the year 20 and the time 18:13, so no year is followed by a colon.
# No year is followed by another one either: "3.18.05.1973" is line 3 of a licence and a birth date in May.
_YEAR = rf"({_YEAR_4}|\d\d(?:(?![\d:]|[/.](?:19|20)\d\d(?!\d))|{_CLOCK_FOLLOWS}))"
_MARK = r"\s*([-/.,'|\\])\s*"
_MONTH_NAME = _any_of(_MONTHS)
_MONTH = rf"({_MONTH_NAME})(?:\s*/\s*{_MONTH_NAME})?(?![a-z])"
# Passports print the month in two languages: "12 AUG/AOÛT 88". One of the words may be unknown; of two names of months
# the English one counts, else the second: the Croatian "LIP/JUN" is June, although LIP alone is July in Polish.
_WORD = r"[^\W\d_](?:\.?[^\W\d_]){2,11}\.?"
_BILINGUAL_MONTH = rf"(?:({_WORD})\s*/\s*)?({_MONTH_NAME})(?:\.?\s*/\s*{_WORD})?(?![a-z])"
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|[oa°])?"
# The shortest, because a point may belong to the name of the month: ". listopada".
_GAP = r"[-\s/.,'|\\]*?(?:(?:de[l]?|do|of)\s+|d['’])?"
_SOME_GAP = r"(?:[-\s/.,'|\\]+(?:(?:de[l]?|do|of)\s+)?)"
_NO_DAY = r"(?!\d\d,\s?(?:19|20)\d\d(?!\d))"  # "3 Jun 29, 2025" is row 3
_CLOCK = r"(?:\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]m\s*)?(?:[a-z]{3,4}\s+)?)"

# "#04 MAR.19'17" is 19 March: two digits before an apostrophe or slash and two more digits are a day, not a year.
# A time or another date may still follow a year.
_NO_YEAR_BEHIND = rf"(?!(?<!\d{{4}})['/]\d\d(?![\d:]|{_GAP}{_MONTH_NAME}))"
_NO_PERIOD = rf"{_NO_DAY}(?!(?<=\s-\s)\d\d(?!\d))"  # "1 February - 29 February 2024"
_DAY_MONTH_YEAR = re.compile(rf"{_START}{_DAY}{_GAP}{_BILINGUAL_MONTH}{_GAP}{_NO_PERIOD}{_YEAR}{_NO_YEAR_BEHIND}")
_DASHED = re.compile(rf"{_START}{_DAY}\s-\s{_BILINGUAL_MONTH}\s-\s{_YEAR}")
# "2024 m. gegužės 5 d." is Lithuanian, "2024. gada 5. maijs" Latvian.
_YEAR_MONTH_DAY = re.compile(
    rf"{_START}((?:19|20)\d\d){_GAP}(?:(?:m\.|metu)\s*)?{_BILINGUAL_MONTH}{_GAP}(\d{{1,2}})(?!\d)"
)
_YEAR_DAY_MONTH, _LATVIAN = (
    re.compile(rf"{_START}((?:19|20)\d\d)\.?\s*(?:{of_year})\s*(\d{{1,2}})[.\s]*{_MONTH}")
    for of_year in (r"gada|g\.", "gada")
)
_MONTH_DAY_YEAR = re.compile(rf"(?<![a-z]){_MONTH}{_GAP}{_DAY}(?:{_SOME_GAP}{_CLOCK}?{_NO_PERIOD}{_YEAR}|({_YEAR_4}))")
_MONTH_DAYS_YEAR = re.compile(rf"(?<![a-z]){_MONTH}\.?\s?\d{{1,2}}\s?[-–]\s?(\d{{1,2}}),\s?({_YEAR_4})")
# "12/IV/2024" is a number of an invoice, and "12 V 2000 mA" an adapter.
_DAY_ROMAN_YEAR = re.compile(rf"{_START}(\d{{1,2}})([-.]\s?|\s)(?![ivx]\s)({_any_of(_ROMAN_MONTHS)})\2({_YEAR_4})")
_YEAR_ROMAN_DAY = re.compile(rf"{_START}((?:19|20)\d\d)(\.\s?)({_any_of(_ROMAN_MONTHS)})\2(\d{{1,2}})(?!\d)")
_YEAR_CANADIAN_DAY = re.compile(rf"\A\s*((?:19|20)\d\d)\s?([-/])\s?({_any_of(_CANADIAN_MONTHS)})\s?\2\s?(\d{{2}})\s*\Z")
_NAMED = (
    # First, because in "2024. gada 5. maijs, 11.37" the time looks like a year; "g." is also printed behind years.
    (_LATVIAN, "ydm"),
    (_DAY_MONTH_YEAR, "dwmy"), (_DASHED, "dwmy"), (_YEAR_MONTH_DAY, "ywmd"), (_YEAR_DAY_MONTH, "ydm"),
    (_MONTH_DAY_YEAR, "mdyy"), (_MONTH_DAYS_YEAR, "mdy"), (_DAY_ROMAN_YEAR, "d-my"), (_YEAR_ROMAN_DAY, "y-md"),
    (_YEAR_CANADIAN_DAY, "y-md"),
)  # fmt: skip
_YEAR_FIRST = re.compile(rf"{_START}((?:19|20)\d\d){_MARK}(\d{{1,2}})\s*\2\s*(\d{{1,2}})(?:(?!\d)|{_CLOCK_FOLLOWS})")
_DIGITS = (
    _YEAR_FIRST,
    # "3.12.08.64" is line 3 of a licence and a birth date in August; "05.03.18.14.30" ends with a time.
    re.compile(rf"{_START}(\d{{1,2}}){_MARK}(\d{{1,2}})\s*\2\s*{_YEAR}(?!\.\d\d(?![\d.]))"),
    re.compile(r"\A\s*((?:19|20)\d\d)()\s(\d\d)\s(\d\d)\s*\Z"),
    # OCR read two different separators, or none: only a year of four digits shows that this is a date. With four more
    # digits it is a telephone number.
    re.compile(rf"{_START}(\d{{1,2}})[-/.,'|\\\s]+()(\d{{1,2}})[-/.,'|\\\s]+({_YEAR_4})(?!\s\d{{4}})"),
    # "14 03 34"; guilloches between the figures may be read as a point.
    re.compile(r"\A\s*(\d\d)[\s.]+()(\d\d)[\s.]+(\d\d)\s*\Z"),
    re.compile(r"(?<![\da-z])((?:19|20)\d\d)()(\d\d)(\d\d)(?:(?=\d{6}(?!\d))|(?!\d))"),
    re.compile(rf"(?<![\da-z])(\d\d)()(\d\d)((?:19|20)\d\d)(?:(?!\d)|{_CLOCK_FOLLOWS})"),
    re.compile(r"\A\s*(\d\d)()(\d\d)(\d\d)\s*\Z"),
    # OCR lost one of two separators.
    re.compile(r"\A\s*(\d\d)[\s.]()(\d\d)((?:19|20)\d\d)\s*\Z"),
    re.compile(r"\A\s*(\d\d)()(\d\d)[\s.]((?:19|20)\d\d)\s*\Z"),
)

BETWEEN_DATES = re.compile(
    r"\s*[-–—]\s*|\s(?:to|until|till?|thru|through|bis|au|al?|hasta|at[eé]|tot(?: en met)?|t/m|do|l[iī]dz|iki|kuni)\s"
)
# A day alone begins the text, or has an ordinal ending or a word of periods in front of it; others are page numbers.
_LAST_DAY = re.compile(
    r"(?:\A\W*|\b(?:from|van|od|dal|del|du|de)\s|(?<![\d/.,-])(?=\d{1,2}(?:st|nd|rd|th|er|\.)))"
    rf"{_DAY}\.?\s*\Z"
)

_WHOLE_DATE = re.compile(r"(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(?:19|20)\d\d(?![\d/-])")
_DAY_OR_MONTH = r"(?:0?[1-9]|[12]\d|3[01])"
_MARKED_DATE = re.compile(
    rf"(?<![\w/.-])({_DAY_OR_MONTH})([/.-])\s?({_DAY_OR_MONTH})\2\s?(\d{{4}}|\d{{2}})(?![\d/]|\.\d)"
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
    for match in _matches(_WHOLE_DATE, texts):
        first, second = int(match[1]), int(match[3])
        if min(first, second) in range(1, 13) and max(first, second) in range(13, 32):
            orders.add("MDY" if second > first else "DMY")
    return orders.pop() if len(orders) == 1 else None


def is_date_order_proven(texts: Iterable[str]) -> bool:
    """Whether a numeric date, maybe with a year of two digits, has a day that is no month."""
    dates = _matches(_MARKED_DATE, texts)
    return any(max(int(match[1]), int(match[3])) in range(13, 32) for match in dates)


def are_years_behind(texts: Iterable[str]) -> bool:
    """Whether all numeric dates have their year, of four digits, behind day and month."""
    return {len(match[4]) for match in _matches(_MARKED_DATE, texts)} == {4}


def are_dates_dotted(texts: Iterable[str]) -> bool:
    """Whether numeric dates are printed with points alone, as 24.01.08 is."""
    return {match[2] for match in _matches(_MARKED_DATE, texts)} == {"."}


def _matches(pattern: re.Pattern[str], texts: Iterable[str]) -> Iterator[re.Match[str]]:
    return (match for text in texts for match in pattern.finditer(_with_plain_hyphens_in_dates(text)))


def _with_plain_hyphens_in_dates(text: str) -> str:
    """As `with_plain_hyphens`, but a dash between two dates stays: "01/02/2025–28/02/2025"."""
    return text if text.isascii() else _HYPHENATED.sub(lambda match: with_plain_hyphens(match[0]), text)


def latest_today() -> date:
    """Return the day after today: in some time zones it is already today."""
    return date.today() + timedelta(days=1)


def parse_date(text: str, order: DateOrder = "DMY", latest: date = LATEST_DATE) -> date | None:
    """Return the first date in the text, 1900 to 2100; None if there is none.

    `order` is used only for ambiguous dates. A date with the name of its month is preferred to one in digits.
    A year of two digits gives a date of the hundred years up to `latest`.
    Confusions of letters and digits ("O5/O3/2O18", "16 0CT 2018") are repaired only if no other date is found.
    """
    normalised = _normalise(text)
    if found := next(_dates(normalised, order, latest), None):
        return found
    repaired = _repair_ocr_errors(normalised)
    return next(_dates(repaired, order, latest), None) if repaired != normalised else None


def parse_period_start(text: str, order: DateOrder = "DMY") -> date | None:
    """As `parse_date`, but the first day of a period may lack the year, or month and year: "1.-31.03.2024"."""
    normalised = _normalise(text)
    only = next(_dates(normalised, order), None)
    for between in islice(BETWEEN_DATES.finditer(normalised), MAX_BETWEEN):
        before, behind = normalised[: between.start()], normalised[between.end() :]
        last = next(_dates(behind, order), None)
        if end := last or only:  # of "Mar 1 - 31, 2024" the last day has its month only in the whole text
            years = (end.year, end.year - 1) if last else (end.year,)
            starts = [next(_dates(f"{before} {year}", order), None) for year in years]
            if last and (day := _LAST_DAY.search(before)):
                starts.append(_valid_date(str(last.year), last.month, int(day[1])))
            if start := next((one for one in starts if one and one < end), None):
                return start
    return parse_date(text, order)


def find_dates(text: str) -> frozenset[date]:
    """Return every date in the text; an ambiguous one in each order."""
    normalised = _normalise(text)
    return frozenset(found for order in get_args(DateOrder) for found in _dates(normalised, order))


def find_unambiguous_dates(text: str) -> frozenset[date]:
    """Return every date in the text with the name of its month, or with its year in front, in four digits."""
    normalised = _normalise(text)
    in_digits = (_valid_date(match[1], int(match[3]), int(match[4])) for match in _YEAR_FIRST.finditer(normalised))
    return frozenset(found for found in (*_named_dates(normalised), *in_digits) if found)


def _normalise(text: str) -> str:
    """Lower case without accents; one space is prepended, so that patterns can look behind."""
    if not text.isascii():
        text = without_accents(_with_plain_hyphens_in_dates(without_raised_digits(text).translate(_SIGNS)))
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


def _dates(text: str, order: DateOrder, latest: date = LATEST_DATE) -> Iterator[date]:
    yield from _named_dates(text, latest)
    for pattern in _DIGITS:
        for match in pattern.finditer(text):
            first, _, second, third = match.groups()
            if found := _date_from_digits(first, second, third, order, latest):
                yield found


def _named_dates(text: str, latest: date = LATEST_DATE) -> Iterator[date]:
    for pattern, places in _NAMED:
        for match in pattern.finditer(text):
            parts = {place: group for place, group in zip(places, match.groups(), strict=True) if group}
            month = _MONTH_NUMBERS[_decisive_month(parts.get("w", ""), parts["m"])]
            if found := _valid_date(parts["y"], month, int(parts["d"]), latest):
                yield found


def _decisive_month(word: str, name: str) -> str:
    """Return the name of the month, or the word in front of it if only that one is English: "JUN/LIP"."""
    before = word.rstrip(".")
    return before if before in _ENGLISH_MONTHS and name not in _ENGLISH_MONTHS else name


def _date_from_digits(first: str, second: str, third: str, order: DateOrder, latest: date) -> date | None:
    """Try the given order first, then the other orders, until the calendar has such a date.

    A day that its month does not have, as in "31.02.20", is misread: its year is not in front.
    """
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
            if found := _valid_date(year, int(month), int(day), latest):
                return found
            if candidate == "DMY" and 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
                return None
    return None


def _valid_date(year: str, month: int, day: int, latest: date = LATEST_DATE) -> date | None:
    """Return the date, or None if the calendar does not have it. A year of two digits: see `parse_date`."""
    century = 0 if len(year) == 4 else latest.year // 100 * 100
    if century and (int(year), month, day) > (latest.year % 100, latest.month, latest.day):
        century -= 100
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
