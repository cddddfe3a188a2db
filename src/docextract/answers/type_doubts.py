"""Doubts about the type of a document, where no page has what documents of this type have.

The network judges the look of a page, and may be certain of papers that are unlike all that it was trained on.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from docextract.answers.merging import ExtractedPage
from docextract.documents import document_types, invoice
from docextract.documents.identity import is_identity
from docextract.documents.page_numbers import find_page_number
from docextract.documents.printed_labels import has_identity_labels, is_caption, names_invoice
from docextract.predictions import OTHER_TYPE, PagePrediction, common_type

CARD_TITLE = "card_title"  # a kind of captions
ISSUING_COUNTRY, CATEGORIES = "issuing_country", "driving_privileges"
# Each of the marks tells an invoice, and each of the sums if a word on the document names one.
MARKS = frozenset({"document_number", "iban", "bank_account_number", "payment_reference", "vendor_tax_id"})
SUMS = frozenset({"total", "amount_due"})
MIN_CATEGORIES = 2  # rows of the table on the back of a licence, which names no country
MIN_PROBABILITY_WITHOUT_COUNTRY = 0.95  # of the type of a card that names no country
_ZONE = re.compile(r"(?=.*<{5})[A-Z0-9<]{15,}")  # a line of a machine-readable zone, maybe misread
# Numbers of data elements in front of their values (ISO/IEC 18013-1); behind 4a and 4b stand dates.
_ELEMENT = re.compile(r"(1|2|3|5|4[abc](?=[.\s]*\d)|4c)[.\s]", re.IGNORECASE)
MIN_ELEMENTS, MIN_PARTS_OF_ELEMENT_4 = 4, 2  # different numbers on a licence; other papers have numbers without letters
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
    """Whether a card names no country, is not certain, and has nothing else that only such cards have.

    That is a zone, also a misread one, the title, the labels, the numbered elements or the categories.
    """
    return (
        not any(ISSUING_COUNTRY in page.fields for page in pages)
        and max(page.type_confidence for page in pages if page.type != OTHER_TYPE) < MIN_PROBABILITY_WITHOUT_COUNTRY
        and not any(page.zone and page.zone.valid for page in pages)
        and not any(len(page.groups.get(CATEGORIES, ())) >= MIN_CATEGORIES for page in pages)
        and not _has_words_of_card(_texts(pages))
    )


def _has_words_of_card(texts: Sequence[str]) -> bool:
    """Whether lines have the title or enough labels of a card, or what zones and numbered elements consist of."""
    if any(_ZONE.fullmatch(text) for text in texts) or _has_elements(texts):
        return True
    # "Führerschein: Klasse B" is a line of another paper.
    titles = (part for text in texts if ":" not in text for part in text.split("/"))
    return any(is_caption(title, CARD_TITLE) for title in titles) or has_identity_labels(texts)


def _has_elements(texts: Sequence[str]) -> bool:
    """Whether lines begin with the numbers of enough elements of licences: "1. LUNGU", "4a. 13-02-2021"."""
    numbers = {match[1].lower() for text in texts if (match := _ELEMENT.match(text))}
    parts = sum(len(number) > 1 for number in numbers)
    return len(numbers) >= MIN_ELEMENTS and parts >= MIN_PARTS_OF_ELEMENT_4


def _texts(pages: Sequence[PagePrediction]) -> list[str]:
    return [line.text for page in pages for line in page.lines]
