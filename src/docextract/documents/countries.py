"""Parsing of countries as documents print them, into alpha-3 codes.

The codes are those of ISO 3166-1 and those that ICAO Doc 9303 part 3 adds for passports (stateless persons, the United
Nations, and others). The spellings are in data/countries.toml.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from docextract.documents.accents import without_accents
from docextract.documents.data import load_data
from docextract.documents.postal_codes import POSTAL_CODES

_MIN_NAME_LENGTH = 4
_MIN_FUZZY_LENGTH = 7  # letters; a shorter name with one wrong letter may be another name
_UNION = "EUE"  # which has codes as a country has
_DIGIT_TO_LETTER = str.maketrans("01568", "OISGB")
_NO_DECOMPOSITION = str.maketrans({"Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D", "Æ": "AE", "Œ": "OE", "Þ": "TH", "ẞ": "SS",
                                   "Ə": "E", "Ĳ": "IJ", "İ": "I"})  # fmt: skip

Codes = frozenset[str]  # alpha-3, of the countries that a spelling may mean


def parse_country(text: str, issuing_country: str | None = None) -> str | None:
    """Return the alpha-3 code of the country that a text names by its code, its name or a nationality.

    "D<<", "DEU", "Deutsch" and "BUNDESREPUBLIK DEUTSCHLAND / PASSPORT" all give DEU. A name with one wrong letter
    counts if only one country has a similar name. None where no country is named, or several are.

    issuing_country: the alpha-3 code of the country that issued the document; of the countries that share a spelling,
    such as "Congolaise", it is the one that is meant.
    """
    normalised = _normalise(text)
    codes = _exact_match(text) or _match_all_parts(text) or _match_within(normalised)
    codes = codes or _codes_of_name(normalised.translate(_DIGIT_TO_LETTER)) or _fuzzy_match(normalised)
    if len(codes) > 1:
        codes &= {issuing_country}
    return next(iter(codes), None)


def is_country_name(text: str) -> bool:
    """Whether a text is the name of a country and nothing else: "Česká republika"; no code, and no misread name."""
    normalised = _normalise(text)
    return len(normalised) >= _MIN_NAME_LENGTH and bool(_exact_match(normalised))


def state_of_name(text: str) -> str | None:
    """Return the alpha-3 code of the state that has a text as its name, or as that of a part; None for other texts.

    Unions of states ("European Union", "Caribbean Community") and groups of persons ("Refugee") are no states.
    """
    code = parse_country(text) if is_country_name(text) else None
    return code if code != _UNION and code in load_data("countries")["countries"] else None


def is_country_code(text: str) -> bool:
    """Whether a machine-readable zone may contain this as a country: an alpha-3 code, a code of ICAO, or D."""
    return text == "D" or (len(text) == 3 and text in _alpha_3_by_code())


def country_of_address(text: str) -> str | None:
    """Return the alpha-3 code of the country in which an address ends with a town, a part's code and a postal code.

    "Helena, MT 59601-1234" gives USA. None for other addresses, and without a town: "MA12345" is a number.
    """
    return next((code for code, form in _ends_of_addresses().items() if form.search(text)), None)


def writes_month_first(code: str) -> bool:
    """Whether cards of a country, by its alpha-3 code, may print dates as 12/31/2026."""
    return code in load_data("countries")["month_first"]


def has_two_family_names(code: str) -> bool:
    """Whether people of a country, by its alpha-3 code, have a family name of each parent."""
    return code in load_data("countries")["two_family_names"]


def _normalise(text: str) -> str:
    """Upper case without accents, apostrophes and full stops; one space between words."""
    upper = text.upper().translate(_NO_DECOMPOSITION)
    return " ".join(re.sub(r"[^\w]+|_", " ", re.sub(r"['’`.]", "", without_accents(upper))).split())


def _exact_match(text: str) -> Codes:
    """Match a name, or a code in capitals: "and" is not Andorra."""
    normalised = _normalise(text)
    by_code = _alpha_3_by_code().get(normalised) if text == text.upper() else None
    return _codes_of_name(normalised) or frozenset({by_code} if by_code else ())


def _match_all_parts(text: str) -> Codes:
    """Match "POLSKIE/POLISH" or "Française (FRA)": the parts that name a country all name the same one."""
    return _common(_exact_match(part) for part in re.split(r"[/|(),;:<]|\s-\s", text))


def _match_within(normalised: str) -> Codes:
    """Match the longest names among the words; not "NIGER" in "NIGERIA", and not "KOREA" in "NORTH KOREA"."""
    words = normalised.split()
    found: list[Codes] = []
    at = 0
    while at < len(words):
        for length in range(min(len(words) - at, _longest_name_words()), 0, -1):
            if codes := _codes_of_name(" ".join(words[at : at + length])):
                found.append(codes)
                at += length - 1
                break
        at += 1
    return _common(found)


def _common(found: Iterable[Codes]) -> Codes:
    """Return the countries that all spellings name which name any."""
    named = [codes for codes in found if codes]
    return frozenset.intersection(*named) if named else frozenset()


def _fuzzy_match(normalised: str) -> Codes:
    """Match the countries with a name that differs by a single letter."""
    if len(normalised) < _MIN_FUZZY_LENGTH:
        return frozenset()
    similar = (
        codes
        for name, codes in _codes_by_name().items()
        if abs(len(name) - len(normalised)) <= 1 and _differ_by_one_letter(name, normalised)
    )
    return frozenset().union(*similar)


def _differ_by_one_letter(first: str, second: str) -> bool:
    """Whether replacing, adding or removing one letter turns one text into the other."""
    shorter, longer = sorted((first, second), key=len)
    same = next((at for at, letter in enumerate(shorter) if letter != longer[at]), len(shorter))
    return shorter[same + (len(shorter) == len(longer)) :] == longer[same + 1 :]


@cache
def _alpha_3_by_code() -> dict[str, str]:
    """Alpha-3 codes by alpha-3 code, alpha-2 code and vehicle sign; codes of ICAO by themselves."""
    data = load_data("countries")
    codes: dict[str, str] = dict(data["vehicle_signs"])
    for alpha_3, country in data["countries"].items():
        codes |= {alpha_3: alpha_3, country["alpha_2"]: alpha_3}
    return codes | {code: code for code in data["icao"]}


def _codes_of_name(normalised: str) -> Codes:
    return _codes_by_name().get(normalised, frozenset())


@cache
def _codes_by_name() -> dict[str, Codes]:
    """Alpha-3 codes of the countries that share a normalised spelling; mostly one."""
    names: dict[str, Codes] = {}
    for code, spellings in _spellings():
        for name in map(_normalise, spellings):
            names[name] = names.get(name, frozenset()) | {code}
    return names


def _spellings() -> Iterator[tuple[str, Sequence[str]]]:
    data = load_data("countries")
    yield from ((alpha_3, country["spellings"]) for alpha_3, country in data["countries"].items())
    yield from data["icao"].items()
    yield from data["parts"].items()


@cache
def _longest_name_words() -> int:
    return max(len(name.split()) for name in _codes_by_name())


@cache
def _ends_of_addresses() -> dict[str, re.Pattern[str]]:
    """Patterns of a town, the code of a part of the country and a postal code at the end of a text, by alpha-3 code."""
    data = load_data("countries")
    ends = {code: _end_of_address("|".join(parts), POSTAL_CODES[code]) for code, parts in data["part_codes"].items()}
    for code, beginnings in data["postal_codes_of_parts"].items():
        by_part = (_end_of_address(part, _beginning_with(digits)) for part, digits in beginnings.items())
        ends[code] = "|".join(by_part)
    return {code: re.compile(end) for code, end in ends.items()}


def _end_of_address(parts: str, postal_codes: str) -> str:
    return rf"[^\W\d_]{{3,}}[ ,]+(?:{parts})[ ,]+(?:{postal_codes})$"


def _beginning_with(digits: Iterable[str]) -> str:
    """Return the pattern of postal codes of four digits that begin with some digits."""
    return "|".join(first + r"\d" * (4 - len(first)) for first in digits)
