"""Amounts in tables and behind labels, not inside sentences."""

import pytest

from docextract.documents import document_types
from docextract.extraction.layout.amount_lines import has_tabular_amount

INVOICE = document_types()["invoice"]


def has_amount(line, *texts):
    """Whether a page of these lines, whose ends differ by the length of their text, has an amount of a table."""
    return has_tabular_amount([line(text, 0, 40 * at) for at, text in enumerate(texts)], INVOICE)


@pytest.mark.parametrize(
    "text",
    [
        "1.234,50", "12,50 €", "EUR 12.50", "$120", "1'250.–", "-12,50", "12,50-", "(12.50)", "12.50 A",
        "2 12,50 25,00", "Total due: 12.50",
    ],
)  # fmt: skip
def test_an_amount_alone_or_behind_a_label_is_one_of_a_table(line, text):
    assert has_amount(line, text)


def test_amounts_that_end_in_one_column_are_those_of_a_table(line):
    assert not has_amount(line, "Bread 2.00", "Salt", "Tea 3.50")
    assert has_amount(line, "Bread 2.00", "Salt", "Juice 3.50")


@pytest.mark.parametrize(
    "text",
    [
        "Reminders cost 5.00 EUR.", "Orders below 150.00 EUR", "We charge 15.00 EUR for orders below 150.00 EUR each",
        "3. Payment", "1.", "2", "§ 3", "Art. 4", "12.03.2025", "19 %", "19,00 %", "Tel. 040 123 456", "08:30",
        "DE89 3704 0044 0532 0130 00",
    ],
)  # fmt: skip
def test_other_numbers_are_none(line, text):
    assert not has_amount(line, "Conditions of sale", text)
