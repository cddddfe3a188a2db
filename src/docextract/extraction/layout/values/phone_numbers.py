"""Leaves out numbers that are labelled as others: a tax number or one of a register is no telephone number."""

from collections.abc import Iterable

from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label, is_business_label
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span
from docextract.extraction.layout.values.labelled_values import MAX_LABEL_PIECES

_REGISTRATIONS = frozenset(map(bare_label, load_data("registrations")["labels"]))


def without_labelled_numbers(spans: Iterable[Span], page: PageLabels) -> list[Span]:
    """Return telephone numbers without those directly behind a label of something else: "Inscr. Est. 90421188"."""
    return [span for span in spans if not _is_labelled(span, page)]


def _is_labelled(span: Span, page: PageLabels) -> bool:
    front = page.lines.in_front_of(span[0])[-MAX_LABEL_PIECES:]
    texts = (page.text(front[start:]) for start in range(len(front)) if _begins_word(front[start], page))
    return any(is_business_label(text) or bare_label(text) in _REGISTRATIONS for text in texts)


def _begins_word(index: int, page: PageLabels) -> bool:
    """Whether a piece has a space or a mark in front of it, or is the first on its line."""
    return page.pieces[index].space_before or not page.pieces[index - 1].text[-1].isalnum()
