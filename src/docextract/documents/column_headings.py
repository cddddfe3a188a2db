"""Headings of the columns of tables of goods, in many languages."""

import re

from docextract.documents.amounts import CURRENCY_CODES
from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label

_LEAVES = {bare_label(heading): leaf for leaf, some in load_data("column_headings").items() for heading in some}
# Brackets and currencies, also as "in EUR".
_EXTRAS = re.compile(rf"\(.*?\)|\[.*?\]|\b(?:in )?(?:{'|'.join(CURRENCY_CODES)}|RM)\b|[€$£]")


def leaf_of_heading(text: str) -> str | None:
    """Return the value of a row that stands below a heading, such as "unit_price"; None for other words.

    For values that are none of a row, another list of data/column_headings.toml: "other", "other_code", "no_code"; for
    names or codes "item".
    """
    return _LEAVES.get(bare_label(_EXTRAS.sub(" ", text)))
