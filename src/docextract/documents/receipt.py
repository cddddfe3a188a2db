"""The fields of receipts and the checks of their sums."""

from collections.abc import Sequence
from decimal import Decimal

from docextract.documents.base import (
    Address,
    Check,
    CompanyName,
    Date,
    Discount,
    DocumentType,
    Money,
    PhoneNumber,
    Record,
    RecordRow,
    Reference,
    String,
    TaxId,
    Time,
    matches_any,
)
from docextract.documents.billing import LineItem, Tax


class Payment(RecordRow):
    """One way the total was paid."""

    method: String | None = None
    amount: Money | None = None


class Receipt(Record):
    """The values on a receipt.

    `total` is the amount to be paid, after tax, tip, discount and rounding. `tip` is a gratuity or a service charge.
    `total_discount` and `change` are positive, even where they are printed as negative amounts.
    """

    merchant_name: CompanyName | None = None
    merchant_address: Address | None = None
    merchant_phone: PhoneNumber | None = None
    merchant_tax_id: TaxId | None = None
    document_number: Reference | None = None
    document_date: Date | None = None
    transaction_time: Time | None = None
    subtotal: Money | None = None
    total_tax: Money | None = None
    tip: Money | None = None
    total_discount: Discount | None = None
    total: Money | None = None
    change: Discount | None = None
    payments: tuple[Payment, ...] = ()
    taxes: tuple[Tax, ...] = ()
    line_items: tuple[LineItem, ...] = ()


def check_receipt(receipt: Receipt) -> Sequence[Check]:
    """Check the sums of a receipt; only those whose fields are all present."""
    checks = (_items_sum(receipt), _parts_make_total(receipt), _payments_cover(receipt))
    return tuple(check for check in checks if check is not None)


def _items_sum(receipt: Receipt) -> Check | None:
    """The items sum to the subtotal or, where none is printed, to the total. Prices may be before or after tax."""
    prices = [item.amount for item in receipt.line_items]
    target = receipt.total if receipt.subtotal is None else receipt.subtotal
    if not prices or target is None or None in prices:
        return None
    items = sum((price for price in prices if price is not None), Decimal(0))
    tax, tip, discount = (
        receipt.total_tax or Decimal(0),
        receipt.tip or Decimal(0),
        receipt.total_discount or Decimal(0),
    )
    tips = (Decimal(0), tip) if receipt.subtotal is None else (Decimal(0),)
    sums = [items + t - d + g for t in (Decimal(0), tax, -tax) for d in (Decimal(0), discount) for g in tips]
    name = "line_items_sum_to_total" if receipt.subtotal is None else "line_items_sum_to_subtotal"
    return Check(
        name,
        matches_any(target, sums, receipt.currency),
        ("line_items", "total" if receipt.subtotal is None else "subtotal"),
    )


def _parts_make_total(receipt: Receipt) -> Check | None:
    """Subtotal, tax, tip and discount sum to the total; the subtotal may already include tax and discount.

    Without a tax, a wrong sum says nothing: the tax may not have been found. Nor does a total that is the subtotal.
    """
    parts = [name for name in ("total_tax", "tip", "total_discount") if getattr(receipt, name) is not None]
    if receipt.subtotal is None or receipt.total is None or not parts:
        return None
    tip, discount = receipt.tip or Decimal(0), receipt.total_discount or Decimal(0)
    sums = [
        receipt.subtotal + tip + tax - less
        for tax in (receipt.total_tax or Decimal(0), Decimal(0))
        for less in (discount, Decimal(0))
    ]
    passed = matches_any(receipt.total, sums, receipt.currency)
    if receipt.total_tax is None and (not passed or receipt.subtotal == receipt.total):
        return None
    return Check("subtotal_tax_tip_discount_make_total", passed, ("subtotal", *parts, "total"))


def _payments_cover(receipt: Receipt) -> Check | None:
    """The payments minus the change equal the total; where no change is printed they are at least the total."""
    amounts = [payment.amount for payment in receipt.payments]
    if not amounts or receipt.total is None or None in amounts:
        return None
    net_paid = sum((amount for amount in amounts if amount is not None), Decimal(0)) - (receipt.change or Decimal(0))
    exact = matches_any(receipt.total, [net_paid], receipt.currency)
    passed = exact or (receipt.change is None and net_paid > receipt.total)
    used = ("payments", "total") if receipt.change is None else ("payments", "total", "change")
    return Check("payments_cover_total_and_change", passed, used)


DOCUMENT_TYPE = DocumentType(
    name="receipt",
    record=Receipt,
    required=frozenset({"merchant_name", "document_date", "total"}),
    check=check_receipt,
)
