"""Invoices: what one company sends to another, or to a customer, to be paid.

record: the values and their checks. sampling: made-up values, from the countries in markets. page: how offices print
them; head, table, sums and foot are its parts from top to bottom, with what all need in desk, parties and words.
"""

from docextract.documents.base import DocumentType
from docextract.documents.invoice.page import typeset
from docextract.documents.invoice.record import Invoice, Item, check
from docextract.documents.invoice.sampling import sample

DOCUMENT_TYPE = DocumentType(
    name="invoice",
    record=Invoice,
    required=frozenset({"invoice_id", "invoice_date", "vendor_name", "invoice_total"}),
    check=check,
    sample=sample,
    typeset=typeset,
)

__all__ = ["DOCUMENT_TYPE", "Invoice", "Item", "check", "sample", "typeset"]
