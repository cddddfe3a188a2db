"""Legal forms at the ends of company names."""

import pytest

from docextract.documents.companies import is_legal_form


@pytest.mark.parametrize(
    "text",
    [
        "GmbH",
        "GMBH",
        "GmbH & Co. KG",
        "B.V.",
        "sp. z o.o.",
        "s.r.o.",
        "a.s.",
        "Oy",
        "Sdn. Bhd.",
        "A/S",
        "LTD. ŞTİ.",
        "Ltd. Sti.",
        "e.U.",
        "Ltée",
    ],
)
def test_legal_forms_are_known_however_they_are_written(text):
    assert is_legal_form(text)


@pytest.mark.parametrize("text", ["as", "sa", "Street", "GmbH Berlin", "EU", ""])
def test_other_words_are_none(text):
    """Among them words that are spelt like a form: small ones, and the European Union."""
    assert not is_legal_form(text)
