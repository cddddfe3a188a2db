"""The document that an e-invoice and the print of its pages give together."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.answers.documents import AnswerOptions, build_document
from docextract.answers.einvoices import DIFFERING_CONFIDENCE, PRINTED_CONFIDENCE, UNPRINTED_CONFIDENCE, merge_einvoice
from docextract.answers.merging import ExtractedPage, merge_pages
from docextract.documents import document_types
from docextract.documents.einvoice import parse_einvoice
from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, TextLine
from tests.documents.einvoice_files import cii

INVOICE = document_types()["invoice"]
PRINT = (
    "Holzhof GmbH, Waldweg 1, 80333 München",
    "Bau AG",
    "Rechnung R-4711 vom 15.03.2026",
    "2 Oak board 50,00 100,00",
    "Summe 100,00",
    "19 % MwSt. 19,00",
    "Gesamt 119,00 EUR",
    "IBAN DE02 1203 0000 0000 2020 51",
)


def box(row):
    top = 20.0 * row
    return np.array([[0, top], [300, top], [300, top + 18], [0, top + 18]], np.float32)


def extracted(*texts, currency="EUR", **predicted):
    """Make a page with these lines. predicted: field -> the index of its line and its value."""
    lines = tuple(TextLine(text, box(row), 0.99) for row, text in enumerate(texts))
    fields = {name: PredictedValue(str(v), v, 0.8, (box(row),)) for name, (row, v) in predicted.items()}
    prediction = PagePrediction(
        "invoice", 0.99, Conventions(currency=currency), fields, {}, lines=lines, error_bounds=((0.5, 0.001),)
    )
    return ExtractedPage(0, np.full((400, 300, 3), 255, np.uint8), np.eye(3), prediction)


def merged_with(page, data=None):
    pages = [page] if page else []
    return merge_einvoice(merge_pages(pages, INVOICE), parse_einvoice(data or cii()), pages, INVOICE)


def only_check(merged):
    (check,) = merged.checks
    assert check.name == "embedded_invoice_matches_page"
    return check


def test_values_come_from_the_data_and_places_from_the_print():
    """Although the model has predicted nothing."""
    merged = merged_with(extracted(*PRINT))

    total = merged.fields["total"]
    assert (total.value.value, total.source, total.value.confidence) == (
        Decimal("119.00"), "embedded_xml", PRINTED_CONFIDENCE,
    )  # fmt: skip
    assert np.array_equal(total.value.polygons[0], box(6))
    assert merged.fields["document_date"].value.value == date(2026, 3, 15)
    assert np.array_equal(merged.fields["iban"].value.polygons[0], box(7))
    (row,) = merged.groups["line_items"]
    assert np.array_equal(row["amount"].value.polygons[0], box(3))
    assert only_check(merged).passed


@pytest.mark.parametrize(
    ("line", "changed", "field", "predicted"),
    [
        (6, "Gesamt 911,00 EUR", "total", Decimal("911.00")),
        (2, "Rechnung R-4799 vom 15.03.2026", "document_number", "R-4799"),
        (7, "IBAN DE61 1203 0000 0000 9999 99", "iban", "DE61120300000000999999"),
        (0, "Steinbruch KG, Am Berg 7, 10115 Berlin", "vendor_name", "Steinbruch KG"),
    ],
)
def test_a_field_that_is_printed_otherwise_is_named(line, changed, field, predicted):
    """The data are the invoice by law, so their value is kept, with both values and little confidence."""
    texts = [changed if row == line else text for row, text in enumerate(PRINT)]

    merged = merged_with(extracted(*texts, **{field: (line, predicted)}))

    check = only_check(merged)
    assert (check.passed, check.fields) == (False, (field,))
    one = merged.fields[field]
    assert (one.agree, one.value.confidence) == (False, DIFFERING_CONFIDENCE)
    assert {name: found.value.value for name, found in one.sources.items()} == {
        "embedded_xml": one.value.value,
        "printed": predicted,
    }


def test_another_currency_differs():
    """Unless the code of the data is printed somewhere."""
    texts = [text.replace("EUR", "$") for text in PRINT]

    assert only_check(merged_with(extracted(*texts, currency="USD"))).fields == ("currency",)
    assert only_check(merged_with(extracted(*texts, "Amounts in EUR", currency="USD"))).passed


def test_a_misunderstood_print_is_no_difference():
    """The model took the net sum for the total; the data have that number for another field."""
    merged = merged_with(extracted(*PRINT[:6], PRINT[7], total=(4, Decimal("100.00"))))

    assert only_check(merged).passed
    assert merged.fields["total"].value.confidence == UNPRINTED_CONFIDENCE


def test_an_amount_that_stands_for_another_field_does_not_confirm():
    """19.00 is printed as the tax; the data claim it as the total, the page says 119.00."""
    page = extracted(*PRINT, total=(6, Decimal("119.00")), total_tax=(5, Decimal("19.00")))

    merged = merged_with(page, cii(total="19.00", tax="19.00"))

    assert only_check(merged).fields == ("total",)


def test_credit_notes_may_print_their_amounts_with_a_sign():
    """Then all sums of the data get it, so that they still agree with each other."""
    page = extracted(*[text.replace("119,00", "-119,00") for text in PRINT], total=(6, Decimal("-119.00")))

    merged = merged_with(page, cii(type_code="381"))

    assert only_check(merged).passed
    signed = {name: merged.fields[name].value.value for name in ("subtotal", "total_tax", "total")}
    assert signed == {"subtotal": Decimal(-100), "total_tax": Decimal(-19), "total": Decimal(-119)}
    assert merged.groups["line_items"][0]["amount"].value.value == Decimal(-100)


def test_credit_notes_may_print_their_amounts_without_a_sign():
    """The data have none either."""
    page = extracted(*PRINT, total=(6, Decimal("119.00")))

    merged = merged_with(page, cii(type_code="381"))

    assert merged.fields["total"].value.value == Decimal("119.00")


def test_what_only_print_has_is_kept():
    """A field that the data leave out."""
    merged = merged_with(extracted(*PRINT, "Fällig am 30.03.2026", due_date=(8, date(2026, 3, 30))))

    due = merged.fields["due_date"]
    assert (due.source, due.value.value, due.value.confidence) == ("printed", date(2026, 3, 30), 0.8)


def test_an_address_is_given_as_it_is_printed():
    """Data have only its parts."""
    page = extracted(*PRINT, vendor_address=(0, "Waldweg 1, 80333 München"))

    address = merged_with(page).fields["vendor_address"]

    assert (address.source, address.value.value) == ("printed", "Waldweg 1, 80333 München")
    assert address.sources["embedded_xml"].value.value == "Waldweg 1, 80333 München, DE"


def test_an_address_that_was_not_predicted_is_found():
    """Lines below each other that have no other words; a sender's line above the window has the name too."""
    page = extracted(*PRINT, "Anschrift", "Waldweg 1", "DE 80333 München", "Deutschland")

    address = merged_with(page).fields["vendor_address"]

    assert (address.source, address.value.value) == ("printed", "Waldweg 1, DE 80333 München")
    assert len(address.value.polygons) == 2


def test_data_without_pages_have_nothing_to_be_compared_with():
    """An e-invoice sent alone: all values, no places, no check."""
    merged = merged_with(None)

    assert merged.checks == ()
    assert merged.conventions.currency == "EUR"
    assert {one.page for one in merged.fields.values()} == {None}
    assert len(merged.groups["line_items"]) == 1


def test_sums_of_zero_are_left_out():
    """Data give every sum, and nobody prints a discount of 0.00."""
    einvoice = parse_einvoice(cii())
    einvoice = replace(einvoice, values={**einvoice.values, "total_discount": Decimal("0.00")})
    pages = [extracted(*PRINT)]

    merged = merge_einvoice(merge_pages(pages, INVOICE), einvoice, pages, INVOICE)

    assert "total_discount" not in merged.fields


def answered(*pages, **options):
    return build_document(
        pages, AnswerOptions(**options), parse_einvoice(cii().replace(b"DE123456789", b"DE136695976"))
    )


def test_data_that_nothing_contradicts_are_not_uncertain():
    """The errors of the models do not apply to them; a stated minimum does."""
    demanding = extracted(*PRINT, bic=(7, "MARKDEF1100"))
    demanding = replace(demanding, prediction=replace(demanding.prediction, error_bounds=((0.5, 0.1),)))

    assert answered(target_error=0.001).review_reasons == []
    assert answered(demanding).review_reasons == ["uncertain:bic"]
    assert "uncertain:document_number" in answered(min_confidence=0.995).review_reasons


def test_data_that_the_print_contradicts_are_uncertain():
    """Whatever the others are."""
    page = extracted(*PRINT[:-2], "Gesamt 120,00 EUR", total=(6, Decimal("120.00")))

    assert answered(page).review_reasons == ["uncertain:total", "check_failed:embedded_invoice_matches_page"]


def test_amounts_of_rows_that_are_not_printed_are_no_certain_data():
    """Other amounts are printed in the rows, and the check compares only sums."""
    page = extracted(*PRINT[:3], "Widget 120,00 EUR", *PRINT[4:])
    row = {"amount": PredictedValue("120,00", Decimal("120.00"), 0.9, (box(3),))}
    page = replace(page, prediction=replace(page.prediction, groups={"line_items": (row,)}))

    assert answered(page, target_error=0.001).review_reasons == []
    demanding = replace(page, prediction=replace(page.prediction, error_bounds=((0.995, 0.001),)))
    assert answered(demanding).review_reasons == ["uncertain:line_items"]


def test_dates_beside_data_stay_in_the_order_in_which_they_were_read():
    """The due date shows no other order, because the data state their dates."""
    page = extracted()
    predicted = {
        "document_date": PredictedValue("05/03/2026", date(2026, 3, 5), 0.9, ()),
        "due_date": PredictedValue("06/02/2026", date(2026, 2, 6), 0.9, ()),
    }
    page = replace(page, prediction=replace(page.prediction, fields=predicted))

    assert build_document([page], AnswerOptions()).fields["due_date"].value == "2026-06-02"
    assert answered(page).fields["due_date"].value == "2026-02-06"
