"""Which pages make one document."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.pipeline.grouping import group_pages
from docextract.predictions import PagePrediction, PredictedValue, TextLine

BOX = np.zeros((4, 2), np.float32)
LETTERHEAD = ("Holzhof GmbH, Waldweg 1, 80333 München", "Amtsgericht München HRB 4711, USt-IdNr. DE123456789")


def page(*texts, type="invoice", confidence=0.99, **values):
    """A page with these lines; the values are predicted, and printed on lines of their own."""
    fields = {name: PredictedValue(str(value), value, 0.9, ()) for name, value in values.items()}
    lines = (*texts, *(str(value) for value in values.values()))
    return PagePrediction(
        type, confidence, Conventions(), fields, lines=tuple(TextLine(text, BOX, 0.99) for text in lines)
    )


def split(*pages):
    return group_pages("auto", pages, [0] * len(pages))


def test_the_pages_of_a_file_are_one_document_by_default():
    """Whatever they are; with the other groupings, each page, or all files."""
    pages = [page(), page(type="receipt"), page()]

    assert group_pages("file", pages, [0, 0, 1]) == [[0, 1], [2]]
    assert group_pages("page", pages, [0, 0, 1]) == [[0], [1], [2]]
    assert group_pages("request", pages, [0, 0, 1]) == [[0, 1, 2]]
    assert group_pages("request", [], []) == []


def test_a_page_with_several_documents_is_alone():
    """Whatever its page number says: which of its documents goes on is not known."""
    sheet = replace(page("Page 2 of 3"), parts=((), ()))

    assert split(page("Page 1 of 3"), sheet, page("Page 3 of 3")) == [[0], [1], [2]]


def test_files_are_never_joined():
    """Even if the second one continues the first one's page numbers."""
    assert group_pages("auto", [page("Page 1 of 2"), page("Page 2 of 2")], [0, 1]) == [[0], [1]]


def test_page_numbers_decide():
    """A first page begins a document, and so does what follows a last page."""
    first, second = page("Page 1 of 2"), page("Page 2 of 2")

    assert split(first, second, first, second, page()) == [[0, 1], [2, 3], [4]]


def test_a_page_of_another_document_does_not_continue_the_count():
    """A lost first page: page 2 of 4 after page 1 of 2."""
    assert split(page("Page 1 of 2"), page("Page 2 of 4")) == [[0], [1]]


def test_another_number_begins_a_document():
    """Also with the same letterhead."""
    assert split(
        page(*LETTERHEAD, document_number="R-4711"),
        page(*LETTERHEAD, "Übertrag aus R-4711"),
        page(*LETTERHEAD, document_number="R-4712"),
    ) == [[0, 1], [2]]


def test_a_credit_note_that_names_its_invoice_is_another_document():
    """It has a number of its own."""
    assert split(page(document_number="R-4711"), page("for invoice R-4711", document_number="G-0815")) == [[0], [1]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"document_date": date(2026, 1, 5)}, {"document_date": date(2026, 1, 6)}),
        ({"total": Decimal("5.00")}, {"total": Decimal("7.50")}),
        ({"merchant_name": "Corner Bakery"}, {"merchant_name": "Harbour Fish"}),
    ],
)
def test_receipts_on_a_stack_are_told_apart(first, second):
    """By their dates, totals or merchants."""
    assert split(page(type="receipt", **first), page(type="receipt", **second)) == [[0], [1]]


def test_the_total_of_an_invoice_may_differ_from_page_to_page():
    """A sum that is carried over."""
    assert split(page(total=Decimal("5.00")), page(total=Decimal("7.50"))) == [[0, 1]]


def test_a_page_of_another_type_begins_a_document():
    """Unless its letterhead says that it belongs to the page before, or its type is doubtful."""
    assert split(page(), page(type="receipt")) == [[0], [1]]
    assert split(page(), page(type="receipt", confidence=0.6)) == [[0, 1]]
    assert split(page(*LETTERHEAD), page(*LETTERHEAD, type="receipt")) == [[0, 1]]


def test_an_invoice_behind_its_delivery_note_is_a_document_of_its_own():
    """Also with the same letterhead."""
    note = replace(page(*LETTERHEAD, "Lieferschein", type="other"), has_other_title=True)
    invoice = replace(page(*LETTERHEAD, "Rechnung"), has_invoice_title=True)

    assert split(note, invoice) == [[0], [1]]
    assert split(invoice, page(*LETTERHEAD), invoice) == [[0, 1, 2]]
    assert split(note, page(*LETTERHEAD)) == [[0, 1]]


def test_conditions_of_sale_belong_to_the_page_before():
    """They are of no document type, and running text; a sheet of another kind is a document of its own."""
    conditions = ["The goods remain our property until they have been paid in full", "Claims are to be made at once"]

    assert split(page(document_number="R-4711"), page(*conditions, type="other")) == [[0, 1]]
    assert split(page(document_number="R-4711"), page("Delivery note", "Pallets 12", type="other")) == [[0], [1]]


def test_empty_pages_belong_to_the_page_before():
    """The reverse of a sheet."""
    assert split(page(document_number="R-4711"), page(type="other"), page(document_number="R-4712")) == [[0, 1], [2]]


def test_cards_of_two_persons_are_two_documents():
    """And the back belongs to the front before it."""
    cards = [
        page(type="id_card", document_number="L01X00T47", family_name="Eriksson"),
        page(type="id_card"),
        page(type="id_card", document_number="T22000129", family_name="Mustermann"),
        page(type="id_card"),
    ]
    assert split(*cards) == [[0, 1], [2, 3]]
