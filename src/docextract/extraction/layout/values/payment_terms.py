"""Tells the due date of an invoice from that of an early payment discount, and where the terms of payment end."""

import re
from collections.abc import Callable, Sequence
from datetime import date

from docextract.extraction.layout.pieces import Piece, Span, text_of
from docextract.extraction.layout.places import PrintedLines

_DISCOUNT = re.compile(
    r"\b(?:skonto|abschlag|escompte|sconto|pronto pago|betalingskorting|korting|kassarabatt?|kontantrabatt?|discount|"
    r"kassa-?alennus|kedvezmény)\b",
    re.IGNORECASE,
)
_NO_DISCOUNT = re.compile(r"\b(?:ohne|sans|senza|sin|zonder|utan|uden|uten|without|no|ilman)\s+\w+$", re.IGNORECASE)
MAX_NEGATION = 40  # characters in front of the end of the word for a discount
MAX_DISCOUNT_LINES = 20
PAYMENT_TERM = "payment_term"
MIN_SENTENCE_PIECES, MIN_LAST_WORD = 3, 3  # pieces of a sentence, and letters of its last word


DiscountLine = tuple[Sequence[int], Sequence[tuple[date, int]]]  # its pieces; the dates on it, and their pieces


def due_dates(spans: Sequence[Span], discounts: Sequence[DiscountLine], lines: PrintedLines) -> list[Span]:
    """Return possible due dates without those of discounts; with the last date of a line that names a discount.

    spans: dates that may be the due date. Only if there are others, a date behind "2 % discount until" is left out.
    discounts: of `discount_lines`.
    """
    early, late = set[int](), list[Span]()
    for line, dates in discounts:
        if len(dates) > 1:
            last = max(dates)
            early |= {index for day, index in dates if day < last[0]}
            late.append((last[1],))
        elif not dates:
            early |= set(lines.right_of(line) or ())
    kept = [span for span in spans if early.isdisjoint(span)]
    found = early.intersection(index for span in spans for index in span)
    added = [span for span in late if found and span not in kept]
    return [*kept, *added] or list(spans)


def dates_behind_discounts(discounts: Sequence[DiscountLine], pieces: Sequence[Piece]) -> list[Span]:
    """Return the last date of each line with a discount in percent and several dates: then all is due."""
    return [(max(dates)[1],) for line, dates in discounts if len(dates) > 1 and "%" in text_of(line, pieces)]


def discount_lines(
    pieces: Sequence[Piece], lines: PrintedLines, parse: Callable[[str], date | None]
) -> list[DiscountLine]:
    """Return the lines that name a discount, with the dates on them."""
    return [
        (line, [(day, index) for index in line if (day := _day(pieces[index], parse))])
        for line in [line for line in lines if _names_discount(line, pieces)][:MAX_DISCOUNT_LINES]
    ]


def _names_discount(line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    text = text_of(line, pieces)
    ends = [found.end() for found in _DISCOUNT.finditer(text)]
    return any(not _NO_DISCOUNT.search(text[max(0, end - MAX_NEGATION) : end]) for end in ends)


def _day(piece: Piece, parse: Callable[[str], date | None]) -> date | None:
    """Return the date that one piece is."""
    return parse(piece.text) if sum(not char.isdigit() for char in piece.text) == 2 else None


def first_sentence(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a payment term without the sentences behind it, unless they are about a discount.

    "Payable within 14 days. Thank you". A full stop behind a short word is that of an abbreviation: "30 d. netto".
    """
    for at in range(MIN_SENTENCE_PIECES, len(span) - 1):
        stop, before, following = pieces[span[at]], pieces[span[at - 1]], pieces[span[at + 1]]
        ends = stop.text == "." and len(before.text) >= MIN_LAST_WORD and before.text.isalpha()
        if ends and following.space_before and (following.text[0].isupper() or following.text[0].isdigit()):
            behind = text_of(span[at:], pieces)
            return span if "%" in behind or _DISCOUNT.search(behind) else span[:at]
    return span
