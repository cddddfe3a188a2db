"""Values behind or below labels that name their field."""

import pytest

from docextract.documents.printed_labels import field_of_label
from docextract.documents.values import Conventions
from docextract.extraction.layout.labelled_values import printed_labels
from docextract.extraction.layout.pieces import join_pieces, split_into_pieces
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.spans import LABELLED_PROBABILITY, decode_fields
from tests.extraction.layout.conftest import INVOICE, NAMES


def found_in(invoice, *lines):
    """The values of a page of which the network knows nothing, by field."""
    page = invoice(*((one, {}) for one in lines))
    return {name: one.value for name, one in decode_fields(INVOICE, NAMES, *page, Conventions()).items()}


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("N° de facture :", "document_number"),
        ("RECHNUNGS-NR.", "document_number"),
        ("Eräpäivä", "due_date"),
        ("Do zapłaty", "amount_due"),
        ("PO #", "purchase_order"),
        ("PO", None),
        ("Date", None),
        ("", None),
    ],
)
def test_labels_of_many_languages(text, field):
    """Case, accents and punctuation do not matter; a label of several fields names none."""
    assert field_of_label(text) == field


def test_a_value_stands_behind_its_label(line, invoice):
    """On its line, or as a line of its own on the same row, even if the network doubts it."""
    found = found_in(invoice, line("Invoice No: 2024-117", 0, 0), line("Eräpäivä", 0, 40), line("26.9.2024", 400, 42))

    assert found["document_number"] == "2024-117"
    assert found["due_date"].isoformat() == "2024-09-26"


def test_a_value_stands_below_its_label(line, invoice):
    """In the column of the label; a longer word that begins left of it is taken whole."""
    found = found_in(
        invoice,
        line("P.O. NUMBER", 100, 0), line("DUE DATE", 400, 0), line("TOTAL DUE", 700, 0),
        line("PO-3333", 90, 30), line("12/15/2019", 400, 30), line("610.00", 700, 30),
    )  # fmt: skip

    assert found["purchase_order"] == "PO-3333"
    assert found["due_date"].isoformat() == "2019-12-15"
    assert str(found["amount_due"]) == "610.00"


@pytest.mark.parametrize(
    "text",
    ["Purchase order date 5", "po_number_123", "Our invoice number 12 of", "Invoice number"],
    ids=["a longer label", "part of a word", "words in front", "no value"],
)
def test_what_only_contains_a_label_is_none(line, invoice, text):
    assert found_in(invoice, line(text, 0, 0), line("Thank you", 0, 30)) == {}


def test_a_sure_network_is_not_contradicted(line, invoice):
    """What it takes for the value with more probability stays."""
    page = invoice(
        (line("Invoice number 17", 0, 0), {}),
        (line("2024-99", 0, 300), {"document_number": LABELLED_PROBABILITY + 0.1}),
    )

    assert decode_fields(INVOICE, NAMES, *page, Conventions())["document_number"].value == "2024-99"


def test_the_longest_label_counts(line):
    """ "Payment due date" is not "payment due"."""
    _, page = split_into_pieces([line("Payment due date 1.2.2024", 0, 0)])
    (label,) = printed_labels(page.pieces, PrintedLines(page.pieces))["due_date"]

    assert join_pieces([page.pieces[index] for index in label]) == "Payment due date"
