"""Finds amounts that are printed in tables and behind labels of sums, not inside sentences."""

import re
from collections.abc import Sequence
from itertools import pairwise

from docextract.documents.amounts import CURRENCY_SIGNS
from docextract.documents.base import DocumentType
from docextract.documents.currencies import CURRENCY_CODES
from docextract.documents.printed_labels import field_of_label
from docextract.predictions import TextLine

MAX_END_SHIFT = 0.5  # heights between the right ends of two amounts of one column
_CURRENCY = rf"(?:[{CURRENCY_SIGNS}]|\b(?:{'|'.join(CURRENCY_CODES)})\b|kr\.?|Kč|zł|Ft)"
_MONEY = r"(?:\d{1,3}(?:[.,'’\s]\d{3})*[.,](?:\d\d|[-–—]+)|\d+[.,]\d\d|\d{1,3}(?:[.,'’]\d{3})+)"
_FORMS = rf"(?:{_CURRENCY}\s?)?{_MONEY}(?:\s?{_CURRENCY})?|{_CURRENCY}\s?\d+|\d+\s?{_CURRENCY}"
_AT_END = re.compile(rf"(?:^|(?<=\s))[-−–+(]?(?:{_FORMS})[-−–)]?(?:\s[A-Z*])?$")  # with a class of tax


def has_tabular_amount(lines: Sequence[TextLine], kind: DocumentType) -> bool:
    """Whether an amount of money on a page stands alone, behind a label of a sum, or at the end of a line in a column.

    kind: the type whose fields the labels name.
    """
    ends = [(line, match.start()) for line in lines if (match := _AT_END.search(line.text.strip()))]
    sums = {field.name for field in kind.fields() if field.kind.name == "currency"}
    for line, start in ends:
        front = line.text.strip()[:start]
        if not any(map(str.isalpha, front)) or field_of_label(front, kind) in sums:
            return True
    rights = sorted(_end(line) for line, _ in ends)
    return any(
        other - right < MAX_END_SHIFT * min(height, other_height)
        for (right, height), (other, other_height) in pairwise(rights)
    )


def _end(line: TextLine) -> tuple[float, float]:
    """Return the right end and the height of a line, px."""
    return float(line.polygon[1:3, 0].mean()), float(line.polygon[2, 1] - line.polygon[1, 1])
