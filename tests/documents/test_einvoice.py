"""Electronic invoices: the same values from every syntax, and nothing from hostile XML."""

import tracemalloc
from datetime import date
from decimal import Decimal

import pytest

from docextract.documents.einvoice import EInvoiceError, parse_einvoice
from docextract.documents.einvoice.hardening import MAX_BYTES, MAX_TAGS
from tests.documents.einvoice_files import cii, ubl, zugferd_1

VALUES = {
    "kind": "invoice",
    "document_number": "R-4711",
    "document_date": date(2026, 3, 15),
    "vendor_name": "Holzhof GmbH",
    "vendor_address": "Waldweg 1, 80333 München, DE",
    "vendor_tax_id": "DE123456789",
    "customer_name": "Bau AG",
    "subtotal": Decimal("100.00"),
    "total_tax": Decimal("19.00"),
    "total": Decimal("119.00"),
    "iban": "DE02120300000000202051",
}
ROW = {
    "description": "Oak board",
    "product_code": "A-1",
    "quantity": Decimal(2),
    "unit": "C62",
    "unit_price": Decimal(50),
    "tax_rate": Decimal(19),
    "amount": Decimal("100.00"),
}


@pytest.mark.parametrize(
    ("data", "syntax"), [(cii(), "cii"), (zugferd_1(), "zugferd_1"), (ubl(), "ubl")], ids=["cii", "zugferd_1", "ubl"]
)
def test_every_syntax_gives_the_same_values(data, syntax):
    """The price of a hundred becomes the price of one; a VAT number comes before another tax number."""
    invoice = parse_einvoice(data)

    assert (invoice.syntax, invoice.kind, invoice.currency) == (syntax, "invoice", "EUR")
    assert dict(invoice.values) == VALUES
    assert [dict(row) for row in invoice.groups["line_items"]] == [ROW]


@pytest.mark.parametrize("data", [cii(type_code="381"), ubl(credit_note=True)], ids=["cii", "ubl"])
def test_credit_notes_are_told_from_invoices(data):
    """By the type code, or by the root element."""
    assert parse_einvoice(data).kind == "credit_note"


def test_the_period_of_an_invoice_has_dates():
    """Its first day has a kind of its own, for print."""
    days = b"<cbc:StartDate>2026-02-01</cbc:StartDate><cbc:EndDate>2026-02-28</cbc:EndDate>"
    party = b"<cac:AccountingSupplierParty>"
    period = b"<cac:InvoicePeriod>" + days + b"</cac:InvoicePeriod>"
    values = parse_einvoice(ubl().replace(party, period + party, 1)).values

    assert values["service_period_start"] == date(2026, 2, 1)
    assert values["service_period_end"] == date(2026, 2, 28)


def test_a_field_that_the_data_give_twice_differently_is_left_out():
    """Nobody can say which one holds."""
    data = cii().replace(
        b"<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>",
        b"<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount><ram:GrandTotalAmount>911.00</ram:GrandTotalAmount>",
    )

    values = parse_einvoice(data).values

    assert "total" not in values
    assert values["total_tax"] == Decimal("19.00")


@pytest.mark.parametrize(
    "amount", ["1e9", "NaN", "Infinity", "0x10", "1,000.00", "", "１２"], ids=lambda text: text or "nothing"
)
def test_only_decimal_numbers_are_amounts(amount):
    """As XML Schema writes them."""
    assert "total" not in parse_einvoice(cii(total=amount)).values


@pytest.mark.parametrize("written", ["20261332", "15.03.2026", "2026-02-30", "yesterday"])
def test_only_dates_of_the_calendar_are_dates(written):
    """Anything else is left out, and the rest of the invoice is read."""
    values = parse_einvoice(cii().replace(b"20260315", written.encode())).values

    assert "document_date" not in values
    assert values["document_number"] == "R-4711"


@pytest.mark.parametrize(
    ("change", "encoding"),
    [
        (lambda text: text, "utf-8-sig"),
        (lambda text: text, "utf-16"),
        (lambda text: text.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"'), "iso-8859-1"),
        (lambda text: text.replace('encoding="UTF-8"', 'encoding="windows-1252"'), "cp1252"),
        (lambda text: text.partition("?>")[2].lstrip(), "utf-8"),
    ],
    ids=["UTF-8 with a mark", "UTF-16", "Latin 1", "Windows", "no declaration"],
)
def test_encodings(change, encoding):
    """An encoding is recognised by its first bytes, or by its declaration."""
    invoice = parse_einvoice(change(cii().decode()).encode(encoding))

    assert invoice.values["vendor_address"] == "Waldweg 1, 80333 München, DE"


def _with_doctype(declaration: str, encoding: str = "utf-8") -> bytes:
    declared, _, rest = cii().decode().partition("?>")
    return f"{declared}?>{declaration}{rest}".encode(encoding)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HOSTILE = {
    "entities that multiply": _with_doctype(f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'),
    "the same in UTF-16": _with_doctype(f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>', "utf-16"),
    "an entity that names a file": _with_doctype('<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
    "an entity that names an address": _with_doctype('<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1/x">%p;]>'),
    "an external definition": _with_doctype('<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">'),
    "undefined entities": cii().replace(b"R-4711", b"&secret;"),
    "nested 100,000 deep": b"<a>" * 100_000,
    "many elements": cii().replace(b"<ram:Name>Bau AG", b"<x/>" * (MAX_TAGS + 1) + b"<ram:Name>Bau AG"),
    "one very long value": cii().replace(b"R-4711", b"R" * 1_000_000),
    "too many bytes": cii() + b" " * MAX_BYTES,
    "an unknown encoding": cii().replace(b'"UTF-8"', b'"UTF-7"'),
    "no text of its encoding": cii().replace(b"Bau AG", b"\xff\xfe\xff"),
    "cut off": cii()[:900],
    "no XML": b"%PDF-1.7",
    "nothing": b"",
    "another document": b"<Order xmlns='urn:oasis:names:specification:ubl:schema:xsd:Order-2'/>",
    "an empty invoice": b"<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'/>",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_xml_is_refused(data):
    """With one error that a caller understands, and without much memory."""
    tracemalloc.start()
    try:
        with pytest.raises(EInvoiceError) as refused:
            parse_einvoice(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(str(refused.value)) < 400
    assert peak < 150_000_000
    assert "root:" not in str(refused.value)
