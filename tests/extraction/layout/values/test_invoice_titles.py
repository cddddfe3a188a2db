"""Titles that tell invoices from credit notes."""

import pytest

from docextract.documents.data import load_data
from docextract.documents.values import parse_invoice_kind
from docextract.extraction.layout.fields import decode_fields
from tests.extraction.layout.conftest import value_of


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("RECHNUNG", "invoice"),
        ("Faktura VAT", "invoice"),
        ("SATIŞ FATURASI", "invoice"),
        ("Sähkölasku", "invoice"),
        ("Vyúčtování služeb – daňový doklad", "invoice"),
        ("NOTA FISCAL DE SERVIÇOS ELETRÔNICA - NFS-e", "invoice"),
        ("AVOIR", "credit_note"),
        ("G u t s c h r i f t", "credit_note"),
        ("Storno zur Rechnung", "credit_note"),
        ("SZTORNÓ SZÁMLA", "credit_note"),
        ("Annullering av faktura", "credit_note"),
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


@pytest.mark.parametrize(
    "text",
    ["Rechnung Nr. 12", "Rechnung 12", "Faktura číslo 12", "FATURA SIRA NO: 12", "FACTURA Nº F-12", "Invoice ID 12"],
)
def test_a_title_may_have_a_number_behind_it(line, invoice, text):
    """In print of any size."""
    others = [(line(f"Artikel {at}", 0, 100 + 30 * at), {}) for at in range(5)]

    for height in (20, 40):
        assert value_of(invoice((line(text, 0, 0, height=height), {}), *others), "kind") == "invoice"


def test_large_print_counts_before_the_label_of_a_number(line, invoice):
    """A credit note may name the number of its invoice above its own."""
    original, own = line("Rechnung Nr. 12", 0, 0), line("Gutschrift GS-13", 0, 50, height=40)
    others = [(line(f"Artikel {at}", 0, 100 + 30 * at), {}) for at in range(5)]

    assert value_of(invoice((original, {}), (own, {}), *others), "kind") == "credit_note"


def test_of_two_labels_that_of_the_credit_note_counts(line, invoice):
    """Invoices name no credit notes."""
    page = invoice((line("Invoice No. 10012", 0, 0), {}), (line("Credit Note No. 17", 0, 40), {}))

    assert value_of(page, "kind") == "credit_note"


def test_a_title_that_the_network_finds_counts_before_the_label_of_a_number(line, invoice):
    page = invoice((line("Refund", 0, 0), {"kind": 0.55}), (line("Credit Note No. 17", 0, 40), {}))

    assert value_of(page, "kind") == "invoice"  # what its words mean


@pytest.mark.parametrize("kind", ["invoice", "credit_note"])
def test_every_title_tells_its_kind(kind):
    """In capitals, too."""
    titles = load_data("captions")[f"{kind}_title"]

    assert {parse_invoice_kind(text) for title in titles for text in (title, title.upper())} == {kind}


@pytest.mark.parametrize(
    "text",
    [
        "Storno", "Stornierung", "Storno zu Rechnung 4711", "Rechnungsstorno", "STORNO FAKTURA", "Factură Storno",
        "Anulare factură", "Storno računa", "Storno fattura", "Facture d'annulation", "Factura de anulación",
        "Cancellation invoice", "Cancellation of invoice 12", "Iptal faturası",
    ],
)  # fmt: skip
def test_a_cancelled_invoice_is_a_credit_note(text):
    """The title names the invoice, too."""
    assert parse_invoice_kind(text) == "credit_note"


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung über Stornogebühren", "Stornierungskosten-Rechnung", "Rechnung (Stornierung kostenlos)",
        "Facture frais d'annulation", "Factuur annuleringskosten", "Fattura penale di annullamento",
        "Factura gastos de anulación", "Invoice for a cancellation fee",
    ],
)  # fmt: skip
def test_the_fee_of_a_cancellation_is_invoiced(text):
    assert parse_invoice_kind(text) == "invoice"


def test_a_longer_label_is_no_title(line, invoice):
    others = [(line(f"Article {at}", 0, 100 + 30 * at), {}) for at in range(5)]

    assert value_of(invoice((line("Facture concernée FC-74407", 0, 0, height=40), {}), *others), "kind") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Faktura 41/10/2026", "41/10/2026"),
        ("RECHNUNG RE-118", "RE-118"),
        ("Faktura 1/10/2026", "1/10/2026"),
        ("Faktura 2026-41", "2026-41"),
        ("Rechnung vom 4.5.2026", None),
        ("Rechnung 04.05.2026", None),
        ("Invoice 2026-05-04", None),
        ("Rechnung 1.250,00", None),
        ("Invoice $1,250.00", None),
        ("Faktura A 12", None),
        ("Rechnung", None),
        ("Angebot 12", None),
    ],
)
def test_a_number_behind_a_title_is_the_documents_where_no_other_is_found(line, invoice, text, number):
    """The network takes it for a date, or for nothing."""
    page = invoice((line(text, 0, 0), {"document_date": 0.9}), (line("Data: 2026-10-30", 0, 40), {}))
    other = invoice((line(text, 0, 0), {}), (line("F-7", 0, 40), {"document_number": 0.9}))

    found = decode_fields(page).get("document_number")

    assert (found and found.value) == number
    assert decode_fields(other)["document_number"].value == "F-7"


def test_an_invoice_in_a_table_has_another_number(line, invoice):
    page = invoice(
        *((line(text, 300 * at, 0), {}) for at, text in enumerate(["4.5.26", "Faktura 41/10/2026", "12,00"]))
    )

    assert "document_number" not in decode_fields(page)


def test_a_number_behind_a_title_may_stand_beside_two_lines(line, invoice):
    """Of a block at its left, in smaller print."""
    page = invoice(
        (line("Data: 2026-10-30", 0, 0, height=14), {}), (line("Gdynia", 0, 18, height=14), {}),
        (line("Faktura 41/10/2026", 600, 0, height=30), {}),
    )  # fmt: skip

    assert decode_fields(page)["document_number"].value == "41/10/2026"
