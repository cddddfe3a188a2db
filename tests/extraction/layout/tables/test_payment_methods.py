"""Tests of completing the methods of payments."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.labels import inside_label
from docextract.extraction.layout.tables.rows import decode_groups


@pytest.fixture
def method_of(table):
    """Return a function that decodes the method of a payment. possible: words that the network holds possible."""

    def decode(*cells, possible):
        page = table(*cells, (600, 0, ("8,43", "amount")), document_type="receipt", group="payments")
        labels = page.probabilities.labels.copy()
        words = [index for index, piece in enumerate(page.pieces) if piece.text in possible]
        labels[words, inside_label(page.numbers["payments.method"])] = 0.1
        labels[words, 0] = 0.9
        (row,) = decode_groups(replace(page, probabilities=replace(page.probabilities, labels=labels)))["payments"]
        return row["method"].content

    return decode


@pytest.mark.parametrize(
    ("parts", "possible", "method"),
    [
        ([("BANKAS", "method"), ("KARTE EUR", None)], {"KARTE", "EUR"}, "BANKAS KARTE"),
        ([("Norēķinu", None), ("karte", "method")], {"Norēķinu"}, "Norēķinu karte"),
        ([("Samaksāts", "method"), ("ar", None), ("bankas karti", "method")], set(), "Samaksāts ar bankas karti"),
        ([("Paid", None), ("VISA", "method")], set(), "VISA"),
        ([("Gegeben BAR", "method")], set(), "BAR"),
        ([("Geg. BAR", "method")], set(), "BAR"),
        ([("Betaald:", None), ("PIN", "method")], {"Betaald"}, "PIN"),
        ([("Bezahlt", "method")], set(), "Bezahlt"),
        ([("Paid by", "method")], set(), "Paid by"),
        ([("VISA", "method"), ("4471 Debit", None)], {"4471", "Debit"}, "VISA"),
        ([("VISA", "method"), ("x1234", None), ("Debit", "method")], set(), "VISA Debit"),
    ],
)
def test_methods_of_payments_are_whole(method_of, parts, possible, method):
    """What the network holds possible beside a method, and words between its words, are a part of it."""
    assert method_of((0, 0, *parts), possible=possible) == method


def test_words_of_another_column_are_no_part_of_a_method(method_of):
    """They stand far from it on the same line."""
    assert method_of((0, 0, ("VISA", "method")), (300, 0, ("Debit", None)), possible={"Debit"}) == "VISA"
