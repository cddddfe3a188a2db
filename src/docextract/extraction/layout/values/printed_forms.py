"""Finds values by their form, which little else has: IBANs, BICs beside them, e-mail addresses and access keys."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile, zip_longest

from docextract.documents.countries import parse_country
from docextract.documents.identifiers import has_iban_form
from docextract.documents.values import parse_bic, parse_email_address
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.places import PrintedLines

_COUNTRY = re.compile(r"[A-Z]{2}")
MAX_IBAN_LENGTH = 34  # ISO 13616
MAX_EMAIL_PIECES = 40  # on each side of the @
_CHECK_DIGITS = re.compile(r"\d{0,2}$")
_MIN_DIGITS_BESIDE_IBAN = 5  # of a number; fewer are a rest of the IBAN
_MIN_IBAN_START = 8  # characters that stand on the first line of one that is continued below
MAX_BIC_LENGTH = 11  # ISO 9362
_BIC_LABELS = frozenset(("BIC", "SWIFT"))
_WORDS_OF_BIC_LABELS = _BIC_LABELS | {"CODE", "NO", "NR"}
ACCESS_KEY_DIGITS = 44  # of a Brazilian invoice, which mostly are printed in groups of four
_NUMBER_IN_ACCESS_KEY = slice(25, 34)
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


def outside_ibans(span: Span, ibans: Iterable[Span], pieces: Sequence[Piece]) -> Iterator[Span]:
    """Yield a span, or of one with an IBAN the number in front of it, without the words between them."""
    in_ibans = {index for iban in ibans for index in iban}
    front = tuple(takewhile(lambda index: index not in in_ibans, span))
    if front == span:
        yield span
        return
    last = max((at for at, index in enumerate(front) if any(map(str.isdigit, pieces[index].text))), default=-1)
    number = front[: last + 1]
    if sum(map(str.isdigit, _text(number, pieces))) >= _MIN_DIGITS_BESIDE_IBAN:
        yield number


def printed_access_keys(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every access key ("chave de acesso"); it may go on in the line directly below."""
    for start in range(len(pieces)):
        groups = tuple(takewhile(lambda index: pieces[index].text.isdigit(), _from(start, pieces, lines)))
        if sum(len(pieces[index].text) for index in groups) == ACCESS_KEY_DIGITS:
            yield groups


def numbers_in_access_keys(keys: Iterable[Span], pieces: Sequence[Piece]) -> Iterator[Span]:
    """Yield the numbers of invoices that access keys contain, where they are printed elsewhere: "000.044.177"."""
    own = list(keys)
    numbers = {_text(key, pieces)[_NUMBER_IN_ACCESS_KEY] for key in own}
    of_keys = {index for key in own for index in key}
    for index, piece in enumerate(pieces):
        if index not in of_keys and piece.text.replace(".", "") in numbers:
            yield (index,)


def printed_bics(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[tuple[int, ...]]:
    """Yield the pieces of every BIC of a page with an IBAN: directly behind its label, or in one line behind the IBAN.

    There it has the country of the IBAN. A last part of three characters may be apart: "COBADEFF XXX".
    """
    ibans = list(printed_ibans(pieces, lines))
    for line in lines if ibans else ():
        words = list(_words(line, pieces))
        for word, following in zip_longest(words, words[1:], fillvalue=tuple[int, ...]()):
            code = _text(word, pieces)
            if parse_bic(code) != code or parse_country(code[4:6]) is None:
                continue
            if _is_labelled(word[0], line, pieces) or any(_is_behind(word, iban, line, code, pieces) for iban in ibans):
                is_branch = following and following[0] == word[-1] + 1 and parse_bic(code + _text(following, pieces))
                yield (*word, *following) if len(code) < MAX_BIC_LENGTH and is_branch else word


def _text(span: Sequence[int], pieces: Sequence[Piece]) -> str:
    return "".join(pieces[index].text for index in span)


def _is_behind(word: Span, iban: Span, line: Sequence[int], code: str, pieces: Sequence[Piece]) -> bool:
    return iban[-1] in line and word[0] > iban[-1] and code[4:6] == pieces[iban[0]].text


def _is_labelled(index: int, line: Sequence[int], pieces: Sequence[Piece]) -> bool:
    """Whether a label, and nothing but marks and other words of one, is in front of a piece: "BIC / Swift-Code:"."""
    front = (pieces[other].text.upper() for other in reversed(line) if other < index)
    label = list(takewhile(lambda text: text in _WORDS_OF_BIC_LABELS or not text.isalnum(), front))
    return not _BIC_LABELS.isdisjoint(label)


def _words(line: Sequence[int], pieces: Sequence[Piece]) -> Iterator[Span]:
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
