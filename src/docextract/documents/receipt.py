"""Receipts: what a till prints and a customer photographs."""

from collections.abc import Sequence

from docextract.documents.base import Check, Clock, Day, DocumentType, Group, Money, PhoneNumber, Quantity, Record, Text


class Payment(Group):
    """One way the total was paid."""

    method: Text | None = None
    amount: Money | None = None


class LineItem(Group):
    """One thing bought. `total_price` is for the whole quantity."""

    description: Text | None = None
    product_code: Text | None = None
    quantity: Quantity | None = None
    unit_price: Money | None = None
    total_price: Money | None = None


class Receipt(Record):
    """The values on a receipt. `total` is what was to be paid, after tax, tip, discount and rounding."""

    merchant_name: Text | None = None
    merchant_address: Text | None = None
    merchant_phone_number: PhoneNumber | None = None
    merchant_tax_id: Text | None = None
    receipt_number: Text | None = None
    transaction_date: Day | None = None
    transaction_time: Clock | None = None
    subtotal: Money | None = None
    total_tax: Money | None = None
    tip: Money | None = None
    discount: Money | None = None
    total: Money | None = None
    change: Money | None = None
    payments: tuple[Payment, ...] = ()
    line_items: tuple[LineItem, ...] = ()


def check(receipt: Receipt) -> Sequence[Check]:
    """Sums that a till keeps; only those whose fields are all present."""
    return ()


DOCUMENT_TYPE = DocumentType(
    name="receipt",
    record=Receipt,
    required=frozenset({"merchant_name", "transaction_date", "total"}),
    check=check,
)
