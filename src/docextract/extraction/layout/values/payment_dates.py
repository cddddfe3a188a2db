"""Tells the dates of payments that were made from the dates by which to pay."""

import re
from collections.abc import Iterable

from docextract.documents.accents import plain_letters
from docextract.documents.data import load_data
from docextract.documents.printed_labels import field_of_label, is_word_for_invoice
from docextract.extraction.layout.page_labels import PageLabels
from docextract.extraction.layout.pieces import Span

DUE_DATE = "due_date"
MAX_WORDS_BETWEEN = 6  # from the word for a payment to its date: "Paid by Visa card on", without the latter
MAX_LIMIT_WORDS = 2  # in front of a date, one of which may be a limit: "avant le"
_WORDS = load_data("payment_words")
_LIMITS = frozenset(map(plain_letters, _WORDS["limit"]))
_PAID = sorted((plain_letters(words).split() for words in _WORDS["paid"]), key=len, reverse=True)
_SENTENCE_END = re.compile(r"[.!?;](?=\s)")
_WORD = re.compile(r"\w+")


def without_payment_dates(spans: Iterable[Span], page: PageLabels) -> list[Span]:
    """Return dates without those of payments: behind "Paid on" or "Bezahlt mit Mastercard am", beside or below it."""
    return [span for span in spans if not any(_is_of_payment(front, page) for front in _in_front(span, page))]


def _in_front(span: Span, page: PageLabels) -> Iterable[str]:
    """Yield the text in front of a date's first figure on its line; without any, that beside it, and above it."""
    figure = next((at for at in span if any(map(str.isdigit, page.pieces[at].text))), span[0])
    line = page.lines.of(figure)
    front = line[: line.index(figure)]
    if front:
        yield page.text(front)
        return
    beside = page.lines.left_of(line)
    if beside:
        yield page.text(beside)
    above = page.lines.above(span) or ()
    left, _, right, _ = page.box(span)
    yield page.text([at for at in above if page.boxes[at][0] < right and page.boxes[at][2] > left])


def _is_of_payment(front: str, page: PageLabels) -> bool:
    """Whether the text in front of a date says that something was paid then, and not when the rest is due."""
    words = _WORD.findall(plain_letters(_SENTENCE_END.split(front)[-1]))
    start = int(len(words) > 1 and is_word_for_invoice(words[0]))
    paid = next((some for some in _PAID if words[start : start + len(some)] == some), None)
    if paid is None:
        return False
    between = words[start + len(paid) :]
    ends = (" ".join(between[at:]) for at in range(len(between)))
    is_due = any(field_of_label(end, page.document_type) == DUE_DATE for end in ends)
    return len(between) <= MAX_WORDS_BETWEEN and not is_due and _LIMITS.isdisjoint(between[-MAX_LIMIT_WORDS:])
