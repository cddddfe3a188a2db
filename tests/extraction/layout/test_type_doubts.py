"""Pages that only look like documents of a type."""

from dataclasses import replace

import pytest

from docextract.extraction.layout.type_doubts import is_type_doubted
from docextract.predictions import PredictedZone

VALID_ZONE = PredictedZone("TD1", "ID", (), True, {}, False, 0.9, (), {})
LABELS = ("Surname", "Given names", "Date of birth", "Nationality")


@pytest.fixture
def page_of(line):
    """A function that makes a page with these lines and no fields. make: of a type."""

    def printed(make, *texts):
        return make(*((line(text, 0, 40 * row), {}) for row, text in enumerate(texts)))

    return printed


@pytest.mark.parametrize(
    ("fields", "texts", "is_doubted"),
    [
        ({"total"}, ["Kaufvertrag", "Betrag 9,00"], True),
        ({"total"}, ["Kaufvertrag", "Rechnungsbetrag 9,00"], False),
        (set(), ["Avis", "Rechnungsbetrag 9,00"], True),
        (set(), ["Rechnung", "Betrag 9,00"], False),
        ({"document_number"}, ["Avis", "Betrag 9,00"], False),
        ({"iban"}, ["Avis", "Betrag 9,00"], False),
    ],
    ids=["no word for an invoice", "a word for one", "without a total", "a title", "a number", "an account"],
)
def test_an_invoice_has_a_number_an_account_a_title_or_a_total_and_a_word_for_it(
    page_of, invoice, fields, texts, is_doubted
):
    assert is_type_doubted(page_of(invoice, *texts), 1.0, fields, None) == is_doubted


@pytest.mark.parametrize("kind", ["card", "id_card", "passport"])
@pytest.mark.parametrize(
    ("fields", "probability", "zone", "texts", "is_doubted"),
    [
        ({"family_name"}, 0.9, None, ["Diákigazolvány"], True),
        ({"family_name"}, 0.96, None, ["Carte"], False),
        ({"family_name", "issuing_country"}, 0.5, None, ["Carte"], False),
        ({"family_name"}, 0.5, VALID_ZONE, ["Carte"], False),
        ({"family_name"}, 0.5, replace(VALID_ZONE, valid=False), ["Carte"], True),
        ({"family_name"}, 0.5, None, LABELS, False),
        ({"family_name"}, 0.5, None, LABELS[:3], True),
    ],
)
def test_a_card_of_no_country_is_doubted(
    page_of, request, kind, fields, probability, zone, texts, is_doubted
):  # fmt: skip
    """Unless its type is certain, its machine-readable zone is valid, or its labels are those of such cards."""
    page = page_of(request.getfixturevalue(kind), *texts)

    assert is_type_doubted(page, probability, fields, zone) == is_doubted


def test_a_receipt_is_not_doubted(page_of, receipt):
    """Many have neither a number nor a title."""
    assert not is_type_doubted(page_of(receipt, "Bon"), 0.5, {"total"}, None)


def test_a_type_without_issuing_country_is_not_doubted(page_of, described_page, line):
    """A type that a user describes says what its documents have."""
    page = described_page('[fields]\nholder = "string"\n', (line("Slip", 0, 0), {}))

    assert not is_type_doubted(page, 0.5, {"holder"}, None)
