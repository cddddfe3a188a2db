"""A quantity and an amount in one cell are divided where the sum of the items proves it."""

import pytest

from docextract.extraction.layout.arithmetic.split_amounts import split_amounts
from docextract.extraction.layout.candidates import Candidates
from docextract.extraction.layout.fields import decode_fields
from docextract.extraction.layout.tables.rows import decode_groups
from tests.extraction.layout.conftest import RECEIPT


@pytest.fixture
def items(line, receipt):
    """Return a function that decodes a page with two items, the first one of two groups of digits, and a total."""

    def decode(first="2 450,00", total="545,00", is_part=False):
        page = receipt(
            (line("Soppa", 0, 0), {"line_items.description": 0.9}),
            (line(first, 400, 0), {"line_items.amount": 0.9}),
            (line("Kaffe", 0, 40), {"line_items.description": 0.9}),
            (line("95,00", 430, 40), {"line_items.amount": 0.9}),
            (line("Summa", 0, 80), {}),
            (line(total, 420, 80), {"total": 0.9}),
        )
        found = split_amounts(Candidates(decode_fields(page), decode_groups(page)), RECEIPT, page, is_part)
        return [(str(row["quantity"].value) if "quantity" in row else None, str(row["amount"].value))
                for row in found.groups["line_items"]]  # fmt: skip

    return decode


def test_a_quantity_is_no_thousand_if_the_sum_proves_it(items):
    assert items() == [("2", "450.00"), (None, "95.00")]


@pytest.mark.parametrize(
    "of", [{"total": "2 545,00"}, {"total": "500,00"}, {"is_part": True}], ids=["thousands", "another sum", "a part"]
)
def test_other_amounts_are_whole(items, of):
    assert items(**of) == [(None, "2450.00"), (None, "95.00")]
