"""Finds what a payer is to state: standard references by their form, and others by words beside a bank account."""

import re
from collections.abc import Iterator, Sequence

from docextract.documents.identifiers import is_payment_reference
from docextract.extraction.layout.pieces import Piece, Span, join_pieces, text_of
from docextract.extraction.layout.places import PrintedLines, box_of
from docextract.extraction.layout.values.text_spans import may_be_identifier

PAYMENT_REFERENCE = "payment_reference"
# Of labels such as "Reference", which name a payment reference only where an account is printed near.
BARE_REFERENCE = "reference"
MAX_ACCOUNT_DISTANCE = 8.0  # heights of a label, up or down
MAX_REFERENCE_PIECES = 16
MIN_REFERENCE_CHARACTERS = 4
MIN_GROUP = 3  # digits
_ACCOUNT = re.compile(
    r"\b(?:iban|bic|swift|sort code|bsb|aba|routing|a/c|acc(?:oun)?t\.? (?:no|number|name|holder)|bank account|"
    r"(?:bank|wire|credit) transfer|transfer to|kontor?\w*|compte|cuenta|conto|conta|rekening\w*|tili\w*|"
    r"bank|bank(?:konto|verbindung|rekening|gegevens|giro)\w*|banque|banco|banca|virement|überweis\w*|bonifico)\b",
    re.IGNORECASE,
)
_RF_GROUPS = re.compile(r"RF\s?\d{2}(?:\s\d{2,5})+")
_AMOUNT_OR_DATE = re.compile(r"\d[\d.,' ]*[.,]\d{2}|\d{1,2}[./-]\d{1,2}[./-](?:\d{2}){1,2}|\d{4}-\d{2}-\d{2}")
_DANISH = re.compile(r"\+7[1-5]<\s?(\d{15,16})\s?\+\d{8}<")  # a slip of the Danish payment office


def is_reference(content: str) -> bool:
    """Whether a text may be a payment reference: one word with digits, or groups of digits; no amount and no date."""
    is_long = sum(map(str.isalnum, content)) >= MIN_REFERENCE_CHARACTERS
    if not is_long or not may_be_identifier(content) or _AMOUNT_OR_DATE.fullmatch(content):
        return False
    return " " not in content or _RF_GROUPS.fullmatch(content) is not None or _are_groups(content.split())


def _are_groups(groups: Sequence[str]) -> bool:
    """Whether digits are one number in groups: "44 01824", "21 00000 00003"; "4711 500" may be two numbers."""
    first, *others = map(len, groups)
    is_even = len(set(others)) == 1 and others[0] >= MIN_GROUP and first <= others[0]
    return all(map(str.isdigit, groups)) and is_even


def beside_accounts(labels: Sequence[Span], pieces: Sequence[Piece], lines: PrintedLines) -> list[Span]:
    """Return the labels that have an account on their line, or on a line near above or below them."""
    return beside_lines(labels, _ACCOUNT, MAX_ACCOUNT_DISTANCE, pieces, lines)


def beside_lines(
    labels: Sequence[Span], form: re.Pattern[str], heights: float, pieces: Sequence[Piece], lines: PrintedLines
) -> list[Span]:
    """Return the labels that have print of a form on their line, or at most some of its heights above or below it."""
    if not labels:
        return []
    found = [box_of(line, pieces) for line in lines if form.search(join_pieces([pieces[i] for i in line]))]

    def is_beside(label: Span) -> bool:
        left, top, right, bottom = box_of(lines.of(label[0]), pieces)
        reach = heights * (bottom - top)
        return any(
            left < other[2] and other[0] < right and top - reach < other[1] and other[3] < bottom + reach
            for other in found
        )

    return [label for label in labels if is_beside(label)]


def without_full_stop(span: Span, pieces: Sequence[Piece]) -> Span:
    """Return a reference without the full stop of its sentence."""
    return span[:-1] if len(span) > 1 and pieces[span[-1]].text == "." else span


def printed_references(pieces: Sequence[Piece], lines: PrintedLines) -> Iterator[Span]:
    """Yield the pieces of every reference with a standard form, and with its check digits where it has any.

    RF references (ISO 11649), Swiss QR references, Belgian structured communications, numbers of Danish slips.
    """
    for line in lines:
        for at, index in enumerate(line):
            if pieces[index].text[0].isdigit() or pieces[index].text.startswith(("RF", "+", "*")):
                found = _reference_at(line[at : at + MAX_REFERENCE_PIECES], pieces)
                if found:
                    yield found


def _reference_at(following: Sequence[int], pieces: Sequence[Piece]) -> Span | None:
    """Return the longest reference that begins with the first of some pieces."""
    if pieces[following[0]].text == "+" and (danish := _DANISH.match(join_pieces([pieces[i] for i in following]))):
        return next((index,) for index in following if pieces[index].text == danish[1])
    for end in range(len(following), 0, -1):
        if is_payment_reference(text_of(following[:end], pieces)):
            return tuple(following[:end])
    return None
