"""Doubts about the type of a page: what documents of this type have is not on it.

The network tells types by looks, and is certain of papers that it has never seen.
"""

from collections.abc import Collection

from docextract.documents import invoice
from docextract.documents.printed_labels import names_invoice
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.type_words import has_identity_labels
from docextract.extraction.layout.values.invoice_titles import is_titled
from docextract.predictions import PredictedZone

ISSUING_COUNTRY, TOTAL = "issuing_country", "total"
OF_INVOICES = frozenset({"document_number", "iban", "bank_account_number", "payment_reference"})
MIN_PROBABILITY_WITHOUT_COUNTRY = 0.95  # of a type that requires an issuing country, on a page that names none


def is_type_doubted(page: PageLabels, probability: float, fields: Collection[str], zone: PredictedZone | None) -> bool:
    """Whether nothing on a page but its looks says that it has the type of its labels.

    probability: of the type. fields: names of those that were found.
    """
    texts = [page.text(line) for line in page.lines]
    if page.document_type.name == invoice.DOCUMENT_TYPE.name:
        is_named = is_titled(page) or (TOTAL in fields and names_invoice(texts))
        return not is_named and OF_INVOICES.isdisjoint(fields)
    if ISSUING_COUNTRY not in page.document_type.required or ISSUING_COUNTRY in fields:
        return False
    is_certain = probability >= MIN_PROBABILITY_WITHOUT_COUNTRY or (zone is not None and zone.valid)
    return not (is_certain or has_identity_labels(texts))
