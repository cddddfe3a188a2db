"""Tells the numbers of bank accounts that are no IBANs, and which labels "Account no." are those of a bank."""

import re
from collections.abc import Sequence

from docextract.documents.data import load_data
from docextract.extraction.layout.pieces import Piece, Span
from docextract.extraction.layout.places import PrintedLines
from docextract.extraction.layout.values.payment_references import beside_lines

BANK_ACCOUNT = "bank_account_number"
# Of labels such as "Account no.", which on bills of water and power name the customer.
BARE_ACCOUNT = "account"
MAX_BANK_DISTANCE = 1.7  # heights of a label, up or down
MIN_ACCOUNT_DIGITS, MAX_ACCOUNT_DIGITS = 5, 30
# In groups of up to six digits, or joined: "2401177209 / 2010" ends with the code of a Czech bank.
_ACCOUNT = re.compile(r"\d+(?:[-/.]\d+)*(?: / \d{4})?|\d{1,6}(?: \d{1,6})+(?:-\d+)?")
_DATE_OR_AMOUNT = re.compile(r"\d{1,2}[./-]\d{1,2}[./-](?:\d{2}){1,2}|\d{4}[./-]\d{1,2}[./-]\d{1,2}|[\d. ]*\.\d{2}")
_BANK = re.compile(rf"\b(?:{'|'.join(map(re.escape, load_data('captions')['bank_word']))})\b", re.IGNORECASE)


def is_account(content: str) -> bool:
    """Whether a text may be the number of a bank account: digits, also in groups; no date, no amount and no IBAN."""
    is_long = MIN_ACCOUNT_DIGITS <= sum(map(str.isdigit, content)) <= MAX_ACCOUNT_DIGITS
    return is_long and _ACCOUNT.fullmatch(content) is not None and not _DATE_OR_AMOUNT.fullmatch(content)


def beside_banks(labels: Sequence[Span], pieces: Sequence[Piece], lines: PrintedLines) -> list[Span]:
    """Return the labels of accounts that have words of banks on their line, or on a line directly above or below."""
    return beside_lines(labels, _BANK, MAX_BANK_DISTANCE, pieces, lines)
