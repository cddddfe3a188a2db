"""Printed lines in which every letter with an accent is equally frequent, in the languages whose documents are read.

On synthetic documents, which are as frequent as their countries, an `é` is printed five hundred times as often as an
`ě`. A recogniser that has learned from them alone reads `Poznać` for `Poznań`, and `ă` for `ě`.
"""

import re
import unicodedata
from functools import cache

import numpy as np

from training.synth.documents.data_files import read_table, texts_in

# Azeri, Catalan, Croatian, Czech, Danish, Estonian, Finnish, French, German, Hungarian, Icelandic, Italian, Latvian,
# Lithuanian, Norwegian, Polish, Portuguese, Romanian, Slovak, Slovene, Spanish, Swedish and Turkish. Without ď, ľ and
# ť, whose caron is printed as an apostrophe: a recogniser that had learned as many of them as of others read "Reďs".
ACCENTED = "àáâãäåæāăąçćčđðèéêëēėęěəğģìíîïīįıķļłñńņňòóôõöøőœřśşșšßţțþùúûüūůűųýźżž"
_PLAIN = {
    "æ": "a", "đ": "d", "ð": "d", "ə": "e", "ı": "i", "ł": "l", "ø": "o", "œ": "o", "ß": "s", "þ": "p",
}  # fmt: skip
_TABLES = ("names", "locale_words", "invoice_words", "receipt_words", "identity_labels", "markets", "issuers")
_SLOT = re.compile(r"\{\w+\}")
_WORD = re.compile(r"[^\W\d_]{3,}")
MIN_KNOWN_WORDS = 5  # with a letter. With fewer, accents are also put on letters of other words; where these were one
# word in five, a recogniser learned to read "HARDWÀRE" and "KÚALA" (2026-11-24).


def accented_line(rng: np.random.Generator, columns: int) -> str:
    """One to four words, each with a letter of ACCENTED, sometimes with a number; at most so many characters."""
    words = [accented_word(rng) for _ in range(int(rng.integers(1, 5)))]
    if rng.random() < 0.35:
        number = int(rng.integers(1, 10 ** int(rng.integers(1, 6))))
        words.insert(int(rng.integers(len(words) + 1)), f"{number}{rng.choice(['', ',', '.', '/2', ' -'])}".strip())
    separator = ", " if rng.random() < 0.15 else " "
    while len(words) > 1 and len(separator.join(words)) > columns:
        words.pop()
    text = separator.join(words)
    return text.upper() if rng.random() < 0.3 and "ß" not in text else text


def accented_word(rng: np.random.Generator) -> str:
    """A word with a letter that is drawn first, so that all are equally frequent."""
    letter = ACCENTED[int(rng.integers(len(ACCENTED)))]
    known = _words_by_letter().get(letter, ())
    if len(known) >= MIN_KNOWN_WORDS:
        word = known[int(rng.integers(len(known)))]
    else:
        plain = _words_by_letter()[plain_letter(letter)]
        word = plain[int(rng.integers(len(plain)))].lower()
        at = [place for place, char in enumerate(word) if char == plain_letter(letter)]
        chosen = at[int(rng.integers(len(at)))]
        word = word[:chosen] + letter + word[chosen + 1 :]
    return word[0].upper() + word[1:] if rng.random() < 0.5 and word[0] != "ß" else word


def plain_letter(letter: str) -> str:
    """The letter without its accent."""
    return _PLAIN.get(letter) or unicodedata.normalize("NFD", letter)[0]


@cache
def _words_by_letter() -> dict[str, tuple[str, ...]]:
    """Words of the generator's tables by the letters in them, in small letters."""
    texts = (_SLOT.sub(" ", text) for name in _TABLES for text in texts_in(read_table(name)))
    words = dict.fromkeys(word for text in texts for word in _WORD.findall(text))
    by_letter: dict[str, list[str]] = {}
    for word in words:
        for letter in dict.fromkeys(word.lower()):
            by_letter.setdefault(letter, []).append(word)
    return {letter: tuple(some) for letter, some in by_letter.items()}
