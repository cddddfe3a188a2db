"""What makes an amount negative: a minus on either side, brackets around it, or CR behind it."""

import re
from collections.abc import Sequence

from docextract.documents.amounts import CURRENCY_CODES, is_currency_symbol, parse_amount
from docextract.extraction.layout.pieces import Piece, Span, join_pieces
from docextract.extraction.layout.values.text_spans import are_on_one_row, is_beside

MINUS = frozenset("-−–")
_CREDIT = "CR"  # behind an amount: of an account, or of a supplier
_CLASS_OF_TAX = re.compile("[A-Z]")
_PIECES_OF_SIGN = 2
_PIECES_OF_AMOUNT = 3  # a currency, a number, and a minus or a percent sign


def with_sign(span: Span, pieces: Sequence[Piece], has_brackets: bool) -> Span:
    """Include what makes an amount negative: a minus on either side, or brackets, also around a currency.

    "-218,48", "218,48-", "218,48 €-", "218,48-€", "218,48-A", "(218.48)", "($218.48)", "$(218.48)", "-$      218.48";
    a dash between words or between two amounts is no minus: "Total-218,48", "5 €- 10 €".
    has_brackets: whether brackets make this field negative; others are remarks in brackets.
    """
    line = _Line(pieces, pieces[span[0]].line)
    first, last = line.ends_of_amount(span)
    if has_brackets and line.text(first - 1) == "(" and line.text(last + 1) == ")":
        return tuple(sorted({*span, *range(first - 1, last + 2)}))
    if line.has_minus_before(first):
        return tuple(sorted({*span, first - 1, first}))
    if sign := _sign_in_front(first, pieces):
        return tuple(sorted({*span, *sign}))
    return tuple(sorted({*span, last, last + 1})) if line.has_minus_behind(last, line.numbers(span)[-1]) else span


def with_credit(span: Span, pieces: Sequence[Piece]) -> Span:
    """Include CR behind an amount, also behind its currency: "218.48 CR"."""
    line = _Line(pieces, pieces[span[0]].line)
    _, last = line.ends_of_amount(span)
    return tuple(sorted({*span, last, last + 1})) if line.has_credit_behind(last) else span


def without_credit(span: Span, pieces: Sequence[Piece]) -> Span:
    """Leave out CR, of which the network may make a part of a price; a span of nothing else is returned unchanged."""
    return tuple(index for index in span if pieces[index].text != _CREDIT) or span


def _sign_in_front(first: int, pieces: Sequence[Piece]) -> Span:
    """Return a minus and a currency that stand alone at the left of an amount, as spreadsheets print them.

    A minus alone, or with a space behind it, may be an empty cell, and one behind a currency is zero: "$-".
    """
    if first < _PIECES_OF_SIGN:
        return ()
    minus, currency = sign = (first - _PIECES_OF_SIGN, first - 1)
    line = _Line(pieces, pieces[currency].line)
    is_sign = line.text(minus) in MINUS and line.is_currency(currency) and not pieces[currency].space_before
    is_alone = not line.text(minus - 1) and not line.text(first)
    return sign if is_sign and is_alone and are_on_one_row(sign, [first], pieces) else ()


class _Line:
    """The pieces of one line, by their indices on the page."""

    def __init__(self, pieces: Sequence[Piece], line: int) -> None:
        self._pieces, self._line = pieces, line

    def text(self, at: int) -> str:
        """Return the text of a piece; an empty one outside the line."""
        return self._pieces[at].text if self._has(at) else ""

    def is_currency(self, at: int) -> bool:
        text = self.text(at)
        return is_currency_symbol(text) or text in CURRENCY_CODES

    def numbers(self, span: Span) -> Span:
        """Return the pieces with digits, or all if none has."""
        return tuple(index for index in span if self.text(index)[:1].isdigit()) or span

    def ends_of_amount(self, span: Span) -> tuple[int, int]:
        """Return the first and the last piece of an amount with its currency, without the brackets around it."""
        numbers = self.numbers(span)
        first, last = numbers[0], numbers[-1]
        while first - 1 in span and self.text(first - 1) != "(":
            first -= 1
        while last + 1 in span and self.text(last + 1) != ")":
            last += 1
        return first - self.is_currency(first - 1), last + self.is_currency(last + 1)

    def has_minus_before(self, first: int) -> bool:
        is_attached = self.text(first - 1) in MINUS and self._is_attached(first)
        return is_attached and not (self._is_attached(first - 1) and self._has(first - 2))

    def has_minus_behind(self, last: int, number: int) -> bool:
        """Whether a minus behind an amount is its sign. number: the last digits of the amount."""
        minus = last + 1
        if self.text(minus) not in MINUS or not self._is_attached(minus):
            return False
        behind = minus + 1 + self.is_currency(minus + 1)
        if not self._has(behind) or _CLASS_OF_TAX.fullmatch(self.text(behind)):
            return True
        has_currency = behind > minus + 1 or self.is_currency(last)
        is_word = has_currency and not self.text(behind)[0].isdigit()
        return not self._is_attached(behind) and not is_word and not self._is_range(number, minus + 1)

    def has_credit_behind(self, last: int) -> bool:
        """Whether CR stands beside an amount."""
        is_credit = self.text(last + 1) == _CREDIT and not self._is_attached(last + 2)
        return is_credit and is_beside([last], [last + 1], self._pieces)

    def _is_range(self, lower: int, behind: int) -> bool:
        """Whether an amount is followed by a larger one with as many decimals, and not by a rate or a class of tax."""
        own = [self._pieces[at] for at in range(behind, behind + _PIECES_OF_AMOUNT) if self._has(at)]
        one, other = parse_amount(self.text(lower)), parse_amount(join_pieces(own))
        if one is None or other is None or not any(piece.text[0].isdigit() for piece in own[:2]):
            return False
        return one < other and one.as_tuple().exponent == other.as_tuple().exponent

    def _has(self, at: int) -> bool:
        return 0 <= at < len(self._pieces) and self._pieces[at].line == self._line

    def _is_attached(self, at: int) -> bool:
        return self._has(at) and not self._pieces[at].space_before
