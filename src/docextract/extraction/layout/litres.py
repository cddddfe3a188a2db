"""Reads the "l" of litres behind the size of a bottle, which OCR takes for a 1: "Riesling 0,75 1", "Pils 0,41"."""

import re

from docextract.predictions import TextLine

_MISREAD = "1"
_ALTERNATIVES = frozenset("lLiI|")  # of which the recogniser finds one possible where an l is printed
_MIN_WORD = r"[^\W\d_]{3}"
# Amounts of money may have a class of tax behind them ("2,80 1"), so only usual sizes count.
_SIZE = r"(?<![\d.,])(?:(?:0[.,]\d{1,3}|1[.,][05]|[1-35]|10|20) |0[.,](?:[1-57]|25|33|35|375|75))"
_SIZE_AT_END = re.compile(f"{_MIN_WORD}.* {_SIZE}{_MISREAD}$")


def with_litres(line: TextLine) -> str:
    """Return the text of a line, with an l as its last character if that is a misread unit of a size behind words."""
    if not line.text.endswith(_MISREAD) or not _SIZE_AT_END.search(line.text):
        return line.text
    last = len(line.text) - 1
    is_possible = any(one.at == last and one.other in _ALTERNATIVES for one in line.alternatives)
    return f"{line.text[:-1]}l" if is_possible else line.text
