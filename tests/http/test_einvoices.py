"""Which documents of a request e-invoices are of."""

from datetime import date
from decimal import Decimal

import numpy as np
import pytest

from docextract.documents.values import Conventions
from docextract.predictions import PagePrediction, PredictedValue, TextLine
from tests.documents.einvoice_files import cii
from tests.http.conftest import jpeg
from tests.images.text_pdfs import text_pdf, words

VALID = {"factur-x.xml": cii()}
DAMAGED = {"factur-x.xml": b"<?xml version='1.0'?><rsm:CrossIndustryInvoice xmlns:rsm='u'/>"}
OUTLINE = np.array([[0, 0], [300, 0], [300, 18], [0, 18]], np.float32)


def page(kind, *texts, **values):
    """Make the prediction of a page with these lines and values."""
    lines = tuple(TextLine(text, OUTLINE + np.float32([0, 20 * row]), 0.99) for row, text in enumerate(texts))
    fields = {name: PredictedValue(str(one), one, 0.99, ()) for name, one in values.items()}
    bounds = ((0.5, 0.001),)
    return PagePrediction(kind, 0.99, Conventions(currency="EUR"), fields, {}, lines=lines, error_bounds=bounds)


LETTER = page("other", "Please find our invoice R-4711 of 15.03.2026 over 119,00 EUR enclosed.")
INVOICE = page("invoice", "Invoice R-4711", "Total 119,00 EUR", document_number="R-4711", total=Decimal("119.00"))
OTHER_INVOICE = page(
    "invoice", "Invoice R-4705 of 15.03.2026", document_number="R-4705", document_date=date(2026, 3, 15)
)
UNREAD_INVOICE = page("invoice", "Invoice", "Total")
UNKNOWN_PAGE = page("other", "Invoice R-4711 of 15.03.2026", "Total 119,00 EUR")


def pdf(pages, attachments):
    return text_pdf(
        *[words(f"This is page {number} of the file", 50, 700) for number in range(pages)], attachments=attachments
    )


@pytest.fixture
def extracted(client, models):
    """Return a function that extracts files whose pages are read as these."""

    def extract(pages, *files, **options):
        remaining = iter(pages)
        models.found = lambda task: next(remaining)
        parts = [("images", ("file", data, "application/octet-stream")) for data in files]
        return client.post("/v1/extraction", files=parts, data=options).json()["documents"]

    return extract


def images_with_data(documents):
    """Return the pages of each document that has values of an e-invoice."""
    return [one["images"] for one in documents if one["fields"].get("total", {}).get("source") == "embedded_xml"]


def failed_checks(document):
    return {check["name"] for check in document["checks"] if not check["passed"]}


@pytest.mark.parametrize(
    ("pages", "own"),
    [
        ([LETTER, INVOICE], 1),
        ([OTHER_INVOICE, INVOICE], 1),
        ([INVOICE, OTHER_INVOICE], 0),
        ([LETTER, UNREAD_INVOICE], 0),
        ([page("other", "Dear customer"), UNREAD_INVOICE], 1),
        ([OTHER_INVOICE, UNKNOWN_PAGE], 1),
        ([page("other", "Dear customer"), page("other", "Kind regards")], 0),
    ],
)
def test_the_data_belong_to_the_document_that_agrees_with_them(extracted, pages, own):
    """By what was understood of a page and what is printed on it, then by its type."""
    documents = extracted(pages, pdf(2, VALID), group="page")
    assert images_with_data(documents) == [[own]]
    assert [one["images"] for one in documents] == [[0], [1]]


def test_a_letter_before_its_invoice_gets_no_data(extracted):
    """Also where the documents of a file are found."""
    assert images_with_data(extracted([LETTER, INVOICE], pdf(2, VALID), group="auto")) == [[1]]


UNNAMED_INVOICE = page("invoice", "Total 911,00 EUR", total=Decimal("911.00"))


def test_the_print_of_an_einvoice_need_not_say_that_it_is_an_invoice(extracted):
    """It is compared with the data whatever else it has; without data it is another paper."""
    (with_data,), (without,) = (extracted([UNNAMED_INVOICE], pdf(1, attached)) for attached in (VALID, {}))

    assert failed_checks(with_data) >= {"embedded_invoice_matches_page"}
    assert (without["type"], without["fields"]) == ("other", {})


def test_the_files_of_a_request_are_one_document(extracted):
    """The print of one file is compared with the data of another one."""
    (document,) = extracted([INVOICE], pdf(1, {}), cii(), group="request")
    assert (document["images"], document["uploads"]) == ([0], [0, 1])
    assert document["fields"]["total"]["source"] == "embedded_xml"
    assert "embedded_invoice_matches_page" in {check["name"] for check in document["checks"]}
    (document,) = extracted([INVOICE], cii(), pdf(1, VALID), group="request")
    assert (document["images"], document["uploads"]) == ([0], [1, 0])
    documents = extracted([INVOICE], cii(), pdf(1, {}), group="file")
    assert [(one["images"], one["uploads"]) for one in documents] == [([0], [1]), ([], [0])]


@pytest.mark.parametrize("unrelated", [page("passport", "ERIKSSON"), page("other", "Dear customer")])
def test_xml_is_not_of_a_document_that_has_nothing_in_common_with_it(extracted, unrelated):
    """A passport beside an invoice stays a passport."""
    documents = extracted([unrelated], pdf(1, {}), cii(), group="request")
    assert [(one["type"], one["images"]) for one in documents] == [(unrelated.type, [0]), ("invoice", [])]
    assert len(extracted([UNKNOWN_PAGE], pdf(1, {}), cii(), group="request")) == 1


@pytest.mark.parametrize(
    ("xml", "printed"),
    [
        (cii().replace(b"R-4711", b"12"), page("other", "Born 12.08.1964")),
        (cii(total="0.00"), page("other", "Deposit 0,00")),
        (cii(), page("passport", "R-4711")),
    ],
)
def test_a_likeness_by_chance_does_not_make_an_invoice(extracted, xml, printed):
    """A short number stands in dates, 0.00 on any page; and a passport is none."""
    documents = extracted([printed], pdf(1, {}), xml, group="request")
    assert [(one["type"], one["images"]) for one in documents] == [(printed.type, [0]), ("invoice", [])]


def test_each_document_has_one_einvoice(extracted):
    """Different data in one request are not lost."""
    other = cii().replace(b"R-4711", b"R-4705")
    first, second = extracted([INVOICE], pdf(1, {}), other, cii(), group="request")
    assert (first["images"], first["fields"]["document_number"]["value"]) == ([0], "R-4711")
    assert (second["images"], second["fields"]["document_number"]["value"]) == ([], "R-4705")


@pytest.mark.parametrize("attached", [(VALID, DAMAGED), (DAMAGED, VALID)])
def test_a_damaged_einvoice_beside_a_valid_one_is_reported(extracted, attached):
    """In any order."""
    (document,) = extracted([INVOICE, INVOICE], *(pdf(1, one) for one in attached), group="request")
    assert images_with_data([document]) == [[0, 1]]
    assert "embedded_invoice_is_valid" in failed_checks(document)


def test_a_damaged_einvoice_is_reported_for_the_invoice(extracted):
    """Also if a letter precedes it; pictures beside the file have no part in it."""
    documents = extracted([INVOICE, LETTER, INVOICE], jpeg(), pdf(2, DAMAGED), group="auto")
    assert ["embedded_invoice_is_valid" in failed_checks(one) for one in documents] == [False, False, True]
