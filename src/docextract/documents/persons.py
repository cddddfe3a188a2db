"""What identity documents print in a word or two: a person's sex, the document's own number."""

import re

# In the languages of documents. Of a letter that means either, as V for Dutch women and Lithuanian men, one is taken;
# next to it there mostly stands the letter of ICAO Doc 9303, which decides.
_WORDS = {
    "M": "M MALE MAN MANN MÄNNLICH MASCULIN MASCULINE MASCULINO MASCHIO H HOMBRE HOMME HOMEM L LAKI-LAKI LELAKI E "
    "ERKEK FÉRFI MIES MĘŻCZYZNA MUŽ",
    "F": "F FEMALE WOMAN FRAU WEIBLICH FÉMININ FEMININE FEMENINO FEMININO FEMMINA W K KOBIETA KVINDE KVINNE KVINNA "
    "KADIN V VROUW S Q Ž Z ŽENA N NAINEN NAINE NŐ P PEREMPUAN MUJER FEMME MULHER",
    "X": "X DIVERS NON-BINARY UNSPECIFIED",
}
SEXES = tuple(_WORDS)
_SEX_OF = {word: sex for sex, words in _WORDS.items() for word in words.split()}
_LINE_OF_LICENCE = re.compile(r"^5\.(?=[A-Z0-9]{6,}$)")  # the number's own, where the reader saw no space behind it
_SHORTEST_NUMBER = 4  # letters and digits


def parse_sex(text: str) -> str | None:
    """M, F or X. Of "K/F" and "V/M" the last letter counts, as ICAO Doc 9303 wants it; None for "<" and other text."""
    parts = [part for part in re.split(r"[^\w-]+", text.upper()) if part]
    known = [_SEX_OF[part] for part in parts if part in _SEX_OF]
    return known[-1] if known and len(known) == len(parts) else None


def parse_document_number(text: str) -> str | None:
    """Capitals without spaces; None for what has no digit or is shorter than any number that documents bear."""
    number = _LINE_OF_LICENCE.sub("", "".join(text.upper().split())).strip(".,:;'*<")
    enough = sum(map(str.isalnum, number)) >= _SHORTEST_NUMBER
    return number if enough and any(map(str.isdigit, number)) else None
