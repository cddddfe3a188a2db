"""What receipts and invoices have in common: rows of items and of taxes."""

from docextract.documents.base import Money, Quantity, RecordRow, Reference, String, TaxRate

ISSUER_FIELDS = ("merchant_name", "vendor_name")  # who wrote a document: those of one issuer look alike


class LineItem(RecordRow):
    """One bought or billed item. `amount` is for the whole quantity, after a discount on it; negative for a return."""

    description: String | None = None
    product_code: Reference | None = None
    quantity: Quantity | None = None
    unit: String | None = None
    unit_price: Money | None = None
    tax_rate: TaxRate | None = None
    amount: Money | None = None


class Tax(RecordRow):
    """The tax of one rate: `amount` is the tax itself, `net_amount` what it is computed from."""

    rate: TaxRate | None = None
    net_amount: Money | None = None
    amount: Money | None = None
