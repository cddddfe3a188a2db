"""The fields of invoices and the checks that tie them together."""

from collections.abc import Sequence
from decimal import Decimal

from docextract.documents.base import (
    SUM_TOLERANCE,
    Address,
    Bic,
    Check,
    CompanyName,
    Date,
    Discount,
    DocumentType,
    EmailAddress,
    Iban,
    InvoiceKind,
    Money,
    PeriodStart,
    PhoneNumber,
    Record,
    Reference,
    String,
    TaxId,
    matches_any,
)
from docextract.documents.billing import LineItem, Tax
from docextract.documents.identifiers import is_valid_iban, is_valid_tax_id


class Invoice(Record):
    """The values on an invoice or a credit note.

    `subtotal` is the sum of the items, before the discount on all of them. `total_discount` is positive, even where it
    is printed as a negative amount. `total_charge` is freight, packing and the like that is no item. `total` is after
    discount, charge and tax; `amount_due` is the part of it that is still to be paid, where that is printed separately.
    `purchase_order` and `customer_id` are numbers of the customer. The service period is when was delivered or worked.
    """

    kind: InvoiceKind | None = None
    document_number: Reference | None = None
    document_date: Date | None = None
    due_date: Date | None = None
    service_period_start: PeriodStart | None = None
    service_period_end: Date | None = None
    purchase_order: Reference | None = None
    vendor_name: CompanyName | None = None
    vendor_address: Address | None = None
    vendor_tax_id: TaxId | None = None
    vendor_email: EmailAddress | None = None
    vendor_phone: PhoneNumber | None = None
    customer_name: CompanyName | None = None
    customer_address: Address | None = None
    customer_tax_id: TaxId | None = None
    customer_id: Reference | None = None
    ship_to_name: CompanyName | None = None
    ship_to_address: Address | None = None
    subtotal: Money | None = None
    total_discount: Discount | None = None
    total_charge: Money | None = None
    total_tax: Money | None = None
    total: Money | None = None
    amount_due: Money | None = None
    payment_term: String | None = None
    payment_reference: String | None = None
    iban: Iban | None = None
    bic: Bic | None = None
    bank_account_number: Reference | None = None
    taxes: tuple[Tax, ...] = ()
    line_items: tuple[LineItem, ...] = ()


def check_invoice(invoice: Invoice) -> Sequence[Check]:
    """Check an invoice by the rules whose fields are all present."""
    checks = (
        _items_sum(invoice),
        _parts_make_total(invoice),
        _taxes_sum(invoice),
        _tax_matches_rates(invoice),
        _dates_in_order(invoice),
        _iban(invoice),
        _vendor_tax_id(invoice),
    )
    return tuple(check for check in checks if check is not None)


def _items_sum(invoice: Invoice) -> Check | None:
    """The items sum to the subtotal or, where none is printed, to the total; before or after tax.

    The subtotal may be that before the discounts of all items, whose amounts are behind them.
    """
    amounts = [item.amount for item in invoice.line_items]
    target = invoice.total if invoice.subtotal is None else invoice.subtotal
    if not amounts or target is None or None in amounts:
        return None
    items = sum((amount for amount in amounts if amount is not None), Decimal(0))
    tax, discount, charge = _tax(invoice), invoice.total_discount or Decimal(0), invoice.total_charge or Decimal(0)
    discounts = (Decimal(0), discount) if invoice.subtotal is None else (Decimal(0), discount, -discount)
    sums = [
        items + added - less + more
        for added in (Decimal(0), tax, -tax)
        for less in discounts
        for more in (Decimal(0), charge)
    ]
    name = "line_items_sum_to_total" if invoice.subtotal is None else "line_items_sum_to_subtotal"
    return Check(
        name,
        matches_any(target, sums, invoice.currency),
        ("line_items", "total" if invoice.subtotal is None else "subtotal"),
    )


def _parts_make_total(invoice: Invoice) -> Check | None:
    """Subtotal, discount, charge and tax sum to the total; the subtotal may already include all but the charge.

    Without a tax, a wrong sum says nothing: the tax may not have been found. Nor does a total that is the subtotal.
    """
    has_tax = invoice.total_tax is not None or bool(invoice.taxes)
    parts = [name for name in ("total_tax", "total_discount", "total_charge") if getattr(invoice, name) is not None]
    if invoice.subtotal is None or invoice.total is None or not (has_tax or parts):
        return None
    discount, charge = invoice.total_discount or Decimal(0), invoice.total_charge or Decimal(0)
    sums = [
        invoice.subtotal + tax - less + more
        for tax in (_tax(invoice), Decimal(0))
        for less in (discount, Decimal(0))
        for more in (charge, Decimal(0))
    ]
    passed = matches_any(invoice.total, sums, invoice.currency)
    if not has_tax and (not passed or invoice.subtotal == invoice.total):
        return None
    return Check("subtotal_discount_charge_tax_make_total", passed, ("subtotal", *parts, "total"))


def _tax(invoice: Invoice) -> Decimal:
    """The tax of all rates, printed as one sum or by rate."""
    if invoice.total_tax is not None:
        return invoice.total_tax
    return sum((tax.amount for tax in invoice.taxes if tax.amount is not None), Decimal(0))


def _taxes_sum(invoice: Invoice) -> Check | None:
    """The taxes of all rates sum to the tax."""
    amounts = [tax.amount for tax in invoice.taxes]
    if invoice.total_tax is None or len(amounts) < 2 or None in amounts:
        return None
    total = sum((amount for amount in amounts if amount is not None), Decimal(0))
    return Check("taxes_sum_to_total_tax", matches_any(invoice.total_tax, [total]), ("taxes", "total_tax"))


def _tax_matches_rates(invoice: Invoice) -> Check | None:
    """The tax follows from the rates and amounts of the items; with a single rate, also from the total before tax."""
    rates = [item.tax_rate for item in invoice.line_items]
    tax, total = invoice.total_tax, invoice.total
    if tax is None or total is None or not rates or None in rates:
        return None
    shares = [(item.amount, item.tax_rate / 100) for item in invoice.line_items if item.tax_rate is not None]
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
    if not passed and len(set(rates)) > 1 and (invoice.total_discount or invoice.total_charge):
        return None  # it is not known at which rate these are taxed
    return Check("tax_matches_rates", passed, ("line_items.tax_rate", "total_tax"))


def _dates_in_order(invoice: Invoice) -> Check | None:
    """The due date is not before the invoice date."""
    if invoice.document_date is None or invoice.due_date is None:
        return None
    return Check("dates_in_order", invoice.document_date <= invoice.due_date, ("document_date", "due_date"))


def _iban(invoice: Invoice) -> Check | None:
    if invoice.iban is None:
        return None
    return Check("iban_check_digits", is_valid_iban(invoice.iban), ("iban",))


def _vendor_tax_id(invoice: Invoice) -> Check | None:
    """Only where a rule is known; company numbers and similar numbers follow other rules."""
    valid = is_valid_tax_id(invoice.vendor_tax_id, invoice.currency) if invoice.vendor_tax_id else None
    return None if valid is None else Check("vendor_tax_id_check_digits", valid, ("vendor_tax_id",))


DOCUMENT_TYPE = DocumentType(
    name="invoice",
    record=Invoice,
    required=frozenset({"document_number", "document_date", "vendor_name", "total"}),
    check=check_invoice,
)
