"""Signs that are printed in several forms: hyphens."""

TYPOGRAPHIC_HYPHENS = "\u2010\u2011\u2012\u2212"  # hyphen, unbreakable hyphen, figure dash, minus
_HYPHENS_AND_EN_DASH = str.maketrans(dict.fromkeys(TYPOGRAPHIC_HYPHENS + "\u2013", "-"))


def with_plain_hyphens(text: str) -> str:
    """Return a text with the hyphen of keyboards in place of typographic ones and of the en dash, as in numbers."""
    return text.translate(_HYPHENS_AND_EN_DASH)
