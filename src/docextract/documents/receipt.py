"""The values on a receipt, and the sums that tie them."""

from collections.abc import Sequence
from decimal import Decimal

from docextract.documents.base import (
    Address,
    Check,
    CompanyName,
    Date,
    DocumentType,
    Money,
    PhoneNumber,
    Quantity,
    Record,
    RecordRow,
    String,
    Time,
)

SUM_TOLERANCE = Decimal("0.05")  # the largest rounding a till applies to cash


class Payment(RecordRow):
    """One way the total was paid."""

    method: String | None = None
    amount: Money | None = None


class LineItem(RecordRow):
    """One thing bought. `total_price` is for the whole quantity; a returned thing's is negative."""

    description: String | None = None
    product_code: String | None = None
    quantity: Quantity | None = None
    unit_price: Money | None = None
    total_price: Money | None = None


class Receipt(Record):
    """The values on a receipt.

    `total` is what was to be paid, after tax, tip, discount and rounding. `tip` is a gratuity or a service
    charge. `discount` is positive, however it is printed.
    """

    merchant_name: CompanyName | None = None
    merchant_address: Address | None = None
    merchant_phone_number: PhoneNumber | None = None
    merchant_tax_id: String | None = None
    receipt_number: String | None = None
    transaction_date: Date | None = None
    transaction_time: Time | None = None
    subtotal: Money | None = None
    total_tax: Money | None = None
    tip: Money | None = None
    discount: Money | None = None
    total: Money | None = None
    change: Money | None = None
    payments: tuple[Payment, ...] = ()
    line_items: tuple[LineItem, ...] = ()


def check_receipt(receipt: Receipt) -> Sequence[Check]:
    """Sums that a till keeps; only those whose fields are all present."""
    checks = (_items_sum(receipt), _parts_make_total(receipt), _payments_cover(receipt))
    return tuple(found for found in checks if found is not None)


def _items_sum(receipt: Receipt) -> Check | None:
    """The items are worth the subtotal or, where none is printed, the total. Prices may be before or after tax."""
    prices = [item.total_price for item in receipt.line_items]
    target = receipt.total if receipt.subtotal is None else receipt.subtotal
    if not prices or target is None or None in prices:
        return None
    items = sum((price for price in prices if price is not None), Decimal(0))
    tax, tip, discount = receipt.total_tax or Decimal(0), receipt.tip or Decimal(0), receipt.discount or Decimal(0)
    tips = (Decimal(0), tip) if receipt.subtotal is None else (Decimal(0),)
    sums = [items + t - d + g for t in (Decimal(0), tax, -tax) for d in (Decimal(0), discount) for g in tips]
    name = "line_items_sum_to_total" if receipt.subtotal is None else "line_items_sum_to_subtotal"
    return Check(name, _near(target, sums), ("line_items", "total" if receipt.subtotal is None else "subtotal"))


def _parts_make_total(receipt: Receipt) -> Check | None:
    """Subtotal, tax, tip and discount give the total, whether tax and discount are already in the subtotal or not."""
    if receipt.subtotal is None or receipt.total_tax is None or receipt.total is None:
        return None
    tip, discount = receipt.tip or Decimal(0), receipt.discount or Decimal(0)
    sums = [
        receipt.subtotal + tip + tax - less
        for tax in (receipt.total_tax, Decimal(0))
        for less in (discount, Decimal(0))
    ]
    used = ["subtotal", "total_tax", "total"]
    used += [name for name in ("tip", "discount") if getattr(receipt, name) is not None]
    return Check("subtotal_tax_tip_discount_make_total", _near(receipt.total, sums), tuple(used))


def _payments_cover(receipt: Receipt) -> Check | None:
    """What was handed over less the change is the total; without a printed change it is at least the total."""
    amounts = [payment.amount for payment in receipt.payments]
    if not amounts or receipt.total is None or None in amounts:
        return None
    kept = sum((amount for amount in amounts if amount is not None), Decimal(0)) - (receipt.change or Decimal(0))
    exact = _near(receipt.total, [kept])
    passed = exact or (receipt.change is None and kept > receipt.total)
    used = ("payments", "total") if receipt.change is None else ("payments", "total", "change")
    return Check("payments_cover_total_and_change", passed, used)


def _near(target: Decimal, sums: Sequence[Decimal]) -> bool:
    return any(abs(target - found) <= SUM_TOLERANCE for found in sums)


# From here on: receipts made up.


DOCUMENT_TYPE = DocumentType(
    name="receipt",
    record=Receipt,
    required=frozenset({"merchant_name", "transaction_date", "total"}),
    check=check_receipt,
)
