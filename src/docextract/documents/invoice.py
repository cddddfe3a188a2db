"""The fields of invoices and the checks that tie them together."""

from collections.abc import Sequence
from decimal import Decimal

from docextract.documents.base import (
    SUM_TOLERANCE,
    Address,
    Check,
    CompanyName,
    Date,
    DocumentType,
    Iban,
    Money,
    Quantity,
    Record,
    RecordRow,
    String,
    TaxRate,
    matches_any,
)
from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id

# Freight, packing and similar charges have no field: they may add this share of the subtotal to the total.
MAX_CHARGE_SHARE = Decimal("0.25")


class InvoiceItem(RecordRow):
    """One billed item. `amount` is for the whole quantity, after the discount on the item."""

    description: String | None = None
    product_code: String | None = None
    quantity: Quantity | None = None
    unit: String | None = None
    unit_price: Money | None = None
    tax_rate: TaxRate | None = None
    amount: Money | None = None


class Invoice(Record):
    """The values on an invoice.

    `subtotal` is the sum of the items, before the discount on all of them. `total_discount` is positive, even where it
    is printed as a negative amount. `invoice_total` is after discount, tax and charges; `amount_due` is the part of it
    that is still to be paid, where that is printed separately. `purchase_order` is the number of the customer, not of
    the vendor.
    """

    invoice_id: String | None = None
    invoice_date: Date | None = None
    due_date: Date | None = None
    purchase_order: String | None = None
    vendor_name: CompanyName | None = None
    vendor_address: Address | None = None
    vendor_tax_id: String | None = None
    customer_name: CompanyName | None = None
    customer_address: Address | None = None
    subtotal: Money | None = None
    total_discount: Money | None = None
    total_tax: Money | None = None
    invoice_total: Money | None = None
    amount_due: Money | None = None
    payment_term: String | None = None
    iban: Iban | None = None
    items: tuple[InvoiceItem, ...] = ()


def check_invoice(invoice: Invoice) -> Sequence[Check]:
    """Check an invoice by the rules whose fields are all present."""
    checks = (
        _items_sum(invoice),
        _parts_make_total(invoice),
        _tax_matches_rates(invoice),
        _dates_in_order(invoice),
        _iban(invoice),
        _vendor_tax_id(invoice),
    )
    return tuple(check for check in checks if check is not None)


def _items_sum(invoice: Invoice) -> Check | None:
    """The items sum to the subtotal or, where none is printed, to the total; before or after tax."""
    amounts = [item.amount for item in invoice.items]
    target = invoice.invoice_total if invoice.subtotal is None else invoice.subtotal
    if not amounts or target is None or None in amounts:
        return None
    items = sum((amount for amount in amounts if amount is not None), Decimal(0))
    tax, discount = invoice.total_tax or Decimal(0), invoice.total_discount or Decimal(0)
    sums = [items + t - less for t in (Decimal(0), tax, -tax) for less in (Decimal(0), discount)]
    if invoice.subtotal is not None:
        return Check("items_sum_to_subtotal", matches_any(target, sums), ("items", "subtotal"))
    return Check("items_sum_to_total", _matches_with_charges(target, sums, items, invoice), ("items", "invoice_total"))


def _parts_make_total(invoice: Invoice) -> Check | None:
    """Subtotal, discount and tax sum to the total; the subtotal may already include tax and discount."""
    if invoice.subtotal is None or invoice.total_tax is None or invoice.invoice_total is None:
        return None
    discount = invoice.total_discount or Decimal(0)
    sums = [invoice.subtotal + tax - less for tax in (invoice.total_tax, Decimal(0)) for less in (discount, Decimal(0))]
    used = ["subtotal", "total_tax", "invoice_total"] + (["total_discount"] if invoice.total_discount else [])
    passed = _matches_with_charges(invoice.invoice_total, sums, invoice.subtotal, invoice)
    return Check("subtotal_discount_tax_make_total", passed, tuple(used))


def _tax_matches_rates(invoice: Invoice) -> Check | None:
    """The tax follows from the rates and amounts of the items; with a single rate, also from the total before tax."""
    rates = [item.tax_rate for item in invoice.items]
    tax, total = invoice.total_tax, invoice.invoice_total
    if tax is None or total is None or not rates or None in rates:
        return None
    shares = [(item.amount, item.tax_rate / 100) for item in invoice.items if item.tax_rate is not None]
    allowed = SUM_TOLERANCE + len(shares) * Decimal("0.01")  # each row's tax may be rounded
    possible: list[Decimal] = []
    if len(set(rates)) == 1:
        possible.append((total - tax) * shares[0][1])
    if all(amount is not None for amount, _ in shares):
        amounts = [(amount or Decimal(0), rate) for amount, rate in shares]
        items = sum(amount for amount, _ in amounts)
        remaining = 1 - (invoice.total_discount or Decimal(0)) / items if items else Decimal(1)
        added = sum((amount * rate for amount, rate in amounts), Decimal(0))
        included = sum((amount * rate / (1 + rate) for amount, rate in amounts), Decimal(0))
        possible += [added, added * remaining, included, included * remaining]
    if not possible:
        return None
    passed = any(abs(tax - one) <= allowed for one in possible)
    return Check("tax_matches_rates", passed, ("items.tax_rate", "total_tax"))


def _dates_in_order(invoice: Invoice) -> Check | None:
    """The due date is not before the invoice date."""
    if invoice.invoice_date is None or invoice.due_date is None:
        return None
    return Check("dates_in_order", invoice.invoice_date <= invoice.due_date, ("invoice_date", "due_date"))


def _iban(invoice: Invoice) -> Check | None:
    if invoice.iban is None:
        return None
    return Check("iban_check_digits", is_valid_iban(invoice.iban), ("iban",))


def _vendor_tax_id(invoice: Invoice) -> Check | None:
    """Only where a rule is known; company numbers and similar numbers follow other rules."""
    valid = is_valid_tax_id(invoice.vendor_tax_id, invoice.currency) if invoice.vendor_tax_id else None
    return None if valid is None else Check("vendor_tax_id_check_digits", valid, ("vendor_tax_id",))


def _matches_with_charges(target: Decimal, sums: Sequence[Decimal], base: Decimal, invoice: Invoice) -> bool:
    """Whether the total equals a sum, or exceeds it by a charge without a field, which may include unprinted tax."""
    tax = base * Decimal("0.3") if invoice.total_tax is None else Decimal(0)
    return matches_any(target, sums) or any(0 < target - found <= base * MAX_CHARGE_SHARE + tax for found in sums)


DOCUMENT_TYPE = DocumentType(
    name="invoice",
    record=Invoice,
    required=frozenset({"invoice_id", "invoice_date", "vendor_name", "invoice_total"}),
    check=check_invoice,
)
