"""Receipts: what a till prints and a customer photographs.

record: the values and their checks. sampling: made-up values. page, rows, sums: how tills print them, from head to
foot, with what all three need in printer and words.
"""

from docextract.documents.base import DocumentType
from docextract.documents.receipt.page import typeset
from docextract.documents.receipt.record import LineItem, Payment, Receipt, check
from docextract.documents.receipt.sampling import sample

DOCUMENT_TYPE = DocumentType(
    name="receipt",
    record=Receipt,
    required=frozenset({"merchant_name", "transaction_date", "total"}),
    check=check,
    sample=sample,
    typeset=typeset,
)

__all__ = ["DOCUMENT_TYPE", "LineItem", "Payment", "Receipt", "check", "sample", "typeset"]
