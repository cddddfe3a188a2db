"""Finds the title of an invoice, which tells whether it is one or a credit note."""

from collections.abc import Sequence
from itertools import chain
from statistics import median

from docextract.documents.printed_labels import is_caption
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span

MAX_TITLE_PIECES = 24  # letters of spaced print are pieces
TITLE_SIZE = 1.15  # of the median height of print
MAX_NUMBER_WORDS = 3  # pieces: "Nr.", "n° :"


def invoice_title(page: PageLabels) -> Span | None:
    """Return the title of an invoice: a line of its own, or in large print with a number behind it: "Rechnung Nr. 12".

    Without any, the label of the first number tells: "Factuur nr.".
    """
    ends = ((line, end) for line in page.lines if (end := _end_of_title(line, page)))
    titles = [(tuple(line[:end]), tuple(line[end:])) for line, end in ends]
    numbered = [title for title, rest in titles if rest and _is_numbered(rest, page)]
    clear = (title for title, rest in titles if not rest or (title in numbered and _is_large(title, page)))
    return next(chain(clear, numbered), None)


def _end_of_title(line: Sequence[int], page: PageLabels) -> int:
    """Return how many pieces of a line are the words of a title that it begins with."""
    ends = range(min(len(line), MAX_TITLE_PIECES), 0, -1)
    return next((end for end in ends if is_caption(page.text(line[:end]), "invoice_title")), 0)


def _is_large(title: Span, page: PageLabels) -> bool:
    _, top, _, bottom = page.box(title)
    return bottom - top >= TITLE_SIZE * median(bottom - top for _, top, _, bottom in page.boxes)


def _is_numbered(rest: Span, page: PageLabels) -> bool:
    """Whether a number, or a word for one, is behind the words of a title: "Facture concernée FC-74407" has none."""
    words = (page.text(rest[:end]) for end in range(1, min(len(rest), MAX_NUMBER_WORDS) + 1))
    return page.pieces[rest[0]].text[0].isdigit() or any(is_caption(word, "number") for word in words)
