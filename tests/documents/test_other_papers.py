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
