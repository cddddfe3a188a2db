"""Doubts about the type of a document, where no page has what documents of this type have.

The network judges the look of a page, and may be certain of papers that are unlike all that it was trained on.
"""

from collections.abc import Sequence
from dataclasses import replace

from docextract.answers.merging import ExtractedPage
from docextract.documents import document_types, invoice
from docextract.documents.identity import is_identity
from docextract.documents.page_numbers import find_page_number
from docextract.documents.printed_labels import has_identity_labels, names_invoice
from docextract.predictions import OTHER_TYPE, PagePrediction, common_type

ISSUING_COUNTRY, CATEGORIES = "issuing_country", "driving_privileges"
# Each of the marks tells an invoice, and each of the sums if a word on the document names one.
MARKS = frozenset({"document_number", "iban", "bank_account_number", "payment_reference", "vendor_tax_id"})
SUMS = frozenset({"total", "amount_due"})
MIN_CATEGORIES = 2  # rows of the table on the back of a licence, which names no country
MIN_PROBABILITY_WITHOUT_COUNTRY = 0.95  # of the type of a card that names no country
DOUBTED_TYPE_CONFIDENCE = 0.9  # that such a document is of no type; a guess, not measured


def with_settled_type(pages: Sequence[ExtractedPage]) -> Sequence[ExtractedPage]:
    """Return the pages of one document, as those of another paper if its type is doubted."""
    if not _is_type_doubted([page.prediction for page in pages]):
        return pages
    return [replace(page, prediction=_as_other_paper(page.prediction)) for page in pages]


def _as_other_paper(page: PagePrediction) -> PagePrediction:
    return replace(page, type=OTHER_TYPE, type_confidence=DOUBTED_TYPE_CONFIDENCE, fields={}, groups={})


def _is_type_doubted(pages: Sequence[PagePrediction]) -> bool:
    """Whether no page has what documents of this type have."""
    kind = document_types().get(common_type(pages))
    if kind is None:
        return False
    if kind.name == invoice.DOCUMENT_TYPE.name:
        return _lacks_marks_of_invoice(pages)
    is_card = is_identity(kind) and ISSUING_COUNTRY in kind.required
    return is_card and _lacks_marks_of_card(pages)


def _lacks_marks_of_invoice(pages: Sequence[PagePrediction]) -> bool:
    """Whether an invoice has none of the marks, no large title, and no sum together with a word for an invoice."""
    fields = frozenset(name for page in pages for name in page.fields)
    if not MARKS.isdisjoint(fields):
        return False
    number = find_page_number(_texts(pages[:1]))
    goes_on = number is not None and number.number > 1  # from a page that is not here and may have the marks
    is_titled = any(page.has_invoice_title for page in pages)
    is_named = not SUMS.isdisjoint(fields) and names_invoice(_texts(pages))
    return not (goes_on or is_titled or is_named)


def _lacks_marks_of_card(pages: Sequence[PagePrediction]) -> bool:
    """Whether a card names no country, is not certain, and has no zone, labels and categories of such cards."""
    return (
        not any(ISSUING_COUNTRY in page.fields for page in pages)
        and max(page.type_confidence for page in pages if page.type != OTHER_TYPE) < MIN_PROBABILITY_WITHOUT_COUNTRY
        and not any(page.zone and page.zone.valid for page in pages)
        and not any(len(page.groups.get(CATEGORIES, ())) >= MIN_CATEGORIES for page in pages)
        and not has_identity_labels(_texts(pages))
    )


def _texts(pages: Sequence[PagePrediction]) -> list[str]:
    return [line.text for page in pages for line in page.lines]
