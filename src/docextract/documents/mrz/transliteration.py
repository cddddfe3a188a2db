"""Transliteration of names into the characters of a machine-readable zone: ICAO Doc 9303 part 3, section 6."""

import unicodedata
from collections.abc import Sequence

from docextract.documents.mrz.layout import ALPHABET, FILLER

# Section 6 of part 3, for letters where removing the accent is not enough. The first form is the recommended one;
# states write others, too: Serbia DJ, Hungary OE and UE, Azerbaijan A.
TRANSLITERATIONS = {
    "Ä": ("AE", "A"), "Å": ("AA", "A"), "Æ": ("AE",), "Ö": ("OE", "O"), "Ø": ("OE", "O"), "Œ": ("OE",),
    "Ü": ("UE", "U", "UXX"), "Ñ": ("N", "NXX"), "Þ": ("TH",), "ß": ("SS",), "ẞ": ("SS",), "Ĳ": ("IJ",),
    "Đ": ("D", "DJ"), "Ð": ("D", "DJ"), "Ħ": ("H",), "ı": ("I",), "ĸ": ("Q",), "Ł": ("L",), "Ŀ": ("L",), "ŉ": ("N",),
    "Ŋ": ("N",), "Ŧ": ("T",), "Ə": ("E", "A"), "Ő": ("O", "OE"), "Ű": ("U", "UE"),
}  # fmt: skip
_SEPARATORS = " -\u2010\u2011\u2012\u2013,/"


def transliterations(character: str) -> tuple[str, ...]:
    """Return the forms that a printed character may have in the zone, the recommended one first.

    Accents are removed and separators become "<". The result is ("",) for characters that the zone leaves out:
    apostrophes, full stops and other scripts.
    """
    upper = character if character in TRANSLITERATIONS else character.upper()
    if upper in TRANSLITERATIONS:
        return TRANSLITERATIONS[upper]
    if upper in _SEPARATORS:
        return (FILLER,)
    plain = unicodedata.normalize("NFKD", upper)
    return ("".join(letter for letter in plain if letter in ALPHABET),)


def transliterate(text: str) -> str:
    """Return a name in its recommended form in the zone: "Müller-Lüdenscheidt" becomes "MUELLER<LUEDENSCHEIDT"."""
    transliterated = "".join(transliterations(character)[0] for character in unicodedata.normalize("NFC", text))
    return FILLER.join(part for part in transliterated.split(FILLER) if part)


def is_transliteration(printed: str, zone: str, truncated: bool = False) -> bool:
    """Whether a name in the zone is a possible transliteration of a printed name.

    zone:      the name, its parts separated by spaces or fillers.
    truncated: the names fill their line in the zone, so the printed name may be longer; its parts may be cut, down to
               an initial (ICAO Doc 9303 part 3, section 4.6).
    """
    text = FILLER.join(zone.replace(FILLER, " ").split())
    if _can_be(text, unicodedata.normalize("NFC", printed.strip())):
        return True
    return truncated and _is_shortened(transliterate(printed).split(FILLER), text.split(FILLER))


def _is_shortened(parts: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether the shown parts are the first parts of a name, each whole or cut."""
    return len(shown) <= len(parts) and all(whole.startswith(cut) for whole, cut in zip(parts, shown, strict=False))


def _can_be(text: str, printed: str) -> bool:
    """Whether some forms of the printed characters make a text, found in one pass by where the forms so far end."""
    ends = {0}
    for character in printed:
        forms = transliterations(character)
        if forms in ((FILLER,), ("",)):
            forms = (FILLER, "")  # some states drop a hyphen, and some write a filler for an apostrophe
        ends = {end + len(form) for end in ends for form in forms if text.startswith(form, end)}
    return len(text) in ends
