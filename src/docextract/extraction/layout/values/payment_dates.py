"""Tells the dates of payments that were made from the dates by which to pay."""

import re
from collections.abc import Iterable, Sequence

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
    """Return dates without those of payments: behind "Paid on" or "Bezahlt mit Mastercard am", beside or below it.

    Not where other words in front say that something is due then: below "Due" a stamp "PAID" may be beside the date.
    """
    fronts = {span: [_last_words(front) for front in _in_front(span, page)] for span in spans}
    return [
        span
        for span, words in fronts.items()
        if not any(map(_is_of_payment, words)) or any(_says_due(some, page) for some in words)
    ]


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


def _last_words(front: str) -> list[str]:
    """Return the words of the sentence that a text ends in."""
    return _WORD.findall(plain_letters(_SENTENCE_END.split(front)[-1]))


def _is_of_payment(words: Sequence[str]) -> bool:
    """Whether the words in front of a date say that something was paid then."""
    start = int(len(words) > 1 and is_word_for_invoice(words[0]))
    paid = next((len(some) for some in _PAID if words[start : start + len(some)] == some), None)
    return paid is not None and len(words) - start - paid <= MAX_WORDS_BETWEEN


def _says_due(words: Sequence[str], page: PageLabels) -> bool:
    """Whether the words in front of a date end with a limit, or with the label of a due date."""
    ends = (" ".join(words[at:]) for at in range(len(words)))
    is_labelled = any(field_of_label(end, page.document_type) == DUE_DATE for end in ends)
    return is_labelled or not _LIMITS.isdisjoint(words[-MAX_LIMIT_WORDS:])
