"""The currency that a page prints, by its codes and signs."""

import re
from collections.abc import Iterable, Mapping

from docextract.documents.amounts import CURRENCY_CODES
from docextract.documents.data import load_data
from docextract.documents.printed_labels import bare_label

# What names one currency only: not "$", "kr" or "Fr.", which several countries use.
_SIGNS = {  # wherever they stand
    "AUD": r"AU?\$", "BRL": r"R\$", "CZK": "K[čČ]", "EUR": "€", "GBP": "£", "HKD": r"HK\$", "HUF": r"(?<=\d\d\d)\s?Ft",
    "IDR": r"Rp\.?(?=\s?\d)", "ILS": "₪", "INR": r"₹|Rs\.?(?=\s?-?\d)",
    "JPY": r"(?<=\d)\s?円", "KRW": "₩", "KZT": "₸", "MYR": r"RM(?=\s?-?\d)",
    "NZD": r"NZ\$", "PEN": r"S/\.?(?=\s?\d)", "PHP": "₱", "PLN": "zł", "RUB": "₽", "SGD": r"S\$", "THB": "฿",
    "TND": r"(?<=[.,]\d{3})\s?DT", "TRY": "₺", "UAH": "₴", "USD": r"US\$", "VND": "₫",
    "ZAR": r"(?<!\d)(?<!\d\s)R(?=\s?\d{1,3}(?:[\s,]?\d{3})*[.,]\d\d(?!\w))",
}  # fmt: skip
_NAMES = {code: code for code in CURRENCY_CODES} | {  # beside an amount or a label
    "BHD": "BHD|BD", "EUR": "EUR|EUROS?|[Ee]uros?|[Ee]ur", "INR": "INR|Rs", "JOD": "JOD|JD", "KWD": "KWD|KD",
    "MYR": "MYR|RM", "RON": "RON|LEI|[Ll]ei", "TRY": "TRY|TL",
}  # fmt: skip
# Printed beside the euro for some months after it has replaced them; they are the currency of no page.
_REPLACED_BY_EURO = "ATS BEF BGN CYP DEM EEK ESP FIM FRF GRD HRK IEP ITL LTL LUF LVL MTL NLG PTE SIT SKK".split()
_AT_END_OF_LABEL = re.compile(rf"(?<!\w)({'|'.join((*CURRENCY_CODES, *_REPLACED_BY_EURO))})$")
_REMARK_AT_END = re.compile(r"\s*\([^()]*\)$")
_ALSO_WORDS = frozenset("BHD CAD PEN RON TL TRY".split())  # "Sdn. Bhd.", "CAD drawing", "Try our menu"
_AMOUNT = r"(?:\d{1,3}(?:[.,'\s]\d{3})+(?:[.,]\d{2,3})?|\d+[.,](?:\d{2,3}|[-–—]))"
_AMOUNT_BEFORE = re.compile(rf"(?<![\w.,/:]){_AMOUNT}[\s(*-]*$")
_AMOUNT_BEHIND = re.compile(rf"[\s.:$)*-]*{_AMOUNT}(?![^\W_])")
_WORD_BEFORE = re.compile(r"[^\W\d_]{2}\W*$")
_MIN_PART_LENGTH = 5  # of a label, as a part of another one: "Rechnungsbetrag", "Total incl. VAT"


def _any_of(forms: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern of forms by code. Letters may touch digits, but no other letters: "12.00EUR"."""
    groups = "|".join(f"(?P<{code}>{form})" for code, form in forms.items())
    return re.compile(rf"(?:(?=\W)|(?<![^\W\d_]))(?:{groups})(?![^\W\d_])")


_SIGN, _NAME = _any_of(_SIGNS), _any_of(_NAMES)


def _labels() -> frozenset[str]:
    """Return labels of sums and headings of prices, amounts and taxes."""
    headings = load_data("column_headings")
    due = load_data("printed_labels")["business"]["amount_due"]
    return frozenset(map(bare_label, [*due, *headings["unit_price"], *headings["amount"], *headings["other"]]))


_LABELS = _labels()
_CURRENCY_LABELS = "curren|wahrung|walut|valut|devis|moneda|moeda"
_PART = re.compile("|".join([_CURRENCY_LABELS, *(label for label in _LABELS if len(label) >= _MIN_PART_LENGTH)]))


def find_currency(texts: Iterable[str]) -> str | None:
    """Return the currency (ISO 4217) that lines of text name; None if they name none, or several.

    A code counts beside an amount, and behind a label of a sum. Where none does, one at either end of a line counts,
    unless it is also a word: not all labels are known.
    """
    certain: set[str | None] = set()
    likely: set[str | None] = set()
    for text in texts:
        certain |= {match.lastgroup for match in _SIGN.finditer(text)}
        for match in _NAME.finditer(text):
            before, behind = text[: match.start()], text[match.end() :]
            if _is_of_amount(before, behind):
                certain.add(match.lastgroup)
            elif _is_at_end(match[0], before, behind):
                likely.add(match.lastgroup)
    found = certain or likely
    return found.pop() if len(found) == 1 else None


def _is_of_amount(before: str, behind: str) -> bool:
    """Whether a name stands beside an amount or behind a label. Not behind another word: "BALL PEN 1.20"."""
    if _AMOUNT_BEFORE.search(before):
        return True
    if before[-1:].isdigit():
        return False
    return _is_label(before) or bool(_AMOUNT_BEHIND.match(behind) and not _WORD_BEFORE.search(before))


def is_label_of_amount(text: str) -> bool:
    """Whether a text is a label of a sum, or a heading of prices, amounts or taxes: "Betrag"."""
    return bare_label(text) in _LABELS


def _is_label(text: str) -> bool:
    """Whether a text is a label of a sum, or contains one."""
    return is_label_of_amount(text) or _PART.search(bare_label(text)) is not None


def _is_at_end(name: str, before: str, behind: str) -> bool:
    """Whether a code begins or ends a line, an amount behind it aside, or another name is alone; words do not count."""
    has_print = [any(map(str.isalnum, side)) for side in (before, _AMOUNT_BEHIND.sub("", behind))]
    return name not in _ALSO_WORDS and not (all(has_print) if name in CURRENCY_CODES else any(has_print))


def currency_of_label(label: str) -> str | None:
    """Return the currency with which a label of an amount ends: "Total EUR:", "Total EUR (rate 0.9350)", "TOTAL BGN".

    It may be one that the euro has replaced. None for a text with other numbers, which the currency may belong to.
    """
    text = _REMARK_AT_END.sub("", label.rstrip(" :.="))
    found = None if any(map(str.isdigit, text)) else _AT_END_OF_LABEL.search(text)
    return found[1] if found else None


def is_currency(text: str) -> bool:
    """Whether a text in front of a number is a currency: "EUR", "RM"."""
    return find_currency([f"{text} 1.00"]) is not None
