"""How names are spelt in a machine-readable zone: transliteration by ICAO Doc 9303 part 3, section 6."""

import re
import unicodedata

from docextract.documents.mrz.layout import ALPHABET, FILLER

# Section 6 of part 3, as far as taking the accents off is not enough. The first spelling is the recommended one.
SPELLINGS = {
    "Ä": ("AE", "A"), "Å": ("AA", "A"), "Æ": ("AE",), "Ö": ("OE", "O"), "Ø": ("OE", "O"), "Œ": ("OE",),
    "Ü": ("UE", "U", "UXX"), "Ñ": ("N", "NXX"), "Þ": ("TH",), "ß": ("SS",), "ẞ": ("SS",), "Ĳ": ("IJ",),
    "Đ": ("D",), "Ð": ("D",), "Ħ": ("H",), "ı": ("I",), "ĸ": ("Q",), "Ł": ("L",), "Ŀ": ("L",), "ŉ": ("N",),
    "Ŋ": ("N",), "Ŧ": ("T",), "Ə": ("E",),
}  # fmt: skip
_SEPARATORS = " -\u2010\u2011\u2012\u2013,/"


def spellings(character: str) -> tuple[str, ...]:
    """How a printed character may stand in the zone, the recommended form first; ("",) for what is left out.

    Letters without accents, separators as "<", and nothing for apostrophes, full stops and other scripts.
    """
    upper = character if character in SPELLINGS else character.upper()
    if upper in SPELLINGS:
        return SPELLINGS[upper]
    if upper in _SEPARATORS:
        return (FILLER,)
    plain = unicodedata.normalize("NFKD", upper)
    return ("".join(letter for letter in plain if letter in ALPHABET),)


def transliterate(text: str) -> str:
    """A name as the zone spells it: "Müller-Lüdenscheidt" → "MUELLER<LUEDENSCHEIDT"."""
    spelt = "".join(spellings(character)[0] for character in unicodedata.normalize("NFC", text))
    return FILLER.join(part for part in spelt.split(FILLER) if part)


def spells(printed: str, zone: str, cut: bool = False) -> bool:
    """Whether a name in the zone, parts between spaces or fillers, is how this printed name may be transliterated.

    cut: the zone had no room for more, so that the printed name may go on.
    """
    pattern = "".join(_alternatives(character) for character in unicodedata.normalize("NFC", printed.strip()))
    text = FILLER.join(zone.replace(FILLER, " ").split())
    if re.fullmatch(pattern, text):
        return True
    return cut and transliterate(printed).startswith(text)


def _alternatives(character: str) -> str:
    found = spellings(character)
    if found in ((FILLER,), ("",)):
        return f"{FILLER}?"  # some states drop a hyphen, and some have a filler for an apostrophe
    return f"(?:{'|'.join(found)})"
