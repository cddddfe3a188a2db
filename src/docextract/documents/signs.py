"""Signs of numbers that are printed in several forms: hyphens, raised digits of footnotes, and fractions."""

import re
import unicodedata

TYPOGRAPHIC_HYPHENS = "\u2010\u2011\u2012\u2212"  # hyphen, unbreakable hyphen, figure dash, minus
_HYPHENS_AND_EN_DASH = str.maketrans(dict.fromkeys(TYPOGRAPHIC_HYPHENS + "\u2013", "-"))
_RAISED, _LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_RAISED_AND_LOWERED_DIGITS = str.maketrans(dict.fromkeys(_RAISED + _LOWERED))
_LOWERED_DIGITS = str.maketrans(_LOWERED, "0123456789")
_FOOTNOTE = re.compile(rf"(?<![{_RAISED}])[{_RAISED}]+(?=\W*$)")
_DECIMALS = {"¼": "25", "½": "5", "¾": "75"}
_FRACTION = re.compile(r"(?<![\d.,])(\d*)\s?([¼½¾])")


def with_plain_hyphens(text: str) -> str:
    """Return a text with the hyphen of keyboards in place of typographic ones and of the en dash, as in numbers."""
    return text.translate(_HYPHENS_AND_EN_DASH)


def without_raised_digits(text: str) -> str:
    """Return a text without raised and lowered digits: behind a number they refer to a footnote or belong to a unit."""
    return text.translate(_RAISED_AND_LOWERED_DIGITS)


def without_footnote(text: str) -> str:
    """Return a reference without the raised digits at its end; lowered ones belong to it: "H₂O-12¹" gives "H2O-12"."""
    return _FOOTNOTE.sub("", text.translate(_LOWERED_DIGITS))


def with_decimal_fractions(text: str) -> str:
    """Return a text with decimals in place of quarters and halves: "1½" gives "1.5"."""
    return _FRACTION.sub(lambda match: f"{match[1] or 0}.{_DECIMALS[match[2]]}", text)


def without_fractions(text: str) -> str:
    """Return a text without the signs of fractions: NFKC makes digits of them: "2⅓" gives "2", not "21⁄3"."""
    return "".join(char for char in text if not unicodedata.decomposition(char).startswith("<fraction>"))
