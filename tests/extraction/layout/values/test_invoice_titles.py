"""Titles that tell invoices from credit notes."""

import pytest

from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("RECHNUNG", "invoice"),
        ("Faktura VAT", "invoice"),
        ("AVOIR", "credit_note"),
        ("G u t s c h r i f t", "credit_note"),
        ("Thank you", None),
    ],
)
def test_a_title_tells_the_kind(line, invoice, title, kind):
    """Even if the network overlooks it, or its letters are spaced."""
    assert value_of(invoice((line(title, 0, 0), {}), (line("Total 9.00", 0, 40), {})), "kind") == kind


def test_the_first_title_counts(line, invoice):
    """A credit note names the invoice that it corrects."""
    page = invoice((line("Avoir", 0, 0), {}), (line("Facture", 0, 40), {}), (line("FC-74407", 0, 80), {}))

    assert value_of(page, "kind") == "credit_note"


@pytest.mark.parametrize("text", ["Rechnung Nr. 12", "Rechnung 12"])
def test_a_title_with_a_number_is_larger_than_other_print(line, invoice, text):
    """In small print it is the label of the number."""
    others = [(line(f"Artikel {at}", 0, 100 + 30 * at), {}) for at in range(5)]
    large, small = line(text, 0, 0, height=40), line(text, 0, 0)

    assert value_of(invoice((large, {}), *others), "kind") == "invoice"
    assert value_of(invoice((small, {}), *others), "kind") is None


def test_a_longer_label_is_no_title(line, invoice):
    others = [(line(f"Article {at}", 0, 100 + 30 * at), {}) for at in range(5)]

    assert value_of(invoice((line("Facture concernée FC-74407", 0, 0, height=40), {}), *others), "kind") is None
