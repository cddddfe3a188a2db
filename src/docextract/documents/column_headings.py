"""Headings of the columns of tables of goods, in many languages."""

import re

from docextract.documents.amounts import CURRENCY_CODES
from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label

_LEAVES = {bare_label(heading): leaf for leaf, some in load_data("column_headings").items() for heading in some}
# Brackets and currencies, also as "in EUR".
_EXTRAS = re.compile(rf"\(.*?\)|\[.*?\]|\b(?:in )?(?:{'|'.join(CURRENCY_CODES)}|RM)\b|[€$£]")


def leaf_of_heading(text: str) -> str | None:
    """Return the value of a row that stands below a heading, such as "unit_price"; "other" or None if it is none."""
    return _LEAVES.get(bare_label(_EXTRAS.sub(" ", text)))
