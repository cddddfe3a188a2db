"""Trades of merchants, as receipts print them below a name: "Mexican Food", "Restaurant", "Apotheke"."""

import re

from docextract.documents.countries import is_country_name
from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label

_WORDS = frozenset(bare_label(word) for words in load_data("trade_words").values() for word in words)
_BETWEEN = frozenset({"and", "und", "et", "e", "y", "n"})


def is_trade(text: str) -> bool:
    """Whether a text has only words for a trade or a country: "Japanese Cuisine"; rarely a merchant's whole name."""
    words = re.findall(r"[^\W\d_]+", text)
    has_trade = any(bare_label(word) in _WORDS for word in words)
    return has_trade and not re.search(r"\d", text) and all(map(_belongs_to_trade, words))


def _belongs_to_trade(word: str) -> bool:
    return bare_label(word) in _WORDS or word.lower() in _BETWEEN or is_country_name(word)
