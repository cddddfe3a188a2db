"""Finds values by their form, which nothing else has: IBANs and e-mail addresses."""

import re
from collections.abc import Iterator, Sequence

from docextract.documents.identifiers import has_iban_form
from docextract.documents.values import parse_email_address
from docextract.extraction.layout.pieces import Piece, is_right_below

_COUNTRY = re.compile(r"[A-Z]{2}")
_MIN_IBAN_START = 8  # characters that stand on the first line of one that is continued below
_EMAIL_MARKS = frozenset(".-_+@")


def printed_ibans(pieces: Sequence[Piece]) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every IBAN; it may go on in the line directly below."""
    for start, piece in enumerate(pieces):
        if not _COUNTRY.fullmatch(piece.text):
            continue
        number, span = "", list[int]()
        for index in _from(start, pieces):
            if not pieces[index].text.isalnum() or (pieces[index].line != piece.line and len(number) < _MIN_IBAN_START):
                break
            number += pieces[index].text.upper()
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
        while start > 0 and _is_attached(start, pieces) and _may_be_in_email(pieces[start - 1]):
            start -= 1
        while end < len(pieces) and _is_attached(end, pieces) and _may_be_in_email(pieces[end]):
            end += 1
        span = tuple(range(start, end))
        if parse_email_address("".join(pieces[index].text for index in span)):
            yield span


def _from(start: int, pieces: Sequence[Piece]) -> Iterator[int]:
    """Yield the pieces from one on to the end of its line, then those of the line directly below the last one."""
    line = [index for index, piece in enumerate(pieces) if piece.line == pieces[start].line]
    yield from range(start, line[-1] + 1)
    below = next((one for one in range(line[-1] + 1, len(pieces)) if is_right_below(line, [one], pieces)), None)
    if below is not None:
        yield from (index for index in range(below, len(pieces)) if pieces[index].line == pieces[below].line)


def _is_attached(index: int, pieces: Sequence[Piece]) -> bool:
    """Whether nothing is between a piece and the one before it."""
    return pieces[index].line == pieces[index - 1].line and not pieces[index].space_before


def _may_be_in_email(piece: Piece) -> bool:
    return all(char.isalnum() or char in _EMAIL_MARKS for char in piece.text)
