"""Reads the "l" of litres behind the size of a bottle, which OCR takes for a 1: "Riesling 0,75 1", "Cola 0,331"."""

import re

from docextract.predictions import TextLine

_MISREAD = "1"
_ALTERNATIVES = frozenset("lLiI|")  # of which the recogniser finds one possible where an l is printed
# Only usual sizes, because behind amounts of money a class of tax may be printed ("2,80 1"), and "0,41" is an amount.
_SIZE = r"(?<![\d.,])(?:(?:0[.,](?:[1-7]|33|35|375|75)|1[.,][05]) |0[.,](?:25|33|35|375|75))"
_SIZE_AT_END = re.compile(rf"[^\W\d_]{{2}}.*\W{_SIZE}{_MISREAD}$")


def with_litres(line: TextLine) -> str:
    """Return the text of a line, with an l as its last character if that is a misread unit of a size behind words."""
    if not line.text.endswith(_MISREAD) or not _SIZE_AT_END.search(line.text):
        return line.text
    last = len(line.text) - 1
    is_possible = any(one.at == last and one.other in _ALTERNATIVES for one in line.alternatives)
    return f"{line.text[:-1]}l" if is_possible else line.text
