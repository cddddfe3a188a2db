"""The values on an invoice, and the rules that tie them."""

from collections.abc import Sequence
from decimal import Decimal

from docextract.documents.base import (
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
)
from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id

SUM_TOLERANCE = Decimal("0.05")  # the largest rounding of a total
# Freight, packing and the like have no field: so much of the subtotal may come on top of the parts.
MAX_CHARGE_SHARE = Decimal("0.25")


class InvoiceItem(RecordRow):
    """One thing or work billed. `amount` is for the whole quantity, less the item's own discount."""

    description: String | None = None
    product_code: String | None = None
    quantity: Quantity | None = None
    unit: String | None = None
    unit_price: Money | None = None
    tax_rate: TaxRate | None = None
    amount: Money | None = None


class Invoice(Record):
    """The values on an invoice.

    `subtotal` is what the items come to, before the discount on all of them; `total_discount` is positive,
    however it is printed. `invoice_total` is after discount, tax and charges; `amount_due` is what is left to pay
    of it, where that is printed besides. `purchase_order` is the customer's number, not the vendor's.
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
    """Rules that an invoice keeps; only those whose fields are all present."""
    checks = (
        _items_sum(invoice),
        _parts_make_total(invoice),
        _tax_matches_rates(invoice),
        _dates_in_order(invoice),
        _iban(invoice),
        _vendor_tax_id(invoice),
    )
    return tuple(found for found in checks if found is not None)


def _items_sum(invoice: Invoice) -> Check | None:
    """The items come to the subtotal or, where none is printed, to the total; before tax or with it."""
    amounts = [item.amount for item in invoice.items]
    target = invoice.invoice_total if invoice.subtotal is None else invoice.subtotal
    if not amounts or target is None or None in amounts:
        return None
    items = sum((amount for amount in amounts if amount is not None), Decimal(0))
    tax, discount = invoice.total_tax or Decimal(0), invoice.total_discount or Decimal(0)
    sums = [items + t - less for t in (Decimal(0), tax, -tax) for less in (Decimal(0), discount)]
    if invoice.subtotal is not None:
        return Check("items_sum_to_subtotal", _near(target, sums), ("items", "subtotal"))
    return Check("items_sum_to_total", _near_or_charged(target, sums, items, invoice), ("items", "invoice_total"))


def _parts_make_total(invoice: Invoice) -> Check | None:
    """Subtotal, discount and tax give the total, whether tax and discount are already in the subtotal or not."""
    if invoice.subtotal is None or invoice.total_tax is None or invoice.invoice_total is None:
        return None
    discount = invoice.total_discount or Decimal(0)
    sums = [invoice.subtotal + tax - less for tax in (invoice.total_tax, Decimal(0)) for less in (discount, Decimal(0))]
    used = ["subtotal", "total_tax", "invoice_total"] + (["total_discount"] if invoice.total_discount else [])
    passed = _near_or_charged(invoice.invoice_total, sums, invoice.subtotal, invoice)
    return Check("subtotal_discount_tax_make_total", passed, tuple(used))


def _tax_matches_rates(invoice: Invoice) -> Check | None:
    """The tax is what the items' rates make of their amounts; with one rate for all, of what the tax is added to."""
    rates = [item.tax_rate for item in invoice.items]
    tax, total = invoice.total_tax, invoice.invoice_total
    if tax is None or total is None or not rates or None in rates:
        return None
    shares = [(item.amount, item.tax_rate / 100) for item in invoice.items if item.tax_rate is not None]
    allowed = SUM_TOLERANCE + len(shares) * Decimal("0.01")  # each row's tax may be rounded
    found: list[Decimal] = []
    if len(set(rates)) == 1:
        found.append((total - tax) * shares[0][1])
    if all(amount is not None for amount, _ in shares):
        amounts = [(amount or Decimal(0), rate) for amount, rate in shares]
        items = sum(amount for amount, _ in amounts)
        left = 1 - (invoice.total_discount or Decimal(0)) / items if items else Decimal(1)
        added = sum((amount * rate for amount, rate in amounts), Decimal(0))
        within = sum((amount * rate / (1 + rate) for amount, rate in amounts), Decimal(0))
        found += [added, added * left, within, within * left]
    if not found:
        return None
    passed = any(abs(tax - one) <= allowed for one in found)
    return Check("tax_matches_rates", passed, ("items.tax_rate", "total_tax"))


def _dates_in_order(invoice: Invoice) -> Check | None:
    """Nothing is due before it is billed."""
    if invoice.invoice_date is None or invoice.due_date is None:
        return None
    return Check("dates_in_order", invoice.invoice_date <= invoice.due_date, ("invoice_date", "due_date"))


def _iban(invoice: Invoice) -> Check | None:
    if invoice.iban is None:
        return None
    return Check("iban_check_digits", is_valid_iban(invoice.iban), ("iban",))


def _vendor_tax_id(invoice: Invoice) -> Check | None:
    """Only where the country's rule is known; company numbers and the like have others."""
    right = is_valid_tax_id(invoice.vendor_tax_id, invoice.currency) if invoice.vendor_tax_id else None
    return None if right is None else Check("vendor_tax_id_check_digits", right, ("vendor_tax_id",))


def _near(target: Decimal, sums: Sequence[Decimal]) -> bool:
    return any(abs(target - found) <= SUM_TOLERANCE for found in sums)


def _near_or_charged(target: Decimal, sums: Sequence[Decimal], base: Decimal, invoice: Invoice) -> bool:
    """Equal, or more by a charge that has no field. What is not printed as tax may be in it."""
    tax = base * Decimal("0.3") if invoice.total_tax is None else Decimal(0)
    return _near(target, sums) or any(0 < target - found <= base * MAX_CHARGE_SHARE + tax for found in sums)


DOCUMENT_TYPE = DocumentType(
    name="invoice",
    record=Invoice,
    required=frozenset({"invoice_id", "invoice_date", "vendor_name", "invoice_total"}),
    check=check_invoice,
)
