"""Documents that only look like those of their type."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from docextract.answers.merging import ExtractedPage
from docextract.answers.type_doubts import MIN_CATEGORIES, with_settled_type
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, PredictedZone, TextLine

VALUE = PredictedValue(Decimal(9), "9", 0.9, ())
ZONE = PredictedZone("TD1", "ID", (), True, {}, False, 0.9, (), {})
LABELS = ("Surname", "Given names", "Date of birth", "Nationality")
ELEMENTS = ("1. LUNGU", "2. ANA", "4a. 13-02-2021", "4b 13-02-2029")
BLANK = PagePrediction("other", 0.99, Conventions())


def page(type, texts, *fields, confidence=0.9, **changes):
    lines = tuple(TextLine(text, np.zeros((4, 2), np.float32), 0.9) for text in texts)
    return PagePrediction(type, confidence, Conventions(), dict.fromkeys(fields, VALUE), lines=lines, **changes)


def settled(*pages):
    """The type of each page, and whether it has fields."""
    extracted = [
        ExtractedPage(number, np.zeros((8, 8, 3), np.uint8), np.eye(3), one) for number, one in enumerate(pages)
    ]
    return [(one.prediction.type, bool(one.prediction.fields)) for one in with_settled_type(extracted)]


OTHER, INVOICE = ("other", False), ("invoice", True)


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([page("invoice", ["Kaufvertrag", "Betrag 9,00"], "total")], [OTHER]),
        ([page("invoice", ["Avis", "Rechnungsbetrag 9,00"], "vendor_name")], [OTHER]),
        ([page("invoice", ["Kaufvertrag", "Rechnungsbetrag 9,00"], "total")], [INVOICE]),
        ([page("invoice", ["Kaufvertrag"], "document_number")], [INVOICE]),
        ([page("invoice", ["Kaufvertrag"], "iban")], [INVOICE]),
        ([page("invoice", ["Kaufvertrag"], "vendor_tax_id")], [INVOICE]),
        ([page("invoice", ["Rechnungsdatum 4.5.2026"], "amount_due")], [INVOICE]),
        ([page("invoice", ["Rechnung"], "vendor_name", has_invoice_title=True)], [INVOICE]),
        ([page("invoice", ["Seite 2 von 3", "Betrag 9,00"], "total")], [INVOICE]),
        ([page("invoice", ["Seite 1 von 3", "Betrag 9,00"], "total")], [OTHER]),
    ],
    ids=[
        "no word",
        "no sum",
        "word and total",
        "number",
        "account",
        "tax number",
        "word and amount due",
        "title",
        "second page",
        "first page",
    ],
)
def test_an_invoice_has_a_number_an_account_a_title_or_a_sum_and_a_word_for_it(pages, expected):
    assert settled(*pages) == expected


def test_the_pages_of_an_invoice_are_looked_at_together():
    """The word for it may be on the first page, and the total on the last."""
    first, last = page("invoice", ["Rechnungsdatum 4.5.2026"], "document_date"), page("invoice", ["9,00"], "total")

    assert settled(first, last) == [INVOICE, INVOICE]
    assert settled(last, last) == [OTHER, OTHER]
    assert settled(last, BLANK) == [OTHER, OTHER]


CARD = page("id_card", ["Diákigazolvány"], "family_name")


@pytest.mark.parametrize(
    ("card", "is_doubted"),
    [
        (CARD, True),
        (replace(CARD, type="driver_licence"), True),
        (replace(CARD, type="passport"), True),
        (replace(CARD, type_confidence=0.96), False),
        (page("id_card", ["Carte"], "family_name", "issuing_country"), False),
        (replace(CARD, zone=ZONE), False),
        (replace(CARD, zone=replace(ZONE, valid=False)), True),
        (page("id_card", LABELS, "family_name"), False),
        (page("id_card", LABELS[:3], "family_name"), True),
        (page("id_card", ["SZEMÉLYAZONOSÍTÓ IGAZOLVÁNY"], "family_name"), False),
        (page("id_card", ["Osobna iskaznica / Identity card"], "family_name"), False),
        (page("id_card", ["Identity card"], "family_name"), True),
        (page("id_card", ["Cédula de ciudadanía: 1020304050", "Reisepass / Führerschein:"], "family_name"), True),
        (page("id_card", ["O<4<<<<<<<<<<<<<<<"], "family_name"), False),
        (page("id_card", ["<<<<<<< INSERT THIS WAY", "CRFRAAB123CD5<<<VF1"], "family_name"), True),
        (page("driver_licence", [*ELEMENTS[:2], "4A. 13.02.2021", "4B. 13.02.2029"], "family_name"), False),
        (page("driver_licence", ["1. Name", "2. Address", "3. Age", "4a. Smoker?", "4b. Since?"], "family_name"), True),
        (page("driver_licence", ELEMENTS, "family_name"), False),
        (page("driver_licence", ELEMENTS[:3], "family_name"), True),
        (page("driver_licence", ["1. Ziele", "2. Mittel", "3. Wege", "5. Kosten", "4. Zeit"], "family_name"), True),
        (replace(CARD, type="driver_licence", groups={"driving_privileges": ({},) * MIN_CATEGORIES}), False),
    ],
)
def test_a_card_of_no_country_is_doubted(card, is_doubted):
    """Unless its type is certain, or its zone, title, labels, elements or categories are those of such cards."""
    assert settled(card) == [OTHER if is_doubted else (card.type, True)]


def test_both_sides_of_a_card_are_looked_at_together():
    """The back may have the zone, and the type of no document."""
    back = replace(BLANK, zone=ZONE)

    assert settled(CARD, back) == [("id_card", True), ("other", False)]
    assert settled(CARD, BLANK) == [OTHER, OTHER]


def test_other_documents_are_not_doubted():
    """Many receipts have neither a number nor a title."""
    assert settled(page("receipt", ["Bon"], "total", confidence=0.5)) == [("receipt", True)]
    assert settled(BLANK) == [OTHER]
