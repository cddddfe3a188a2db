"""Signs of numbers that are printed in several forms: hyphens, raised digits of footnotes, and fractions."""

import re
import unicodedata

TYPOGRAPHIC_HYPHENS = "\u2010\u2011\u2012\u2212"  # hyphen, unbreakable hyphen, figure dash, minus
_HYPHENS_AND_EN_DASH = str.maketrans(dict.fromkeys(TYPOGRAPHIC_HYPHENS + "\u2013", "-"))
_RAISED, _LOWERED = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_RAISED_AND_LOWERED_DIGITS = str.maketrans(dict.fromkeys(_RAISED + _LOWERED))
_LOWERED_DIGITS = str.maketrans(_LOWERED, "0123456789")
_RAISED_DIGITS = str.maketrans(_RAISED, "0123456789")
_RAISED_CENTS = re.compile(rf"(?<![\d.,¥])(\d{{1,3}}(?:[.,' ]\d{{3}})+|\d+)(?:[.,]|([$€£]))?([{_RAISED}]{{2}})(?!\w)")
_FOOTNOTE = re.compile(rf"(?<![{_RAISED}])[{_RAISED}]+(?=\W*$)")
_FRACTION = re.compile(r"(?<![\d.,])(\d*)\s?([¼½¾⅐-⅞])")


def with_plain_hyphens(text: str) -> str:
    """Return a text with the hyphen of keyboards in place of typographic ones and of the en dash, as in numbers."""
    return text.translate(_HYPHENS_AND_EN_DASH)


def with_decimal_cents(text: str) -> str:
    """Return a text with decimals in place of two raised digits behind a whole number: "129⁹⁹" gives "129.99".

    They could also be a footnote, which rarely has two digits.
    """
    return _RAISED_CENTS.sub(lambda match: f"{match[1]}.{match[3].translate(_RAISED_DIGITS)}{match[2] or ''}", text)


def without_raised_digits(text: str) -> str:
    """Return a text without raised and lowered digits: behind a number they refer to a footnote or belong to a unit."""
    return text.translate(_RAISED_AND_LOWERED_DIGITS)


def without_footnote(text: str) -> str:
    """Return a reference without the raised digits at its end; lowered ones belong to it: "H₂O-12¹" gives "H2O-12"."""
    return _FOOTNOTE.sub("", text.translate(_LOWERED_DIGITS))


def with_decimal_fractions(text: str) -> str:
    """Return a text with decimals in place of fractions: "1½" gives "1.5", "2⅓" gives "2.3333"."""
    return _FRACTION.sub(lambda match: f"{match[1] or 0}{_decimals(match[2])}", text)


def _decimals(fraction: str) -> str:
    """Return a fraction as ".25"; with four decimals unless two are exact, because three may group thousands."""
    value = unicodedata.numeric(fraction)
    return (str(value) if 100 * value % 1 == 0 else f"{value:.4f}").removeprefix("0")


def without_fractions(text: str) -> str:
    """Return a text without signs of fractions, of which NFKC makes digits: "2.5½" gives "2.5", not "2.51⁄2"."""
    return "".join(char for char in text if not unicodedata.decomposition(char).startswith("<fraction>"))
