"""Finds values by their form, which little else has: IBANs, BICs beside them and e-mail addresses."""

import re
from collections.abc import Iterator, Sequence

from docextract.documents.countries import parse_country
from docextract.documents.identifiers import has_iban_form
from docextract.documents.values import parse_bic, parse_email_address
from docextract.extraction.layout.pieces import Piece
from docextract.extraction.layout.places import PrintedLines

_COUNTRY = re.compile(r"[A-Z]{2}")
MAX_IBAN_LENGTH = 34  # ISO 13616
MAX_EMAIL_PIECES = 40  # on each side of the @
_CHECK_DIGITS = re.compile(r"\d{0,2}$")
_MIN_IBAN_START = 8  # characters that stand on the first line of one that is continued below
_BIC_LABELS, MAX_AFTER_BIC_LABEL = frozenset(("BIC", "SWIFT")), 4  # pieces: "BIC / Swift-Code:"
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


def printed_bics(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every BIC directly behind its label, or on the line of an IBAN of its country."""
    ibans = {span[0] for span in printed_ibans(pieces, lines)}
    for line in lines:
        countries = {pieces[index].text for index in line if index in ibans}
        labels = [index for index in line if pieces[index].text.upper() in _BIC_LABELS]
        for word in _words(line, pieces):
            code = "".join(pieces[index].text for index in word)
            if parse_bic(code) != code or parse_country(code[4:6]) is None:
                continue
            behind = [label for label in labels if 0 < word[0] - label <= MAX_AFTER_BIC_LABEL]
            labels = [label for label in labels if label not in behind]  # each has one
            if behind or code[4:6] in countries:
                yield word


def _words(line: Sequence[int], pieces: Sequence[Piece]) -> Iterator[tuple[int, ...]]:
    """Yield the runs of letters and digits of a line without spaces or marks."""
    word: list[int] = []
    for index in line:
        is_part = pieces[index].text.isalnum()
        if word and (pieces[index].space_before or not is_part):
            yield tuple(word)
            word = []
        word += [index] if is_part else []
    if word:
        yield tuple(word)


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
