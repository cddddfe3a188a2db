"""Finds values by their form, which nothing else has: IBANs and e-mail addresses."""

import re
from collections.abc import Iterator, Sequence

from docextract.documents.identifiers import has_iban_form
from docextract.documents.values import parse_email_address
from docextract.extraction.layout.pieces import Piece
from docextract.extraction.layout.places import PrintedLines

_COUNTRY = re.compile(r"[A-Z]{2}")
MAX_IBAN_LENGTH = 34  # ISO 13616
MAX_EMAIL_PIECES = 40  # on each side of the @
_CHECK_DIGITS = re.compile(r"\d{0,2}$")
_MIN_IBAN_START = 8  # characters that stand on the first line of one that is continued below
_EMAIL_MARKS = frozenset(".-_+@")


def printed_ibans(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every IBAN; it may go on in the line directly below."""
    for start, piece in enumerate(pieces):
        if not _COUNTRY.fullmatch(piece.text):
            continue
        number, span = "", list[int]()
        for index in _from(start, pieces, lines):
            if not pieces[index].text.isalnum() or (pieces[index].line != piece.line and len(number) < _MIN_IBAN_START):
                break
            number += pieces[index].text.upper()
            if len(number) > MAX_IBAN_LENGTH or not _CHECK_DIGITS.match(number[2:4]):
                break
            span.append(index)
            if has_iban_form(number):
                yield tuple(span)
                break


def printed_email_addresses(pieces: Sequence[Piece]) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every e-mail address: around an @ without spaces, on one line."""
    for at, piece in enumerate(pieces):
        if piece.text != "@":
            continue
        start, end = at, at + 1
        while start > max(0, at - MAX_EMAIL_PIECES) and _continues_email(start, start - 1, pieces):
            start -= 1
        while end < min(len(pieces), at + MAX_EMAIL_PIECES) and _continues_email(end, end, pieces):
            end += 1
        span = tuple(range(start, end))
        if parse_email_address("".join(pieces[index].text for index in span)):
            yield span


def _from(start: int, pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[int]:
    """Yield the pieces from one on to the end of its line, then those of the line directly below."""
    line = lines.of(start)
    yield from range(start, line[-1] + 1)
    yield from lines.below(line) or ()


def _continues_email(gap: int, index: int, pieces: Sequence[Piece]) -> bool:
    """Whether a piece may be part of an e-mail address, and nothing is in front of piece number `gap`."""
    is_attached = pieces[gap].line == pieces[gap - 1].line and not pieces[gap].space_before
    return is_attached and all(char.isalnum() or char in _EMAIL_MARKS for char in pieces[index].text)
