"""Finds the title of an invoice, which tells whether it is one or a credit note."""

from collections.abc import Sequence
from statistics import median

from docextract.documents.printed_labels import field_of_label, is_caption
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span

MAX_TITLE_PIECES = 24  # letters of spaced print are pieces
TITLE_SIZE = 1.15  # of the median height of print
MAX_NUMBER_LABEL = 3  # pieces behind a title: "Nr.", "n° :"


def invoice_title(page: PageLabels) -> Span | None:
    """Return the title of the first line that is one alone, or has a number behind it: "Rechnung Nr. 12"."""
    return next((title for line in page.lines if (title := _title_of(line, page))), None)


def _title_of(line: Sequence[int], page: PageLabels) -> Span | None:
    for end in range(min(len(line), MAX_TITLE_PIECES), 0, -1):
        if is_caption(page.text(line[:end]), "invoice_title"):
            return tuple(line[:end]) if _is_title(line, end, page) else None
    return None


def _is_title(line: Sequence[int], end: int, page: PageLabels) -> bool:
    """Whether a line that begins with the words of a title is one: "Facture concernée FC-74407" is none.

    With a number behind it, it is one in larger print than most of the page; otherwise it labels the number.
    """
    if end == len(line):
        return True
    _, top, _, bottom = page.box(line[:end])
    if bottom - top < TITLE_SIZE * median(bottom - top for _, top, _, bottom in page.boxes):
        return False
    if page.pieces[line[end]].text[0].isdigit():
        return True
    labels = (page.text(line[:last]) for last in range(end + 1, min(len(line), end + MAX_NUMBER_LABEL) + 1))
    return any(field_of_label(label, page.document_type) == "document_number" for label in labels)
