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
