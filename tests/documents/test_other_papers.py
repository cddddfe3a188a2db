"""Statements that only papers of other kinds make."""

import pytest

from docextract.documents.other_papers import has_statement_of_other_paper


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("THIS IS NOT AN INVOICE.", True),
        ("Ceci n'est pas une facture", True),
        ("Toto není daňový doklad!", True),
        ("According to our records … please disregard this reminder", True),
        ("This is an invoice", False),
        ("Seller confirms that this is not an invoiced amount", False),
        ("", False),
    ],
)
def test_whole_words_tell(text, expected):
    """Case, accents and punctuation do not matter."""
    assert has_statement_of_other_paper(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We have not yet received payment of invoice 12.", True),
        ("If we have not yet received payment within 30 days, interest is due.", False),
        ("Leider konnten wir noch keinen Zahlungseingang feststellen.", True),
        ("Sollten wir bis zum 1. Februar noch keinen Zahlungseingang verzeichnen,", False),
        ("Votre règlement ne nous est pas parvenu à ce jour.", True),
        ("Si votre règlement ne nous est pas parvenu à l'échéance,", False),
        ("Do dziś nie odnotowaliśmy wpłaty.", True),
        ("Jeśli nie odnotowaliśmy wpłaty, naliczamy odsetki.", False),
        ("Pokud neevidujeme úhradu do 14 dnů,", False),
        ("Indien wij nog geen betaling ontvangen hebben …", False),
        ("Wij hebben nog geen betaling ontvangen. Indien wij nog geen betaling ontvangen …", True),
        ("Sollten Sie Fragen haben, rufen Sie an. " + "Zahlen Sie bald. " * 4 + "Bisher keinen Zahlungseingang", True),
    ],
)
def test_a_condition_is_no_statement(text, expected):
    """Invoices have terms of payment."""
    assert has_statement_of_other_paper(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Gesamt-Brutto 2.877,19",
        "Steuerrechtl. Abzüge",
        "NET À PAYER AVANT IMPÔT",
        "Bescheid für 2025 über Einkommensteuer und Solidaritätszuschlag",
        "De ondergetekenden:",
        "Kontostand am 31.10.2026 um 20:03 Uhr",
        "Bon pour accord, date et signature du client :",
        "The purchase order number must appear on all invoices and packages.",
        "We're getting your order ready to be shipped.",
        "Die Rechnung folgt mit separater Post.",
    ],
)
def test_each_kind_of_paper_has_statements(text):
    """Payslips, tax notices, contracts, statements of account, offers, orders and delivery notes."""
    assert has_statement_of_other_paper(text)


@pytest.mark.parametrize(
    "text",
    [
        "Devis gratuit sur demande. Conformément à votre devis D-12",
        "Suivant devis D-12, bon pour accord du 3/9/2026",
        "Para cualquier litigio, las partes acuerdan someterse a los Juzgados de Madrid",
        "Wij berekenen u volgens onze offerte 2026-77",
        "Netto-Betrag, Brutto-Betrag, Bruttopreis",
        "Offre valable jusqu'au 31/12",
        "Ihre Bestellung vom 12.10.2026, unser Angebot A26-220",
        "Prüfung der Einkommensteuererklärung 2025",
        "Base imponible del impuesto eléctrico",
        "Contract no. 118, agreement of 1 May",
    ],
)
def test_invoices_may_name_other_papers(text):
    """An offer or an order that they follow, a tax that they are about."""
    assert not has_statement_of_other_paper(text)


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung Nr. 12 Gesamt (netto) 100,00 MwSt. 19,00 Gesamt (brutto) 119,00",
        "Rechnungsnummer: 12 Satz Netto Steuer Brutto",
        "Rechnung Nr. 12 Erklärung zur Feststellung der Besteuerungsgrundlagen",
        "Invoice no. 12 Review of notice of assessment 2025",
        "Invoice no. 12 Gross pay, employer's taxes, service fee",
        "Facture n° 12 Vérification de votre avis d'imposition",
        "Fattura n. 12 Ricorso avverso avviso di accertamento",
    ],
)
def test_words_of_payslips_and_tax_notices_may_be_those_of_an_invoice(text):
    assert not has_statement_of_other_paper(text)
    assert has_statement_of_other_paper(" ".join(text.split()[3:]))
